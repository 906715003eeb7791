import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import * as Y from 'yjs'
import { Draining } from '../../server/rooms/errors.ts'
import { ThreadDeleted } from '../../server/rooms/storage.ts'
import type { ThreadId } from '../../shared/schema/ids.ts'
import {
  addCall,
  agent,
  human,
  quiet,
  RoomClient,
  stateOf,
  T,
  testRooms,
  textsIn,
  textsOf,
  writeStep,
} from '../helpers/sockets.ts'

const threadNamed = (nth: number): ThreadId => `thread-${nth}` as ThreadId

describe('[RL-8] opening', () => {
  test('ten connections during a slow opening: one load, all see the plan, what they sent early is kept', async () => {
    const { rooms, storage } = testRooms()
    await rooms.use(T, (room) => room.call(addCall('stored')))
    await rooms.drain()
    const anew = testRooms()
    const { memory } = anew
    const stored = await storage.open(T)
    await memory.append(T, {
      version: 1,
      at: 1,
      actor: agent('ada').actor,
      source: 'http',
      tool: '',
      reasoning: '',
      summary: '',
      update: stored?.updates[0] ?? new Uint8Array(),
    })

    anew.storage.hold('open')
    const joining = Array.from({ length: 10 }, async (_, nth) => {
      const { room } = await anew.rooms.hold(T)
      const client = new RoomClient(room, human(`human ${nth}`))
      // Written while it waited: brought up in answer to the room's question.
      writeStep(client.doc, `early ${nth}`)
      client.ask()
      return { room, client }
    })
    await quiet()
    anew.storage.release('open')
    const joined = await Promise.all(joining)
    await quiet()
    for (const { client } of joined) client.pump()
    await quiet()
    for (const { client } of joined) client.pump()
    expect(anew.storage.calls.open).toBe(1)
    expect(new Set(joined.map(({ room }) => room)).size).toBe(1)
    const all = ['stored', ...Array.from({ length: 10 }, (_, nth) => `early ${nth}`)].toSorted()
    for (const { client } of joined) expect(textsIn(client.doc).toSorted()).toEqual(all)
  })

  test('[RL-64] fifty parallel first joins of a hundred threads: one load and one room each', async () => {
    const { rooms, storage } = testRooms()
    for (let nth = 0; nth < 100; nth++) {
      const holds = await Promise.all(Array.from({ length: 50 }, () => rooms.hold(threadNamed(nth))))
      expect(new Set(holds.map(({ room }) => room)).size).toBe(1)
      expect(storage.calls.open).toBe(nth + 1)
    }
    expect(rooms.loaded).toBe(100)
  })

  test('[RL-7] a failing opening fails all who wait, leaves what is stored alone, and the next one works', async () => {
    const { rooms, storage, memory } = testRooms(0)
    await rooms.use(T, (room) => room.call(addCall('kept')))
    const before = await memory.open(T)
    await unloaded(rooms)
    storage.hold('open')
    storage.failNextOpen(new Error('disk'))
    const waiting = Promise.allSettled(Array.from({ length: 10 }, () => rooms.use(T, (room) => room.snapshot())))
    await quiet()
    storage.release('open')
    for (const outcome of await waiting)
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { name: 'ThreadUnavailable', cause: { message: 'disk' } },
      })
    expect(rooms.loaded).toBe(0)
    expect(await memory.open(T)).toEqual(before)
    expect(await rooms.use(T, textsOf)).toEqual(['kept'])
    expect(storage.calls.append).toBe(1)
  })
})

/** Resolves when no room is loaded. Rooms with `idleMs` 0 go with the next timer; bounded, for a test that fails. */
async function unloaded(rooms: { readonly loaded: number }): Promise<void> {
  for (let turn = 0; turn < 10_000 && rooms.loaded > 0; turn++) await quiet()
  expect(rooms.loaded).toBe(0)
}

describe('[RL-10] unloading', () => {
  test('leaving and coming back with an edit while a save is under way: both edits survive, in one room', async () => {
    const { rooms, storage } = testRooms(0)
    const first = await rooms.hold(T)
    const client = new RoomClient(first.room, human('ada'))
    storage.hold('append')
    writeStep(client.doc, 'before leaving')
    client.leave()
    first.release()
    for (let turn = 0; turn < 20; turn++) await quiet()
    const second = await rooms.hold(T)
    expect(second.room).toBe(first.room)
    const back = new RoomClient(second.room, human('ada'))
    writeStep(back.doc, 'after coming back')
    storage.release('append')
    await second.room.flush()
    expect(await textsOf(second.room)).toEqual(expect.arrayContaining(['before leaving', 'after coming back']))
    expect(storage.calls.open).toBe(1)
    back.leave()
    second.release()
    await unloaded(rooms)
    expect((await rooms.use(T, textsOf)).toSorted()).toEqual(['after coming back', 'before leaving'])
    expect(storage.calls.open).toBe(2)
  })

  test('a room that was unloaded still knows what each agent saw', async () => {
    const { rooms, storage } = testRooms(0)
    await rooms.use(T, (room) => room.call(addCall('one', agent('ada'))))
    await rooms.use(T, (room) => room.call(addCall('two', agent('bob'))))
    await unloaded(rooms)
    const reply = await rooms.use(T, (room) => room.call(addCall('three', agent('ada'))))
    expect(reply['digest']).toBe('bob added #2')
    expect(storage.calls.open).toBeGreaterThan(1)
  })

  test(
    '[RL-12] calls on thousands of threads leave no room, no timer and no memory behind',
    { timeout: 60_000 },
    async () => {
      setFlagsFromString('--expose-gc')
      const gc = runInNewContext('gc') as () => void
      const { rooms } = testRooms(0)
      const run = async (from: number): Promise<number> => {
        for (let nth = from; nth < from + 1_000; nth++)
          await rooms.use(threadNamed(nth), (room) => room.call(addCall('one')))
        await unloaded(rooms)
        gc()
        return process.memoryUsage().heapUsed / 1024 / 1024
      }
      const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
      // The first thousand fills what is remembered of threads that are not loaded; from then on it is full.
      const first = await run(0)
      const before = timers()
      await run(1_000)
      const last = await run(2_000)
      expect(timers()).toBeLessThanOrEqual(before + 5)
      // What the storage in memory keeps of 2,000 plans is in this.
      expect(last - first).toBeLessThan(20)
    },
  )
})

