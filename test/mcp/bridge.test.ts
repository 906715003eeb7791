import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { ask, newApp } from '../helpers/http.ts'
import { connectModern } from './clients.ts'

const program = `${fileURLToPath(new URL('../..', import.meta.url))}dist/client/cli/planroom.js`

/** A host's client, with the bridge as its server. */
async function connectHost(url: string, mode: 'legacy' | 'auto', options: readonly string[] = []): Promise<Client> {
  const args = [program, 'mcp', '--thread', 'plan', '--url', url, '--name', 'José 🦊', ...options]
  const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StdioClientTransport({ command: process.execPath, args }))
  onTestFinished(() => client.close())
  return client
}

test.each(['legacy', 'auto'] as const)('a host that speaks lines uses the plan, %s', async (mode) => {
  const app = newApp()
  const { url } = await app.listen()
  const client = await connectHost(url, mode)
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('add_todos')
  const text = 'a\u2028b\nc 🦊'
  const arguments_ = { steps: [{ text }] }
  expect(await client.callTool({ name: 'add_todos', arguments: arguments_ })).toMatchObject({
    structuredContent: { success: true, version: 1 },
  })
  expect(await client.callTool({ name: 'add_todos', arguments: { steps: 7 } })).toMatchObject({ isError: true })
  await expect(client.callTool({ name: 'größer' })).rejects.toThrow('There is no tool "größer" here')
  expect((await ask(app, '/threads/plan')).json).toMatchObject({ steps: [{ text, createdBy: 'José 🦊' }] })
})

test('calls of one turn are made in the order in which they were written', async () => {
  const { url } = await newApp().listen()
  const client = await connectHost(url, 'auto')
  const texts = Array.from({ length: 20 }, (_, i) => `step ${i}`)
  await Promise.all(texts.map((text) => client.callTool({ name: 'add_todos', arguments: { steps: [{ text }] } })))
  const { contents } = await client.readResource({ uri: 'plan://plan/json' })
  const [content] = contents
  const plan = JSON.parse(content !== undefined && 'text' in content ? content.text : '') as {
    steps: { text: string }[]
  }
  expect(plan.steps.map((step) => step.text)).toEqual(texts)
})

test('a host hears of changes', async () => {
  const { url } = await newApp().listen()
  const client = await connectHost(url, 'auto')
  const told = new Promise<string>((resolve) => {
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri))
  })
  await client.listen({ resourceSubscriptions: ['plan://plan'] })
  const other = await connectModern({ url, name: 'Ben' })
  await other.callTool({ name: 'add_todos', arguments: { steps: [{ text: 'a' }] } })
  expect(await told).toBe('plan://plan')
})

test('[11-F37] what the server refuses, and that it is not there, is an error for the host and a line on standard error', async () => {
  const app = newApp()
  const { url } = await app.listen()
  const bridge = start(['--thread', 'plan', '--url', url, '--dialect', 'klingon'])
  expect(await bridge.ask({ jsonrpc: '2.0', id: 1, method: 'ping' })).toMatchObject({
    id: 1,
    error: { code: -32603, message: expect.stringContaining('There is no dialect "klingon"') as unknown },
  })
  expect(await bridge.ask('nonsense')).toMatchObject({ id: null, error: { code: -32700 } })
  await app.close()
  // The first request may meet a kept connection as it ends: what came of it nobody knows then, and it says so.
  expect(await bridge.ask({ jsonrpc: '2.0', id: 'b', method: 'ping' })).toMatchObject({
    id: 'b',
    error: { message: expect.stringContaining(`The server at ${url} cannot be reached: `) as unknown },
  })
  // [11-F37] On a connection that never was, nothing can have been done.
  expect(await bridge.ask({ jsonrpc: '2.0', id: 'c', method: 'ping' })).toMatchObject({
    id: 'c',
    error: {
      message: `The server at ${url} cannot be reached: nothing listens there (ECONNREFUSED). Nothing was done.`,
    },
  })
  expect(bridge.errors()).toMatch(/400: There is no dialect "klingon"[^]*cannot be reached/)
  expect(await bridge.end()).toBe(0)
})

