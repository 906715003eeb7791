import { describe, expect, test } from 'vitest'
import { type Answer, ask, newApp } from '../helpers/http.ts'

const PATH = '/threads/plan/mcp'
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  [CLIENT_INFO]: { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const BOTH = 'application/json, text/event-stream'
type Params = Readonly<Record<string, unknown>>

/** A request of one era; `accept` null sends no Accept. */
function send(
  method: string,
  params: unknown,
  { accept = BOTH, isModern = false, path = PATH }: { accept?: string | null; isModern?: boolean; path?: string } = {},
): Promise<Answer> {
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params)
  const asked = isModern ? { _meta: MODERN, ...(isObject ? params : {}) } : params
  const { name, uri } = (isObject ? params : {}) as { name?: unknown; uri?: unknown }
  const named = typeof name === 'string' ? name : uri
  const headers = {
    'Content-Type': 'application/json',
    ...(accept === null ? {} : { Accept: accept }),
    ...(isModern ? { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method } : {}),
    ...(isModern && typeof named === 'string' ? { 'Mcp-Name': named } : {}),
  }
  const body = { jsonrpc: '2.0', id: 1, method, params: asked }
  return ask(newApp(), path, { method: 'POST', headers, body })
}

/** The answer of a request, whichever form it has. */
function messageIn({ text, headers }: Answer): unknown {
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  return JSON.parse(isStream ? (/^data: (\{.*)$/m.exec(text)?.[1] ?? '') : text)
}

const LIST = { name: 'list_todos', arguments: {} }
const listed = { result: { structuredContent: { version: 0 } } }

describe.each([false, true])('[12-8] what a client accepts; of 2026: %s', (isModern) => {
  test.each([null, '*/*', 'application/json', 'application/*', 'application/json;q=0.9, */*;q=0.1'])(
    '%s is served with JSON',
    async (accept) => {
      const answer = await send('tools/call', LIST, { accept, isModern })
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      expect(answer).toMatchObject({ status: 200, json: listed })
    },
  )
  test.each(['text/event-stream', 'text/*', 'text/event-stream, application/json;q=0'])(
    '%s alone is served with a stream',
    async (accept) => {
      const answer = await send('tools/call', LIST, { accept, isModern })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
      expect(messageIn(answer)).toMatchObject(listed)
    },
  )
  test('who takes neither is told what there is', async () => {
    const answer = await send('tools/call', LIST, { accept: 'text/html', isModern })
    expect(answer).toMatchObject({
      status: 406,
      json: { id: 1, error: { message: expect.stringMatching(/accept/) as unknown } },
    })
  })
  test('[12-8] /mcp/ works as /mcp', async () => {
    const answer = await send('tools/call', LIST, { path: `${PATH}/`, isModern })
    expect(messageIn(answer)).toMatchObject(listed)
  })
})

test('[12-8] a notification without Accept is taken, and a batch is answered as a batch', async () => {
  const app = newApp()
  const headers = { 'Content-Type': 'application/json' }
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized', params: null }
  expect(await ask(app, PATH, { method: 'POST', headers, body: initialized })).toMatchObject({ status: 202, text: '' })
  const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: LIST }))
  const answer = await ask(app, PATH, { method: 'POST', headers, body: [initialized, ...batch] })
  expect(answer).toMatchObject({
    status: 200,
    json: [
      { id: 1, ...listed },
      { id: 2, ...listed },
    ],
  })
})

test('[12-8] a subscription needs a client that takes a stream', async () => {
  const params = { notifications: { resourceSubscriptions: ['plan://plan'] } }
  const answer = await send('subscriptions/listen', params, { accept: 'application/json', isModern: true })
  expect(answer).toMatchObject({
    status: 406,
    json: { error: { message: expect.stringMatching(/text\/event-stream/) as unknown } },
  })
})

