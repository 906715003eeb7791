import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { MAX_BODY_BYTES, MAX_MCP_BATCH } from '../../shared/schema/limits.ts'
import { type Answer, ask, newApp, readAnswer } from '../helpers/http.ts'

const PATH = '/threads/plan/mcp'
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const message = (method: string, params: object = {}, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params, _meta },
})
const toolCall = (args?: unknown, name = 'list_todos') =>
  message('tools/call', { name, ...(args === undefined ? {} : { arguments: args }) })

interface Sent {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

/** A request as it goes over the wire: node's own client sends any Host. */
function post(port: number, body: unknown, { path = PATH, headers = {}, method = 'POST' }: Sent = {}): Promise<Answer> {
  const { method: asked, params } = (typeof body === 'object' ? body : {}) as ReturnType<typeof message>
  const named = params as { name?: string; uri?: string } | undefined
  const name = named?.name ?? named?.uri
  const standard = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28',
    ...(asked === undefined ? {} : { 'Mcp-Method': asked }),
    ...(name === undefined ? {} : { 'Mcp-Name': name }),
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path, method, headers: { ...standard, ...headers }, agent: false },
      (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (part: string) => (text += part))
        incoming.on('end', () => {
          const lines = incoming.rawHeaders.map((part, i) => (i % 2 === 0 ? `\r\n${part}: ` : part)).join('')
          resolve(readAnswer(`HTTP/1.1 ${incoming.statusCode} x${lines}\r\n\r\n${text}`))
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(method === 'POST' ? (typeof body === 'string' ? body : JSON.stringify(body)) : undefined)
  })
}

const listen = async () => {
  const app = newApp()
  return { app, ...(await app.listen()) }
}

