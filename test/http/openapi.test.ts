import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { createAccess } from '../../server/auth/access.ts'
import { Rooms } from '../../server/rooms/rooms.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { createHttp } from '../../server/transports/http/http.ts'
import { PROBLEMS } from '../../server/transports/http/problems.ts'
import { overloaded } from '../../server/transports/http/limits.ts'
import { problemJson } from '../../server/transports/http/problem.ts'
import { STANDARD_LIMITS } from '../../shared/schema/limit-settings.ts'
import { createMcp } from '../../server/transports/mcp/mcp.ts'
import { TOOLS } from '../../shared/dialects/registry.ts'
import { baseSchema } from '../../shared/dialects/schemas.ts'
import { OPEN } from '../helpers/access.ts'
import { faultyStorage } from '../helpers/faulty-storage.ts'
import { ask, newApp, recordedLog, sendRaw } from '../helpers/http.ts'
import { addressOf, describedBy, Examiner } from '../helpers/openapi.ts'
import { bearer, BY_SECRET, newGuardedApp, tokenOf } from '../helpers/tokens.ts'

const ONE = { steps: [{ text: 'Write the parser' }] }
const METHODS = ['get', 'post', 'put', 'delete']
const MCP = '/threads/{thread}/mcp'
const METADATA = '/.well-known/oauth-protected-resource/threads/{thread}/mcp'
const toolPath = (tool: string): string => `/threads/{thread}/tools/${tool}`
const rpc = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' }

describe('the description at /openapi.json', () => {
  test('is valid OpenAPI 3.1, with tokens and without', async () => {
    for (const app of [newApp(), (await newGuardedApp()).app]) {
      const answer = await ask(app, '/openapi.json')
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
      const validator = new Validator()
      expect(await validator.validate(answer.json as Record<string, unknown>)).toEqual({ valid: true })
      expect(validator.version).toBe('3.1')
    }
  })

  test('has every door that there is, and no other', async () => {
    const log = recordedLog()
    const storage = createMemoryStorage()
    const rooms = new Rooms({ storage, log })
    const parts = { ...OPEN, rooms, storage, log, version: '0' }
    const app = createHttp({ ...parts, mcp: createMcp(parts), isDraining: () => false })
    // What is at every address by every method lets others through. The page for people is not there, and no door.
    const routes = app.routes.filter(({ method, path }) => !(method === 'ALL' && path === '/*'))
    const { paths } = await describedBy(newApp())
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => ({ method, address: addressOf(path) })),
    )
    const serves = (route: (typeof routes)[number], { method, address }: (typeof described)[number]): boolean => {
      // A slash behind an address makes no other door of it.
      const path = route.path.replace(/(?<=.)\/$/, '')
      const pattern = path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.+')
      return route.method.toLowerCase() === method && new RegExp(`^${pattern}$`).test(address)
    }
    const missing = routes.filter((route) => !described.some((door) => serves(route, door)))
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([])
    const tooMany = described.filter((door) => !routes.some((route) => serves(route, door)))
    expect(tooMany).toEqual([])
    expect(described.filter(({ method }) => !METHODS.includes(method))).toEqual([])
  })

  test('has every tool of every dialect, with its own body, and every kind of problem', async () => {
    const { paths, components } = await describedBy(newApp())
    for (const [name, { tool }] of TOOLS) {
      const operation = paths[toolPath(name)]?.['post'] as unknown as { requestBody: unknown }
      expect(operation.requestBody).toEqual({
        required: false,
        content: { 'application/json': { schema: baseSchema(tool) } },
      })
    }
    expect(Object.keys(paths).filter((path) => path.includes('/tools/'))).toHaveLength(TOOLS.size)
    const kinds = Object.keys(components.schemas).filter((name) => name.startsWith('Problem.'))
    expect(kinds).toEqual(Object.keys(PROBLEMS).map((kind) => `Problem.${kind}`))
  })

  test('says where the server is, and what it wants to see', async () => {
    const { access, log } = await newGuardedApp()
    const config = {
      host: '127.0.0.1',
      port: 0,
      idleMs: 60_000,
      publicUrl: 'https://plans.example',
      allowedHosts: ['planroom.test'],
    }
    const { json } = await ask(newApp({ access, log, config }), '/openapi.json')
    expect(json).toMatchObject({
      servers: [{ url: 'https://plans.example' }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      paths: { '/healthz': { get: { security: [] } }, '/threads': { get: { security: [{ token: [] }] } } },
    })
  })
})

