import { describe, expect, test } from 'vitest'
import * as Y from 'yjs'
import { rootsOf } from '../../shared/plan/document.ts'
import { MAX_BUFFERED_BYTES, MAX_DOCUMENT_BYTES, MAX_PLAN_BYTES, MAX_UPDATE_BYTES } from '../../shared/schema/limits.ts'
import { hostileUpdates, rawUpdate } from '../helpers/hostile-updates.ts'
import { joined, stateOfRoom } from '../helpers/joined.ts'
import {
  addCall,
  agent,
  callOf,
  human,
  MemorySocket,
  patchStep,
  quiet,
  readPlan,
  RoomClient,
  stepTwoFrame,
  T,
  testRooms,
  textsIn,
  textsOf,
  updateFrame,
  writeStep,
} from '../helpers/sockets.ts'

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
