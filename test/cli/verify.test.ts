import { closeSync, openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as fc from 'fast-check'
import * as Y from 'yjs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { connectPlan } from '../../client/sdk/live-plan.ts'
import { salvage } from '../../client/cli/data/salvage.ts'
import { readPlan } from '../../shared/plan/read.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { logEntry, threadId } from '../contracts/storage.ts'
import { call, newApp } from '../helpers/http.ts'
import { startServer } from '../helpers/server-process.ts'
import { callTool, newDirectory, newServer, planroom } from './bin.ts'

const ROWS = 50
const PATIENCE = { timeout: 20_000, interval: 50 }

/** Three threads; of each every change adds a step. No server. */
async function threeThreads(): Promise<string> {
  const data = await newDirectory()
  const server = await startServer(data)
  for (const thread of ['a', 'b', 'c'])
    for (let i = 1; i <= ROWS; i++)
      await callTool(server.url, thread, 'add_todos', { steps: [{ text: `${thread} ${i}` }] })
  await server.stop()
  return data
}
function change(data: string, sql: string, ...values: unknown[]): void {
  const db = new Database(join(data, 'planroom.db'))
  db.prepare(sql).run(...values)
  db.close()
}
/** Spoils a page of rows of the log, not one of an index or of the schema. */
function spoilPage(data: string): void {
  const path = join(data, 'planroom.db')
  const db = new Database(path)
  const pageSize = Number(db.pragma('page_size', { simple: true }))
  db.pragma('wal_checkpoint(TRUNCATE)')
  const page = db
    .prepare<[], number>(
      "SELECT pageno FROM dbstat WHERE name = 'entries' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET 3",
    )
    .pluck()
    .get()
  db.close()
  const descriptor = openSync(path, 'r+')
  writeSync(descriptor, Buffer.alloc(pageSize, 0xa5), 0, pageSize, ((page ?? 0) - 1) * pageSize)
  closeSync(descriptor)
}
const OF_B = "thread_id = (SELECT id FROM threads WHERE thread = 'b')"

async function texts(url: string, thread: string): Promise<string[]> {
  const response = await fetch(`${url}/threads/${thread}`)
  if (!response.ok) return [`${response.status}`]
  return ((await response.json()) as { steps: { text: string }[] }).steps.map(({ text }) => text)
}
const all = (thread: string, but: readonly number[] = []): string[] =>
  Array.from({ length: ROWS }, (_, i) => i + 1)
    .filter((i) => !but.includes(i))
    .map((i) => `${thread} ${i}`)

describe('verify', () => {
  test('finds nothing wrong with a server at work, or with a backup', async () => {
    const data = await newDirectory()
    const { url } = await newServer({}, data)
    await callTool(url, 'a', 'add_todos', { steps: ['x'] })
    const file = join(data, 'backup.db')
    await planroom(['backup', file, '-d', data])
    for (const args of [['-d', data], [file]])
      expect(await planroom(['verify', ...args])).toEqual({ code: 0, stdout: '1 plan, all whole\n', stderr: '' })
    expect((await planroom(['verify', '-d', data, '--repair'])).code).toBe(3)
    expect((await planroom(['verify', `${file}x`])).code).toBe(6)
    expect((await planroom(['verify', '-d', await newDirectory()])).code).toBe(6)
  })

  test.each([
    ['cut short', `UPDATE entries SET bytes = substr(bytes, 1, 9) WHERE version = 25 AND ${OF_B}`],
    ['of other bytes', `UPDATE entries SET bytes = randomblob(200) WHERE version = 25 AND ${OF_B}`],
    ['empty', `UPDATE entries SET bytes = x'' WHERE version = 25 AND ${OF_B}`],
    [
      'of one changed letter',
      `UPDATE entries SET bytes = CAST(replace(CAST(bytes AS TEXT), 'b 25', 'b 52') AS BLOB) WHERE version = 25 AND ${OF_B}`,
    ],
    ['missing', `DELETE FROM entries WHERE version = 25 AND ${OF_B}`],
  ])('[RL-21] [RL-22] a row that is %s costs that row; a thread, not the server', async (_name, sql) => {
    const data = await threeThreads()
    change(data, sql)
    const server = await startServer(data)
    expect([await texts(server.url, 'a'), await texts(server.url, 'c')]).toEqual([all('a'), all('c')])
    expect(await texts(server.url, 'b')).toEqual([expect.stringMatching(/^5\d\d$/)])
    await callTool(server.url, 'a', 'toggle_todos', { indices: [1] })
    const found = await planroom(['verify', '-d', data])
    expect(found.code).toBe(1)
    expect(found.stdout).toMatch(
      /^b, version 50: damaged\n {2}.*[Vv]ersion 25.*\n {2}49 steps can be read\n3 plans, 1 damaged\n/,
    )
    await server.stop()

    const repaired = await planroom(['verify', '-d', data, '--repair', '--json'])
    expect(repaired.code).toBe(0)
    expect(JSON.parse(repaired.stdout)).toMatchObject({
      damaged: [{ thread: 'b', steps: 49, opens: false, damages: [{ version: 25 }] }],
    })
    expect((await planroom(['verify', '-d', data])).stdout).toBe('3 plans, all whole\n')
    expect(readdirSync(data).some((name) => name.startsWith('planroom.db.before-repair-'))).toBe(true)

    const again = await newServer({}, data)
    expect(await texts(again.url, 'b')).toEqual(all('b', [25]))
    expect(await texts(again.url, 'a')).toEqual(all('a'))
    const history = await planroom(['history', 'b', '--url', again.url, '--last', '1'])
    expect(history.stdout).toContain('repaired; what was changed in version 25 is lost')
    await callTool(again.url, 'b', 'add_todos', { steps: ['goes on'] })
    expect((await texts(again.url, 'b')).at(-1)).toBe('goes on')
  })

  test('a client that still has what was lost brings it back, and nothing is doubled', async () => {
    const data = await threeThreads()
    const before = await startServer(data)
    const port = new URL(before.url).port
    const live = connectPlan({ url: before.url, thread: 'b', name: 'ann', backoff: () => 20 })
    onTestFinished(() => live.close())
    await live.whenSynced()
    await before.stop()
    change(data, `DELETE FROM entries WHERE version = 25 AND ${OF_B}`)
    expect((await planroom(['verify', '-d', data, '--repair'])).code).toBe(0)
    const server = await newServer({ PORT: port }, data)
    await vi.waitFor(
      async () => expect((await texts(server.url, 'b')).toSorted()).toEqual(all('b').toSorted()),
      PATIENCE,
    )
    await callTool(server.url, 'b', 'add_todos', { steps: ['after'] })
    await vi.waitFor(() => expect(live.steps.map(({ text }) => text)).toContain('after'), PATIENCE)
    expect(await texts(server.url, 'b')).toEqual(live.steps.map(({ text }) => text))
  })

  test('a damaged snapshot costs nothing while the log is there', async () => {
    const data = await threeThreads()
    expect((await planroom(['compact', '-d', data])).code).toBe(0)
    change(data, `UPDATE snapshots SET state = randomblob(100) WHERE ${OF_B}`)
    const server = await startServer(data)
    expect(await texts(server.url, 'b')).toEqual(all('b'))
    await server.stop()
    expect((await planroom(['verify', '-d', data])).stdout).toContain('the plan is whole without it')
    expect((await planroom(['verify', '-d', data, '--repair'])).code).toBe(0)
    expect((await planroom(['verify', '-d', data])).code).toBe(0)
  })

  test('pages that went bad cost what stands on them', async () => {
    const data = await threeThreads()
    spoilPage(data)
    const found = await planroom(['verify', '-d', data])
    expect(found.stderr).toBe('')
    expect(found.stdout).toContain('is missing (what it changed is lost)')
    const repaired = JSON.parse((await planroom(['verify', '-d', data, '--repair', '--json'])).stdout) as {
      damaged: { thread: string; damages: { version: number }[] }[]
    }
    expect((await planroom(['verify', '-d', data])).code).toBe(0)
    const { url } = await newServer({}, data)
    for (const thread of ['a', 'b', 'c']) {
      const lost = repaired.damaged.find((one) => one.thread === thread)?.damages.map(({ version }) => version) ?? []
      expect(await texts(url, thread)).toEqual(all(thread, lost))
    }
  })

  test('a page that went bad takes nothing along that others do in the same moment', async () => {
    const directory = await newDirectory()
    const first = await openSqliteStorage({ directory })
    const threads = ['a', 'b', 'c'].map(threadId)
    for (const thread of threads) {
      for (let version = 1; version <= 50; version++)
        await first.append(thread, logEntry(version, { update: new Uint8Array(100).fill(version) }))
    }
    await first.close()
    spoilPage(directory)
    const storage = await openSqliteStorage({ directory })
    onTestFinished(() => storage.close())
    const results = await Promise.allSettled([
      ...threads.map((thread) => storage.open(thread)),
      ...threads.map((thread) => storage.append(thread, logEntry(51))),
      ...threads.map((thread) => storage.open(thread)),
    ])
    const damaged = results.slice(0, 3).filter(({ status }) => status === 'rejected').length
    expect(damaged).toBe(1)
    expect(results.slice(3, 6).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    const again = results.slice(6).flatMap((one) => (one.status === 'fulfilled' ? [one.value?.version] : []))
    expect(again).toEqual([51, 51])
  })

  test('a database from before there were sums is read, and gets them', async () => {
    const data = await threeThreads()
    const db = new Database(join(data, 'planroom.db'))
    db.exec('ALTER TABLE entries DROP COLUMN crc; ALTER TABLE snapshots DROP COLUMN crc')
    db.exec('DROP TABLE outlooks; DROP TABLE former_texts; PRAGMA user_version = 2')
    db.close()
    expect((await planroom(['verify', '-d', data])).stdout).toBe('3 plans, all whole\n')
    const { url } = await newServer({}, data)
    expect(await texts(url, 'b')).toEqual(all('b'))
  })
})

describe('what is saved', () => {
  /** The log of a plan that two agents made: steps, sub-steps, statuses, new texts, removals. */
  async function log(): Promise<Uint8Array[]> {
    const storage = createMemoryStorage()
    const app = newApp({ storage })
    for (let i = 1; i <= 12; i++) {
      await call(app, 'plan', 'add_todos', { steps: [{ text: `s${i}` }, { text: `s${i}.1`, depth: 1 }] })
      if (i % 3 === 0) await call(app, 'plan', 'toggle_todos', { indices: [i] })
      if (i % 4 === 0) await call(app, 'plan', 'update_todos', { updates: [{ index: 1, text: `renamed ${i}` }] })
      if (i % 5 === 0) await call(app, 'plan', 'remove_todos', { indices: [2] })
    }
    return [...((await storage.open(threadId('plan')))?.updates ?? [])]
  }
  const kept = (bytes: Uint8Array | null, i: number) => ({
    version: i + 1,
    bytes,
    isLetGo: false,
    problem: bytes === null ? 'gone' : null,
    about: '',
  })
  const outlineOf = (state: Uint8Array): string[] => {
    const doc = new Y.Doc()
    Y.applyUpdate(doc, state)
    return readPlan(doc).steps.map(({ text, depth, status }) => `${'.'.repeat(depth)}${text} ${status}`)
  }

  test('[RL-22] without any one row: every step that another row made, in its order', async () => {
    const updates = await log()
    const whole = outlineOf(salvage(updates.length, null, updates.map(kept)).state())
    for (const gone of updates.keys()) {
      const { damages, opens, state } = salvage(
        updates.length,
        null,
        updates.map((bytes, i) => kept(i === gone ? null : bytes, i)),
      )
      expect([damages.length, opens]).toEqual([1, false])
      const left = outlineOf(state())
      // A row makes two steps, or takes one away, or changes one.
      expect(left.length).toBeGreaterThanOrEqual(whole.length - 2)
      const names = (lines: readonly string[]): string[] =>
        lines.map((text) => text.split(' ')[0]?.replace(/^\.+/, '') ?? '')
      // The renamed step was made by the first row: without that it shows, but its place is lost.
      const both = names(whole).filter((name) => names(left).includes(name) && (gone > 0 || name !== 'renamed'))
      expect(both.length).toBeGreaterThanOrEqual(whole.length - 3)
      expect(names(left).filter((name) => both.includes(name))).toEqual(both)
    }
  })

  test('[RL-21] bytes of any kind in any rows: it ends, and what can be read is read', async () => {
    const updates = await log()
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(updates.length - 1), fc.nat(2_000), fc.uint8Array({ maxLength: 40 })), {
          maxLength: 4,
        }),
        (wounds) => {
          const rows = updates.map((bytes) => bytes.slice())
          for (const [row, at, bytes] of wounds) {
            const target = rows[row] ?? new Uint8Array()
            if (bytes.length === 0) rows[row] = target.slice(0, at % (target.length + 1))
            else target.set(bytes.slice(0, target.length - (at % target.length)), at % target.length)
          }
          const { state, steps } = salvage(rows.length, null, rows.map(kept))
          expect(outlineOf(state()).length).toBe(steps)
        },
      ),
      { numRuns: Number(process.env['PLANROOM_FUZZ_RUNS'] ?? 200) },
    )
  })
})

