import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import * as Y from 'yjs'
import { Presence } from '../../server/rooms/presence.ts'
import type { Room } from '../../server/rooms/room.ts'
import { Session } from '../../server/rooms/session.ts'
import { MAX_AWARENESS_BYTES, MAX_AWARENESS_IDS } from '../../shared/schema/limits.ts'
import type { AwarenessState } from '../helpers/sockets.ts'
import {
  addCall,
  awarenessFrame,
  human,
  MemorySocket,
  QUERY_AWARENESS,
  RoomClient,
  T,
  testRooms,
} from '../helpers/sockets.ts'

const state = (client: number, clock: number, name = 'x'): AwarenessState => ({
  client,
  clock,
  state: JSON.stringify({ name }),
})
const gone = (client: number, clock: number): AwarenessState => ({ client, clock, state: 'null' })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function flush(client: RoomClient) {
  vi.advanceTimersByTime(150)
  return client.pump()
}

/** All that was told to a client by the next round. */
const heard = (client: RoomClient): AwarenessState[] =>
  flush(client).flatMap((message) => (message.type === 'awareness' ? message.states : []))

/** Who is there, as the room tells it to somebody new. */
function present(room: Room): AwarenessState[] {
  const spy = new RoomClient(room, human('spy'))
  const states = spy.pump().flatMap((message) => (message.type === 'awareness' ? message.states : []))
  spy.leave()
  return states.toSorted((a, b) => a.client - b.client)
}

async function joined() {
  const { rooms } = testRooms()
  const { room } = await rooms.hold(T)
  const join = (name: string): RoomClient => new RoomClient(room, human(name))
  const [ada, bob] = [join('ada'), join('bob')]
  heard(ada)
  heard(bob)
  return { room, join, ada, bob }
}

describe('presence', () => {
  test('a state goes to everybody, its sender too: for clients take silence for a dead connection', async () => {
    const { room, ada, bob } = await joined()
    ada.send(awarenessFrame(state(1, 1)))
    expect(heard(ada)).toEqual([state(1, 1)])
    expect(heard(bob)).toEqual([state(1, 1)])
    // A renewal without news is told as well, in time for who forgets after 30 s, and with that of others.
    ada.send(awarenessFrame(state(1, 2)))
    bob.send(awarenessFrame(state(2, 1)))
    expect(heard(ada)).toEqual([state(1, 2), state(2, 1)])
    bob.send(awarenessFrame(state(2, 2)))
    ada.send(awarenessFrame(state(1, 3)))
    expect(heard(ada)).toEqual([])
    vi.advanceTimersByTime(5_000)
    expect(ada.pump()).toEqual([{ type: 'awareness', states: [state(2, 2), state(1, 3)] }])
    bob.send(awarenessFrame(gone(2, 3)))
    ada.send(awarenessFrame(state(1, 4)))
    heard(ada)
    ada.send(awarenessFrame(state(1, 2)))
    expect(present(room)).toEqual([state(1, 4)])
  })

  test('an old clock changes nothing', async () => {
    const { room, ada } = await joined()
    ada.send(awarenessFrame(state(1, 5, 'new')))
    ada.send(awarenessFrame(state(1, 4, 'old')))
    expect(present(room)).toEqual([state(1, 5, 'new')])
  })

  test('nobody speaks for another: a state or a farewell under an announced id is passed over, without a refusal', async () => {
    const { room, ada, bob } = await joined()
    ada.send(awarenessFrame(state(1, 1, 'ada')))
    heard(ada)
    heard(bob)
    bob.send(awarenessFrame(state(1, 9, 'forged')))
    bob.send(awarenessFrame(gone(1, 9)))
    bob.send(awarenessFrame(state(1, 1, 'ada')))
    expect(heard(ada)).toEqual([])
    expect(present(room)).toEqual([state(1, 1, 'ada')])
    expect(bob.socket.closed).toBeNull()
    // What is its own in the same message counts.
    bob.send(awarenessFrame(state(1, 10, 'forged'), state(2, 1, 'bob')))
    expect(present(room)).toEqual([state(1, 1, 'ada'), state(2, 1, 'bob')])
    // Ada leaves: only now the id is free, and bob, who repeated it, did not take it.
    ada.leave()
    expect(present(room)).toEqual([state(2, 1, 'bob')])
  })

  test("the room's own id and farewells of the unknown take no place", async () => {
    const { room, ada } = await joined()
    await room.call(addCall('one'))
    ada.pump()
    const [own] = [...ada.doc.store.clients.keys()]
    ada.send(awarenessFrame(state(own ?? 0, 9), gone(77, 3)))
    expect(present(room)).toEqual([])
    for (let client = 1; client <= MAX_AWARENESS_IDS; client++) ada.send(awarenessFrame(state(client, 1)))
    expect(ada.socket.closed).toBeNull()
  })

  test('a connection speaks for four ids at most, and for states of limited size: then 4500, and all of it is gone', async () => {
    const { room, ada, bob } = await joined()
    ada.send(awarenessFrame(...[1, 2, 3, 4].map((client) => state(client, 1))))
    expect(present(room)).toHaveLength(4)
    expect(ada.socket.closed).toBeNull()
    ada.send(awarenessFrame(state(5, 1)))
    expect(ada.socket.closed).toEqual({ code: 4500, reason: 'too much awareness for one connection' })
    expect(present(room)).toEqual([])
    expect(heard(bob).at(-1)?.state).toBe('null')

    bob.send(awarenessFrame({ client: 9, clock: 1, state: JSON.stringify('x'.repeat(MAX_AWARENESS_BYTES - 2)) }))
    expect(bob.socket.closed).toBeNull()
    bob.send(awarenessFrame({ client: 9, clock: 2, state: JSON.stringify('x'.repeat(MAX_AWARENESS_BYTES - 1)) }))
    expect(bob.socket.closed?.code).toBe(4500)
    expect(present(room)).toEqual([])
  })

  test('leaving removes exactly what the connection spoke for', async () => {
    const { room, join, ada, bob } = await joined()
    ada.send(awarenessFrame(state(1, 3), state(2, 3)))
    bob.send(awarenessFrame(state(3, 3)))
    heard(bob)
    ada.leave()
    expect(heard(bob).map(({ client, state: said }) => [client, said])).toEqual([
      [1, 'null'],
      [2, 'null'],
    ])
    expect(present(room)).toEqual([state(3, 3)])
    // Leaving twice is leaving once.
    ada.leave()
    expect(heard(bob)).toEqual([])
    // Who comes back, with the clock where it was, is there again.
    const back = join('ada')
    heard(back)
    back.send(awarenessFrame(state(1, 3)))
    expect(present(room)).toEqual([state(1, 3), state(3, 3)])
  })

  test('a farewell takes the state away, the id stays with the connection', async () => {
    const { room, ada, bob } = await joined()
    ada.send(awarenessFrame(state(1, 1)))
    ada.send(awarenessFrame(gone(1, 2)))
    expect(present(room)).toEqual([])
    bob.send(awarenessFrame(state(1, 9)))
    expect(present(room)).toEqual([])
    ada.send(awarenessFrame(state(1, 3)))
    expect(present(room)).toEqual([state(1, 3)])
  })

  test('others who are sent on by a client after they left do not come back', async () => {
    const { room, ada, bob } = await joined()
    ada.send(awarenessFrame(state(1, 7)))
    const known = heard(bob)
    bob.send(awarenessFrame(...known))
    ada.leave()
    const farewell = heard(bob)
    // A client that answers what it heard last, late.
    bob.send(awarenessFrame(...farewell))
    expect(present(room)).toEqual([])
  })

  test('who asks is told everybody, or nothing where nobody is', async () => {
    const { ada, bob } = await joined()
    bob.send(QUERY_AWARENESS)
    expect(bob.socket.frames).toEqual([])
    ada.send(awarenessFrame(state(1, 1)))
    heard(bob)
    bob.send(QUERY_AWARENESS)
    expect(heard(bob)).toEqual([state(1, 1)])
  })

  test('presence makes no version', async () => {
    const { room, ada } = await joined()
    ada.send(awarenessFrame(state(1, 1)))
    await room.flush()
    expect(room.version).toBe(0)
    expect(room.isStored).toBe(false)
  })
})