describe('deleting', () => {
  test('connections are closed with 4404, nobody gets in any more, and an old copy cannot flow back', async () => {
    const { rooms, storage, memory } = testRooms()
    const { room } = await rooms.hold(T)
    const client = new RoomClient(room, human('ada'))
    client.ask()
    writeStep(client.doc, 'one')
    await room.flush()
    expect(await rooms.remove(T)).toBe(true)
    expect(client.socket.closed).toEqual({ code: 4404, reason: 'the thread was deleted' })
    writeStep(client.doc, 'two')
    await expect(rooms.hold(T)).rejects.toBeInstanceOf(ThreadDeleted)
    await expect(room.call(addCall('three'))).rejects.toBeInstanceOf(ThreadDeleted)
    await expect(rooms.create(T, [{ text: 'again' }], agent('ada'))).rejects.toBeInstanceOf(ThreadDeleted)
    await expect(rooms.remove(T)).rejects.toBeInstanceOf(ThreadDeleted)
    await expect(memory.open(T)).rejects.toBeInstanceOf(ThreadDeleted)
    expect(storage.calls.append).toBe(1)
    expect(rooms.loaded).toBe(0)
  })

  test('a thread that never was is not deleted, and can still come into being', async () => {
    const { rooms } = testRooms()
    expect(await rooms.remove(T)).toBe(false)
    await rooms.use(T, (room) => room.call(addCall('one')))
    expect(await rooms.use(T, textsOf)).toEqual(['one'])
  })

  test('a call under way is answered first; one that comes while the deletion is under way finds the thread gone', async () => {
    const { rooms, storage } = testRooms()
    const { room } = await rooms.hold(T)
    storage.hold('append')
    const early = room.call(addCall('early'))
    const removal = rooms.remove(T)
    await quiet()
    const late = rooms.use(T, (found) => found.call(addCall('late')))
    late.catch(() => {})
    expect(await stateOf(removal)).toBe('waiting')
    storage.release('append')
    expect((await early).success).toBe(true)
    expect(await removal).toBe(true)
    await expect(late).rejects.toBeInstanceOf(ThreadDeleted)
    expect(rooms.loaded).toBe(0)
  })

  test('an edit that arrives amid the deletion is not acknowledged, and its connection learns that the thread is gone', async () => {
    const { rooms, storage } = testRooms()
    const { room } = await rooms.hold(T)
    const client = new RoomClient(room, human('ada'))
    writeStep(client.doc, 'kept')
    await room.flush()
    client.pump()
    const removal = rooms.remove(T)
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    writeStep(client.doc, 'amid')
    expect(await removal).toBe(true)
    await quiet()
    expect(client.socket.closed).toEqual({ code: 4404, reason: 'the thread was deleted' })
    await expect(rooms.hold(T)).rejects.toBeInstanceOf(ThreadDeleted)
    expect(rooms.loaded).toBe(0)
    expect(storage.calls.append).toBe(2)
  })
})

describe('draining', () => {
  test('what was called for is kept and answered, connections are closed with 1012, new work is refused', async () => {
    const { rooms, storage, memory } = testRooms()
    const { room } = await rooms.hold(T)
    const client = new RoomClient(room, human('ada'))
    client.ask()
    client.pump()
    storage.hold('append')
    const call = room.call(addCall('one'))
    writeStep(client.doc, 'two')
    const drained = rooms.drain()
    expect(await stateOf(drained)).toBe('waiting')
    await expect(rooms.hold(T)).rejects.toBeInstanceOf(Draining)
    storage.release('append')
    await drained
    expect((await call).success).toBe(true)
    expect(client.pumpTypes().slice(0, 2)).toEqual(['update', 'update'])
    expect(client.socket.closed?.code).toBe(1012)
    const doc = new Y.Doc()
    for (const update of (await memory.open(T))?.updates ?? []) Y.applyUpdate(doc, update)
    expect(textsIn(doc).toSorted()).toEqual(['one', 'two'])
    await expect(rooms.hold(T)).rejects.toBeInstanceOf(Draining)
  })
})
