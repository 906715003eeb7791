import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { threadId } from '../contracts/storage.ts'
import { WireClient } from '../helpers/clients.ts'
import { ask, call, expectProblem, newApp, recordedLog } from '../helpers/http.ts'
import { newDataDirectory } from '../helpers/server-process.ts'

test('[RL-21] one stored row is corrupt: that plan is left alone with an error that says so, the others go on', async () => {
  const { directory, remove } = await newDataDirectory()
  onTestFinished(remove)
  const before = newApp({ storage: await openSqliteStorage({ directory }) })
  for (const thread of ['bad', 'well'])
    expect((await call(before, thread, 'add_todos', { steps: [{ text: 'one' }] })).status).toBe(200)
  await before.close()
  const db = new Database(join(directory, 'planroom.db'))
  const rows = "thread_id = (SELECT id FROM threads WHERE thread = 'bad')"
  db.prepare(`UPDATE entries SET bytes = substr(bytes, 1, length(bytes) / 2) WHERE ${rows}`).run()
  db.prepare(`DELETE FROM snapshots WHERE ${rows}`).run()
  db.close()

  const app = newApp({ storage: await openSqliteStorage({ directory }) })
  const { url } = await app.listen()
  for (let nth = 0; nth < 3; nth++) expectProblem(await ask(app, '/threads/bad'), 500, 'thread-damaged')
  expectProblem(await call(app, 'bad', 'add_todos', { steps: [{ text: 'over it' }] }), 500, 'thread-damaged')
  const socketUrl = `${url.replace('http', 'ws')}/sync`
  const end = await WireClient.connect(socketUrl, 'bad').closed
  expect(end).toEqual({ code: 4503, reason: 'what is stored of this plan is damaged' })
  expect((await call(app, 'well', 'add_todos', { steps: [{ text: 'two' }] })).status).toBe(200)
  const well = WireClient.connect(socketUrl, 'well')
  await well.synced
  await well.close()
})

/** Spoils every page of a table that does not lead to others. */
function spoilTable(directory: string, table: string): void {
  const path = join(directory, 'planroom.db')
  const db = new Database(path)
  const pageSize = Number(db.pragma('page_size', { simple: true }))
  db.pragma('wal_checkpoint(TRUNCATE)')
  const pages = db
    .prepare<[string], number>("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'")
    .pluck()
    .all(table)
  db.close()
  const file = openSync(path, 'r+')
  for (const page of pages) writeSync(file, Buffer.alloc(pageSize, 0xa5), 0, pageSize, (page - 1) * pageSize)
  closeSync(file)
}

test('[11-F40] a malformed page of the database: who needs it hears that it will not pass, and how it is mended', async () => {
  const { directory, remove } = await newDataDirectory()
  onTestFinished(remove)
  const before = newApp({ storage: await openSqliteStorage({ directory }) })
  for (const thread of ['a', 'b']) {
    const sent = { steps: [{ text: 'x'.repeat(3_000) }] }
    expect((await call(before, thread, 'add_todos', sent)).status).toBe(200)
  }
  await before.close()
  spoilTable(directory, 'entries')

  const log = recordedLog()
  const app = newApp({ storage: await openSqliteStorage({ directory }), log })
  for (let nth = 0; nth < 3; nth++)
    expect(expectProblem(await ask(app, '/threads/a'), 500, 'thread-damaged')['detail']).toContain('planroom verify')
  expectProblem(await call(app, 'b', 'add_todos', { steps: [{ text: 'over it' }] }), 500, 'thread-damaged')
  expectProblem(await ask(app, '/threads/a/activity'), 500, 'thread-damaged')
  expect((await ask(app, '/threads')).status).toBe(200)
  // Found once for each plan, and left alone from then on.
  expect(log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields)).toMatchObject([
    { thread: 'a' },
    { thread: 'b' },
  ])
  expect((await call(app, 'c', 'list_todos')).status).toBe(200)
})

test('[11-F40] a malformed page that is only come upon when something is added: nothing is added, and that is said', async () => {
  const { directory, remove } = await newDataDirectory()
  onTestFinished(remove)
  const before = newApp({ storage: await openSqliteStorage({ directory }) })
  expect((await call(before, 'a', 'add_todos', { steps: [{ text: 'one' }] })).status).toBe(200)
  await before.close()
  // Nobody reads this one, but a reply that is kept is entered there.
  spoilTable(directory, 'replies_at')
  const app = newApp({ storage: await openSqliteStorage({ directory }) })
  expect((await ask(app, '/threads/a')).status).toBe(200)
  const key = { 'Idempotency-Key': 'k' }
  const problem = expectProblem(
    await call(app, 'a', 'add_todos', { steps: [{ text: 'two' }] }, key),
    500,
    'thread-damaged',
  )
  expect(problem['detail']).toContain('nothing was changed')
  await app.close()
  const storage = await openSqliteStorage({ directory })
  expect((await storage.open(threadId('a')))?.version).toBe(1)
  await storage.close()
})
