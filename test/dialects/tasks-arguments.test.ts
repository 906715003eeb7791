import { describe, expect, test } from 'vitest'
import { baseSchema } from '../../shared/dialects/schemas.ts'
import { tasks } from '../../shared/dialects/tasks.ts'
import { readMarkdown } from '../../shared/dialects/tasks/markdown.ts'
import { add, complete, edit, errorOf, groupsOf, list, make, nagsOf, printed, start } from './tasks-cases.ts'
import { openTasks } from './tasks-driver.ts'

const A1 = 'g: task-1 Pending x'

describe('arguments as agents send them', () => {
  test.for([
    ['the type in place of the action', { action: 'Add', group: 'g', description: 'x' }],
    ['no wrapper', { type: 'Add', group: 'g', description: 'x' }],
    ['no wrapper and another spelling', { type: 'add', group: 'g', description: 'x' }],
    ['the action as JSON', { action: '{"type":"Add","group":"g","description":"x"}' }],
    ['all of it as JSON', '{"action":"Add","group":"g","description":"x"}'],
    ['extra fields', { action: { type: 'Add', group: 'g', description: 'x', priority: 1 } }],
    [
      'null for what is left out',
      { action: { type: 'Add', group: 'g', description: 'x', depends_on: null, id: null } },
    ],
    ['a depends_on that is blank', { action: { type: 'Add', group: 'g', description: 'x', depends_on: '' } }],
    ['a rev inside the action', { action: { type: 'Add', group: 'g', description: 'x', rev: 0 } }],
  ] as const)('[RB-G12] %s is read as meant', async ([, args]) => {
    const plan = openTasks()
    expect(groupsOf(await plan.call('plan_todo_write', args))).toEqual([A1])
  })

  test('[RB-G12] what was read that way is said', async () => {
    const plan = openTasks()
    const nags = async (args: unknown) => nagsOf(await plan.call('plan_todo_write', args))
    expect(await nags({ action: 'add', group: 'g', description: 'x' })).toEqual([
      'action: "add" was read as its type',
      'action.type: "add" was read as Add',
    ])
    expect(await nags({ type: 'Add', group: 'g', description: 'x' })).toEqual(['the arguments were read as action'])
  })

  test('[RB-G12] the other tools are as lenient', async () => {
    const plan = openTasks()
    await make(plan, [add('g', 'A'), add('g', 'B'), add('g', 'C')])
    await make(plan, [
      ['plan_todo_edit', { id: 'task-1', description: 'X' }],
      ['plan_todo_cross_off', { action: 'Complete', id: 'task-1' }],
      ['plan_todo_cross_off', { type: 'done', id: 2 }],
      ['plan_todo_cross_off', { action: { type: 'canceled', id: 'Task 3' } }],
      ['plan_todo_read', { action: 'List' }],
      ['plan_todo_read', { type: 'Get', id: 3 }],
    ])
    const reply = await plan.call('plan_todo_read', {})
    expect(groupsOf(reply)).toEqual(['g: task-1 Completed X, task-2 Completed B, task-3 Cancelled C'])
  })

  test('[RB-G13] Clean without keep_pending is refused, and says what it means', async () => {
    const plan = openTasks()
    await make(plan, [add('g', 'A'), complete('task-1')])
    for (const more of [{}, { keep_pending: null }]) {
      expect(errorOf(await plan.call('plan_todo_write', { action: { type: 'Clean', ...more } }))).toBe(
        'Clean needs keep_pending: true keeps pending tasks, false removes them as well. Nothing was changed. ' +
          'A call that works: {"action":{"type":"Clean","keep_pending":true}}',
      )
    }
    expect(plan.version).toBe(2)
    await make(plan, [['plan_todo_write', { action: { type: 'Clean', keep_pending: 'true' } }]])
    expect(plan.plan.steps).toEqual([])
  })

  test.for([
    ['done', 'Completed'],
    ['complete', 'Completed'],
    ['COMPLETED', 'Completed'],
    ['DONE', 'Completed'],
    ['in-progress', 'InProgress'],
    ['in_progress', 'InProgress'],
    ['todo', 'Pending'],
    ['failed', 'Pending'],
    ['blocked', 'Pending'],
    ['canceled', 'Cancelled'],
  ] as const)('[RB-G8] status %s is %s', async ([sent, status]) => {
    const plan = openTasks()
    await make(plan, [add('g', 'P'), add('g', 'I'), add('g', 'C'), add('g', 'X'), start(2), complete(3)])
    await make(plan, [['plan_todo_cross_off', { action: { type: 'Cancel', id: 4 } }]])
    const shown = printed(await plan.call(...list({ status: sent }))).groups?.flatMap(({ items }) => items)
    expect(shown).toMatchObject([{ status }])
  })

  test('[RB-G8] an unknown status is refused with those that there are', async () => {
    const error = errorOf(await openTasks().call(...list({ status: 'weird' })))
    expect(error).toContain('Pending, InProgress, Completed, Cancelled')
  })

  test('[RB-B10] every id may be the number, the name or the internal id', async () => {
    const plan = openTasks()
    await make(plan, [add('g', 'A'), add('g', 'B')])
    const id = plan.plan.steps[0]?.id ?? ''
    for (const name of [1, '1', 'task-1', 'TASK-1', ' task-1 ', 'task_1', id]) {
      const reply = await plan.call(...edit(name, { depends_on: [name] }))
      expect(nagsOf(reply)).toEqual(["Dependency 'task-1' is a self-reference."])
      expect(groupsOf(reply)).toEqual(['g: task-1 Pending A <task-1>, task-2 Pending B'])
    }
    for (const name of ['0', '-1', '01', '1.5', 1.5, 'task-', '#9', `${id}x`]) {
      const reply = await plan.call(...complete(name))
      expect(errorOf(reply)).toBe(`Task '${name}' does not exist. Use List to see available tasks.`)
      expect(reply.text).toMatch(/\n\nThere are task-1 "A", task-2 "B"\.$/)
    }
  })

  test('dependencies in one string are several', async () => {
    const plan = openTasks()
    await make(plan, [add('g', 'A'), add('g', 'B'), add('g', 'C')])
    for (const depends_on of ['task-1, task-2', '[1,2]', ['1,2'], [1, 2]])
      expect(groupsOf(await plan.call(...edit(3, { depends_on })))[0]).toMatch(/<task-1 task-2>$/)
  })

  test.for([
    ['plan_todo_write', { action: { type: 'Nope' } }, 'Add, Start, Remove, Clean, VerifyGroup'],
    ['plan_todo_write', { action: { type: 'Add', group: 'g' } }, 'Add needs a description'],
    ['plan_todo_write', { action: { type: 'Add', description: 'x' } }, 'Add needs a group'],
    ['plan_todo_write', { action: { type: 'Add', description: 'x', group: ' ' } }, 'Add needs a group'],
    ['plan_todo_write', { action: { type: 'Start' } }, 'The id of the task is missing'],
    ['plan_todo_write', { action: { type: 'Remove', id: '' } }, 'The id of the task is missing'],
    ['plan_todo_write', { action: { type: 'VerifyGroup' } }, 'VerifyGroup needs a group'],
    ['plan_todo_write', { action: { type: 'Add', group: 'g', description: 'x' }, rev: 9 }, 'rev 9 is in the future'],
    ['plan_todo_write', {}, 'action'],
    ['plan_todo_write', [], 'action'],
    ['plan_todo_write', 'Add', 'action'],
    ['plan_todo_write', null, 'action'],
    ['plan_todo_write', { action: [] }, 'action'],
    ['plan_todo_write', { action: { type: 'Add', group: 'g', description: 'x', depends_on: [[]] } }, 'depends_on'],
    ['plan_todo_write', { action: { type: 'Add', group: 'g', description: 'x'.repeat(4001) } }, '4001 characters'],
    ['plan_todo_write', { action: { type: 'Add', group: 'x'.repeat(401), description: 'x' } }, '401 characters'],
    ['plan_todo_edit', { edit: { description: 'x' } }, 'edit.id'],
    ['plan_todo_cross_off', { action: { type: 'Start', id: 'task-1' } }, 'Complete, Cancel'],
    ['plan_todo_read', { action: { type: 'Get' } }, 'Get needs an id'],
  ] as const)('[bad input] %s %j is refused, and teaches', async ([tool, args, part]) => {
    const plan = openTasks()
    await make(plan, [add('g', 'A')])
    const reply = await plan.call(tool, args)
    expect(errorOf(reply)).toContain(part)
    expect(reply.text).toContain('Nothing was changed.')
    expect(plan.version).toBe(1)
  })

  test('what was coerced stands behind an empty line in an error', async () => {
    const reply = await openTasks().call('plan_todo_write', { type: 'Start', id: 'ghost' })
    expect(reply.text).toBe(`${reply.error as string}\n\nthe arguments were read as action`)
  })
})