test('whatever the doors answer is described', async () => {
  const it = new Examiner()
  const storage = faultyStorage(createMemoryStorage())
  const app = newApp({ storage })

  // The tools: done, refused, and what it looks like when others did something.
  for (const [name, { dialect, tool }] of TOOLS) {
    const thread = dialect.name
    const path = toolPath(name)
    for (const agent of ['Ada', 'Ben']) {
      const headers = { 'X-Agent-Name': agent, 'Idempotency-Key': name }
      for (let i = 0; i < 2; i++) await it.ask(app, 'post', path, { thread, headers, body: tool.example })
    }
    await it.ask(app, 'post', path, { thread, body: { rev: 'none', surplus: 1 } })
    await it.ask(app, 'post', path, { thread })
  }
  const list = toolPath('list_todos')
  const add = toolPath('add_todos')
  await it.ask(app, 'post', add, { body: ONE, headers: { 'X-Agent-Name': 'Ada' } })

  // Plans as things.
  const seed = ['a', { text: 'b', depth: 1, status: 'completed' }]
  for (let i = 0; i < 2; i++) await it.ask(app, 'put', '/threads/{thread}', { thread: 'seeded', body: { seed } })
  for (const thread of ['plan', 'seeded', 'outline', 'tasks', 'checklist']) {
    for (const rest of ['', '/plan.md', '/activity', '/pending', '/tools', '/context', '/tools?provider=gemini']) {
      const [path = '', query] = `/threads/{thread}${rest}`.split('?')
      await it.ask(app, 'get', path, { thread, ...(query === undefined ? {} : { query: `?${query}` }) })
    }
  }
  await it.ask(app, 'get', '/threads')
  await it.ask(app, 'get', '/threads', { query: '?limit=1' })
  await it.ask(app, 'get', '/threads/{thread}/activity', { thread: 'outline', query: '?limit=1' })
  for (const version of ['1', '999', 'x'])
    await it.ask(app, 'get', '/threads/{thread}/activity/{version}', { thread: 'outline', version })
  for (const path of ['/', '/openapi.json', '/healthz', '/readyz']) await it.ask(app, 'get', path)

  // MCP.
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_todos' } }
  for (const body of [call, [call, call], { jsonrpc: '2.0', method: 'notifications/initialized' }, '{', '7'])
    await it.ask(app, 'post', MCP, { headers: rpc, body })
  await it.ask(app, 'post', MCP, { headers: rpc, body: { ...call, method: 'no/such' } })
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  for (const method of ['tools/list', 'no/such']) {
    const headers = { ...rpc, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method }
    await it.ask(app, 'post', MCP, { headers, body: { jsonrpc: '2.0', id: 'a', method, params: { _meta } } })
  }
  await it.ask(app, 'post', MCP, { headers: { ...rpc, Accept: 'text/html' }, body: call })
  await it.ask(app, 'post', MCP, { headers: { ...rpc, 'Content-Type': 'text/plain' }, body: call })
  await it.ask(app, 'post', MCP, { headers: rpc, body: ' '.repeat(5_000_000) })
  await it.ask(app, 'post', MCP, { headers: rpc, body: call, query: '?dialect=klingon' })

  // What may be wrong.
  await it.ask(app, 'post', list, { body: '{' })
  await it.ask(app, 'get', '/threads/{thread}', { thread: 'a:b' })
  await it.ask(app, 'get', '/threads/{thread}', { thread: 'none' })
  await it.ask(app, 'get', '/threads/{thread}/context', { query: '?dialect=klingon' })
  await it.ask(app, 'get', '/threads/{thread}/tools', { query: '?provider=acme' })
  await it.ask(app, 'put', '/threads/{thread}', { thread: 'new', body: [{ text: 'a'.repeat(5_000) }] })
  await it.ask(app, 'post', list, { headers: { 'Content-Length': '5000000' }, body: ' '.repeat(5_000_000) })
  await it.ask(app, 'post', list, { headers: { Host: 'elsewhere.example' } })
  await it.ask(app, 'post', list, { headers: { Origin: 'https://elsewhere.example' } })
  await it.ask(app, 'post', list, { headers: { 'Sec-Fetch-Site': 'cross-site' } })
  await it.ask(app, 'post', '/admin/revoke', { body: { subject: 'ada' } })
  await it.ask(app, 'get', METADATA)
  const headers = { 'Idempotency-Key': 'one' }
  await it.ask(app, 'post', add, { headers, body: ONE })
  await it.ask(app, 'post', add, { headers, body: { steps: [{ text: 'another' }] } })
  storage.failNextAppend(new Error('no disk'))
  await it.ask(app, 'post', add, { body: ONE })
  for (let i = 0; i < 2; i++) await it.ask(app, 'delete', '/threads/{thread}', { thread: 'seeded' })
  await it.ask(app, 'get', '/threads/{thread}', { thread: 'seeded' })
  await it.ask(app, 'post', list, { thread: 'seeded' })
  await it.ask(app, 'post', MCP, { thread: 'seeded', headers: rpc, body: call })

  // At no door in particular.
  const document = await describedBy(app)
  const { port } = await app.listen()
  for (const [kind, answer] of [
    ['not-found', await ask(app, '/nowhere')],
    ['unknown-tool', await ask(app, '/threads/plan/tools/nope', { method: 'POST' })],
    ['method', await ask(app, '/threads', { method: 'DELETE' })],
    ['not-http', await sendRaw(port, 'nonsense\r\n\r\n')],
  ] as const)
    it.check(document, { $ref: `#/components/schemas/Problem.${kind}` }, answer.json, kind)

  // A server that is out of order, that takes tokens, that goes down.
  const broken = newApp({
    storage: { ...createMemoryStorage(), threads: () => Promise.reject(new Error('no disk')) },
  })
  await it.ask(broken, 'get', '/threads')
  const jwksUrl = 'http://127.0.0.1:1/'
  const keyless = newApp({ access: await createAccess({ ...BY_SECRET, secret: null, jwksUrl, store: null }) })
  const unknown = [{ alg: 'ES256', kid: 'one' }, { sub: 'a' }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  await it.ask(keyless, 'get', '/threads', { headers: bearer(`${unknown.join('.')}.AAAA`) })
  const guarded = await newGuardedApp()
  await it.ask(guarded.app, 'get', '/threads')
  await it.ask(guarded.app, 'get', METADATA)
  const admin = bearer(await tokenOf({ role: 'admin' }))
  for (const body of [{ subject: 'nemo' }, { tokenId: 'x' }, {}])
    await it.ask(guarded.app, 'post', '/admin/revoke', { headers: admin, body })
  await it.ask(guarded.app, 'delete', '/threads/{thread}', { headers: bearer(await tokenOf()) })
  // Busy servers, and threads that cannot be opened.
  storage.failNextOpen(new Error('no disk'))
  await it.ask(app, 'get', '/threads/{thread}', { thread: 'unopened' })
  const garbage = { version: 1, snapshot: Uint8Array.of(1, 2, 3), updates: [] }
  const damaged = newApp({ storage: { ...createMemoryStorage(), open: () => Promise.resolve(garbage) } })
  await it.ask(damaged, 'get', '/threads/{thread}')
  const unwritable = { unwritable: 'The disk is full.', warning: 'The disk is nearly full.' }
  const filled = newApp({ storage: { ...createMemoryStorage(), condition: () => unwritable } })
  await it.ask(filled, 'post', add, { body: ONE })
  await it.ask(filled, 'get', '/readyz')
  const filling = newApp({
    storage: { ...createMemoryStorage(), condition: () => ({ ...unwritable, unwritable: null }) },
  })
  await it.ask(filling, 'get', '/readyz')
  const config = { host: '127.0.0.1', port: 0, idleMs: 60_000, allowedHosts: ['planroom.test'] }
  const limits = { ...STANDARD_LIMITS, actorRate: 1 }
  const slow = newApp({ access: guarded.access, config: { ...config, limits } })
  for (let i = 0; i < 11; i++) await it.ask(slow, 'get', '/threads', { headers: admin })
  const full: unknown = JSON.parse(problemJson(overloaded('Too much is under way.').details))
  it.check(document, { $ref: '#/components/schemas/Problem.overloaded' }, full, 'overloaded')

  const closing = app.close()
  await it.ask(app, 'post', list)
  await it.ask(app, 'get', '/readyz')
  await closing

  // Was that everything?
  const kinds = Object.keys(PROBLEMS).map((kind) => `urn:planroom:problem:${kind}`)
  expect(kinds.filter((kind) => !it.seen.has(kind))).toEqual([])
  const replies = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, { content = {} }]) => {
        const types = Object.keys(content)
        return types.length === 0
          ? [`${method} ${path} ${status}`]
          : types.map((type) => `${method} ${path} ${status} ${type}`)
      }),
    ),
  )
  const unseen = replies.filter((one) => !one.endsWith('problem+json') && !it.seen.has(one))
  expect(unseen).toEqual([])
})
