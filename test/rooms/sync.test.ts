import { describe, expect, test, vi } from 'vitest'
import * as Y from 'yjs'
import { rootsOf } from '../../shared/plan/document.ts'
import { MAX_BUFFERED_BYTES, MAX_DOCUMENT_BYTES, MAX_PLAN_BYTES, MAX_UPDATE_BYTES } from '../../shared/schema/limits.ts'
import { randomFrom } from '../helpers/clients.ts'
import { hostileUpdates, rawUpdate } from '../helpers/hostile-updates.ts'
import {
  addCall,
  agent,
  callOf,
  human,
  isPending,
  MemorySocket,
  patchStep,
  quiet,
  readPlan,
  RoomClient,
  stepOneFrame,
  stepTwoFrame,
  T,
  testRooms,
  textsIn,
  textsOf,
  updateFrame,
  writeStep,
} from '../helpers/sockets.ts'

/** The whole document of a room, as a client that knows nothing gets it. */
async function stateOfRoom(room: Parameters<typeof textsOf>[0]): Promise<Uint8Array> {
  await room.flush()
  const spy = new RoomClient(room, human('spy'))
  spy.answers = false
  spy.send(stepOneFrame(Uint8Array.of(0)))
  const state = spy.pump().find(({ type }) => type === 'stepTwo')
  spy.leave()
  if (state?.type !== 'stepTwo') throw new Error('no step 2')
  return state.bytes
}

async function joined(names: readonly string[] = ['ada', 'bob'], as = human) {
  const inside = testRooms()
  const { room } = await inside.rooms.hold(T)
  const clients = names.map((name) => {
    const client = new RoomClient(room, as(name))
    client.ask()
    client.pump()
    return client
  })
  const [ada, bob] = clients
  if (ada === undefined || bob === undefined) throw new Error('two at least')
  return { ...inside, room, ada, bob, clients }
}

