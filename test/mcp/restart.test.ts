import { expect, onTestFinished, test } from 'vitest'
import { newDataDirectory, startServer } from '../helpers/server-process.ts'
import { CLIENTS, connectMcp } from './clients.ts'

test('[RB-H2] a server is started anew under live clients, all of which go on', async () => {
  const { directory, remove } = await newDataDirectory()
  onTestFinished(remove)
  const first = await startServer(directory)
  const { url } = first
  const clients = await Promise.all(CLIENTS.map((kind) => connectMcp(kind, { url, name: kind })))
  for (const client of clients) await client.call('add_todos', { steps: [{ text: 'before' }] })
  await first.kill9()

  const second = await startServer(directory, { PORT: new URL(url).port })
  onTestFinished(() => second.stop().then(() => {}))
  for (const [i, client] of clients.entries()) {
    const { structure } = await client.call('add_todos', { steps: [{ text: 'after' }] })
    expect(structure).toMatchObject({ success: true, version: CLIENTS.length + 1 + i })
    expect((await client.listTools()).length).toBeGreaterThan(0)
    expect(await client.read('plan://plan')).toContain('- [ ] after')
  }
})