describe('[RL-16] client ids without end', () => {
  const COUNT = 50_000
  const many = (entry: (client: number) => AwarenessState): AwarenessState[] =>
    Array.from({ length: COUNT }, (_, nth) => entry(1_000 + nth))

  test('50,000 in one message: the connection is closed with a transient code, and nothing of them is kept', async () => {
    const { room, ada, bob } = await joined()
    bob.send(awarenessFrame(state(1, 1, 'bob')))
    ada.send(awarenessFrame(...many((client) => ({ client, clock: 1, state: '{}' }))))
    expect(ada.socket.closed).toEqual({ code: 4500, reason: 'too much awareness for one connection' })
    expect(present(room)).toEqual([state(1, 1, 'bob')])
    expect(bob.socket.closed).toBeNull()
  })

  test('50,000 one after the other, null states too, over many connections: what is remembered is bounded', () => {
    const presence = new Presence(new Y.Doc(), [])
    const before = presence.known
    let closed = 0
    let most = 0
    const entries = many((client) => ({ client, clock: 1, state: client % 2 === 0 ? '{}' : 'null' }))
    for (let from = 0; from < entries.length; from += 100) {
      const session = new Session(new MemorySocket(), human('mallory'), false, true)
      for (const entry of entries.slice(from, from + 100)) {
        if (presence.receive(session, [entry])) continue
        closed++
        break
      }
      // What a client forgets it says so of: its id stays known while the connection is there.
      presence.receive(session, [{ client: 1_000 + from, clock: 2, state: 'null' }])
      most = Math.max(most, presence.known)
      presence.leave(session)
    }
    expect(closed).toBe(COUNT / 100)
    expect(most - before).toBeLessThanOrEqual(MAX_AWARENESS_IDS)
    expect([presence.known, presence.there]).toEqual([before, 0])
    presence.destroy()
  })
})
