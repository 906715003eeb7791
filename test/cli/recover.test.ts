import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { StepId } from '../../shared/schema/ids.ts'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { recover } from '../../server/storage/sqlite/recovery/recover.ts'
import { examine } from '../../server/storage/sqlite/recovery/examine.ts'
import { logEntry, threadId } from '../contracts/storage.ts'
import { startServer } from '../helpers/server-process.ts'
import { callTool, newDirectory, newServer, planroom } from './bin.ts'

const THREADS = ['a', 'b', 'c']
const STEPS = 40
const OF_PLANS = ['threads', 'entries', 'snapshots', 'replies', 'views', 'former_texts', 'outlooks']
/** The update that changes nothing. */
const NO_CHANGE = Uint8Array.of(0, 0)

/** Plans, some with texts that need several pages. The server has ended. */
async function plans(): Promise<string> {
  const data = await newDirectory()
  const server = await startServer(data)
  for (let i = 1; i <= STEPS; i++)
    for (const thread of THREADS) {
      const text = `${thread} ${i} ${'.'.repeat(i % 10 === 0 ? 3_900 : 10)}`
      await callTool(server.url, thread, 'add_todos', {
        steps: [{ text, details: i % 20 === 0 ? 'd'.repeat(9_000) : '' }],
      })
    }
  await callTool(server.url, 'gone', 'add_todos', { steps: ['x'] })
  await fetch(`${server.url}/threads/gone`, { method: 'DELETE' })
  await server.stop()
  return data
}
async function nameOf(url: string, thread: string): Promise<string[]> {
  const { steps = [] } = (await (await fetch(`${url}/threads/${thread}`)).json()) as { steps?: { text: string }[] }
  return steps.map(({ text }) => text.split(' ', 2).join(' '))
}
const all = (thread: string): string[] => Array.from({ length: STEPS }, (_, i) => `${thread} ${i + 1}`)
const databaseIn = (data: string): string => join(data, 'planroom.db')

function spoil(path: string, from: number, length: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, from)
  closeSync(file)
}

