import { describe, expect, test } from 'vitest'
import { openPure, openRoom } from '../helpers/plan-driver.ts'
import { CLIENTS, LISTS } from './clients-corpus.ts'

const ME = 'agent-a'

/** All that is sent: every list in every way of every client that can say it. */
const CORPUS = CLIENTS.flatMap(({ client, statuses, hasMore, ways }) =>
  Object.entries(ways).flatMap(([way, write]) =>
    LISTS.filter((list) => list.every(({ status }) => statuses.includes(status))).map((list, i) => ({
      title: `${client}, ${way}, list ${i + 1}`,
      args: write(list),
      // What a client has no place for is not sent.
      plan: list.map(({ text, status, more = '' }) => ({
        text,
        status,
        details: hasMore === true ? more : '',
        depth: 0,
      })),
    })),
  ),
)

test('[12-5] the corpus holds at least 200 argument objects of nine clients and more', () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(200)
  expect(CLIENTS.length).toBeGreaterThanOrEqual(9)
})

describe('[12-5] lists as clients send them', () => {
  test.each(CORPUS.map((one) => [one.title, one] as const))('%s', async (_title, { args, plan }) => {
    const driver = openPure()
    const reply = await driver.call(ME, 'write_todos', args)
    expect(reply.success, reply.text).toBe(true)
    expect(driver.plan.steps).toMatchObject(plan)
    expect(driver.plan.steps).toHaveLength(plan.length)
    // Sent again as it is, it changes no step.
    const before = driver.plan.steps
    expect((await driver.call(ME, 'write_todos', args)).success).toBe(true)
    expect(driver.plan.steps).toEqual(before)
    await driver.close()
  })
})

describe('[12-5] a list that goes on', () => {
  test.each(CLIENTS.map((one) => [one.client, one] as const))('%s: steps are known again', async (_name, { ways }) => {
    for (const write of Object.values(ways)) {
      const driver = openRoom()
      const texts = ['Find it', 'Fix it', 'Say so']
      const at = (done: number, more: readonly string[] = []) =>
        write([...texts, ...more].map((text, i) => ({ text, status: i < done ? 'completed' : 'pending' })))
      await driver.call(ME, 'write_todos', at(0))
      const ids = (await driver.standing()).steps.map(({ id }) => id)
      await driver.call(ME, 'write_todos', at(2))
      expect((await driver.standing()).steps.map(({ id, status }) => [id, status])).toEqual([
        [ids[0], 'completed'],
        [ids[1], 'completed'],
        [ids[2], 'pending'],
      ])
      await driver.call(ME, 'write_todos', at(3, ['Rest']))
      const { steps } = await driver.standing()
      expect(steps.map(({ text, status }) => `${text} ${status}`)).toEqual([
        'Find it completed',
        'Fix it completed',
        'Say so completed',
        'Rest pending',
      ])
      expect(steps.slice(0, 3).map(({ id }) => id)).toEqual(ids)
      await driver.close()
    }
  })

  test('Cursor: merging changes what is named, and adds', async () => {
    const driver = openRoom()
    const todo = (id: string, content: string, status: string) => ({ id, content, status })
    await driver.call(ME, 'write_todos', {
      merge: false,
      todos: [todo('1', 'Find it', 'in_progress'), todo('2', 'Fix it', 'pending')],
    })
    // Somebody else adds a step before them.
    await driver.call('agent-b', 'list_todos')
    await driver.call('agent-b', 'add_todos', { steps: ['Of b'], parent_index: 1 })
    await driver.call(ME, 'write_todos', {
      merge: true,
      todos: [
        { id: '1', status: 'completed' },
        { id: '2', content: '', status: 'in_progress' },
        todo('3', 'Say so', 'pending'),
      ],
    })
    expect((await driver.standing()).steps.map(({ text, status }) => `${text} ${status}`)).toEqual([
      'Find it completed',
      'Of b pending',
      'Fix it in_progress',
      'Say so pending',
    ])
    // Its own numbers go on counting its own list.
    await driver.call(ME, 'write_todos', { merge: true, todos: [{ id: '3', status: 'completed' }] })
    expect((await driver.standing()).steps.find(({ text }) => text === 'Say so')?.status).toBe('completed')
    await driver.close()
  })

  test('Roo Code: what [-] means cannot be known, and is asked', async () => {
    const driver = openPure()
    const reply = await driver.call(ME, 'write_todos', { todos: '[x] a\n[-] b\n[ ] c' })
    expect(reply).toMatchObject({ success: false, version: 0 })
    expect(reply.text).toContain('[-] is in progress to some and cancelled to others')
    const open = await driver.call(ME, 'write_todos', { todos: '- [-] a\n  - [x] b\n  - [ ] c' })
    expect(open.success, open.text).toBe(true)
    expect(driver.plan.steps.map(({ status }) => status)).toEqual(['in_progress', 'completed', 'pending'])
    await driver.close()
  })
})

describe('[12-7] replies are lean', () => {
  const LONG = Array.from({ length: 20 }, (_, i) => ({ content: `step ${i}`, status: 'pending' }))
  const decorated = (item: object, i: number) => ({
    ...item,
    priority: i,
    activeForm: `Doing ${i}`,
    emoji: '!',
    assignee_avatar_url: 'x',
    [`field${i}`]: 1,
  })

  test.each([
    ['write_todos', LONG, (items: readonly object[]) => ({ todos: items })],
    ['add_todos', LONG.map(({ content }) => ({ text: content })), (items: readonly object[]) => ({ steps: items })],
    [
      'plan_todo_write',
      LONG.map(({ content }) => ({ description: content })),
      (items: readonly object[]) => ({ action: { type: 'Add', group: 'g', description: 'top', subtasks: items } }),
    ],
  ] as const)('%s: the decoration of 20 items costs at most 60 characters', async (tool, items, args) => {
    const [plain, ornate] = [openPure(), openPure()]
    const short = await plain.call(ME, tool, args(items))
    const long = await ornate.call(ME, tool, args(items.map(decorated)))
    expect(long.success).toBe(true)
    expect(long.text.length - short.text.length).toBeLessThanOrEqual(60)
    expect(long.text).toContain('ignored: ')
    await plain.close()
    await ornate.close()
  })

  test('of twenty odd readings of each kind one note is told', async () => {
    const plan = openPure()
    const reply = await plan.call(ME, 'write_todos', {
      todos: LONG.map(({ content }, i) => ({
        title: content,
        state: 'TODO',
        required: 'yes',
        description: i,
        emoji: '!',
      })),
    })
    expect(reply.success, reply.text).toBe(true)
    expect((reply['notes'] as string[]).length).toBeLessThanOrEqual(4)
    await plan.close()
  })
})
