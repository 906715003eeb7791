import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate } from 'y-protocols/awareness'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as Y from 'yjs'
import { awarenessUpdate } from '../../server/rooms/wire.ts'
import type { Room } from '../../server/rooms/room.ts'
import type { AwarenessState } from '../helpers/sockets.ts'
import {
  awarenessFrame,
  human,
  MemorySocket,
  RoomClient,
  T,
  testRooms,
  textsIn,
  textsOf,
  updateFrame,
  writeStep,
} from '../helpers/sockets.ts'

const open = async (): Promise<Room> => (await testRooms().rooms.hold(T)).room
const state = (client: number, clock: number, name = 'ada'): AwarenessState => ({
  client,
  clock,
  state: JSON.stringify({ name }),
})

/** What somebody shows who hears presence as y-protocols reads it. */
function listener(room: Room) {
  const client = new RoomClient(room, human('bob'))
  const awareness = new Awareness(client.doc)
  awareness.setLocalState(null)
  return {
    /** Who is there by the next round. */
    names: (): unknown[] => {
      vi.advanceTimersByTime(150)
      for (const message of client.pump()) {
        if (message.type === 'awareness') applyAwarenessUpdate(awareness, awarenessUpdate(message.states), 'room')
      }
      const names = [...awareness.getStates().values()].map((one) => one['name'] as unknown)
      awareness.emit('seen', [])
      return names
    },
    done: () => awareness.destroy(),
  }
}

/** A client of y-protocols that answers what it hears. */
function present(room: Room, awareness: Awareness): RoomClient {
  const client = new RoomClient(room, human('ada'))
  const say = (): void => {
    const update = encodeAwarenessUpdate(awareness, [awareness.clientID])
    const entry = awareness.meta.get(awareness.clientID)
    if (entry !== undefined && update.length > 0) client.send(awarenessFrame(state(awareness.clientID, entry.clock)))
  }
  say()
  for (const message of client.pump()) {
    if (message.type !== 'awareness') continue
    const before = awareness.meta.get(awareness.clientID)?.clock
    applyAwarenessUpdate(awareness, awarenessUpdate(message.states), 'room')
    if (awareness.meta.get(awareness.clientID)?.clock !== before) say()
  }
  return client
}

test('[11-F14] who comes back with its awareness id is seen at once, also beside its old half-open connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const room = await open()
  const bob = listener(room)
  const awareness = new Awareness(new Y.Doc())
  awareness.setLocalState({ name: 'ada' })
  const first = present(room, awareness)
  expect(bob.names()).toEqual(['ada'])
  // The old connection ends before the new one begins.
  first.leave()
  expect(bob.names()).toEqual([])
  const second = present(room, awareness)
  expect(bob.names()).toEqual(['ada'])
  // And here it is still open: its end takes nothing away.
  present(room, awareness)
  second.leave()
  expect(bob.names()).toEqual(['ada'])
  bob.done()
  awareness.destroy()
})

test('[11-F14] nobody else takes an awareness id over', async () => {
  const room = await open()
  const [ada, bob, mallory] = [human('ada'), human('bob'), human('mallory')].map((who) => new RoomClient(room, who))
  ada?.send(awarenessFrame(state(1, 1)))
  mallory?.send(awarenessFrame(state(1, 9, 'forged')))
  const heard = bob?.pump().flatMap((message) => (message.type === 'awareness' ? message.states : []))
  expect(heard).toEqual([state(1, 1)])
})

test('[11-F17] a viewer who announces the id of an editor keeps nobody from writing', async () => {
  const room = await open()
  const socket = new MemorySocket()
  const viewer = room.join(socket, human('viewer'), false, false)
  const ada = new RoomClient(room, human('ada'))
  room.receive(viewer, awarenessFrame(state(ada.doc.clientID, 9, 'viewer')))
  writeStep(ada.doc, 'mine')
  await room.flush()
  expect(ada.socket.closed).toBeNull()
  expect(await textsOf(room)).toEqual(['mine'])
})

test.each(['ada', 'bob'])(
  '[11-F4] of two documents with one client id that write at once, the later (of %s) is told to take a new one',
  async (name) => {
    const room = await open()
    const [one, two] = [new RoomClient(room, human('ada')), new RoomClient(room, human(name))]
    two.doc.clientID = one.doc.clientID
    writeStep(one.doc, 'first')
    writeStep(two.doc, 'second')
    expect(one.socket.closed).toBeNull()
    expect(two.socket.closed?.code).toBe(4500)
    expect(two.socket.closed?.reason).toContain('take a new one and bring your change again')
    // With a new id its change comes in.
    const again = new RoomClient(room, human(name))
    again.ask()
    await room.flush()
    again.pump()
    for (const text of textsIn(two.doc)) writeStep(again.doc, text)
    await room.flush()
    expect(await textsOf(room)).toEqual(['first', 'second'])
    // Whoever repeats what is known is not taken for another.
    one.send(updateFrame(Y.encodeStateAsUpdate(one.doc)))
    expect(one.socket.closed).toBeNull()
  },
)