test('it ends with its input, after what was asked for, whatever is subscribed', async () => {
  const { url } = await newApp().listen()
  const bridge = start(['--thread', 'plan', '--url', url])
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const notifications = { resourceSubscriptions: ['plan://plan'] }
  expect(
    await bridge.ask({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications, _meta } }),
  ).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
  const params = { name: 'add_todos', arguments: { steps: [{ text: 'a' }] }, _meta }
  const answer = bridge.ask({ jsonrpc: '2.0', id: 2, method: 'tools/call', params })
  expect(await bridge.end()).toBe(0)
  expect(await answer).toMatchObject({ id: 2, result: { structuredContent: { version: 1 } } })
})

test('[12-8] started before its server, it greets the host itself and connects when the server comes', async () => {
  const port = await freePort()
  const bridge = start(['--thread', 'plan', '--url', `http://127.0.0.1:${port}`])
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'host', version: '1' } }
  expect(await bridge.ask({ jsonrpc: '2.0', id: 0, method: 'server/discover', params: {} })).toMatchObject({
    error: { code: -32601 },
  })
  expect(await bridge.ask({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })).toMatchObject({
    id: 1,
    result: { protocolVersion: '2025-06-18', serverInfo: { name: 'planroom' }, capabilities: { tools: {} } },
  })
  expect(await bridge.ask({ jsonrpc: '2.0', id: 2, method: 'ping' })).toMatchObject({ id: 2, result: {} })
  bridge.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const changed = bridge.ask({ jsonrpc: '2.0', id: 3, method: 'tools/list' })
  const more = [bridge.next(), bridge.next()]
  const tools = bridge.next()
  const config = { host: '127.0.0.1', port, idleMs: 60_000, allowedHosts: [] }
  await newApp({ config }).listen()
  expect(await changed).toMatchObject({ method: 'notifications/tools/list_changed' })
  expect(await Promise.all(more)).toMatchObject([
    { method: 'notifications/resources/list_changed' },
    { method: 'notifications/prompts/list_changed' },
  ])
  expect(await tools).toMatchObject({ id: 3, result: { tools: expect.any(Array) as unknown } })
  const add = { name: 'add_todos', arguments: { steps: [{ text: 'a' }] } }
  expect(await bridge.ask({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: add })).toMatchObject({
    id: 4,
    result: { structuredContent: { version: 1 } },
  })
  expect(bridge.errors()).toMatch(/No server answers[^]*is there now/)
})

test('it says how it is used', async () => {
  for (const args of [[], ['--thread', '../etc'], ['--thread', 'plan', '--nope'], ['--thread', 'plan', '--url', 'x']]) {
    const bridge = start(args)
    expect(await bridge.end()).toBe(2)
    expect(bridge.errors()).toContain('See: planroom mcp --help')
  }
})

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** The bridge as a process, for what no client would send. */
function start(args: readonly string[]) {
  const child = spawn(process.execPath, [program, 'mcp', ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill())
  const closed = once(child, 'close') as Promise<[number | null]>
  const waiting: ((line: string) => void)[] = []
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    const lines = (output + part).split('\n')
    output = lines.pop() ?? ''
    for (const line of lines) waiting.shift()?.(line)
  })
  child.stderr.setEncoding('utf8').on('data', (part: string) => (errors += part))
  const send = (message: unknown): void =>
    void child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  /** The next line that nobody else waits for. */
  const next = (): Promise<unknown> => new Promise((resolve) => waiting.push((line) => resolve(JSON.parse(line))))
  return {
    errors: () => errors,
    send,
    next,
    /** Sends a line; resolves with the next line that nobody else waits for. */
    ask: (message: unknown): Promise<unknown> => {
      const answer = next()
      send(message)
      return answer
    },
    end: async (): Promise<number | null> => {
      child.stdin.end()
      const [code] = await closed
      return code
    },
  }
}
