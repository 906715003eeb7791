import { readFileSync } from 'node:fs'
import OpenAI from 'openai'
import { describe, expect, onTestFinished, test } from 'vitest'
import { TodoList } from '../../client/sdk/todo-list.ts'
import { Planroom } from '../../examples/planroom.ts'
import { run as runPlanner } from '../../examples/task-planner.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { DIALECTS } from '../../shared/dialects/registry.ts'
import { faultyStorage } from '../helpers/faulty-storage.ts'
import { ask, call, newApp } from '../helpers/http.ts'
import { startModel } from '../helpers/model-server.ts'
import { connectModern } from '../mcp/clients.ts'
import { PROVIDERS } from './providers.ts'

const TASK = 'Write a parser.'
const STEPS = { steps: [{ text: 'Write the parser' }, { text: 'Test it', depth: 1 }] }
const AGENT = 'agent-a'
const OUTLINE = DIALECTS.get('outline')?.tools.map(({ name }) => name)
const textsOf = (json: unknown) => (json as { steps: { text: string }[] }).steps.map(({ text }) => text)

/** No example may reach for a real model. */
function withoutKeys(): void {
  for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY']) {
    const value = process.env[name]
    delete process.env[name]
    onTestFinished(() => {
      if (value !== undefined) process.env[name] = value
    })
  }
}

describe.each(PROVIDERS)('the example for $name', ({ calls, says, toolsIn, promptIn, resultsIn, run }) => {
  test('plans, hears of others and of its mistakes, and comes to an end', async () => {
    withoutKeys()
    const app = newApp()
    const { url } = await app.listen()
    const model = await startModel([
      async () => {
        // While the model thinks, somebody else is faster.
        await call(app, 'plan', 'add_todos', { steps: [{ text: 'Read the grammar' }] }, { 'X-Agent-Name': 'Ben' })
        return calls([
          { id: 'call-1', name: 'add_todos', args: STEPS },
          { id: 'call-2', name: 'add_todos', args: { ...STEPS, parent_index: 9 } },
        ])
      },
      () => says('Planned.'),
    ])
    const plan = new Planroom({ url, thread: 'plan', agent: AGENT })
    expect(await run(model.url, plan, TASK)).toBe('Planned.')

    const [first, second, ...others] = model.asked
    if (first === undefined || second === undefined) throw new Error('The model was not asked twice.')
    expect(others).toEqual([])
    expect(toolsIn(first)).toEqual(OUTLINE)
    expect(JSON.stringify(first.body)).toContain(TASK)
    // The block as it stood at each time, and none that is old.
    expect(promptIn(first)).toContain('Plan, version 0: 0 steps')
    expect(promptIn(second)).toContain('Plan, version 2: 3 steps, 0 done, 3 open\n#1  1  [ ] Read the grammar')
    expect(JSON.stringify(second.body)).not.toContain('Plan, version 0')

    const [done, refused] = resultsIn(second)
    expect(done).toMatchObject({ id: 'call-1' })
    const added = { success: true, summary: 'added 2 todo steps', version: 2, notes: ['they are #2 to #3'] }
    expect(JSON.parse(done?.text ?? '')).toEqual({ ...added, digest: 'Ben added #1' })
    expect(refused).toMatchObject({ id: 'call-2' })
    expect(JSON.parse(refused?.text ?? '')).toMatchObject({ success: false })
    expect([null, false]).toContain(done?.isError)
    expect([null, true]).toContain(refused?.isError)

    // The id of the call is its key: the same call again is not done again.
    expect(await plan.call('add_todos', STEPS, 'call-1')).toEqual({ text: JSON.stringify(added), isError: false })
    const { json } = await ask(app, '/threads/plan')
    expect(textsOf(json)).toEqual(['Read the grammar', 'Write the parser', 'Test it'])
    const activity = (await ask(app, '/threads/plan/activity')).json as { entries: { actor: { name: string } }[] }
    expect(activity.entries.map(({ actor }) => actor.name)).toEqual(['Ben', AGENT])
  })
})