describe('the wire', () => {
  test('a client is asked for what it has, and answered, with an empty step 2 if there is nothing', async () => {
    const { rooms } = testRooms()
    const { room } = await rooms.hold(T)
    const socket = new MemorySocket()
    const session = room.join(socket, human('ada'), false)
    room.receive(session, Uint8Array.of(0, 0, 1, 0))
    expect(socket.frames).toEqual([Uint8Array.of(0, 0, 1, 0), Uint8Array.of(0, 1, 2, 0, 0)])
    // A step 2 without news is echoed like any other.
    room.receive(session, Uint8Array.of(0, 1, 2, 0, 0))
    expect(socket.frames.at(-1)).toEqual(Uint8Array.of(0, 2, 2, 0, 0))
    expect(room.version).toBe(0)
  })

  test('an edit is one version, under its actor, and everybody hears it, its sender too', async () => {
    const { room, memory, clock, ada, bob } = await joined()
    writeStep(ada.doc, 'one')
    await quiet()
    expect(ada.pumpTypes()).toEqual(['update'])
    expect(bob.pumpTypes()).toEqual(['update'])
    expect(textsIn(bob.doc)).toEqual(['one'])
    // The number that the room gave came with it.
    expect(readPlan(ada.doc).steps[0]?.number).toBe(1)
    expect(await memory.activity(T, 0, 10)).toMatchObject([
      {
        version: 1,
        at: clock.now,
        actor: { id: 'ada', name: 'ada', kind: 'human' },
        source: 'ws',
        tool: '',
        reasoning: '',
      },
    ])
    expect(room.version).toBe(1)
  })

  test.each([
    ['nothing', []],
    ['an unknown type', [7, 0]],
    ['an unknown sync message', [0, 3, 0]],
    ['a truncated update', [0, 2, 9, 1]],
    ['a number without end', [0, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ['two messages', [0, 0, 1, 0, 0, 0, 1, 0]],
    ['a step 1 that is no state vector', [0, 0, 2, 5, 1]],
    ['awareness that is no JSON', [1, 5, 1, 1, 1, 1, 0x7b]],
    ['awareness that says more than it holds', [1, 2, 9, 1]],
  ])('%s closes that connection with 4400 and no other', async (_, bytes) => {
    const { room, ada, bob } = await joined()
    ada.send(Uint8Array.from(bytes))
    expect(ada.socket.closed?.code).toBe(4400)
    expect(ada.socket.closed?.reason).toMatch(/^not a y-websocket message: ./)
    expect(bob.socket.closed).toBeNull()
    writeStep(bob.doc, 'goes on')
    await room.flush()
    expect(await textsOf(room)).toEqual(['goes on'])
  })

  test('a permission message is passed over', async () => {
    const { ada } = await joined()
    ada.send(Uint8Array.of(2, 0, 1, 0x78))
    expect(ada.socket.closed).toBeNull()
  })

  test('an update above its limit is 4413, and a step 2 may have as much as a document', async () => {
    const { ada, bob } = await joined()
    ada.send(updateFrame(new Uint8Array(MAX_UPDATE_BYTES + 1)))
    expect(ada.socket.closed).toEqual({
      code: 4413,
      reason: `an update may have ${MAX_UPDATE_BYTES} bytes, this one has ${MAX_UPDATE_BYTES + 1}`,
    })
    bob.send(stepTwoFrame(new Uint8Array(MAX_DOCUMENT_BYTES + 1)))
    expect(bob.socket.closed?.code).toBe(4413)
  })

  test('a reader that is too far behind is closed with 1013, the others go on', async () => {
    const { room, ada, bob } = await joined()
    ada.socket.buffered = MAX_BUFFERED_BYTES + 1
    await room.call(addCall('one'))
    expect(ada.socket.closed).toEqual({ code: 1013, reason: 'reading too slowly' })
    await room.call(addCall('two'))
    expect(bob.pumpTypes()).toEqual(['update', 'update'])
  })

  test(
    'a plan that is full takes nothing more from sockets (4413) nor from tools, and is still there',
    { timeout: 60_000 },
    async () => {
      const { room, ada, bob } = await joined()
      const details = 'x'.repeat(99_000)
      let full = false
      for (let nth = 0; nth < 100 && !full; nth++) {
        writeStep(ada.doc, `big ${nth}`, { details })
        full = ada.socket.closed !== null
      }
      expect(ada.socket.closed).toEqual({
        code: 4413,
        reason: `a plan may have ${MAX_PLAN_BYTES} bytes; removing and shortening always works`,
      })
      await room.flush()
      expect((await stateOfRoom(room)).length).toBeLessThanOrEqual(MAX_DOCUMENT_BYTES)
      const steps = (await room.snapshot()).steps.length
      expect(steps).toBeGreaterThan(70)
      expect(bob.socket.closed).toBeNull()
      // A small one still fits, until it does not; removing always makes room.
      const removed = await room.call(callOf('remove_todos', { indices: [1, 2, 3] }))
      expect(removed.success).toBe(true)
      writeStep(bob.doc, 'small')
      await room.flush()
      expect((await room.snapshot()).steps.length).toBe(steps - 2)
    },
  )
})

describe('hostile updates', () => {
  test(
    'are each refused with their code: the document stays as it was, no version, no entry, nobody else notices',
    { timeout: 60_000 },
    async () => {
      const { room, memory, bob } = await joined()
      await room.call(callOf('add_todos', { steps: [{ text: 'one' }, { text: 'two', depth: 1 }] }))
      writeStep(bob.doc, 'three')
      await quiet()
      bob.pump()
      const before = await stateOfRoom(room)
      for (const { name, update } of hostileUpdates()) {
        for (const frame of [updateFrame(update), stepTwoFrame(update)]) {
          const hostile = new RoomClient(room, human('mallory'))
          hostile.send(frame)
          expect([4413, 4422], name).toContain(hostile.socket.closed?.code)
          expect(hostile.socket.closed?.reason.length, name).toBeGreaterThan(10)
          expect(Buffer.byteLength(hostile.socket.closed?.reason ?? ''), name).toBeLessThanOrEqual(123)
        }
      }
      expect(await stateOfRoom(room)).toEqual(before)
      expect(room.version).toBe(2)
      expect(await memory.activity(T, 0, 10)).toHaveLength(2)
      expect(room.parked).toBe(0)
      expect(bob.pumpTypes()).toEqual([])
      expect(bob.socket.closed).toBeNull()
      writeStep(bob.doc, 'four')
      await room.flush()
      expect(bob.pumpTypes()).toEqual(['update'])
    },
  )

  test("new structs under the room's own client id, or one that another actor's connection wrote under, are refused with a transient code", async () => {
    const { room, ada, bob } = await joined()
    await room.call(addCall('one'))
    ada.pump()
    bob.pump()
    const [roomClient] = [...ada.doc.store.clients.keys()]
    if (roomClient === undefined) throw new Error('the room wrote nothing')
    const forged = (client: number): Uint8Array =>
      rawUpdate([
        {
          client,
          clock: Y.getState(ada.doc.store, client),
          structs: [{ parent: 'outline', content: { any: ['forged-step'] } }],
        },
      ])
    const before = await stateOfRoom(room)

    const first = new RoomClient(room, human('mallory'))
    first.send(updateFrame(forged(roomClient)))
    expect(first.socket.closed?.code).toBe(4500)
    expect(await stateOfRoom(room)).toEqual(before)

    writeStep(bob.doc, 'bob was here')
    await room.flush()
    ada.pump()
    const written = await stateOfRoom(room)
    const second = new RoomClient(room, human('mallory'))
    second.send(updateFrame(forged(bob.doc.clientID)))
    expect(second.socket.closed?.code).toBe(4500)
    expect(await stateOfRoom(room)).toEqual(written)

    // Bob himself may, over a second connection too; and so may anybody once he is gone, for a copy may bring back his work.
    const bobAgain = new RoomClient(room, human('bob'))
    bobAgain.send(updateFrame(forged(bob.doc.clientID)))
    expect(bobAgain.socket.closed).toBeNull()
    bob.leave()
    bobAgain.leave()
    const third = new RoomClient(room, human('mallory'))
    third.send(
      updateFrame(
        rawUpdate([
          {
            client: bob.doc.clientID,
            clock: 3,
            structs: [{ origin: [bob.doc.clientID, 2], content: { any: ['brought-back'] } }],
          },
        ]),
      ),
    )
    expect(third.socket.closed).toBeNull()
    await room.flush()
    expect(room.version).toBe(4)
  })
})

describe('what the room owns', () => {
  const claim = { holder: 'ada', token: 'secret', until: 9 }
  const forgeries: [name: string, forge: (doc: Y.Doc, id: Parameters<typeof patchStep>[1]) => void][] = [
    ['forges a number', (doc, id) => patchStep(doc, id, { number: 77 })],
    ['forges a claim', (doc, id) => patchStep(doc, id, { claim: { ...claim, holder: 'mallory' } })],
    ['drops a claim', (doc, id) => patchStep(doc, id, { claim: null })],
    ['forges startedBy', (doc, id) => patchStep(doc, id, { startedBy: 'mallory' })],
    [
      'deletes all patches of a step',
      (doc, id) => {
        const { steps } = rootsOf(doc)
        steps.toArray().forEach((_, at, all) => {
          const position = all.length - 1 - at
          if (all[position]?.id === id) steps.delete(position, 1)
        })
      },
    ],
  ]

  test.each(forgeries)(
    'a client that %s: it is back in the same version, and no replica ever sees the forgery',
    async (name, forge) => {
      const { room, memory, ada, bob } = await joined(undefined, agent)
      // A claim and a start come in with a new step, as from a server that had them.
      const id = writeStep(ada.doc, 'one', { number: 5, claim, startedBy: 'ada', status: 'in_progress' })
      await room.flush()
      for (const client of [ada, bob]) client.pump()
      const original = readPlan(bob.doc).step(id)
      expect(original).toMatchObject({ number: 5, claim, startedBy: 'ada' })

      const seen: unknown[] = []
      bob.doc.on('afterTransaction', () => {
        const step = readPlan(bob.doc).step(id)
        seen.push(step === undefined ? 'gone' : [step.number, step.claim, step.startedBy])
      })
      forge(ada.doc, id)
      await room.flush()
      expect(bob.pumpTypes()).toEqual(['update'])
      ada.pump()
      const lost = name.startsWith('deletes')
      for (const state of seen) expect(state).toEqual(lost ? 'gone' : [5, claim, 'ada'])
      expect(seen.length).toBeGreaterThan(0)
      expect(await memory.activity(T, 1, 10)).toHaveLength(1)
      if (lost) {
        // A step without patches is removed: its number is not given again and an old edit does not revive it.
        expect(await textsOf(room)).toEqual([])
      } else {
        for (const doc of [ada.doc, bob.doc])
          expect(readPlan(doc).step(id)).toMatchObject({ number: 5, claim, startedBy: 'ada' })
        expect((await room.snapshot()).steps[0]).toMatchObject({ number: 5, claim, startedBy: 'ada' })
      }
    },
  )
})

describe('who has a step', () => {
  test('[13-1] a person says it, also where an agent started it; an agent does not', async () => {
    const { room, ada, bob } = await joined()
    const id = writeStep(ada.doc, 'one', { startedBy: 'scout', status: 'in_progress' })
    await room.flush()
    bob.pump()
    patchStep(bob.doc, id, { startedBy: 'bob' })
    await room.flush()
    ada.pump()
    expect(readPlan(ada.doc).step(id)?.startedBy).toBe('bob')
    const scout = new RoomClient(room, agent('scout'))
    scout.ask()
    scout.pump()
    patchStep(scout.doc, id, { startedBy: 'scout' })
    await room.flush()
    expect((await room.snapshot()).steps[0]?.startedBy).toBe('bob')
  })
})

describe('[RL-25] a lost update', () => {
  test('what leans on it is parked outside the document, the room asks once, and all comes in', async () => {
    const { room, memory, ada, bob } = await joined()
    writeStep(ada.doc, 'one')
    await quiet()
    ada.pump()
    bob.pump()
    ada.sends = false
    writeStep(ada.doc, 'lost')
    ada.sends = true
    const before = await stateOfRoom(room)
    writeStep(ada.doc, 'two')
    writeStep(ada.doc, 'three')
    await quiet()
    // Neither applied nor logged nor echoed; the counter tells.
    expect(room.parked).toBe(2)
    expect(await stateOfRoom(room)).toEqual(before)
    expect(room.version).toBe(1)
    expect(bob.pumpTypes()).toEqual([])
    expect(ada.socket.frames).toHaveLength(1)

    // In its answer the client brings the missing part.
    expect(ada.pumpTypes()[0]).toBe('stepOne')
    await quiet()
    ada.pump()
    bob.pump()
    expect(room.parked).toBe(0)
    expect(await textsOf(room)).toEqual(['one', 'lost', 'two', 'three'])
    for (const { doc } of [ada, bob]) {
      expect(textsIn(doc)).toEqual(['one', 'lost', 'two', 'three'])
      expect(isPending(doc)).toBe(false)
    }
    const replica = new Y.Doc()
    for (const update of (await memory.open(T))?.updates ?? []) {
      Y.applyUpdate(replica, update)
      // Every prefix of the log is a whole plan.
      expect(isPending(replica)).toBe(false)
    }
    expect(textsIn(replica)).toEqual(['one', 'lost', 'two', 'three'])
  })

  test('parked updates of several actors drain each as a version of its own, under its own actor', async () => {
    const { room, memory, ada, bob, clients } = await joined(['ada', 'bob', 'cyd'])
    const [, , cyd] = clients
    ada.sends = false
    const id = writeStep(ada.doc, 'lost')
    const lost = Y.encodeStateAsUpdate(ada.doc)
    ada.sends = true
    // The others know it past the room, as over a channel between two tabs.
    for (const client of [bob, cyd]) if (client !== undefined) Y.applyUpdate(client.doc, lost, client)
    patchStep(bob.doc, id, { text: 'by bob' })
    if (cyd !== undefined) patchStep(cyd.doc, id, { status: 'completed' })
    patchStep(ada.doc, id, { details: 'by ada' })
    expect(room.parked).toBe(3)
    await quiet()
    const texts = await room.snapshot()
    expect(texts.steps).toEqual([])
    ada.send(updateFrame(lost))
    await room.flush()
    expect(room.parked).toBe(0)
    expect((await room.snapshot()).steps).toMatchObject([
      { id, text: 'by bob', status: 'completed', details: 'by ada' },
    ])
    expect((await memory.activity(T, 0, 10)).map(({ actor }) => actor.name)).toEqual(
      expect.arrayContaining(['ada', 'bob', 'cyd']),
    )
  })

  test('a deletion that runs ahead of what it deletes waits as a whole', async () => {
    const { room, ada, bob } = await joined()
    ada.sends = false
    writeStep(ada.doc, 'to be deleted')
    ada.sends = true
    rootsOf(ada.doc).outline.delete(0, 1)
    expect(room.parked).toBe(1)
    expect(bob.pumpTypes()).toEqual([])
    ada.pump()
    await quiet()
    expect(room.parked).toBe(0)
    expect((await room.snapshot()).steps.map(({ text }) => text)).toEqual(textsIn(ada.doc))
  })

  test('what is parked goes with the connection that sent it', async () => {
    const { room, ada } = await joined()
    ada.sends = false
    writeStep(ada.doc, 'lost')
    ada.sends = true
    writeStep(ada.doc, 'two')
    expect(room.parked).toBe(1)
    ada.leave()
    expect(room.parked).toBe(0)
  })
})

describe('[RL-28] forged gaps', () => {
  const gap = (nth: number, size: number): Uint8Array =>
    updateFrame(
      rawUpdate([
        {
          client: 500_000 + nth,
          clock: 3,
          structs: [{ parent: 'outline', content: { any: Array.from({ length: size }, () => 'forged-step') } }],
        },
      ]),
    )

  test.each([
    ['many small ones', 1],
    ['few large ones', 50_000],
  ])(
    '%s are capped: the connection is closed with a transient code, the document is untouched, others go on',
    async (_, size) => {
      const { room, ada, bob } = await joined()
      await room.call(addCall('one'))
      const before = await stateOfRoom(room)
      let sent = 0
      while (ada.socket.closed === null && sent < 1_000) ada.send(gap(sent++, size))
      expect(ada.socket.closed?.code).toBe(4500)
      expect(sent).toBeLessThan(size === 1 ? 300 : 20)
      // What it sent is dropped with it, and so the room has space again.
      expect(room.parked).toBe(0)
      expect(await stateOfRoom(room)).toEqual(before)
      // The room asked once, not for each.
      expect(ada.socket.frames.filter((frame) => frame[0] === 0 && frame[1] === 0)).toHaveLength(1)
      expect(bob.socket.closed).toBeNull()
      bob.sends = false
      writeStep(bob.doc, 'lost')
      bob.sends = true
      writeStep(bob.doc, 'two')
      bob.pump()
      await quiet()
      expect((await textsOf(room)).toSorted()).toEqual(['lost', 'one', 'two'])
    },
  )

  test('one hostile connection does not use up the space of the others for good', async () => {
    const { room, ada, bob } = await joined()
    for (let nth = 0; nth < 199; nth++) ada.send(gap(nth, 1))
    expect(ada.socket.closed).toBeNull()
    bob.sends = false
    writeStep(bob.doc, 'lost')
    bob.sends = true
    writeStep(bob.doc, 'two')
    bob.pump()
    await quiet()
    expect(bob.socket.closed).toBeNull()
    expect(await textsOf(room)).toEqual(['lost', 'two'])
  })
})

describe('what has no effect', () => {
  test('makes no version, but is echoed to its sender alone', async () => {
    const { room, storage, ada, bob } = await joined()
    writeStep(ada.doc, 'one')
    await room.flush()
    ada.pump()
    bob.pump()
    const again = Y.encodeStateAsUpdate(ada.doc)
    ada.send(updateFrame(again))
    ada.send(stepTwoFrame(again))
    expect(ada.pump()).toEqual([
      { type: 'update', bytes: again },
      { type: 'update', bytes: again },
    ])
    expect(bob.pumpTypes()).toEqual([])
    expect(room.version).toBe(1)
    expect(storage.calls.append).toBe(1)
  })
})

describe('random replicas', () => {
  const SEED = Number(process.env['SEED'] ?? 4_711)

  test(
    'edit at once, drop updates and come back, under appends that are held and fail: all agree, nothing acknowledged is lost',
    { timeout: 60_000 },
    async () => {
      const random = randomFrom(SEED)
      const trace: string[] = []
      const errors = vi.spyOn(console, 'error')
      try {
        for (let run = 0; run < 30; run++) {
          trace.length = 0
          const { rooms, storage } = testRooms()
          const docs = [new Y.Doc(), new Y.Doc(), new Y.Doc()]
          const clients = new Map<number, RoomClient>()
          const acknowledged: string[] = []
          const connect = async (nth: number): Promise<void> => {
            const room = await rooms.hold(T).then(
              (held) => held.room,
              () => null,
            )
            if (room === null) return
            let client: RoomClient
            try {
              client = new RoomClient(room, human(`human ${nth}`))
            } catch {
              return // the room failed while it was entered; the next attempt finds another
            }
            Y.applyUpdate(client.doc, Y.encodeStateAsUpdate(docs[nth] ?? new Y.Doc()))
            docs[nth] = client.doc
            client.ask()
            clients.set(nth, client)
          }
          for (let turn = 0; turn < 60; turn++) {
            const nth = random(docs.length)
            const client = clients.get(nth)
            const dice = random(12)
            trace.push(`${turn}: ${nth} ${dice}`)
            if (client === undefined || client.socket.closed !== null) await connect(nth)
            else if (dice < 4) writeStep(client.doc, `${run}.${turn}`)
            else if (dice < 6) client.pump()
            else if (dice === 6) {
              client.leave()
              clients.delete(nth)
            } else if (dice === 7) client.sends = !client.sends
            else if (dice === 8) storage.hold('append')
            else if (dice === 9) storage.release('append')
            else if (dice === 10 && random(3) === 0)
              storage.failNextAppend(new Error('disk'), { stored: random(2) === 0 })
            else {
              const text = `${run}.${turn} tool`
              void rooms
                .use(T, (room) => room.call(addCall(text, agent('ada'), text)))
                .then(
                  () => acknowledged.push(text),
                  () => {},
                )
            }
            if (random(3) === 0) await quiet()
          }
          storage.release('append')
          await quiet()
          // Nobody can know of a lost update that nothing leans on, until its client comes back, as all do now.
          for (const client of clients.values()) client.leave()
          clients.clear()
          // Failures that are left over strike on the way.
          for (let round = 0; round < 12; round++) {
            for (const [nth] of docs.entries()) {
              const client = clients.get(nth)
              if (client === undefined || client.socket.closed !== null || !client.sends) await connect(nth)
              clients.get(nth)?.pump()
            }
            await quiet()
          }
          const texts = await rooms.use(T, textsOf)
          expect(new Set(texts).size).toBe(texts.length)
          expect(texts).toEqual(expect.arrayContaining(acknowledged))
          for (const { doc } of clients.values()) {
            expect(textsIn(doc)).toEqual(texts)
            expect(isPending(doc)).toBe(false)
          }
        }
      } catch (error) {
        throw new Error(`seed ${SEED}: ${trace.join(', ')}`, { cause: error })
      }
      expect(errors).not.toHaveBeenCalled()
    },
  )
})
