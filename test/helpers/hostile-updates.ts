/**
 * Updates that no honest copy of a plan sends, written byte by byte where Yjs itself would not write them.
 */
import * as encoding from 'lib0/encoding'
import * as Y from 'yjs'

type RawId = readonly [client: number, clock: number]

/** One struct as it goes over the wire. Without `origin` and `right`, `parent` names a root or the id of an item. */
export interface RawStruct {
  readonly origin?: RawId
  readonly right?: RawId
  readonly parent?: string | RawId
  readonly key?: string
  readonly content:
    | { readonly any: readonly unknown[] }
    /** One value, already written. */
    | { readonly bytes: Uint8Array }
    | { readonly text: string }
    | { readonly type: number }
    | { readonly deleted: number }
    | { readonly gc: number }
    | { readonly skip: number }
}
export interface RawSection {
  readonly client: number
  readonly clock?: number
  readonly structs: readonly RawStruct[]
}
export interface RawDeletes {
  readonly client: number
  readonly ranges: readonly (readonly [clock: number, length: number])[]
}

/** Writes an update (V1) as it is told, sensible or not. */
export function rawUpdate(sections: readonly RawSection[], deletes: readonly RawDeletes[] = []): Uint8Array {
  const to = encoding.createEncoder()
  encoding.writeVarUint(to, sections.length)
  for (const { client, clock = 0, structs } of sections) {
    writeNumbers(to, structs.length, client, clock)
    for (const struct of structs) writeStruct(to, struct)
  }
  encoding.writeVarUint(to, deletes.length)
  for (const { client, ranges } of deletes) {
    writeNumbers(to, client, ranges.length)
    for (const range of ranges) writeNumbers(to, ...range)
  }
  return encoding.toUint8Array(to)
}

function writeNumbers(to: encoding.Encoder, ...numbers: readonly number[]): void {
  for (const number of numbers) encoding.writeVarUint(to, number)
}

function writeStruct(to: encoding.Encoder, { origin, right, parent, key, content }: RawStruct): void {
  if ('gc' in content) return writeNumbers(to, 0, content.gc)
  if ('skip' in content) return writeNumbers(to, 10, content.skip)
  const ref = 'any' in content || 'bytes' in content ? 8 : 'text' in content ? 4 : 'type' in content ? 7 : 1
  const flags = (origin ? 0b1000_0000 : 0) | (right ? 0b0100_0000 : 0) | (key === undefined ? 0 : 0b0010_0000)
  encoding.writeUint8(to, ref | flags)
  if (origin) writeNumbers(to, ...origin)
  if (right) writeNumbers(to, ...right)
  if (!origin && !right) {
    if (typeof parent === 'string') {
      encoding.writeVarUint(to, 1)
      encoding.writeVarString(to, parent)
    } else {
      writeNumbers(to, 0, ...(parent ?? [0, 0]))
    }
    if (key !== undefined) encoding.writeVarString(to, key)
  }
  if ('any' in content) {
    encoding.writeVarUint(to, content.any.length)
    for (const value of content.any) encoding.writeAny(to, value as Parameters<typeof encoding.writeAny>[1])
  } else if ('bytes' in content) {
    encoding.writeVarUint(to, 1)
    encoding.writeUint8Array(to, content.bytes)
  } else if ('text' in content) {
    encoding.writeVarString(to, content.text)
  } else {
    encoding.writeVarUint(to, 'type' in content ? content.type : content.deleted)
  }
}

export interface HostileUpdate {
  readonly name: string
  readonly update: Uint8Array
}

/** The client id under which the hostile updates write. */
export const HOSTILE = 666_666
const OTHER = 777_777
const ID = 'hostile-step'

const written = (write: (doc: Y.Doc) => void): Uint8Array => {
  const doc = new Y.Doc()
  doc.clientID = HOSTILE
  write(doc)
  return Y.encodeStateAsUpdate(doc)
}
const under = (parent: string, ...any: unknown[]): RawStruct => ({ parent, content: { any } })
const alone = (...structs: RawStruct[]): Uint8Array => rawUpdate([{ client: HOSTILE, structs }])
const ids = (): RawStruct => under('outline', ID, 'hostile-two')

