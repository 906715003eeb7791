import { describe, expect, test } from 'vitest'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { faultyStorage } from '../helpers/faulty-storage.ts'
import { ask, call, expectProblem, newApp, recordedLog } from '../helpers/http.ts'

const TOOLS = ['add_todos', 'toggle_todos', 'update_todos', 'remove_todos', 'list_todos']
const one = { steps: [{ text: 'Write the parser' }] }
const activityOf = async (app: Parameters<typeof ask>[0], thread: string) =>
  (await ask(app, `/threads/${thread}/activity`)).json as { entries: { actor: unknown; source: string }[] }

describe('a tool call', () => {
  test('is answered with the whole reply', async () => {
    const app = newApp()
    const answer = await call(app, 'plan', 'add_todos', one, { 'X-Agent-Name': 'Ada' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.json).toEqual({
      success: true,
      text: '{"success":true,"summary":"added 1 todo step","version":1}',
      summary: 'added 1 todo step',
      version: 1,
      changed: [
        {
          id: expect.stringMatching(/^[\w-]{16}$/) as unknown,
          index: 1,
          number: 1,
          text: 'Write the parser',
          status: 'pending',
        },
      ],
    })
  })

  test('may have no body, null, or a string that holds an object', async () => {
    const app = newApp()
    for (const body of [undefined, '', ' \n', 'null', '{}', '\uFEFF{}']) {
      expect(await call(app, 'plan', 'list_todos', body)).toMatchObject({ status: 200, json: { success: true } })
    }
    const answer = await call(app, 'plan', 'add_todos', JSON.stringify(JSON.stringify(one)))
    expect(answer.json).toMatchObject({ success: true, notes: ['the arguments: a string was read as an object'] })
  })

  test('does not need a type of content', async () => {
    const app = newApp()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8']) {
      expect(await call(app, 'plan', 'add_todos', one, { 'Content-Type': type })).toMatchObject({ status: 200 })
    }
  })

  test('[bad input] wrong types are for the model to read: 200, success false', async () => {
    const app = newApp()
    const answer = await call(app, 'plan', 'add_todos', { steps: 7 })
    expect(answer).toMatchObject({ status: 200, json: { success: false, version: 0 } })
  })

  test('[bad input] broken JSON and other bodies that cannot be arguments are 400', async () => {
    const app = newApp()
    for (const body of ['{"steps": [', 'steps=1', Uint8Array.of(0x22, 0xff, 0x22), '7', 'true']) {
      expectProblem(await call(app, 'plan', 'add_todos', body), 400, 'bad-request')
    }
    const deep = `{"steps":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expectProblem(await call(app, 'plan', 'add_todos', deep, { 'Idempotency-Key': 'k' }), 400, 'bad-request')
    expectProblem(await ask(app, '/threads/plan'), 404, 'unknown-thread')
  })

  test('[10] a bare list as the body is the list that the tool takes', async () => {
    const app = newApp()
    expect(await call(app, 'plan', 'add_todos', '[{"text":"a"}]')).toMatchObject({
      json: { success: true, version: 1 },
    })
    const todos = [{ content: 'b', status: 'pending' }]
    const written = await call(app, 'list', 'write_todos', JSON.stringify(todos))
    expect(written).toMatchObject({ status: 200, json: { success: true, version: 1, todos } })
    // A tool that takes no list says so to the model.
    expect(await call(app, 'plan', 'plan_todo_write', '[]')).toMatchObject({ status: 200, json: { success: false } })
  })

  test('[bad input] an unknown tool is 404 and names the tools', async () => {
    const problem = expectProblem(await call(newApp(), 'plan', 'add_todo', one), 404, 'unknown-tool')
    expect(problem['tools']).toEqual(expect.arrayContaining(TOOLS))
    expect(problem['detail']).toContain('add_todos, ')
  })

  test('names its caller by headers', async () => {
    const app = newApp()
    const utf8 = Buffer.from('José 🦊').toString('latin1') // the bytes that curl sends
    const callers: Record<string, string>[] = [
      {},
      { 'X-Agent-Name': ' Ada ' },
      { 'X-Agent-Name': 'Ada', 'X-Agent-Id': 'ada-2' },
      { 'X-Agent-Id': 'ada-3' },
      { 'X-Agent-Name': utf8 },
      { 'X-Agent-Name': 'Jos\xe9' },
    ]
    for (const headers of callers) await call(app, 'plan', 'add_todos', one, headers)
    const { entries } = await activityOf(app, 'plan')
    expect(entries.map(({ actor, source }) => [actor, source])).toEqual([
      [{ id: '', name: '', kind: 'agent' }, 'http'],
      [{ id: 'Ada', name: 'Ada', kind: 'agent' }, 'http'],
      [{ id: 'ada-2', name: 'Ada', kind: 'agent' }, 'http'],
      [{ id: 'ada-3', name: 'ada-3', kind: 'agent' }, 'http'],
      [{ id: 'José 🦊', name: 'José 🦊', kind: 'agent' }, 'http'],
      [{ id: 'José', name: 'José', kind: 'agent' }, 'http'],
    ])
  })

  test('[11-F32] names its caller in any script: percent-encoded, by RFC 8187, or in the address', async () => {
    const app = newApp()
    const name = '李 Çağla 🦊'
    const encoded = encodeURIComponent(name)
    const ways: readonly (readonly [query: string, headers: Record<string, string>])[] = [
      ['', { 'X-Agent-Name': encoded }],
      ['', { 'X-Agent-Name': encoded.toLowerCase() }],
      ['', { 'X-Agent-Name': `UTF-8''${encoded}` }],
      ['', { 'X-Agent-Name': `utf-8'tr'${encoded}` }],
      ['', { 'X-Agent-Name*': `UTF-8''${encoded}` }],
      ['', { 'X-Agent-Id': encoded }],
      [`?name=${encoded}`, {}],
      [`?id=${encoded}`, {}],
    ]
    for (const [query, headers] of ways)
      expect(
        (await ask(app, `/threads/plan/tools/add_todos${query}`, { method: 'POST', headers, body: one })).status,
      ).toBe(200)
    await ask(app, '/threads/plan', { method: 'PUT', headers: { 'X-Agent-Name': encoded }, body: {} })
    const { entries } = await activityOf(app, 'plan')
    expect(entries.map(({ actor }) => actor)).toEqual(ways.map(() => ({ id: name, name, kind: 'agent' })))
    // A header counts before the address, and a percent sign that begins nothing is one.
    for (const headers of [{ 'X-Agent-Name': '100% sure' }, { 'X-Agent-Name': "ISO-8859-1''Jos%e9" }])
      await ask(app, `/threads/plan/tools/add_todos?name=Other`, { method: 'POST', headers, body: one })
    expect((await activityOf(app, 'plan')).entries.slice(-2).map(({ actor }) => actor)).toMatchObject([
      { name: '100% sure' },
      { name: 'José' },
    ])
    for (const headers of [
      { 'X-Agent-Name': "UTF-8''%ff" },
      { 'X-Agent-Name': "UTF-8''%zz" },
      { 'X-Agent-Name': 'a%00b' },
    ])
      expectProblem(await call(app, 'plan', 'list_todos', {}, headers), 400, 'bad-request')
  })

  test('is refused for a caller that nobody could print', async () => {
    const app = newApp()
    for (const name of ['a'.repeat(129), 'a\tb', 'a\x7fb', Buffer.from('a\u0085b').toString('latin1')]) {
      expectProblem(await call(app, 'plan', 'list_todos', {}, { 'X-Agent-Name': name }), 400, 'bad-request')
      expectProblem(await call(app, 'plan', 'list_todos', {}, { 'X-Agent-Id': name }), 400, 'bad-request')
    }
    expect((await call(app, 'plan', 'list_todos', {}, { 'X-Agent-Name': 'a'.repeat(128) })).status).toBe(200)
  })
})

describe('[RB-H1] the header Idempotency-Key', () => {
  const headers = { 'X-Agent-Name': 'Ada', 'Idempotency-Key': 'call-1' }

  test('the same call again is done once, and answered the same', async () => {
    const app = newApp()
    const first = await call(app, 'plan', 'add_todos', one, headers)
    const again = await call(app, 'plan', 'add_todos', one, headers)
    expect(again.status).toBe(200)
    expect(again.json).toEqual({ ...(first.json as object), replayed: true })
    expect((await ask(app, '/threads/plan')).json).toMatchObject({ version: 1, steps: [{ text: 'Write the parser' }] })
  })

  test('many at a time are done once', async () => {
    const app = newApp()
    const answers = await Promise.all(Array.from({ length: 10 }, () => call(app, 'plan', 'add_todos', one, headers)))
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect((await ask(app, '/threads/plan')).json).toMatchObject({ version: 1 })
  })

  test('another call under it is 409', async () => {
    const app = newApp()
    await call(app, 'plan', 'add_todos', one, headers)
    expectProblem(await call(app, 'plan', 'add_todos', { steps: [{ text: 'b' }] }, headers), 409, 'key-conflict')
    expect((await ask(app, '/threads/plan')).json).toMatchObject({ version: 1 })
    // The key belongs to its caller.
    const other = { ...headers, 'X-Agent-Name': 'Ben' }
    expect((await call(app, 'plan', 'add_todos', { steps: [{ text: 'b' }] }, other)).status).toBe(200)
  })

  test('a refused call is not kept under it', async () => {
    const app = newApp()
    const below = { ...one, parent_index: 1 }
    expect((await call(app, 'plan', 'add_todos', below, headers)).json).toMatchObject({ success: false })
    await call(app, 'plan', 'add_todos', one, { 'X-Agent-Name': headers['X-Agent-Name'] })
    expect((await call(app, 'plan', 'add_todos', below, headers)).json).toMatchObject({ success: true })
  })

  test('has 1 to 255 characters', async () => {
    const app = newApp()
    for (const key of ['', 'k'.repeat(256)]) {
      const wrong = { 'Idempotency-Key': key }
      expectProblem(await call(app, 'plan', 'add_todos', one, wrong), 400, 'bad-request')
    }
    expect((await call(app, 'plan', 'add_todos', one, { 'Idempotency-Key': 'k'.repeat(255) })).status).toBe(200)
  })

  test('makes a repeat safe when the disk failed, whether it had kept the change or not', async () => {
    for (const stored of [true, false]) {
      const storage = faultyStorage(createMemoryStorage())
      const app = newApp({ storage })
      storage.failNextAppend(new Error('the disk /dev/sda1 is full'), { stored })
      const answer = await call(app, 'plan', 'add_todos', one, headers)
      const problem = expectProblem(answer, 503, 'outcome-unknown')
      expect(problem['detail']).toMatch(/outcome is unknown: repeat with the same Idempotency-Key/)
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(answer.text).not.toContain('sda1')
      expect((await call(app, 'plan', 'add_todos', one, headers)).json).toMatchObject({ success: true, version: 1 })
      expect((await ask(app, '/threads/plan')).json).toMatchObject({
        version: 1,
        steps: [{ text: 'Write the parser' }],
      })
    }
  })
})

test('what nobody expected is 500, logged under a request id and shown without its insides', async () => {
  const storage = createMemoryStorage()
  const log = recordedLog()
  const app = newApp({ storage: { ...storage, threads: () => Promise.reject(new Error('secret of the disk')) }, log })
  const answer = await ask(app, '/threads?token=abc', { headers: { 'X-Request-Id': 'r-1' } })
  expectProblem(answer, 500, 'internal')
  expect(answer.text).not.toContain('secret')
  expect(answer.json).toMatchObject({ requestId: 'r-1' })
  expect(log.lines).toEqual([
    {
      level: 'error',
      fields: {
        err: expect.objectContaining({ message: 'secret of the disk' }) as unknown,
        requestId: 'r-1',
        method: 'GET',
        path: '/threads',
      },
      message: 'a request failed',
    },
  ])
})

describe('what a model is told', () => {
  test('the tools of a dialect', async () => {
    const app = newApp()
    const { status, json } = await ask(app, '/threads/plan/tools?dialect=outline&provider=base')
    expect(status).toBe(200)
    expect(json).toMatchObject({ dialect: 'outline', provider: 'base' })
    const { tools } = json as { tools: { name: string; description: string; parameters: unknown }[] }
    expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(TOOLS))
    expect(tools[0]).toMatchObject({ description: expect.any(String) as unknown, parameters: { type: 'object' } })
    expect((await ask(app, '/threads/plan/tools')).json).toEqual(json)
  })

  test('unknown dialects and providers are 400 and name the known ones', async () => {
    const app = newApp()
    const dialect = expectProblem(await ask(app, '/threads/plan/tools?dialect=klingon'), 400, 'bad-request')
    expect(dialect['dialects']).toContain('outline')
    expectProblem(await ask(app, '/threads/plan/context?dialect=klingon'), 400, 'bad-request')
    const provider = expectProblem(await ask(app, '/threads/plan/tools?provider=acme'), 400, 'bad-request')
    expect(provider['providers']).toEqual(['base', 'openai', 'openai-responses', 'anthropic', 'gemini', 'mcp'])
  })

  test('the block for its prompt, of an empty plan too', async () => {
    const app = newApp()
    const empty = await ask(app, '/threads/plan/context')
    expect(empty).toMatchObject({ status: 200, text: 'Plan, version 0: 0 steps, 0 done, 0 open\n(no todo steps yet)' })
    expect(empty.headers.get('content-type')).toMatch(/^text\/plain/)
    await call(app, 'plan', 'add_todos', one)
    expect((await ask(app, '/threads/plan/context?dialect=outline')).text).toBe(
      'Plan, version 1: 1 step, 0 done, 1 open\n#1  1  [ ] Write the parser',
    )
    expectProblem(await ask(app, `/threads/plan/context?for=${'a'.repeat(129)}`), 400, 'bad-request')
  })

  test('the block counts as looking, for the caller or for the one named', async () => {
    const app = newApp()
    const two = { steps: [{ text: 'a' }, { text: 'b' }] }
    await call(app, 'plan', 'add_todos', two, { 'X-Agent-Name': 'Ada' })
    const seen: [string, Record<string, string>][] = [
      ['?for=Ben', {}],
      ['', { 'X-Agent-Name': 'Cid' }],
    ]
    for (const [query, headers] of seen) await ask(app, `/threads/plan/context${query}`, { headers })
    await call(app, 'plan', 'remove_todos', { indices: [1] }, { 'X-Agent-Name': 'Ada' })
    const said = async (name: string) => {
      const answer = await call(app, 'plan', 'toggle_todos', { indices: [2] }, { 'X-Agent-Name': name })
      return (answer.json as { summary: string }).summary
    }
    // What they were shown is known; of Dan nothing is.
    for (const name of ['Ben', 'Cid']) expect(await said(name)).toContain('#2 was "b"')
    expect(await said('Dan')).not.toContain('was "b"')
  })
})
