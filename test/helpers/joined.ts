import type { textsOf } from './sockets.ts'
import { human, RoomClient, stepOneFrame, T, testRooms } from './sockets.ts'

/** The whole document of a room, as a client that knows nothing gets it. */
export async function stateOfRoom(room: Parameters<typeof textsOf>[0]): Promise<Uint8Array> {
  await room.flush()
  const spy = new RoomClient(room, human('spy'))
  spy.answers = false
  spy.send(stepOneFrame(Uint8Array.of(0)))
  const state = spy.pump().find(({ type }) => type === 'stepTwo')
  spy.leave()
  if (state?.type !== 'stepTwo') throw new Error('no step 2')
  return state.bytes
}

/** A room, and people who have joined it. */
export async function joined(names: readonly string[] = ['ada', 'bob'], as = human) {
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
