import { describe, expect, test } from 'vitest'
import * as Y from 'yjs'
import { rootsOf } from '../../shared/plan/document.ts'
import { rawUpdate } from '../helpers/hostile-updates.ts'
import { joined, stateOfRoom } from '../helpers/joined.ts'
import {
  addCall,
  isPending,
  patchStep,
  quiet,
  T,
  textsIn,
  textsOf,
  updateFrame,
  writeStep,
} from '../helpers/sockets.ts'

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