/** A value with an own key `__proto__`, which lib0 writes like any other. */
const withProto = (id: string, value: unknown): unknown =>
  JSON.parse(`{"id":${JSON.stringify(id)},"__proto__":${JSON.stringify(value)}}`)

/** `count` clients with one deletable struct each: small on the wire, and tens of MiB when decoded. */
export const manyClients = (count: number): Uint8Array =>
  rawUpdate(Array.from({ length: count }, (_, client) => ({ client, structs: [under('outline', ID)] })))

/** Items between the same neighbours, far apart: Yjs would go through all `count` of them for each. */
const entangled = (count: number): Uint8Array =>
  rawUpdate([
    {
      client: HOSTILE + 1,
      structs: Array.from({ length: count }, () => ({ right: [HOSTILE, count - 1], content: { deleted: 1 } })),
    },
    {
      client: HOSTILE,
      structs: Array.from({ length: count }, (_, nth) =>
        nth === 0
          ? { parent: 'outline', content: { deleted: 1 } }
          : { origin: [HOSTILE, nth - 1], content: { deleted: 1 } },
      ),
    },
  ])

/** A long run of elements of which every second is deleted: Yjs would copy the rest of the run for each. */
const shredded = (count: number): Uint8Array =>
  rawUpdate(
    [{ client: HOSTILE, structs: [{ parent: 'outline', content: { any: Array.from({ length: count }, () => ID) } }] }],
    [{ client: HOSTILE, ranges: Array.from({ length: count / 2 }, (_, nth) => [2 * nth, 1]) }],
  )