describe('Host and Origin', () => {
  test('names of the loopback pass, with any port and none', async () => {
    const { port } = await listen()
    for (const host of ['127.0.0.1', `localhost:${port}`, 'LOCALHOST:1', '[::1]:80']) {
      expect(await post(port, toolCall(), { headers: { Host: host } })).toMatchObject({ status: 200 })
    }
    for (const origin of ['http://localhost:6274', 'https://127.0.0.1', 'http://[::1]:3000']) {
      const answer = await post(port, toolCall(), { headers: { Origin: origin } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    }
  })

  test('every other name is refused, before anything is done', async () => {
    const { app, port } = await listen()
    const add = toolCall({ steps: [{ text: 'a' }] }, 'add_todos')
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io', '169.254.169.254', 'a b']) {
      expect([400, 403]).toContain((await post(port, add, { headers: { Host: host } })).status)
    }
    for (const origin of ['https://evil.example', 'http://localhost.evil.example', 'null', 'file://', 'nonsense']) {
      const answer = await post(port, add, { headers: { Origin: origin } })
      expect(answer).toMatchObject({ status: 403, json: { type: 'urn:planroom:problem:bad-origin' } })
      expect(answer.headers.get('access-control-allow-origin')).toBe(null)
    }
    expect((await ask(app, '/threads/plan')).status).toBe(404)
  })

  test('a page of an allowed origin may ask first which headers it can send', async () => {
    const { port } = await listen()
    const ask_ = (Origin: string) =>
      post(port, '', { method: 'OPTIONS', headers: { Origin, 'Access-Control-Request-Method': 'POST' } })
    const { status, headers } = await ask_('http://localhost:6274')
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-methods')).toContain('POST')
    for (const name of ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Content-Type', 'X-Agent-Name'])
      expect(headers.get('access-control-allow-headers')?.split(/, ?/)).toContain(name)
    expect((await ask_('https://evil.example')).headers.get('access-control-allow-origin')).toBe(null)
  })
})

describe('the address', () => {
  test('an unknown dialect, a bad thread and a bad name are 400 and say what is valid', async () => {
    const { port } = await listen()
    expect(await post(port, toolCall(), { path: `${PATH}?dialect=klingon` })).toMatchObject({
      status: 400,
      json: { type: 'urn:planroom:problem:bad-request', dialects: expect.arrayContaining(['outline']) as unknown },
    })
    expect(await post(port, toolCall(), { path: '/threads/.plan/mcp' })).toMatchObject({ status: 400 })
    expect(await post(port, toolCall(), { path: `${PATH}?name=${'a'.repeat(129)}` })).toMatchObject({ status: 400 })
    expect(await post(port, toolCall(), { path: `${PATH}?id=a%00b` })).toMatchObject({ status: 400 })
  })

  test('only POST is there; a stream or a session of 2025 is 405', async () => {
    const { port } = await listen()
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await post(port, '', { method, headers: { Accept: 'text/event-stream' } })
      expect(answer.status).toBe(405)
      expect(answer.headers.get('allow')).toContain('POST')
    }
  })

  test('headers name the caller, and where there are none the address does', async () => {
    const { app, port } = await listen()
    const add = toolCall({ steps: [{ text: 'a' }] }, 'add_todos')
    const named: [query: string, headers: Record<string, string>][] = [
      ['', {}],
      ['?name=Ada', {}],
      ['?name=Ada&id=ada-2', {}],
      ['?id=ada-3', {}],
      [`?name=${encodeURIComponent('José 🦊')}`, {}],
      ['?name=Ada&id=ada-2', { 'X-Agent-Name': 'Ben' }],
      ['?name=Ada', { 'X-Agent-Name': 'Ben', 'X-Agent-Id': 'ben-2' }],
    ]
    for (const [query, headers] of named) await post(port, add, { path: PATH + query, headers })
    const { entries } = (await ask(app, '/threads/plan/activity')).json as {
      entries: { actor: object; source: string }[]
    }
    const agent = (id: string, name = id) => ({ id, name, kind: 'agent' })
    expect(entries.map(({ actor }) => actor)).toEqual([
      agent(''),
      agent('Ada'),
      agent('ada-2', 'Ada'),
      agent('ada-3'),
      agent('José 🦊'),
      agent('Ben'),
      agent('ben-2', 'Ben'),
    ])
    expect(new Set(entries.map(({ source }) => source))).toEqual(new Set(['mcp']))
  })

  test('a deleted thread is 404, but a foreign origin is told nothing of it', async () => {
    const { app, port } = await listen()
    await ask(app, '/threads/plan', { method: 'PUT' })
    await ask(app, '/threads/plan', { method: 'DELETE' })
    expect(await post(port, toolCall())).toMatchObject({
      status: 404,
      json: { type: 'urn:planroom:problem:thread-deleted', detail: expect.stringContaining('was deleted') as unknown },
    })
    expect(await post(port, toolCall(), { headers: { Origin: 'https://evil.example' } })).toMatchObject({ status: 403 })
  })
})

describe('the body', () => {
  test('what is no message is an error of the protocol', async () => {
    const { port } = await listen()
    for (const body of ['', '{"jsonrpc":', '\uFFFE'])
      expect(await post(port, body)).toMatchObject({
        status: 400,
        json: { jsonrpc: '2.0', id: null, error: { code: -32700 } },
      })
    for (const body of ['7', '"text"', '[]', '{}'])
      expect(await post(port, body)).toMatchObject({
        status: 400,
        json: { error: { code: expect.any(Number) as unknown } },
      })
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    expect(await post(port, deep)).toMatchObject({ status: 400, json: { error: { code: -32700 } } })
    expect(await post(port, toolCall(), { headers: { 'Content-Type': 'text/plain' } })).toMatchObject({ status: 415 })
  })

  test('one that is too large is 413', async () => {
    const { port } = await listen()
    expect(await post(port, JSON.stringify(toolCall()).padEnd(MAX_BODY_BYTES + 1))).toMatchObject({
      status: 413,
      json: { jsonrpc: '2.0', error: { code: -32600, message: expect.stringContaining('larger than') as unknown } },
    })
    const headers = { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'list_todos' }
    const largest = JSON.stringify(toolCall()).padEnd(MAX_BODY_BYTES)
    expect(await post(port, largest, { headers })).toMatchObject({ status: 200 })
  })

  test('a batch of an old client is answered, unless it is too large', async () => {
    const { port } = await listen()
    const batch = (size: number) =>
      Array.from({ length: size }, (_, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'list_todos' },
      }))
    const headers = { 'MCP-Protocol-Version': '2025-03-26' }
    const answer = await post(port, JSON.stringify(batch(MAX_MCP_BATCH)), { headers })
    expect(answer.status).toBe(200)
    expect(answer.text.match(/no todo steps yet/g)?.length).toBeGreaterThanOrEqual(MAX_MCP_BATCH)
    expect(await post(port, JSON.stringify(batch(MAX_MCP_BATCH + 1)), { headers })).toMatchObject({ status: 400 })
  })

  test('arguments that hosts get wrong are read where they can only mean one thing', async () => {
    const { port } = await listen()
    for (const args of [undefined, null, '{}', {}])
      expect(await post(port, toolCall(args))).toMatchObject({
        status: 200,
        json: { result: { structuredContent: { version: 0 } } },
      })
    for (const args of ['list all', [], 7]) {
      const { json } = await post(port, toolCall(args))
      expect(json).toMatchObject({ error: { code: -32602 } })
    }
  })

  test('an answer is not kept by any cache, and says how long a client may keep it', async () => {
    const { port } = await listen()
    const lists = await post(port, message('tools/list'))
    expect(lists.headers.get('cache-control')).toBe('no-store')
    expect(lists.json).toMatchObject({ result: { ttlMs: 300_000, cacheScope: 'private' } })
    expect((await post(port, message('resources/read', { uri: 'plan://plan' }))).json).toMatchObject({
      result: { ttlMs: 0, cacheScope: 'private' },
    })
  })
})