describe('replies', () => {
  test('are JSON without blanks, the version last, and say the same as the fields', async () => {
    const plan = openTasks()
    const reply = await plan.call(...add('g', 'A', 'ghost'))
    expect(reply.text).toBe(
      '{"list":{"groups":[{"title":"g","items":[{"id":"task-1","description":"A","status":"Pending","depends_on":["ghost"]}],' +
        '"tests_verified":false}]},"nags":[{"message":"Dependency \'ghost\' does not exist in the task list."}],"version":1}',
    )
    expect(JSON.stringify({ list: reply.list, nags: reply.nags, version: reply.version })).toBe(reply.text)
    const read = await plan.call(...list())
    expect(read.text).toMatch(/^\{"groups":\[.*\],"nags":\[\],"version":1\}$/)
    expect(JSON.stringify({ groups: read.groups, nags: read.nags, version: read.version })).toBe(read.text)
  })

  test('a call that changes nothing makes no version', async () => {
    const plan = openTasks()
    await make(plan, [add('g', 'A'), start(1), start(1), edit(1, {}), edit(1, { description: 'A', group: 'g' })])
    await make(plan, [
      edit(1, { depends_on: [] }),
      ['plan_todo_write', { action: { type: 'Clean', keep_pending: false } }],
    ])
    expect(plan.version).toBe(2)
  })

  test('the block keeps one line a task', async () => {
    const plan = openTasks()
    await make(plan, [add('two\nlines', 'one\r\n- [x] two', 'a\nb')])
    expect(await plan.block()).toBe(
      '## Tool TODOs\nVersion 1. Changed with plan_todo_write, plan_todo_edit and plan_todo_cross_off.\n\n' +
        '### two lines\n- [ ] one - [x] two  (depends: a b)  (task-1)',
    )
  })
})

