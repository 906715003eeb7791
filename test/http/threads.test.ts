import { describe, expect, test } from 'vitest'
import { ask, call, expectProblem, newApp } from '../helpers/http.ts'

type App = ReturnType<typeof newApp>
const put = (app: App, thread: string, body?: unknown) => ask(app, `/threads/${thread}`, { method: 'PUT', body })
const remove = (app: App, thread: string) => ask(app, `/threads/${thread}`, { method: 'DELETE' })
const add = (app: App, thread: string, text: string) => call(app, thread, 'add_todos', { steps: [{ text }] })

describe('a thread', () => {
  test('comes into being with its first change', async () => {
    const app = newApp()
    for (const path of ['', '/plan.md', '/activity']) {
      expectProblem(await ask(app, `/threads/plan${path}`), 404, 'unknown-thread')
    }
    await call(app, 'plan', 'list_todos')
    expectProblem(await ask(app, '/threads/plan'), 404, 'unknown-thread')
    expectProblem(await remove(app, 'plan'), 404, 'unknown-thread')
    await add(app, 'plan', 'a')
    const { status, json } = await ask(app, '/threads/plan')
    expect(status).toBe(200)
    expect(json).toMatchObject({ thread: 'plan', version: 1, title: '', steps: [{ text: 'a', number: 1 }], groups: [] })
  })

  test('or with PUT, empty', async () => {
    const app = newApp()
    expect(await put(app, 'plan')).toMatchObject({ status: 201, json: { thread: 'plan', version: 0, steps: [] } })
    for (const body of [undefined, '', '{}', 'null', [], { seed: [] }]) {
      expect(await put(app, 'plan', body)).toMatchObject({ status: 200, json: { version: 0, steps: [] } })
    }
    expect(await ask(app, '/threads/plan')).toMatchObject({ status: 200, json: { steps: [] } })
    expect(await ask(app, '/threads/plan/activity')).toMatchObject({ status: 200, json: { entries: [], next: null } })
  })

  test('[P15] or with a title, whatever it is; a plan that is there keeps its own', async () => {
    const app = newApp()
    const title = 'Release 2.0 – Überblick / プラン'
    expect(await put(app, 'plan', { title })).toMatchObject({ status: 201, json: { title, version: 1, steps: [] } })
    expect(await put(app, 'plan', { title: 'b' })).toMatchObject({ status: 200, json: { title, version: 1 } })
    const both = await put(app, 'other', { title: ' b ', seed: ['x'] })
    expect(both).toMatchObject({ status: 201, json: { title: 'b', version: 1, steps: [{ text: 'x' }] } })
    expectProblem(await put(app, 'bad', { title: 7 }), 400, 'bad-request')
    expectProblem(await put(app, 'bad', { name: 'b' }), 400, 'bad-request')
    expectProblem(await put(app, 'bad', { title: 'x'.repeat(401) }), 400, 'refused')
    expectProblem(await ask(app, '/threads/bad'), 404, 'unknown-thread')
  })

  test('is deleted once, and its id is not given again', async () => {
    const app = newApp()
    await add(app, 'plan', 'a')
    expect(await remove(app, 'plan')).toMatchObject({ status: 204, text: '' })
    expectProblem(await remove(app, 'plan'), 410, 'thread-deleted')
    for (const path of ['', '/plan.md', '/activity', '/pending', '/context']) {
      expectProblem(await ask(app, `/threads/plan${path}`), 410, 'thread-deleted')
    }
    for (const answer of [await put(app, 'plan'), await add(app, 'plan', 'b'), await call(app, 'plan', 'list_todos')]) {
      const problem = expectProblem(answer, 409, 'thread-deleted')
      expect(problem['detail']).toContain('the id of a deleted thread is not given again')
    }
    expect((await ask(app, '/threads')).json).toEqual({ threads: [], next: null })
  })

  test('says whether anything is pending', async () => {
    const app = newApp()
    const pending = async () => (await ask(app, '/threads/plan/pending')).json
    expect(await pending()).toEqual({ pending: false, open: 0, active: null, version: 0 })
    await put(app, 'plan', ['a', { text: 'b', status: 'in_progress' }, { text: 'c', status: 'cancelled' }])
    expect(await pending()).toEqual({ pending: true, open: 2, active: 'b', version: 1 })
    await put(app, 'done', [{ text: 'a', status: 'completed' }])
    expect((await ask(app, '/threads/done/pending')).json).toMatchObject({ pending: false, open: 0 })
  })

  test('reads as Markdown', async () => {
    const app = newApp()
    await put(app, 'plan', [{ text: 'a' }, { text: 'b', depth: 1, status: 'completed' }])
    const answer = await ask(app, '/threads/plan/plan.md')
    expect(answer).toMatchObject({ status: 200, text: '- [ ] a\n  - [x] b\n\n<!-- a plan of Planroom, format 1 -->\n' })
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=UTF-8')
  })
})