/** Updates that every room must refuse for good (4422, or 4413 if it is a matter of size), whatever it holds. */
export function hostileUpdates(): readonly HostileUpdate[] {
  // Arrays of one element each; lib0's own writer would run out of stack.
  const nested = Uint8Array.from({ length: 100_001 }, (_, at) => (at === 100_000 ? 126 : at % 2 === 0 ? 117 : 1))
  const wide: [number, number][] = Array.from({ length: 1_000 }, () => [0, 2])
  const hostile: Record<string, Uint8Array> = {
    'a foreign root': written((doc) => doc.getArray('other').push([ID])),
    'a nested type under a known root': written((doc) => doc.getArray('steps').push([new Y.Map([['id', ID]])])),
    'a map key under a known array root': written((doc) => doc.getMap('steps').set('id', { id: ID })),
    'Y.Text under outline': written((doc) => doc.getText('outline').insert(0, ID)),
    'formatted text under outline': written((doc) => doc.getText('outline').insert(0, ID, { bold: true })),
    'an embed under outline': written((doc) => doc.getText('outline').insertEmbed(0, { id: ID })),
    'bytes under outline': written((doc) => doc.getArray('outline').push([new Uint8Array(3)])),
    'a document inside the document': written((doc) => doc.getArray('steps').push([new Y.Doc()])),
    'a nested type under meta': written((doc) => doc.getMap('meta').set('title', new Y.Text('x'))),
    'an array under meta': written((doc) => doc.getArray('meta').push(['x'])),
    'an unknown key of meta': written((doc) => doc.getMap('meta').set('__proto__', 'x')),
    'two values under one key of meta': alone({ parent: 'meta', key: 'title', content: { any: ['a', 'b'] } }),
    'a value in the outline that is no id': written((doc) => doc.getArray('outline').push([ID, 'no id'])),
    'a patch in the outline': written((doc) => doc.getArray('outline').push([{ id: ID }])),
    'a patch with an unknown field': written((doc) =>
      doc.getArray('steps').push([{ id: ID }, { id: ID, admin: true }]),
    ),
    'a patch with a field of the wrong type': written((doc) => doc.getArray('steps').push([{ id: ID, text: 7 }])),
    'a patch without an id': written((doc) => doc.getArray('groups').push([{ title: 'x' }])),
    'a __proto__ in a patch, an object': alone(under('steps', withProto(ID, { admin: true }))),
    'a __proto__ in a patch, a primitive': alone(under('steps', withProto(ID, 1))),
    'a __proto__ in a claim': alone(under('steps', { id: ID, claim: withProto('x', null) })),
    'a __proto__ in a group': alone(under('groups', withProto(ID, null))),
    'a value nested 50,000 deep': alone({ parent: 'steps', content: { bytes: nested } }),
    'a GC struct': alone({ content: { gc: 3 } }),
    'a parent by id': rawUpdate([
      { client: HOSTILE, structs: [ids(), { parent: [HOSTILE, 0], content: { any: [ID] } }] },
    ]),
    'mixed roots': alone(ids(), under('steps', { id: ID }), {
      origin: [HOSTILE, 1],
      right: [HOSTILE, 2],
      content: { deleted: 1 },
    }),
    'mixed keys of meta': alone(
      { parent: 'meta', key: 'title', content: { any: ['a'] } },
      { parent: 'meta', key: 'format', content: { any: [1] } },
      { origin: [HOSTILE, 0], right: [HOSTILE, 1], content: { any: ['b'] } },
    ),
    'a patch that hangs on an id': alone(ids(), { origin: [HOSTILE, 1], content: { any: [{ id: ID }] } }),
    'a delete range far ahead': rawUpdate([], [{ client: HOSTILE, ranges: [[0, 2 ** 40]] }]),
    'a delete range at the edge of the integers': rawUpdate(
      [],
      [{ client: HOSTILE, ranges: [[2 ** 53 - 2, 2 ** 53 - 2]] }],
    ),
    'an empty delete range': rawUpdate([], [{ client: HOSTILE, ranges: [[0, 0]] }]),
    'delete ranges that overlap': rawUpdate(
      [{ client: HOSTILE, structs: [ids()] }],
      [{ client: HOSTILE, ranges: wide }],
    ),
    'a clock jump': rawUpdate([{ client: HOSTILE, clock: 2 ** 40, structs: [ids()] }]),
    'a clock jump by a length': alone({ parent: 'outline', content: { deleted: 2 ** 53 - 1 } }),
    'a clock jump by a gap': alone(ids(), { content: { skip: 2 ** 40 } }, ids()),
    'a clock jump by many clients': rawUpdate(
      [1, 2, 3].map((nth) => ({
        client: HOSTILE + nth,
        structs: [{ parent: 'outline', content: { deleted: 1_500_000 } }],
      })),
    ),
    'an origin far ahead': alone({ origin: [OTHER, 2 ** 40], content: { any: [ID] } }),
    'an origin that is itself': alone({ origin: [HOSTILE, 0], content: { any: [ID] } }),
    'a right origin in its own future': alone({ right: [HOSTILE, 7], content: { any: [ID] } }),
    'origins in a circle': rawUpdate([
      { client: HOSTILE, structs: [{ origin: [OTHER, 0], content: { any: [ID] } }] },
      { client: OTHER, structs: [{ origin: [HOSTILE, 0], content: { any: [ID] } }] },
    ]),
    'items that cost Yjs their square': entangled(20_000),
    'deletions that cost Yjs their square': shredded(60_000),
    'a struct without length': alone(under('outline')),
    'a client listed twice': rawUpdate([
      { client: HOSTILE, structs: [ids()] },
      { client: HOSTILE, clock: 2, structs: [{ origin: [HOSTILE, 1], content: { any: [ID] } }] },
    ]),
    '60,000 clients in one update': manyClients(60_000),
    '60,000 clients in a delete set': rawUpdate(
      [],
      Array.from({ length: 60_000 }, (_, client) => ({ client, ranges: [[0, 1]] })),
    ),
    'a count of clients that is not there': Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0x0f]),
    'a count of structs that is not there': Uint8Array.from([1, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0]),
    'a V2 update': Y.convertUpdateFormatV1ToV2(alone(ids())),
    'bytes behind the end': Uint8Array.from([...alone(ids()), 0]),
    'nothing at all': new Uint8Array(),
  }
  return Object.entries(hostile).map(([name, update]) => ({ name, update }))
}