describe('markdown', () => {
  const read = (...lines: string[]) => readMarkdown(lines.join('\n'))
  const texts = (...lines: string[]) => read(...lines).tasks.map(({ text }) => text)

  test('[RB-I1] code fences hold no tasks', () => {
    expect(texts('## g', '```', '- [ ] a', '~~~', '- [ ] b', '```', '- [ ] c')).toEqual(['c'])
    expect(texts('## g', '~~~~ md', '~~~', '- [ ] a', '~~~~~', '- [ ] b')).toEqual(['b'])
    expect(texts('## g', '````md', '## h', '```', '- [ ] a', '````', '- [ ] b')).toEqual(['b'])
    expect(texts('## g', '```inline``` code', '- [ ] a', '```', '- [ ] never closed')).toEqual(['a'])
  })

  test('[RB-I2] a box in the text is text', () => {
    expect(read('## g', '- [ ] support [x] flag').tasks).toMatchObject([{ text: 'support [x] flag', isDone: false }])
  })

  test('bullets of all kinds, CRLF, a byte-order mark and indentation are accepted', () => {
    const markdown =
      '\uFEFF## g\r\n* [ ] a\r\n  + [x] b\r\n1. [X] c\r\n\t10) [ ] d\r\n* depends: 1, task-2,, Task 3\r\n'
    expect(readMarkdown(markdown)).toEqual({
      groups: ['g'],
      tasks: [
        { text: 'a', isDone: false, group: 0, dependsOn: [] },
        { text: 'b', isDone: true, group: 0, dependsOn: [] },
        { text: 'c', isDone: true, group: 0, dependsOn: [] },
        { text: 'd', isDone: false, group: 0, dependsOn: ['task-1', 'task-2', 'task-3'] },
      ],
    })
  })

  test('what is no item is passed over', () => {
    expect(texts('## g', '- [] a', '-[ ] b', '- [y] c', '- [ ]', '- [ ]d', '[ ] e', '- a [ ] f', '##h')).toEqual([])
  })

  test('a title that comes again is the same group, and depends belongs to its last task', () => {
    expect(read('## a', '- [ ] A', '## b', '- [ ] B', '## a', '- depends: task-2')).toEqual({
      groups: ['a', 'b'],
      tasks: [
        { text: 'A', isDone: false, group: 0, dependsOn: ['task-2'] },
        { text: 'B', isDone: false, group: 1, dependsOn: [] },
      ],
    })
    expect(read('## a', '- depends: task-1', '- [ ] A').tasks).toMatchObject([{ dependsOn: [] }])
  })
})

describe('definitions', () => {
  test('every schema has the form that all providers take', () => {
    for (const tool of tasks.tools) {
      const schema = baseSchema(tool)
      expect(levels(schema)).toBeLessThanOrEqual(3)
      expect(JSON.stringify(schema)).not.toMatch(/"(?:oneOf|anyOf|allOf|\$ref|default|maxLength|maxItems)"/)
    }
  })

  test('the type is an enumeration of texts, and only what every action has is required', () => {
    const [read, write, editTool, crossOff, load] = tasks.tools.map((tool) => baseSchema(tool))
    expect(write).toMatchObject({
      required: ['action'],
      properties: {
        action: {
          type: 'object',
          required: ['type'],
          properties: {
            type: { type: 'string', enum: ['Add', 'Start', 'Remove', 'Clean', 'VerifyGroup'] },
            depends_on: { type: 'array', items: { type: 'string' } },
            keep_pending: { type: 'boolean' },
          },
        },
        rev: { type: 'integer' },
      },
    })
    expect(read).toMatchObject({ properties: { action: { properties: { type: { enum: ['List', 'Get'] } } } } })
    expect(editTool).toMatchObject({ properties: { edit: { required: ['id'] } } })
    expect(crossOff).toMatchObject({
      properties: { action: { properties: { type: { enum: ['Complete', 'Cancel'] } } } },
    })
    expect(load).not.toHaveProperty('required')
  })

  test('every example works', async () => {
    for (const tool of tasks.tools) {
      const plan = openTasks()
      await make(plan, [add('g', 'A')])
      expect(await plan.call(tool.name, tool.example)).toMatchObject({ success: true })
    }
  })
})

/** How deep objects lie in each other. */
function levels(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0
  const inner = Math.max(0, ...Object.values(schema).map(levels))
  return inner + ('type' in schema && schema.type === 'object' ? 1 : 0)
}