describe('a seed', () => {
  test('[12-5] is read as the lists of clients are, and refused where a part would be lost', async () => {
    const app = newApp()
    const steps = async (thread: string, seed: unknown) =>
      (
        (await put(app, thread, { seed })).json as { steps: { text: string; depth: number; status: string }[] }
      ).steps.map(({ text, depth, status }) => `${depth} ${text} ${status}`)
    const nested = [
      { step: 'a', done: true, subtasks: [{ title: 'b', status: 'In Progress' }] },
      { content: 'c', level: 1 },
    ]
    expect(await steps('nested', nested)).toEqual(['0 a completed', '1 b in_progress', '0 c pending'])
    expect(await steps('text', '- [x] a\n  - [ ] b')).toEqual(['0 a completed', '1 b pending'])
    for (const [seed, words] of [
      [[{ text: 'a', done: true, status: 'pending' }], /contradict each other/],
      [[{ text: 'a' }, { text: 'b', depends_on: [1] }], /seed\[1\] names other steps/],
    ] as const) {
      const problem = expectProblem(await put(app, 'refused', { seed }), 400, 'bad-request')
      expect(problem['detail']).toMatch(words)
    }
  })

  const stepsOf = (json: unknown) =>
    (json as { steps: Record<string, unknown>[] }).steps.map(({ text, depth, status, details, required }) => [
      text,
      depth,
      status,
      details,
      required,
    ])

  test('is read as leniently as arguments', async () => {
    const app = newApp()
    const answer = await put(app, 'plan', {
      seed: [
        'a',
        { title: 'b', depth: 3, status: 'done', description: 'why' },
        { content: 'c', depth: '1', status: 'In Progress', details: 'how', required: 'yes', priority: 'high' },
        { text: 'd', depth: -1, status: null },
      ],
    })
    expect(answer.status).toBe(201)
    expect(stepsOf(answer.json)).toEqual([
      ['a', 0, 'pending', '', false],
      ['b', 1, 'completed', 'why', false],
      ['c', 1, 'in_progress', 'how', true],
      ['d', 0, 'pending', '', false],
    ])
  })

  test('that is wrong creates nothing and says where', async () => {
    const app = newApp()
    const wrong: [unknown, RegExp][] = [
      [[{ text: 'a' }, { depth: 1 }], /seed\[1\]\.text is missing: it is text \(seed\[1\] has depth\)/],
      [[{ text: ' ' }], /seed\[0\] has no text/],
      [[{ text: 'a', status: 'perhaps' }], /seed\[0\]\.status is "perhaps": valid are pending, /],
      [{ seed: [7] }, /seed\[0\] is 7, not an object \{text, depth\?/],
      [{ steps: ['a'] }, /The body is \{"title": "\.\.\.", "seed": \[\.\.\.\]\}/],
      ['7', /The body is/],
      ['{"seed": [', /not JSON/],
    ]
    for (const [body, detail] of wrong) {
      expect(expectProblem(await put(app, 'plan', body), 400, 'bad-request')['detail']).toMatch(detail)
    }
    const long = expectProblem(await put(app, 'plan', [{ text: 'a'.repeat(4_001) }]), 400, 'refused')
    expect(long['detail']).toMatch(/Nothing was changed\.$/)
    expectProblem(await ask(app, '/threads/plan'), 404, 'unknown-thread')
  })

  test('[RL-5(a)] from 20 first connects at a time is there once', async () => {
    const app = newApp()
    const seed = [{ text: 'a' }, { text: 'b', depth: 1 }]
    const answers = await Promise.all(Array.from({ length: 20 }, () => put(app, 'plan', { seed })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19)
    for (const { json } of answers) expect(stepsOf(json).map(([text]) => text)).toEqual(['a', 'b'])
    expect((await ask(app, '/threads/plan')).json).toMatchObject({ version: 1 })
  })

  test('[11-F24] does not come into a plan that was created empty', async () => {
    const app = newApp()
    expect((await put(app, 'plan', {})).status).toBe(201)
    const again = { status: 200, json: { version: 0, steps: [] } }
    expect(await put(app, 'plan', { seed: ['late'] })).toMatchObject(again)
    const twice = ['both', 'at once'].map((text, nth) => put(app, 'other', nth === 0 ? {} : { seed: [text] }))
    expect((await Promise.all(twice)).map(({ status, json }) => [status, stepsOf(json)])).toEqual([
      [201, []],
      [200, []],
    ])
  })

  test('does not come into a plan that somebody has begun', async () => {
    const app = newApp()
    await add(app, 'plan', 'mine')
    expect(await put(app, 'plan', ['seed'])).toMatchObject({ status: 200, json: { steps: [{ text: 'mine' }] } })
  })
})

describe('pages', () => {
  test('of threads, by name', async () => {
    const app = newApp()
    for (const name of ['c', 'a', 'b', 'e', 'd']) await add(app, name, 'x')
    const page = async (query: string) => {
      const { json } = await ask(app, `/threads${query}`)
      const { threads, next } = json as { threads: { thread: string }[]; next: string | null }
      return [threads.map(({ thread }) => thread).join(''), next]
    }
    expect(await page('')).toEqual(['abcde', null])
    expect(await page('?limit=2')).toEqual(['ab', 'b'])
    expect(await page('?limit=2&after=b')).toEqual(['cd', 'd'])
    expect(await page('?limit=2&after=d')).toEqual(['e', null])
    expect(await page('?limit=5')).toEqual(['abcde', null])
    expect((await ask(app, '/threads?limit=1')).json).toMatchObject({
      threads: [
        { thread: 'a', version: 1, createdAt: expect.any(Number) as unknown, updatedAt: expect.any(Number) as unknown },
      ],
    })
  })

  test('of the activity, newest last', async () => {
    const app = newApp()
    for (const text of ['a', 'b', 'c']) await add(app, 'plan', text)
    const page = async (query: string) => {
      const { json } = await ask(app, `/threads/plan/activity${query}`)
      const { entries, next } = json as { entries: { version: number }[]; next: number | null }
      return [entries.map(({ version }) => version), next]
    }
    expect(await page('')).toEqual([[1, 2, 3], null])
    expect(await page('?limit=2')).toEqual([[1, 2], 2])
    expect(await page('?after=2&limit=2')).toEqual([[3], null])
    expect(await page('?after=99')).toEqual([[], null])
    const { json } = await ask(app, '/threads/plan/activity?limit=1')
    expect((json as { entries: unknown[] }).entries[0]).toEqual({
      version: 1,
      at: expect.any(Number) as unknown,
      actor: { id: '', name: '', kind: 'agent' },
      source: 'http',
      tool: 'add_todos',
      reasoning: '',
      summary: expect.any(String) as unknown,
    })
  })

  test('refuse limits that are none', async () => {
    const app = newApp()
    for (const query of ['limit=0', 'limit=501', 'limit=-1', 'limit=1.5', 'limit=many', 'limit=1e2']) {
      expectProblem(await ask(app, `/threads?${query}`), 400, 'bad-request')
      expectProblem(await ask(app, `/threads/plan/activity?${query}`), 400, 'bad-request')
    }
    const problem = expectProblem(await ask(app, '/threads/plan/activity?after=-1'), 400, 'bad-request')
    expect(problem['detail']).toMatch(/^after is a whole number from 0 to /)
  })
})
