import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { WireClient } from '../helpers/clients.ts'
import { ask, call, expectProblem, newApp } from '../helpers/http.ts'
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