describe('compact', () => {
  test('makes the database smaller, and the plans stay', async () => {
    const data = await threeThreads()
    const server = await startServer(data)
    for (let i = 1; i <= 40; i++)
      await callTool(server.url, 'd', i === 1 ? 'add_todos' : 'update_todos', {
        [i === 1 ? 'steps' : 'updates']: [{ text: `${i} `.repeat(1_000), index: 1 }],
      })
    expect((await planroom(['compact', '-d', data])).code).toBe(3)
    await server.stop()
    const before = statSync(join(data, 'planroom.db')).size
    const ran = await planroom(['compact', '-d', data, '--keep-days', '0', '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({ plans: 4, snapshots: 4, bytesLetGo: 190, damaged: [] })
    expect(statSync(join(data, 'planroom.db')).size).toBeLessThan(before * 0.7)
    expect((await planroom(['verify', '-d', data])).code).toBe(0)
    const { url } = await newServer({}, data)
    for (const thread of ['a', 'b', 'c']) expect(await texts(url, thread)).toEqual(all(thread))
    await callTool(url, 'a', 'add_todos', { steps: ['more'] })
    expect((await planroom(['history', 'a', '--url', url])).stdout.split('\n')).toHaveLength(ROWS + 2)
  })

  test('leaves damaged plans as they are', async () => {
    const data = await threeThreads()
    change(data, `DELETE FROM entries WHERE version = 7 AND ${OF_B}`)
    expect((await planroom(['compact', '-d', data])).stdout).toContain('for they are damaged: b')
    expect((await planroom(['verify', '-d', data])).code).toBe(1)
  })
})

describe('doctor', () => {
  test('says what is well and what is not', async () => {
    const data = await threeThreads()
    const env = { PLANROOM_URL: 'http://127.0.0.1:9', PORT: '0' }
    const well = await planroom(['doctor', '-d', data], { env })
    expect([well.code, well.stderr]).toEqual([0, ''])
    for (const what of ['node', 'settings', 'sqlite', 'data', 'space', 'lock', 'plans', 'port'])
      expect(well.stdout).toMatch(new RegExp(`^ok +${what}: `, 'm'))
    expect(well.stdout).toContain('warning  server: none answers')
    expect(well.stdout).toMatch(/^ok +plans: 3, all whole$/m)
    const ill = await planroom(['doctor', '-d', '/proc/nothing', '--json'], {
      env: { ...env, PLANROOM_SECRET: 'short' },
    })
    expect(ill.code).toBe(1)
    const { findings } = JSON.parse(ill.stdout) as { findings: { what: string; state: string }[] }
    expect(findings.filter(({ state }) => state === 'wrong').map(({ what }) => what)).toEqual(['settings', 'data'])
    const { url } = await newServer({}, await newDirectory())
    expect((await planroom(['doctor', '-d', data, '--url', url])).stdout).toContain(`server: answers at ${url}`)
  })

  test('[11-F34] finds what verify finds: one damaged entry, and a page that went bad', async () => {
    const data = await threeThreads()
    change(data, `UPDATE entries SET bytes = substr(bytes, 1, 9) WHERE version = 25 AND ${OF_B}`)
    const one = await planroom(['doctor', '-d', data])
    expect([one.code, one.stdout]).toEqual([1, expect.stringMatching(/^wrong +plans: 1 of 3 damaged: b\. .*verify/m)])
    spoilPage(data)
    const more = await planroom(['doctor', '-d', data])
    expect([more.code, more.stdout]).toEqual([1, expect.stringMatching(/^wrong +plans: .*malformed.*verify/m)])
  })
})
