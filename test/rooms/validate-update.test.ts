import { describe, expect, test } from 'vitest'
import * as Y from 'yjs'
import type { UpdateContext, Verdict } from '../../server/rooms/validate-update.ts'
import { IncomingStructs } from '../../server/rooms/update-structure.ts'
import { orderOf, rehearse, validateUpdate } from '../../server/rooms/validate-update.ts'
import { rootsOf } from '../../shared/plan/document.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import { MAX_CLOCK_AHEAD, MAX_STRUCTS } from '../../shared/schema/limits.ts'
import type { RawStruct } from '../helpers/hostile-updates.ts'
import { HOSTILE, hostileUpdates, manyClients, rawUpdate } from '../helpers/hostile-updates.ts'

const open: UpdateContext = { reserved: () => false }
const id = (nth: number): StepId => `step-${String(nth).padStart(6, '0')}` as StepId

function addStep(doc: Y.Doc, step: StepId, at: number, text: string): void {
  const { outline, steps } = rootsOf(doc)
  doc.transact(() => {
    outline.insert(Math.min(at, outline.length), [step])
    steps.push([{ id: step, text, createdAt: 1, status: 'pending', parent: '' }])
  })
}

function replica(clientID: number): Y.Doc {
  const doc = new Y.Doc()
  doc.clientID = clientID
  return doc
}

/** A room in use: structs of two clients, deletions, settings. */
function usedRoom(): Y.Doc {
  const doc = replica(100)
  for (let i = 0; i < 8; i++) addStep(doc, id(i), i, `text ${i}`)
  const other = replica(200)
  Y.applyUpdate(other, Y.encodeStateAsUpdate(doc))
  rootsOf(other).outline.delete(2, 3)
  rootsOf(other).steps.push([{ id: id(1), status: 'completed' }])
  rootsOf(other).groups.push([{ id: 'group-0001', title: 'G' } as never])
  rootsOf(other).meta.set('title', 'A plan')
  rootsOf(other).meta.set('title', 'The plan')
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(other))
  return doc
}

/** Validates, and makes sure that the document is as it was. */
function judge(doc: Y.Doc, update: Uint8Array, context = open): Verdict {
  const before = Y.encodeStateAsUpdate(doc)
  const roots = [...doc.share.keys()]
  const verdict = validateUpdate(doc, update, context)
  if (Buffer.compare(before, Y.encodeStateAsUpdate(doc)) !== 0) throw new Error('the document was changed')
  expect([...doc.share.keys()]).toEqual(roots)
  if (verdict.kind === 'refused') expect(Buffer.byteLength(verdict.reason)).toBeLessThanOrEqual(123)
  return verdict
}

const isPending = ({ store }: Y.Doc): boolean => store.pendingStructs !== null || store.pendingDs !== null
const clone = (doc: Y.Doc): Y.Doc => {
  const copy = new Y.Doc()
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc))
  return copy
}

/** The ids of all elements in the order in which they stand, as Yjs has them. */
function orders(doc: Y.Doc): string[][] {
  const { outline, steps, groups, meta } = rootsOf(doc)
  const title = meta._map.get('title') ?? null
  return [outline._start, steps._start, groups._start, title].map((start) => {
    const order: string[] = []
    let item = start
    while (item !== null && item.left !== null) item = item.left
    for (; item !== null; item = item.right) {
      for (let i = 0; i < item.length; i++) order.push(`${item.id.client}:${item.id.clock + i}`)
    }
    return order
  })
}

/** The same after an update, as the judge foresees it. */
function rehearsedOrders(doc: Y.Doc, update: Uint8Array): string[][] {
  const incoming = new IncomingStructs(doc, Y.decodeUpdate(update).structs)
  const order = orderOf(incoming)
  expect(rehearse(incoming, order)).toBe('complete')
  const places = [incoming.placeNamed('outline', null), incoming.placeNamed('steps', null)]
  places.push(incoming.placeNamed('groups', null), incoming.placeNamed('meta', 'title'))
  return places.map((place) => (place === null ? [] : order.orderOf(place)))
}

