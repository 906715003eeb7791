import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../server/app.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { ask, call, expectProblem, newApp, recordedLog } from '../helpers/http.ts'
import { bearer, newGuardedApp, tokenOf } from '../helpers/tokens.ts'

type App = ReturnType<typeof newApp>
interface Item {
  readonly thread: string
  readonly title: string
  readonly progress: unknown
  readonly people: unknown
}
const list = async (app: App, query = ''): Promise<Item[]> =>
  ((await ask(app, `/threads${query}`)).json as { threads: Item[] }).threads

describe('the list of plans', () => {
  test('[13-9] tells of each plan its title, how far it is, and who is there, in one reply', async () => {
    const app = newApp()
    await ask(app, '/threads/empty', { method: 'PUT' })
    const seed = [
      { text: 'a', status: 'completed' },
      { text: 'b', status: 'in_progress' },
      { text: 'c', status: 'blocked' },
      { text: 'd', status: 'cancelled' },
    ]
    await ask(app, '/threads/trip', { method: 'PUT', body: { title: 'Été à Nice', seed } })
    expect(await list(app)).toMatchObject([
      { thread: 'empty', title: '', progress: null, people: [] },
      { thread: 'trip', title: 'Été à Nice', progress: { completed: 1, active: 1, blocked: 1, total: 3 }, people: [] },
    ])
    await call(app, 'trip', 'toggle_todos', { indices: [2] })
    await call(app, 'trip', 'remove_todos', { indices: [3] })
    const [, trip] = await list(app)
    expect(trip?.progress).toEqual({ completed: 2, active: 0, blocked: 0, total: 2 })
  })

  test('[13-9] knows it of plans that nobody has open', async () => {
    const storage = createMemoryStorage()
    const config = { host: '127.0.0.1', port: 0, idleMs: 60_000 }
    const first = createApp({ storage, log: recordedLog(), config })
    const put = { method: 'PUT', body: JSON.stringify({ title: 'T', seed: [{ text: 'a', status: 'completed' }, 'b'] }) }
    const headers = { 'Content-Type': 'application/json', Host: '127.0.0.1' }
    await first.fetch(new Request('http://127.0.0.1/threads/trip', { ...put, headers }))
    const second = createApp({ storage, log: recordedLog(), config })
    const reply = await second.fetch(new Request('http://127.0.0.1/threads', { headers: { Host: '127.0.0.1' } }))
    expect(await reply.json()).toMatchObject({
      threads: [{ thread: 'trip', title: 'T', progress: { completed: 1, active: 0, blocked: 0, total: 2 } }],
    })
    await second.close()
  })

  test('[13-9] is searched by words of ids and titles, whatever their case and accents', async () => {
    const app = newApp()
    for (const [id, title] of [
      ['a', 'Café am See'],
      ['b', 'Release 2.0'],
      ['see', ''],
    ] as const)
      // prettier-ignore
      await ask(app, `/threads/${id}`, { method: 'PUT', body: { title } })
    const found = async (query: string) =>
      (await list(app, `?query=${encodeURIComponent(query)}`)).map(({ thread }) => thread)
    expect(await found('cafe')).toEqual(['a'])
    expect(await found('SEE')).toEqual(['a', 'see'])
    expect(await found('see am')).toEqual(['a'])
    expect(await found('nothing')).toEqual([])
    expect(await found(' ')).toEqual(['a', 'b', 'see'])
    expectProblem(await ask(app, `/threads?query=${'x'.repeat(401)}`), 400, 'bad-request')
  })

  test('[13-9] shows nobody what they may not see', async () => {
    const { app } = await newGuardedApp()
    const all = bearer(await tokenOf({ role: 'admin', threads: ['*'] }))
    await ask(app, '/threads/open-1', { method: 'PUT', headers: all, body: { title: 'Secret sauce' } })
    await ask(app, '/threads/other', { method: 'PUT', headers: all, body: { title: 'Secret sauce' } })
    const some = bearer(await tokenOf({ role: 'viewer', threads: ['open-*'] }))
    const { json } = await ask(app, '/threads?query=sauce', { headers: some })
    expect((json as { threads: Item[] }).threads.map(({ thread }) => thread)).toEqual(['open-1'])
  })
})

describe('replies that are read', () => {
  const texts = Array.from({ length: 200 }, (_, i) => ({ text: `Step ${i}` }))

  test('[13-9] are compressed where the client takes it', async () => {
    const app = newApp()
    await ask(app, '/threads/long', { method: 'PUT', body: { seed: texts } })
    await ask(app, '/threads/short', { method: 'PUT' })
    const read = async (path: string, accept: string) => {
      const reply = await app.fetch(
        new Request(`http://planroom.test${path}`, { headers: { Host: 'planroom.test', 'Accept-Encoding': accept } }),
      )
      return { encoding: reply.headers.get('content-encoding'), vary: reply.headers.get('vary'), bytes: Buffer.from(await reply.arrayBuffer()) } // prettier-ignore
    }
    const plain = await read('/threads/long', 'identity')
    expect([plain.encoding, plain.vary]).toEqual([null, 'Accept-Encoding'])
    const brotli = await read('/threads/long', 'gzip, deflate, br')
    expect(brotli.encoding).toBe('br')
    expect(brotliDecompressSync(brotli.bytes)).toEqual(plain.bytes)
    expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 5)
    const zipped = await read('/threads/long', 'gzip, br;q=0')
    expect(zipped.encoding).toBe('gzip')
    expect(gunzipSync(zipped.bytes)).toEqual(plain.bytes)
    expect((await read('/threads/long/plan.md', 'br')).encoding).toBe('br')
    expect((await read('/openapi.json', 'br')).encoding).toBe('br')
    // What fits a packet stays as it is.
    expect((await read('/threads/short', 'br')).encoding).toBeNull()
    expect((await read('/healthz', 'br')).encoding).toBeNull()
  })
})
