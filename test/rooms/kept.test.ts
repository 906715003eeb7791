import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { Rooms } from '../../server/rooms/rooms.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import type { ThreadId } from '../../shared/schema/ids.ts'
import { getPlan } from '../helpers/clients.ts'
import { faultyStorage } from '../helpers/faulty-storage.ts'
import { newApp, recordedLog } from '../helpers/http.ts'
import { addCall, agent, callOf, human, quiet, RoomClient, testRooms, textsOf, writeStep } from '../helpers/sockets.ts'

const threadNamed = (nth: number): ThreadId => `thread-${nth}` as ThreadId
const QUIET = { info: () => {}, warn: () => {}, error: () => {} }

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

/** Rooms that keep so many bytes of what nobody needs just now. */
function roomsWith(keptBytes: number) {
  const storage = faultyStorage(createMemoryStorage())
  return { storage, rooms: new Rooms({ storage, log: QUIET, idleMs: 3_600_000, keptBytes }) }
}

describe('[11-F23] a thread that is not there', () => {
  test('leaves nothing behind at the server, by whatever door it was asked for', async () => {
    const storage = faultyStorage(createMemoryStorage())
    const config = { host: '127.0.0.1', port: 0, idleMs: 3_600_000 }
    const { url } = await newApp({ config, storage, log: recordedLog() }).listen()
    const ask = async (path: string): Promise<number> => {
      const response = await fetch(`${url}/threads/${path}`)
      await response.text()
      return response.status
    }
    for (const path of ['unknown', 'unknown/plan.md', 'unknown/activity', 'unknown']) {
      const before = storage.calls.open
      expect(await ask(path)).toBe(404)
      // It was opened anew: nothing was kept of the time before.
      expect(storage.calls.open).toBe(before + 1)
    }
    await fetch(`${url}/threads/unknown/tools/add_todos`, { method: 'POST', body: '{"steps":[{"text":"now it is"}]}' })
    const opened = storage.calls.open
    expect((await getPlan(url, 'unknown')).steps.map(({ text }) => text)).toEqual(['now it is'])
    expect(storage.calls.open).toBe(opened)
  })

  test('10,000 of them: no room, and no memory', async () => {
    const { rooms } = testRooms()
    const ask = (nth: number): Promise<boolean> => rooms.use(threadNamed(nth), (room) => room.isStored)
    for (let nth = 0; nth < 1_000; nth++) await ask(nth)
    const before = heapAfterCollection()
    for (let nth = 0; nth < 10_000; nth++) expect(await ask(nth)).toBe(false)
    expect(rooms.loaded).toBe(0)
    expect(heapAfterCollection() - before).toBeLessThan(10)
  })

  test('what was seen of a plan without steps is kept: who saw none removes none that others added', async () => {
    const { rooms } = testRooms()
    await rooms.use(threadNamed(1), (room) => room.call(callOf('list_todos', {}, agent('ada'))))
    await rooms.use(threadNamed(1), (room) => room.call(addCall('of bob', agent('bob'))))
    const reply = await rooms.use(threadNamed(1), (room) =>
      room.call(callOf('remove_todos', { indices: [1] }, agent('ada'))),
    )
    expect(await rooms.use(threadNamed(1), textsOf)).toEqual(['of bob'])
    expect(JSON.stringify(reply)).toContain('1')
  })
})

describe('[11-F23] one budget for all threads', () => {
  test('idle rooms beyond it are unloaded, the one used least recently first', async () => {
    const { rooms, storage } = roomsWith(10 * 22_000)
    for (let nth = 0; nth < 30; nth++) await rooms.use(threadNamed(nth), (room) => room.call(addCall(`of ${nth}`)))
    expect(rooms.loaded).toBeGreaterThan(2)
    expect(rooms.loaded).toBeLessThan(11)
    const opened = storage.calls.open
    await rooms.use(threadNamed(29), textsOf)
    expect(storage.calls.open).toBe(opened)
    // Nothing is lost but the time to open it.
    for (let nth = 0; nth < 30; nth++) expect(await rooms.use(threadNamed(nth), textsOf)).toEqual([`of ${nth}`])
    expect(storage.calls.open).toBeGreaterThan(opened + 20)
  })

  test('a room with connections stays, and its plan does not count; what it remembers is cut from behind', async () => {
    const { rooms } = roomsWith(400_000)
    const { room } = await rooms.hold(threadNamed(0))
    const client = new RoomClient(room, human('ada'))
    const steps = Array.from({ length: 100 }, (_, nth) => ({ text: `${nth} ${'x'.repeat(1_000)}` }))
    await room.call(callOf('add_todos', { steps }))
    for (let round = 0; round < 30; round++) {
      const edits = steps.map((_, nth) => ({ index: nth + 1, text: `${round}.${nth} ${'y'.repeat(1_000)}` }))
      await room.call(callOf('update_todos', { updates: edits }))
    }
    for (let nth = 1; nth < 20; nth++) await rooms.use(threadNamed(nth), (other) => other.call(addCall('one')))
    expect(room.remembered).toBeLessThan(400_000)
    writeStep(client.doc, 'still here')
    await room.flush()
    client.pump()
    expect(client.socket.closed).toBe(null)
    expect(await textsOf(room)).toContain('still here')
  })
})

test('[11-F23] 500 large calls leave some MB of history, and the latest versions are known', async () => {
  const { rooms } = testRooms()
  await rooms.use(threadNamed(0), async (room) => {
    const steps = Array.from({ length: 500 }, (_, nth) => ({ text: `step ${nth}` }))
    await room.call(callOf('add_todos', { steps }))
    const before = heapAfterCollection()
    for (let nth = 0; nth < 500; nth++)
      await room.call(callOf('toggle_todos', { indices: steps.map((_, index) => index + 1) }))
    await quiet()
    expect(heapAfterCollection() - before).toBeLessThan(60)
    const reply = await room.call(callOf('toggle_todos', { indices: [1], rev: room.version }))
    expect(reply.success).toBe(true)
  })
})
