import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Storage } from '../../server/rooms/storage.ts'
import { VersionConflict } from '../../server/rooms/storage.ts'
import { openDatabase } from '../../server/storage/sqlite/schema.ts'
import { openSqliteStorage, startWorker, storageOver } from '../../server/storage/sqlite/storage.ts'
import { describeRevocations } from '../contracts/revocations.ts'
import { describeStorage, logEntry, threadId } from '../contracts/storage.ts'

const plan = threadId('plan')
const DAY = 24 * 60 * 60 * 1000

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'planroom-storage-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}
async function openNew(directory?: string) {
  const storage = await openSqliteStorage({ directory: directory ?? (await newDirectory()) })
  onTestFinished(() => storage.close())
  return storage
}
/** What a foreign program sees or does, such as a backup. */
function foreign<T>(directory: string, work: (db: Database.Database) => T): T {
  const db = new Database(join(directory, 'planroom.db'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}
const endings = async (promises: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(promises)).map((result) =>
    result.status === 'fulfilled' ? 'ok' : (result.reason as Error).message,
  )

describeStorage('sqlite', async () => openSqliteStorage({ directory: await newDirectory() }))
describeRevocations('sqlite', async () => openSqliteStorage({ directory: await newDirectory() }))

describe('keeping', () => {
  test('[RL-4] everything survives closing and opening again', async () => {
    const directory = join(await newDirectory(), 'not', 'yet', 'there')
    const first = await openSqliteStorage({ directory })
    const record = { idempotency: { actorId: 'a1', key: 'key', hash: 'h', reply: '{}' } }
    for (const version of [1, 2, 3]) await first.append(plan, logEntry(version, version === 3 ? record : {}))
    await first.snapshot(plan, 2, Uint8Array.of(22))
    await first.create(threadId('empty'), 5)
    await first.create(threadId('gone'), 5)
    await first.remove(threadId('gone'), 6)
    const read = (storage: Storage) =>
      Promise.all([
        storage.open(plan),
        storage.activity(plan, 0, 10),
        storage.recall(plan, 'a1', 'key', logEntry(3).at),
        storage.threads('', 10),
      ])
    const before = await read(first)
    await first.close()
    const second = await openNew(directory)
    expect(await read(second)).toEqual(before)
    expect(before[0]?.version).toBe(3)
    await expect(second.create(threadId('gone'), 7)).rejects.toThrow('deleted')
  })
  test('[RL-4] commits are flushed: WAL, synchronous FULL unless told otherwise', async () => {
    const path = join(await newDirectory(), 'planroom.db')
    const pragmas = (synchronous: 'FULL' | 'NORMAL') => {
      const db = openDatabase(path, synchronous)
      const values = ['journal_mode', 'synchronous', 'foreign_keys'].map((name) => db.pragma(name, { simple: true }))
      db.close()
      return values
    }
    expect(pragmas('FULL')).toEqual(['wal', 2, 1])
    expect(pragmas('NORMAL')).toEqual(['wal', 1, 1])
  })
  test('a database of a newer version is left alone', async () => {
    const directory = await newDirectory()
    await (await openSqliteStorage({ directory })).close()
    const version = foreign(directory, (db) => Number(db.pragma('user_version', { simple: true })))
    foreign(directory, (db) => db.pragma('user_version = 99'))
    await expect(openSqliteStorage({ directory })).rejects.toThrow('written by a newer Planroom')
    foreign(directory, (db) => db.pragma(`user_version = ${version}`))
    await openNew(directory)
  })
  test('[RL-7] a log with a hole is refused, not opened as a smaller plan', async () => {
    const directory = await newDirectory()
    const storage = await openNew(directory)
    await Promise.all([1, 2, 3].map((version) => storage.append(plan, logEntry(version))))
    foreign(directory, (db) => db.exec('DELETE FROM entries WHERE version = 2'))
    await expect(storage.open(plan)).rejects.toThrow('damaged')
  })
  test('replies older than a day are dropped by the way', async () => {
    const directory = await newDirectory()
    const storage = await openNew(directory)
    const record = (version: number) => ({ actorId: 'a1', key: `k${version}`, hash: 'h', reply: '{}' })
    const append = (version: number, at: number) =>
      storage.append(plan, logEntry(version, { at, idempotency: record(version) }))
    await Promise.all(Array.from({ length: 10 }, (_, index) => append(index + 1, 1_000)))
    const count = () => foreign(directory, (db) => db.prepare('SELECT count(*) FROM replies').pluck().get())
    for (const version of [11, 12, 13, 14, 15]) await append(version, 1_000 + DAY)
    expect(count()).toBe(5)
    await append(16, 1_000 + DAY)
    expect(count()).toBe(6)
  })
  test('a directory that cannot be made is named', async () => {
    await expect(openSqliteStorage({ directory: '/dev/null/planroom' })).rejects.toThrow('/dev/null/planroom')
  })
})

describe('group commit', () => {
  test('[11-F21] views count by their bytes, as entries do: what does not fit is the next batch', async () => {
    const storage = await openNew()
    await storage.append(plan, logEntry(1))
    const before = storage.counts().commits
    const state = 'x'.repeat(1024 * 1024)
    const views = Array.from({ length: 20 }, (_, nth) => ({ actorId: `a${nth}`, version: 1, state }))
    await Promise.all(views.map((view) => storage.saveView(plan, view)))
    // 40 MiB in memory, by 16 MiB at a time.
    expect(storage.counts().commits - before).toBe(3)
    expect(await storage.views(plan)).toHaveLength(20)
  })

  test('64 threads that append at once share commits', async () => {
    const storage = await openNew()
    const threads = Array.from({ length: 64 }, (_, index) => threadId(`t${index}`))
    for (let version = 1; version <= 10; version += 1) {
      await Promise.all(threads.map((thread) => storage.append(thread, logEntry(version))))
    }
    expect(storage.counts()).toEqual({ commits: 10, appended: 640, waiting: 0 })
  })
  test('what comes while a batch is under way is the next batch', async () => {
    const storage = await openNew()
    const first = storage.append(threadId('t0'), logEntry(1))
    // The first is sent off in the microtask before this one; no answer can come before the event loop turns.
    await Promise.resolve()
    const rest = Array.from({ length: 63 }, (_, index) => storage.append(threadId(`t${index + 1}`), logEntry(1)))
    await Promise.all([first, ...rest])
    expect(storage.counts()).toEqual({ commits: 2, appended: 64, waiting: 0 })
  })
  test('large calls are spread over several batches, and reads alone commit nothing', async () => {
    const storage = await openNew()
    const update = new Uint8Array(1024 * 1024)
    await Promise.all(Array.from({ length: 40 }, (_, index) => storage.append(plan, logEntry(index + 1, { update }))))
    expect(storage.counts().commits).toBe(3)
    await Promise.all([storage.open(plan), storage.activity(plan, 0, 5), storage.ping()])
    expect(storage.counts().commits).toBe(3)
  })
  test('an entry given while the failure of the one before is on its way fails too', async () => {
    const storage = await openNew()
    await Promise.all([1, 2, 3].map((version) => storage.append(plan, logEntry(version))))
    const failing = storage.append(plan, logEntry(3))
    await Promise.resolve()
    // By itself it would fit: the log ends at 3.
    const given = [failing, storage.append(plan, logEntry(4)), storage.append(threadId('other'), logEntry(1))]
    const order: number[] = []
    given.forEach((append, index) => void append.catch(() => order.push(index)))
    const results = await Promise.allSettled(given)
    expect(results.map((result) => result.status === 'rejected' && result.reason instanceof VersionConflict)).toEqual([
      true,
      true,
      false,
    ])
    expect(order).toEqual([0, 1])
    expect((await storage.open(plan))?.version).toBe(3)
  })
})

describe('faults of the disk', () => {
  test('[RL-4] a commit that fails fails its whole batch, and the next one stands', async () => {
    const directory = await newDirectory()
    const storage = await openNew(directory)
    // A constraint that is checked at the commit stands in for a disk that is full at the commit.
    foreign(directory, (db) =>
      db.exec(`CREATE TABLE bomb (id INTEGER REFERENCES threads (id) DEFERRABLE INITIALLY DEFERRED);
               CREATE TRIGGER ignite AFTER INSERT ON entries WHEN new.summary = 'boom'
               BEGIN INSERT INTO bomb VALUES (-1); END`),
    )
    const results = await endings([
      storage.append(threadId('t1'), logEntry(1)),
      storage.append(plan, logEntry(1, { summary: 'boom' })),
      storage.append(plan, logEntry(2)),
      storage.open(threadId('t1')),
      storage.create(threadId('t2'), 5),
    ])
    expect(results).toEqual(Array(5).fill(expect.stringContaining('SQLITE_CONSTRAINT_FOREIGNKEY')))
    expect(await storage.threads('', 10)).toEqual([])
    expect(storage.counts()).toEqual({ commits: 0, appended: 0, waiting: 0 })
    await storage.append(plan, logEntry(1))
    expect((await storage.open(plan))?.version).toBe(1)
  })
  test('an entry that cannot be written leaves nothing of itself and fails its own thread only', async () => {
    const directory = await newDirectory()
    const storage = await openNew(directory)
    foreign(directory, (db) =>
      db.exec(`CREATE TRIGGER refuse AFTER INSERT ON entries WHEN new.summary = 'no'
               BEGIN SELECT RAISE(ABORT, 'will not'); END`),
    )
    const results = await endings([
      storage.append(plan, logEntry(1, { summary: 'no' })),
      storage.append(plan, logEntry(2)),
      storage.append(threadId('other'), logEntry(1)),
    ])
    expect(results).toEqual([expect.stringContaining('will not'), expect.stringContaining('will not'), 'ok'])
    expect((await storage.threads('', 10)).map((info) => info.thread)).toEqual(['other'])
  })
  test('a call that cannot be sent rejects, and the next one goes', async () => {
    const storage = await openNew()
    const entry = logEntry(1)
    const unsendable = { ...entry, actor: { ...entry.actor, name: (() => 'Ada') as unknown as string } }
    await expect(storage.append(plan, unsendable)).rejects.toThrow('could not be sent')
    await storage.append(plan, entry)
  })
})

describe('the worker', () => {
  test('its death rejects what waits and what comes, and frees the directory', async () => {
    const directory = await newDirectory()
    const worker = startWorker({ directory, synchronous: 'FULL' })
    const storage = await storageOver(worker)
    await storage.append(plan, logEntry(1))
    const underWay = storage.append(plan, logEntry(2))
    await Promise.resolve()
    const waiting = [storage.append(plan, logEntry(3)), storage.open(plan), storage.ping()]
    const rejected = endings([underWay, ...waiting])
    await worker.terminate()
    expect((await rejected).slice(1)).toEqual(Array(3).fill(expect.stringContaining('worker died')))
    await expect(storage.append(plan, logEntry(4))).rejects.toThrow('worker died')
    await expect(storage.open(plan)).rejects.toThrow('worker died')
    await storage.close()
    const again = await openNew(directory)
    expect([1, 2]).toContain((await again.open(plan))?.version)
  })
  test('its death while closing rejects the closing', async () => {
    const worker = startWorker({ directory: await newDirectory(), synchronous: 'FULL' })
    const storage = await storageOver(worker)
    const waiting = Array.from({ length: 20 }, (_, index) =>
      storage.append(plan, logEntry(index + 1, { update: new Uint8Array(4 * 1024 * 1024) })),
    )
    const results = endings([...waiting, storage.close()])
    await worker.terminate()
    expect((await results).at(-1)).toContain('worker died')
  })
  test('an error thrown in it is told to everybody who waits', async () => {
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads')
       parentPort.once('message', ({ requests }) => {
         parentPort.postMessage({ kind: 'done', outcomes: requests.map(() => ({ ok: true })), committed: false })
         parentPort.once('message', () => { throw new Error('out of luck') })
       })`,
      { eval: true },
    )
    const storage = await storageOver(worker)
    expect(await endings([storage.open(plan), storage.ping()])).toEqual(
      Array(2).fill("The storage's worker died: out of luck"),
    )
    await expect(storage.open(plan)).rejects.toThrow('out of luck')
  })
  test('a disk that does not answer fails the ping after 5 s, and nothing else', async () => {
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads')
       const answer = ({ requests }) =>
         parentPort.postMessage({ kind: 'done', outcomes: requests.map(() => ({ ok: true, value: null })), committed: false })
       parentPort.once('message', (message) => {
         answer(message)
         // Hangs at the next batch until it is woken.
         parentPort.once('message', (hung) => parentPort.once('message', () => answer(hung)))
       })`,
      { eval: true },
    )
    const storage = await storageOver(worker)
    onTestFinished(async () => void (await worker.terminate()))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const opened = storage.open(plan)
    const ping = expect(storage.ping()).rejects.toThrow('did not answer within 5000 ms')
    await vi.advanceTimersByTimeAsync(5_000)
    await ping
    worker.postMessage('wake')
    expect(await opened).toBeNull()
  })
})