describe.each([false, true])('[12-8] what hosts get wrong; of 2026: %s', (isModern) => {
  const lists = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']
  test.each(lists)('%s takes a null or empty cursor, and no params, for none', async (method) => {
    for (const params of [
      { cursor: null },
      { cursor: '' },
      null,
      undefined,
      { _meta: { ...(isModern ? MODERN : {}), progressToken: {} } },
    ])
      expect(messageIn(await send(method, params, { isModern }))).toHaveProperty('result')
  })

  const good: [method: string, params: unknown][] = [
    ['tools/call', { name: 'list_todos', arguments: null }],
    ['tools/call', { name: 'list_todos', arguments: '{}' }],
    ['prompts/get', { name: 'plan', arguments: null }],
    ['prompts/get', { name: 'plan', arguments: { size: 7 } }],
    ['resources/read', { uri: 'plan://plan', extra: null }],
  ]
  test.each(good)('%s with %j is answered', async (method, params) => {
    expect(messageIn(await send(method, params, { isModern }))).toHaveProperty('result')
  })

  const wrong: [method: string, params: unknown, words: RegExp][] = [
    ['tools/call', { name: 7 }, /^tools\/call names a tool/],
    ['tools/call', {}, /^tools\/call names a tool/],
    ['tools/call', null, /^tools\/call names a tool/],
    ['tools/call', { name: 'list_todos', arguments: 'x' }, /^The arguments of list_todos are an object .* not a text/],
    ['tools/call', { name: 'list_todos', arguments: [] }, /not a list/],
    ['tools/call', { name: 'list_todos', arguments: 7 }, /not a number/],
    ['tools/list', { cursor: 7 }, /^A cursor is a text/],
    ['tools/list', { cursor: 'page-2' }, /^No list gave this cursor: each of them has one page/],
    ['prompts/list', { cursor: ' ' }, /^No list gave this cursor/],
    ['resources/list', { cursor: {} }, /^A cursor is a text/],
    ['prompts/get', {}, /^prompts\/get names a prompt/],
    ['resources/read', { uri: 7 }, /^resources\/read names a resource/],
  ]
  test.each(wrong)('%s with %j is told in words', async (method, params, words) => {
    // Of 2026, the headers have to name it first.
    const header = isModern && /names a (tool|prompt|resource)/.test(words.source) ? /Mcp-Name/ : words
    const answer = messageIn(await send(method, params, { isModern }))
    expect(answer).toMatchObject({ id: 1, error: { message: expect.stringMatching(header) as unknown } })
  })
})

test('[12-8] initialize is answered, whatever a client says of itself', async () => {
  const says: (Params | null)[] = [
    null,
    {},
    { protocolVersion: '2025-06-18', capabilities: null, clientInfo: { name: 'x' } },
    { protocolVersion: '1999-01-01', capabilities: { sampling: true }, clientInfo: 'x' },
  ]
  for (const params of says)
    expect(messageIn(await send('initialize', params))).toMatchObject({
      result: { protocolVersion: expect.stringMatching(/^2025-/) as unknown, serverInfo: { name: 'planroom' } },
    })
})

test('[12-8] the text of a validator never reaches a client', async () => {
  const odd: unknown[] = [
    null,
    7,
    'x',
    [],
    [1],
    { _meta: 7 },
    { _meta: null },
    { name: {}, uri: [], cursor: 7, arguments: 7 },
  ]
  const metas = [
    { 'io.modelcontextprotocol/clientCapabilities': { sampling: true, elicitation: 7 } },
    { progressToken: [] },
    { [CLIENT_INFO]: 7 },
    { [CLIENT_INFO]: { name: 7 } },
    { 'io.modelcontextprotocol/clientCapabilities': 7 },
  ]
  const params = [...odd, ...metas.map((meta) => ({ _meta: { ...MODERN, ...meta } }))]
  const methods = ['initialize', 'ping', 'tools/list', 'tools/call', 'resources/list', 'resources/read', 'prompts/list']
  const more = ['prompts/get', 'subscriptions/listen', 'server/discover', 'logging/setLevel', 'completion/complete']
  for (const method of [...methods, ...more])
    for (const one of params)
      for (const isModern of [false, true]) {
        // One that listens is never done: what it is told first is no error.
        const { text } = await send(method, one, { isModern })
        expect
          .soft(text, `${method} ${JSON.stringify(one)} ${isModern}`)
          .not.toMatch(/Invalid input|invalid_type|expected/)
      }
})