describe('[11-F42] a database that SQLite cannot read', () => {
  test.each([
    ['header', 100],
    ['schema', 4_096],
  ])('damage in its %s costs nothing', async (_name, length) => {
    const data = await plans()
    spoil(databaseIn(data), 0, length)
    const found = await planroom(['verify', '-d', data])
    expect([found.code, found.stdout]).toEqual([1, expect.stringContaining('planroom verify --repair')])
    const repaired = await planroom(['verify', '-d', data, '--repair'])
    expect([repaired.code, repaired.stderr]).toEqual([0, ''])
    expect((await planroom(['verify', '-d', data])).stdout).toBe('3 plans, all whole\n')
    const { url } = await newServer({}, data)
    for (const thread of THREADS) expect(await nameOf(url, thread)).toEqual(all(thread))
    expect((await fetch(`${url}/threads/gone`)).status).toBe(410)
  })

  test('what is left of one that was cut short is saved, wherever it was cut', async () => {
    const data = await plans()
    const whole = statSync(databaseIn(data)).size
    const lost: number[] = []
    for (const share of [0.9, 0.75, 0.6]) {
      const short = join(await newDirectory(), 'data')
      mkdirSync(short)
      copyFileSync(databaseIn(data), databaseIn(short))
      truncateSync(databaseIn(short), Math.floor(whole * share))
      const found = await planroom(['verify', '-d', short])
      expect([found.code, found.stdout]).toEqual([1, expect.stringContaining('planroom verify --repair')])
      const repaired = await planroom(['verify', '-d', short, '--repair'])
      expect([repaired.code, repaired.stderr]).toEqual([0, ''])
      expect(readdirSync(short).some((name) => name.startsWith('planroom.db.before-repair-'))).toBe(true)
      expect((await planroom(['verify', '-d', short])).code).toBe(0)
      const { url } = await newServer({}, short)
      let steps = 0
      for (const thread of THREADS) {
        const names = await nameOf(url, thread)
        // Nothing but what was there, in its order.
        expect(names).toEqual(all(thread).filter((name) => names.includes(name)))
        steps += names.length
      }
      lost.push(THREADS.length * STEPS - steps)
    }
    // The less there is, the less can be saved; never nothing.
    expect(lost).toEqual(lost.toSorted((one, other) => one - other))
    expect(lost.at(-1)).toBeLessThan(THREADS.length * STEPS * 0.8)
  })

  test('is left alone if it holds no plans', async () => {
    const file = join(await newDirectory(), 'notes.txt')
    writeFileSync(file, 'no database, but a long text. '.repeat(1_000))
    const { code, stderr } = await planroom(['verify', file])
    expect([code, stderr]).toEqual([1, expect.stringContaining(file)])
  })

  test('all rows that SQLite reads are found on the pages, in the same form', async () => {
    const directory = await newDirectory()
    const storage = await openSqliteStorage({ directory })
    const texts = ['', 'a', 'é€😀', 'x'.repeat(300), 'y'.repeat(20_000)]
    for (const [i, text] of texts.entries()) {
      const thread = threadId(`t${i}`)
      const idempotency = { actorId: 'a', key: `k${i}`, hash: 'h', reply: text }
      for (const at of [1, 300, 70_000, 2_000_000_000_000]) {
        const version = [1, 300, 70_000, 2_000_000_000_000].indexOf(at) + 1
        const update = new Uint8Array(1 + text.length * version).fill(version)
        await storage.append(
          thread,
          logEntry(version, {
            at,
            reasoning: text,
            update,
            outlook: { title: text, progress: { completed: 0, active: 0, blocked: 0, total: i } },
            formerTexts: [{ step: 's' as StepId, field: 'text', text, fate: 'replaced' }],
            idempotency: { ...idempotency, key: `${i}${version}` },
          }),
        )
      }
      await storage.snapshot(thread, 2, new Uint8Array(5_000 + i).fill(i))
      await storage.saveView(thread, { actorId: 'a', version: 1, state: text })
    }
    for (let i = 0; i < 500; i++) {
      await storage.create(threadId(`d${i}`), 1_700_000_000_000)
      await storage.remove(threadId(`d${i}`), 1_700_000_000_000 + i)
      await storage.revoke({ kind: 'subject', id: `${i}`, at: 1_700_000_000_000, until: 1_900_000_000_000 })
    }
    const rows = (db: Database.Database) =>
      [...OF_PLANS, 'deleted', 'revocations'].map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all())
    const expectSame = (db: Database.Database, recovered: Database.Database) => {
      const [one, other] = [rows(db), rows(recovered)]
      expect(other.map((table) => table.length)).toEqual(one.map((table) => table.length))
      expect(other).toEqual(one)
      db.close()
      recovered.close()
    }
    // Much of it stands in the log as yet.
    const copy = databaseIn(await newDirectory())
    for (const ending of ['', '-wal']) copyFileSync(databaseIn(directory) + ending, copy + ending)
    const found = recover(copy)
    expectSame(new Database(copy), found)

    await storage.close()
    const damaged = databaseIn(await newDirectory())
    copyFileSync(databaseIn(directory), damaged)
    spoil(damaged, 0, 100)
    const { db, problems } = examine(damaged)
    expect(problems).toHaveLength(1)
    expectSame(new Database(databaseIn(directory)), db)
  })

  test('former texts and outlooks are saved with their plans; those of entries that are lost block no later version', async () => {
    const data = await newDirectory()
    const storage = await openSqliteStorage({ directory: data })
    const formerTexts = [{ step: 's' as StepId, field: 'text', text: 'as it was', fate: 'replaced' }] as const
    const outlook = { title: 'a plan', progress: { completed: 1, active: 0, blocked: 0, total: 2 } }
    const names = ['gone', 'short', 'whole']
    for (const name of names)
      for (const version of [1, 2, 3])
        await storage.append(threadId(name), logEntry(version, { update: NO_CHANGE, outlook, formerTexts }))
    await storage.close()
    // As when the pages of some entries, and of the threads' rows, were cut off.
    const db = new Database(databaseIn(data))
    db.pragma('foreign_keys = OFF')
    db.exec(`DELETE FROM entries WHERE thread_id = 1 OR (thread_id = 2 AND version = 3);
             DELETE FROM threads WHERE thread IN ('gone', 'short')`)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
    spoil(databaseIn(data), 0, 100)
    const { code, stdout } = await planroom(['verify', '-d', data, '--repair'])
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('lost:')])

    const mended = await openSqliteStorage({ directory: data })
    onTestFinished(() => mended.close())
    const threads = await mended.threads('', 10)
    expect(threads).toMatchObject([{ version: 2 }, { thread: 'whole', version: 3, outlook }])
    for (const { thread, version } of threads) {
      await mended.append(thread, logEntry(version + 1, { update: NO_CHANGE, formerTexts }))
      const activity = await mended.activity(thread, 0, 10)
      expect(activity.map((entry) => entry.formerTexts)).toEqual(Array.from({ length: version + 1 }, () => formerTexts))
    }
  })
})
