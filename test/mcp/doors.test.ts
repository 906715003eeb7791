import { describe, expect, test } from 'vitest'
import { DIALECTS } from '../../shared/dialects/registry.ts'
import { baseSchema } from '../../shared/dialects/schemas.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { faultyStorage } from '../helpers/faulty-storage.ts'
import { ask, newApp } from '../helpers/http.ts'
import { CLIENTS, connectMcp, isModern } from './clients.ts'

const steps = (...texts: string[]) => ({ steps: texts.map((text) => ({ text })) })

describe.each(CLIENTS)('the client %s', (kind) => {
  const open = async ({ name = 'Ada', ...rest }: { name?: string; dialect?: string; thread?: string } = {}) => {
    const app = newApp()
    const { url } = await app.listen()
    return { app, url, client: await connectMcp(kind, { url, name, ...rest }) }
  }

  test.each([...DIALECTS.keys()])(
    'lists the tools of %s, in order, with everything a host wants to know',
    async (name) => {
      const { client } = await open({ dialect: name })
      const tools = await client.listTools()
      const dialect = DIALECTS.get(name)
      expect(tools.map((tool) => tool.name)).toEqual(dialect?.tools.map((tool) => tool.name))
      for (const [i, tool] of tools.entries()) {
        const { title, description, effects } = dialect?.tools[i] ?? {}
        expect(tool).toMatchObject({ title, description })
        expect(tool.inputSchema).toEqual(dialect?.tools[i] && baseSchema(dialect.tools[i]))
        expect(tool.outputSchema).toMatchObject({ type: 'object' })
        expect(tool.annotations).toEqual({
          title,
          readOnlyHint: effects?.readOnly,
          destructiveHint: effects?.destructive,
          idempotentHint: effects?.idempotent,
          openWorldHint: false,
        })
      }
      expect(await client.listTools()).toEqual(tools)
    },
  )

  test('only a modern one is told that it can subscribe', async () => {
    const { client } = await open()
    expect(client.capabilities).toMatchObject({ tools: {}, resources: {}, prompts: {} })
    expect((client.capabilities as { resources: object }).resources).toEqual(
      isModern(kind) ? { subscribe: true, listChanged: false } : { listChanged: false },
    )
    expect(client.instructions).toContain('rev')
  })

  test('[RB-H3] a success says everything once as text and once as a structure', async () => {
    const { app, client } = await open()
    await client.listTools() // from here on the client checks structures against the schemas
    expect(await client.call('add_todos', steps('Book a flat', 'Pack'))).toEqual({
      text: '{"success":true,"summary":"added 2 todo steps","version":1}',
      blocks: 1,
      structure: { success: true, summary: 'added 2 todo steps', version: 1 },
      isError: false,
    })
    const list = await client.call('list_todos')
    expect(list.structure).toEqual(JSON.parse(list.text))
    expect(list.structure).toMatchObject({ summary: '#1  1  [ ] Book a flat\n#2  2  [ ] Pack' })
    const { json } = await ask(app, '/threads/plan/activity')
    expect(json).toMatchObject({
      entries: [{ actor: { id: 'Ada', name: 'Ada', kind: 'agent' }, source: 'mcp', tool: 'add_todos' }],
    })
  })

  test('[RB-H3] a refusal is an error result that teaches, without a structure, and changes nothing', async () => {
    const { app, client } = await open()
    await client.listTools()
    for (const wrong of [{ steps: 7 }, { ...steps('a'), parent_index: 5 }, { steps: [{ text: ' ' }] }]) {
      const refusal = await client.call('add_todos', wrong)
      expect(refusal).toMatchObject({ blocks: 1, structure: undefined, isError: true })
      expect(JSON.parse(refusal.text)).toMatchObject({ success: false, version: 0 })
    }
    expect((await ask(app, '/threads/plan')).status).toBe(404)
  })

  test('sloppy arguments reach the dialect, which reads them', async () => {
    const { client } = await open()
    await client.call('add_todos', { steps: '[{"text":"a"},{"text":"b"}]', parent_index: null })
    const { structure } = await client.call('toggle_todos', { indices: '#2' })
    expect(structure).toMatchObject({ summary: 'toggled 1 todo step: #2 now done' })
    expect(structure?.['notes']).not.toEqual([])
  })

  test('a tool that is not there is an error of the protocol, which names those that are', async () => {
    const { client } = await open()
    await expect(client.call('write_everything')).rejects.toThrow(/no tool "write_everything" here.*add_todos, /)
  })

  test('[RB-H1] the same call under the same key is done once and answered the same', async () => {
    const { client } = await open()
    const first = await client.call('add_todos', steps('a'), 'key-1')
    expect(await client.call('add_todos', steps('a'), 'key-1')).toEqual(first)
    const conflict = await client.call('add_todos', steps('b'), 'key-1')
    expect(conflict).toMatchObject({ structure: undefined, isError: true })
    expect(conflict.text).toContain('planroom/idempotencyKey was used in this thread for a call with other arguments')
    expect(await client.read('plan://plan')).toBe('- [ ] a\n\n<!-- a plan of Planroom, format 1 -->\n')
  })

  test('[RB-H1] a refused call is not kept under its key; a key has 1 to 255 characters', async () => {
    const { client } = await open()
    const below = { ...steps('b'), parent_index: 1 }
    expect(await client.call('add_todos', below, 'key-1')).toMatchObject({ isError: true })
    await client.call('add_todos', steps('a'))
    expect(await client.call('add_todos', below, 'key-1')).toMatchObject({ isError: false })
    await expect(client.call('add_todos', steps('c'), 'k'.repeat(256))).rejects.toThrow('1 to 255 characters')
    await expect(client.call('add_todos', steps('c'), ' ')).rejects.toThrow('1 to 255 characters')
  })

  test('resources: Markdown, JSON and the activity; reading one is nobody’s looking', async () => {
    const { client, url } = await open()
    expect(await client.read('plan://plan')).toBe('<!-- a plan of Planroom, format 1 -->\n')
    expect(JSON.parse(await client.read('plan://plan/activity'))).toEqual({ thread: 'plan', entries: [] })
    await client.call('add_todos', { ...steps('a'), action_and_reasoning: 'To begin.' })
    expect((await client.listResources()).map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
      ['plan://plan', 'text/markdown'],
      ['plan://plan/json', 'application/json'],
      ['plan://plan/activity', 'application/json'],
    ])
    expect(await client.read('plan://plan')).toBe('- [ ] a\n\n<!-- a plan of Planroom, format 1 -->\n')
    expect(JSON.parse(await client.read('plan://plan/json'))).toMatchObject({
      thread: 'plan',
      version: 1,
      steps: [{ text: 'a', status: 'pending', createdBy: 'Ada' }],
    })
    expect(JSON.parse(await client.read('plan://plan/activity'))).toMatchObject({
      thread: 'plan',
      entries: [{ version: 1, reasoning: 'To begin.', source: 'mcp' }],
    })
    for (const uri of ['plan://other', 'plan://plan/', 'file:///etc/passwd', 'nonsense'])
      await expect(client.read(uri)).rejects.toThrow(/not found/i)

    // Ben moves the plan under Ada, who reads the Markdown, which has no numbers.
    await client.call('list_todos')
    const ben = await connectMcp(kind, { url, name: 'Ben' })
    await ben.call('list_todos')
    await ben.call('remove_todos', { indices: [1] })
    await ben.call('add_todos', steps('b'))
    expect(await client.read('plan://plan')).toBe('- [ ] b\n\n<!-- a plan of Planroom, format 1 -->\n')
    expect(await client.call('toggle_todos', { indices: [1] })).toMatchObject({ isError: true })
  })

  test('the prompt is the block of the plan, and its reader has looked', async () => {
    const { client, url } = await open()
    await client.call('add_todos', steps('a', 'b'))
    const ben = await connectMcp(kind, { url, name: 'Ben' })
    await ben.call('list_todos')
    await ben.call('remove_todos', { indices: [1] })
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual(['plan'])
    expect(await client.prompt('plan')).toBe('Plan, version 2: 1 step, 0 done, 1 open\n#1  1  [ ] b')
    expect(await client.call('toggle_todos', { indices: [1] })).toMatchObject({ isError: false })
    await expect(client.prompt('other')).rejects.toThrow('There is no prompt "other"')
  })

  test('when the storage fails the outcome is unknown, and the same call again is done once', async () => {
    const storage = faultyStorage(createMemoryStorage())
    const app = newApp({ storage })
    const { url } = await app.listen()
    const client = await connectMcp(kind, { url })
    storage.failNextAppend(new Error('the disk is gone'))
    const failed = await client.call('add_todos', steps('a'), 'key-1')
    expect(failed).toMatchObject({ structure: undefined, isError: true })
    expect(failed.text).toContain('the outcome is unknown: repeat with the same planroom/idempotencyKey')
    expect(await client.call('add_todos', steps('a'), 'key-1')).toMatchObject({ structure: { version: 1 } })
  })

  test('a thread that was deleted is 404', async () => {
    const { app, client } = await open()
    await client.call('add_todos', steps('a'))
    await ask(app, '/threads/plan', { method: 'DELETE' })
    await expect(client.call('list_todos')).rejects.toThrow(/404|was deleted/)
    await expect(connectMcp(kind, { url: (await open()).url, thread: 'elsewhere' })).resolves.toBeDefined()
  })

  test('a thread’s id is told back as it was given', async () => {
    const { client } = await open({ thread: '~A.b_C-9' })
    expect((await client.listResources()).map(({ uri }) => uri)).toContain('plan://~A.b_C-9/json')
    expect(JSON.parse(await client.read('plan://~A.b_C-9/json'))).toMatchObject({ thread: '~A.b_C-9', steps: [] })
  })
})