/** mulberry32: random numbers that a seed brings back. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

describe('a hostile update is refused and leaves the document untouched', () => {
  test.each(hostileUpdates())('$name', ({ update }) => {
    for (const doc of [replica(1), usedRoom()]) {
      const verdict = judge(doc, update)
      expect(verdict.kind).toBe('refused')
      if (verdict.kind === 'refused') expect([4413, 4422]).toContain(verdict.code)
    }
  })

  test('60,000 clients in one update are refused by their count, before anything is decoded', () => {
    const counted = judge(replica(1), manyClients(60_000))
    const reason = 'The update names too many new client ids (at most 20000).'
    expect(counted).toEqual({ kind: 'refused', code: 4422, reason })
    // The count alone is judged: the structs need not even be there.
    expect(judge(replica(1), manyClients(60_000).subarray(0, 10))).toEqual(counted)
  })

  test('a known part is no way in: it must not name a foreign root, hang on another root or point at itself', () => {
    const doc = usedRoom()
    const known = (struct: RawStruct) => judge(doc, rawUpdate([{ client: 100, structs: [struct] }]))
    expect(known({ parent: 'other', content: { any: [id(0)] } })).toMatchObject({ code: 4422 })
    expect(known({ parent: [100, 0], content: { any: [id(0)] } })).toMatchObject({ code: 4422 })
    expect(known({ origin: [100, 3], content: { any: [id(0)] } })).toMatchObject({ code: 4422 })
    expect(known({ parent: 'outline', content: { any: [id(0)] } })).toEqual({ kind: 'ok' })
    expect(known({ origin: [300, 0], content: { any: [id(0)] } })).toMatchObject({ kind: 'missing' })
  })

  test('the new tail of a struct that is known in part is checked, and stands where its head stands', () => {
    const doc = replica(1)
    Y.applyUpdate(doc, rawUpdate([{ client: 5, structs: [{ parent: 'outline', content: { any: [id(0), id(1)] } }] }]))
    const longer = (parent: string, ...any: unknown[]) =>
      judge(doc, rawUpdate([{ client: 5, structs: [{ parent, content: { any } }] }]))
    expect(longer('outline', id(0), id(1), id(2))).toEqual({ kind: 'ok' })
    expect(longer('outline', id(0), id(1), 'no id')).toMatchObject({ code: 4422 })
    expect(longer('outline', 'known, so passed over', id(1))).toEqual({ kind: 'ok' })
    expect(longer('steps', { id: id(0) }, { id: id(1) }, { id: id(2) })).toMatchObject({ code: 4422 })
  })

  test('new structs beside what is in no root of a plan are refused', () => {
    const doc = replica(1)
    Y.applyUpdate(
      doc,
      rawUpdate([{ client: 5, structs: [{ content: { gc: 2 } }, { parent: 'other', content: { any: [1] } }] }]),
    )
    const beside = (clock: number) =>
      rawUpdate([{ client: 9, structs: [{ origin: [5, clock], content: { any: [id(0)] } }] }])
    expect(judge(doc, beside(0))).toMatchObject({ code: 4422 })
    expect(judge(doc, beside(2))).toMatchObject({ code: 4422 })
  })

  test('structs under a reserved client id are refused with a transient code, unless the document has them', () => {
    const doc = usedRoom()
    const context = { reserved: (client: number) => client === 100 }
    const back = Y.encodeStateAsUpdate(doc)
    expect(judge(doc, back, context)).toEqual({ kind: 'ok' })
    expect(judge(replica(1), back, context)).toMatchObject({ kind: 'refused', code: 4500 })
    const state = Y.getState(doc.store, 100)
    const forged = { parent: 'outline', content: { any: [id(9)] } }
    expect(judge(doc, rawUpdate([{ client: 100, clock: state, structs: [forged] }]), context)).toMatchObject({
      code: 4500,
    })
    expect(judge(doc, rawUpdate([{ client: 100, clock: state + 5, structs: [forged] }]), context)).toMatchObject({
      code: 4500,
    })
  })

  test('more structs than a document may have are 4413, before they are in it', () => {
    const structs = Array.from({ length: MAX_STRUCTS }, (): RawStruct => ({
      parent: 'outline',
      content: { deleted: 1 },
    }))
    expect(judge(replica(1), rawUpdate([{ client: HOSTILE, structs }]))).toEqual({ kind: 'ok' })
    const doc = replica(100)
    rootsOf(doc).meta.set('title', 'one struct')
    expect(judge(doc, rawUpdate([{ client: HOSTILE, structs }]))).toMatchObject({ kind: 'refused', code: 4413 })
  })

  test('random noise and truncations never throw, and what is let in leaves nothing pending', () => {
    const room = usedRoom()
    const writer = clone(room)
    writer.clientID = 300
    addStep(writer, id(50), 1, 'new')
    rootsOf(writer).outline.delete(0, 2)
    rootsOf(writer).meta.set('title', 'Another')
    const valid = Y.encodeStateAsUpdate(writer)
    const small = Y.encodeStateAsUpdate(writer, Y.encodeStateVector(room))
    const seen = { ok: 0, missing: 0, refused: 0 }
    for (let seed = 1; seed <= 2_000; seed++) {
      const random = randomFrom(seed)
      let bytes = Uint8Array.from(random(2) === 0 ? valid : small)
      if (seed % 4 === 0) bytes = bytes.slice(0, random(bytes.length))
      else if (seed % 4 === 1) bytes = Uint8Array.from({ length: random(200) }, () => random(256))
      else for (let flips = 1 + random(3); flips > 0; flips--) bytes[random(bytes.length)] = random(256)
      try {
        const verdict = judge(room, bytes)
        seen[verdict.kind]++
        if (verdict.kind === 'refused') continue
        const scratch = clone(room)
        Y.applyUpdate(scratch, bytes)
        expect(isPending(scratch)).toBe(verdict.kind === 'missing')
        if (verdict.kind === 'ok') expect(rehearsedOrders(room, bytes)).toEqual(orders(scratch))
        expect([...scratch.share.keys()].filter((name) => !room.share.has(name))).toEqual([])
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error })
      }
    }
    // Not all of it is cut off at the door: the noise reaches every verdict.
    expect(Math.min(seen.ok, seen.missing, seen.refused)).toBeGreaterThan(20)
  })

  test('a chain of 200,000 structs, and 10,000 clients that lean on each other, are judged without recursion', () => {
    const chain = Array.from({ length: MAX_STRUCTS }, (_, clock): RawStruct =>
      clock === 0
        ? { parent: 'outline', content: { any: [id(0)] } }
        : { origin: [1, clock - 1], content: { any: [id(clock)] } },
    )
    expect(judge(replica(9), rawUpdate([{ client: 1, structs: chain }]))).toEqual({ kind: 'ok' })
    const ladder = (last: number) =>
      Array.from({ length: last }, (_, i) => {
        const first: RawStruct = { parent: 'outline', content: { any: [id(0)] } }
        const struct: RawStruct = i === last - 1 ? first : { origin: [i + 2, 0], content: { any: [id(i)] } }
        return { client: i + 1, structs: [struct] }
      })
    expect(judge(replica(99_999), rawUpdate(ladder(10_000)))).toEqual({ kind: 'ok' })
    expect(judge(replica(99_999), rawUpdate(ladder(10_000).slice(0, -1)))).toMatchObject({ kind: 'missing' })
  })
})

describe('an update that leans on what the document does not have is missing something', () => {
  const part = (client: number, clock: number, struct: RawStruct) => rawUpdate([{ client, clock, structs: [struct] }])
  const cases: [name: string, update: Uint8Array][] = [
    ['a clock', part(5, 3, { parent: 'outline', content: { any: [id(0)] } })],
    ['an origin', part(5, 0, { origin: [6, 2], content: { any: [id(0)] } })],
    ['a right origin', part(5, 0, { right: [6, 2], content: { any: [id(0)] } })],
    ['a delete range', rawUpdate([], [{ client: 5, ranges: [[0, 3]] }])],
    ['a delete range in part', rawUpdate([], [{ client: 100, ranges: [[0, 10_000]] }])],
    [
      'a gap',
      rawUpdate([
        {
          client: 5,
          structs: [
            { parent: 'outline', content: { any: [id(0)] } },
            { content: { skip: 2 } },
            { parent: 'outline', content: { any: [id(1)] } },
          ],
        },
      ]),
    ],
  ]
  test.each(cases)('%s', (_, update) => {
    const doc = usedRoom()
    expect(judge(doc, update)).toMatchObject({ kind: 'missing' })
    Y.applyUpdate(doc, update)
    expect(isPending(doc)).toBe(true)
  })

  test('but what is absurdly far ahead is no copy of this plan', () => {
    const outline: RawStruct = { parent: 'outline', content: { any: [id(0)] } }
    expect(judge(usedRoom(), part(5, MAX_CLOCK_AHEAD - 1, outline))).toMatchObject({ kind: 'missing' })
    expect(judge(usedRoom(), part(5, MAX_CLOCK_AHEAD, outline))).toMatchObject({ code: 4422 })
  })
})

describe('honest copies', () => {
  test('replicas that exchange whole, merged and cut updates in any order are let in, and nothing is ever left pending', () => {
    const seen = { ok: 0, missing: 0 }
    for (let seed = 1; seed <= 150; seed++) {
      const random = randomFrom(seed)
      const room = replica(1)
      const context = { reserved: (client: number) => client === room.clientID }
      const replicas = [replica(11), replica(12), replica(13)]
      const updates: Uint8Array[] = []
      for (const doc of [...replicas, room]) doc.on('update', (update: Uint8Array) => updates.push(update))
      const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
      try {
        for (let turn = 0; turn < 60; turn++) {
          write(pick(random(8) === 0 ? [room] : replicas), random)
          if (random(3) === 0) Y.applyUpdate(pick(replicas), Y.encodeStateAsUpdate(pick([...replicas, room])))
          const update = anyUpdate()
          const verdict = judge(room, update, context)
          if (verdict.kind === 'refused') throw new Error(verdict.reason)
          seen[verdict.kind]++
          const target = verdict.kind === 'ok' ? room : clone(room)
          const rehearsed = verdict.kind === 'ok' ? rehearsedOrders(room, update) : null
          Y.applyUpdate(target, update)
          if (rehearsed !== null) expect(rehearsed).toEqual(orders(room))
          expect(isPending(target)).toBe(verdict.kind === 'missing')
        }
        for (const doc of replicas) Y.applyUpdate(room, Y.encodeStateAsUpdate(doc))
        expect(judge(replica(2), Y.encodeStateAsUpdate(room))).toEqual({ kind: 'ok' })
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error })
      }

      function anyUpdate(): Uint8Array {
        const kind = random(5)
        const doc = pick(replicas)
        if (kind === 0 || updates.length === 0) return Y.encodeStateAsUpdate(doc)
        if (kind === 1) return Y.encodeStateAsUpdate(doc, Y.encodeStateVector(pick([...replicas, room])))
        if (kind === 2) return pick(updates)
        const some = Array.from({ length: 2 + random(6) }, () => pick(updates))
        const merged = Y.mergeUpdates(some)
        return kind === 3 ? merged : Y.diffUpdate(merged, Y.encodeStateVector(pick([...replicas, room])))
      }
    }
    expect(seen.ok).toBeGreaterThan(1_000)
    expect(seen.missing).toBeGreaterThan(500)
  })

  test('a wiped room takes back a whole document, with everybody’s structs and melted deletions', () => {
    const writers = Array.from({ length: 30 }, (_, i) => replica(1_000 + i))
    const random = randomFrom(7)
    const shared = replica(1)
    for (let round = 0; round < 10; round++) {
      for (const writer of writers) {
        for (let i = 0; i < 4; i++) write(writer, random)
        Y.applyUpdate(shared, Y.encodeStateAsUpdate(writer))
        Y.applyUpdate(writer, Y.encodeStateAsUpdate(shared))
      }
    }
    const whole = Y.encodeStateAsUpdate(shared)
    const melted = Y.decodeUpdate(whole).structs.some(
      (it) => it instanceof Y.Item && !it.deleted && it.content instanceof Y.ContentDeleted && it.length > 1,
    )
    expect(melted).toBe(true)
    const room = replica(2)
    expect(judge(room, whole)).toEqual({ kind: 'ok' })
    Y.applyUpdate(room, whole)
    expect(isPending(room)).toBe(false)
    for (const name of ['outline', 'steps', 'groups'] as const) {
      expect(rootsOf(room)[name].toJSON()).toEqual(rootsOf(shared)[name].toJSON())
    }
  })

  test('a plan of 10,000 steps is let in as a whole, into an empty room and into one that has it', () => {
    const doc = replica(1)
    doc.transact(() => {
      for (let i = 0; i < 10_000; i++) addStep(doc, id(i), i, `step ${i}`)
    })
    const whole = Y.encodeStateAsUpdate(doc)
    expect(judge(replica(2), whole)).toEqual({ kind: 'ok' })
    expect(judge(doc, whole)).toEqual({ kind: 'ok' })
  })

  test('a text may speak of __proto__, and a claim and dependencies are part of a patch', () => {
    const doc = replica(3)
    rootsOf(doc).steps.push([
      { id: id(1), text: '__proto__', details: 'fix __proto__ pollution', alias: '__proto__' },
      { id: id(2), claim: { holder: 'a', token: 'b', until: 3 } },
      { id: id(2), 'dep:step-000001': 0, 'dep:=__proto__': null },
    ])
    expect(judge(replica(1), Y.encodeStateAsUpdate(doc))).toEqual({ kind: 'ok' })
  })

  test('an update without effect, an empty one included, is let in', () => {
    expect(judge(usedRoom(), rawUpdate([]))).toEqual({ kind: 'ok' })
    expect(judge(replica(1), Y.encodeStateAsUpdate(replica(5)))).toEqual({ kind: 'ok' })
  })
})

/** What a copy of a plan does: add, patch (taking away patches that show no more), move, remove, rename. */
function write(doc: Y.Doc, random: (below: number) => number): void {
  const { outline, steps, groups, meta } = rootsOf(doc)
  const at = random(outline.length)
  const step = outline.length === 0 ? id(random(1_000)) : outline.get(at)
  doc.transact(() => {
    switch (random(6)) {
      case 0:
      case 1:
        return addStep(doc, id(random(100_000)), random(outline.length + 1), 'text')
      case 2: {
        if (steps.length > 2) steps.delete(random(steps.length - 2), 1 + random(2))
        return steps.push([
          { id: step, status: 'completed' },
          { id: step, number: 1 + random(9) },
        ])
      }
      case 3:
        if (outline.length === 0) return undefined
        outline.delete(at, 1)
        return outline.insert(random(outline.length + 1), [step])
      case 4:
        if (outline.length > 3) outline.delete(random(outline.length - 2), 2)
        return steps.push([{ id: step, removed: true }])
      default:
        groups.push([{ id: `group-${random(1_000) + 1_000}`, title: 'G' } as never])
        return meta.set('title', `title ${random(9)}`)
    }
  })
}