describe('the client of the examples', () => {
  const planAt = (url: string): Planroom => new Planroom({ url, thread: 'plan', agent: AGENT })

  test('gives the model what it wrote wrong, and the program all else', async () => {
    const { url } = await newApp().listen()
    const plan = planAt(url)
    expect(await plan.call('add_todos', '{"steps": [', 'a')).toMatchObject({
      isError: true,
      text: expect.stringContaining('The body is not JSON') as unknown,
    })
    expect(await plan.call('add_todo', {}, 'b')).toMatchObject({
      isError: true,
      text: expect.stringContaining('There is: add_todos') as unknown,
    })
    await plan.call('add_todos', STEPS, 'c')
    await expect(plan.call('add_todos', { steps: [{ text: 'x' }] }, 'c')).rejects.toThrow('409')
    // And goes on after that.
    expect(await plan.call('list_todos', {}, 'd')).toMatchObject({ isError: false })
  })

  test('repeats a call whose outcome is unknown, and it is done once', async () => {
    for (const stored of [true, false]) {
      const storage = faultyStorage(createMemoryStorage())
      const app = newApp({ storage })
      const { url } = await app.listen()
      storage.failNextAppend(new Error('no disk'), { stored })
      expect(await planAt(url).call('add_todos', STEPS, 'a')).toMatchObject({ isError: false })
      expect(textsOf((await ask(app, '/threads/plan')).json)).toEqual(['Write the parser', 'Test it'])
    }
  })
})

test('an agent with a TaskPlanner begins with the seeds, and goes on until nothing is pending', async () => {
  withoutKeys()
  const chat = PROVIDERS.find(({ name }) => name === 'OpenAI, Chat Completions')
  if (chat === undefined) throw new Error('The provider is not there.')
  const write = (id: string, status: string) =>
    chat.calls([{ id, name: 'write_todos', args: { todos: [{ content: 'Read the grammar', status }] } }])
  const model = await startModel([
    () => chat.says('Done!'),
    () => write('call-1', 'in_progress'),
    () => write('call-2', 'completed'),
    () => chat.says('Done.'),
  ])
  const client = new OpenAI({ apiKey: 'none', baseURL: model.url, maxRetries: 0 })
  const list = new TodoList()
  const tasks = [{ title: 'Read the grammar' }]
  expect(await runPlanner({ client, model: 'stand-in', task: TASK, tasks, list })).toBe('Done.')
  const blocks = model.asked.map((asked) => chat.promptIn(asked))
  expect(blocks[0]).toContain('Current tasks (v1):\n  t1 [pending] Read the grammar\n\nProgress: 0/1 completed.')
  expect(JSON.stringify(model.asked[1]?.body)).toContain('Some tasks are still open.')
  expect(blocks[2]).toContain('t1 [in_progress] Read the grammar')
  expect(blocks[3]).toContain('Progress: 1/1 completed.')
  expect(list.todos).toMatchObject([{ content: 'Read the grammar', status: 'completed', updated_by: 'planner' }])
})

test('whether anything is pending is known over HTTP too', async () => {
  const app = newApp()
  const { url } = await app.listen()
  const plan = new Planroom({ url, thread: 'plan', agent: AGENT })
  expect(await plan.hasPendingTasks()).toBe(false)
  await ask(app, '/threads/plan', { method: 'PUT', body: { seed: ['a'] } })
  expect(await plan.hasPendingTasks()).toBe(true)
  await plan.call('list_todos', {}, 'call-0')
  await plan.call('toggle_todos', { indices: [1] }, 'call-1')
  expect(await plan.hasPendingTasks()).toBe(false)
})

test('the addresses for MCP hosts lead to the plan', async () => {
  const file = JSON.parse(readFileSync('examples/mcp-hosts.json', 'utf8')) as {
    mcpServers: { plan: { url: string }; 'plan-over-stdio': { args: string[] } }
  }
  const { url } = await newApp().listen()
  const asked = new URL(file.mcpServers.plan.url)
  const [, , thread = ''] = asked.pathname.split('/')
  expect(asked.pathname).toBe(`/threads/${thread}/mcp`)
  const client = await connectModern({ url, thread, name: asked.searchParams.get('name') ?? '' })
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(OUTLINE)
  const { args } = file.mcpServers['plan-over-stdio']
  expect(args.slice(args.indexOf('--') + 1)).toEqual(['--url', asked.origin, '--thread', thread, '--name', AGENT])
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  expect(scripts).toHaveProperty('mcp')
})
