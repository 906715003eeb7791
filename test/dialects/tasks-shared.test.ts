import { describe, expect, test } from 'vitest'
import { numberedAt } from '../../shared/dialects/tasks/references.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import {
  add,
  by,
  cancel,
  clean,
  complete,
  edit,
  errorOf,
  get,
  groupsOf,
  list,
  load,
  make,
  nagsOf,
  printed,
  remove,
  start,
  verify,
} from './tasks-cases.ts'
import type { Call } from './tasks-cases.ts'
import { openTasks } from './tasks-driver.ts'

const A = 'agent-a'
const B = 'agent-b'
const withRev = ([tool, args, actor = '']: Call, rev: number): Call => [tool, { ...(args as object), rev }, actor]
const outlined = (steps: readonly (readonly [text: string, depth: number])[], parent?: number): Call => [
  'add_todos',
  { steps: steps.map(([text, depth]) => ({ text, depth })), ...(parent === undefined ? {} : { parent_index: parent }) },
  B,
]

describe('several agents on one plan', () => {
  test('[RB-B7] a number that was given to another task is refused, and with rev it is the removed one', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), by(A, add('g', 'Two')), by(B, list())])
    await make(plan, [by(B, remove('task-2')), by(B, add('g', 'Three'))])
    const refused =
      'task-2 was "Two" (removed) and is now "Three": agent-b removed task-2 "Two"; agent-b added task-2. ' +
      'Nothing was changed. Repeat with rev 2 to mean what you saw, or list first.'
    for (const call of [
      edit('task-2', { description: 'X' }),
      start(2),
      complete('2'),
      remove('task-2'),
      get('task-2'),
    ]) {
      expect(errorOf(await plan.call(...by(A, call)))).toBe(refused)
    }
    const reply = await plan.call(...withRev(by(A, edit('task-2', { description: 'X' })), 2))
    expect(reply.error).toBe("Task 'task-2' does not exist. Use List to see available tasks.")
    expect(reply.text).toBe(`${reply.error as string}\n\ntask-2 "Two" was removed by agent-b`)
    expect(plan.plan.steps.map(({ text }) => text)).toEqual(['One', 'Three'])
    expect(plan.version).toBe(4)
  })

  test('[RB-B7] after a listing the number means what was listed', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'Two')), by(B, list()), by(B, remove('task-1')), by(B, add('g', 'Three'))])
    await make(plan, [by(A, list()), by(A, complete('task-1'))])
    expect(plan.plan.steps[0]).toMatchObject({ text: 'Three', status: 'completed' })
  })

  test('a filtered listing does not show where everything is', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'Two')), by(B, list()), by(B, remove('task-1')), by(B, add('g', 'Three'))])
    await make(plan, [by(A, list({ status: 'Pending' }))])
    expect(errorOf(await plan.call(...by(A, complete('task-1'))))).toMatch(/^task-1 was "Two" \(removed\)/)
  })

  test('the block shows where everything is', async () => {
    const plan = openTasks()
    await make(plan, [add('g', 'Two'), by(B, list()), by(B, remove('task-1')), by(B, add('g', 'Three'))])
    await plan.block()
    await make(plan, [complete('task-1')])
    expect(plan.plan.steps[0]).toMatchObject({ text: 'Three', status: 'completed' })
  })

  test('a task that others added since is not meant by its number before it was seen; Get shows it', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), by(B, add('g', 'Two'))])
    expect(errorOf(await plan.call(...by(A, start('task-2'))))).toBe(
      'task-2 was not there when you last looked and is now "Two": agent-b added task-2. Nothing was changed. List first.',
    )
    expect(errorOf(await plan.call(...by(A, add('g', 'Three', 'task-2'))))).toMatch(/^task-2 was not there when/)
    expect(groupsOf(await plan.call(...by(A, get('task-2'))))).toEqual(['g: task-2 Pending Two'])
    await make(plan, [by(A, start('task-2'))])
  })

  test('a number that did not move is meant, whatever others did', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), by(A, add('g', 'Two')), by(B, list()), by(B, remove('task-1'))])
    const reply = await plan.call(...by(A, complete('task-2')))
    expect(groupsOf(reply)).toEqual(['g: task-2 Completed Two'])
    expect(nagsOf(reply)).toEqual(['agent-b removed task-1 "One"'])
  })

  test('what somebody removed is missing, and the reply says who', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), by(A, add('g', 'Two')), by(B, list()), by(B, remove('task-2'))])
    const reply = await plan.call(...by(A, complete('task-2')))
    expect(reply).toMatchObject({
      success: false,
      error: "Task 'task-2' does not exist. Use List to see available tasks.",
      notes: ['task-2 "Two" was removed by agent-b'],
      digest: 'agent-b removed task-2 "Two"',
    })
    expect(reply.text.split('\n')).toEqual([reply.error, '', reply.notes, reply.digest].flat())
  })

  test('a dependency on what somebody removed keeps naming it, and its number is not given again', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), by(A, add('g', 'Two')), by(B, list()), by(B, remove('task-2'))])
    const reply = await plan.call(...by(A, add('g', 'Three', 'task-2')))
    expect(groupsOf(reply)).toEqual(['g: task-1 Pending One, task-3 Pending Three <task-2>'])
    expect(nagsOf(reply)).toEqual([
      "Dependency 'task-2' does not exist in the task list.",
      'task-2 "Two" was removed by agent-b',
      'agent-b removed task-2 "Two"',
    ])
  })

  test('with rev a number is the task that had it then, however often it was given since', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), by(A, add('g', 'Two'))])
    await make(plan, [
      by(B, remove('task-2')),
      by(B, add('g', 'Three')),
      by(B, remove('task-2')),
      by(B, add('g', 'Four')),
    ])
    const at = async (rev: number) => (await plan.call(...withRev(by(A, get('task-2')), rev))).text
    expect(await at(2)).toBe(
      'Task \'task-2\' not found.\n\ntask-2 "Two" was removed by agent-b\nagent-b removed task-2 "Two"; agent-b added task-2',
    )
    expect(await at(1)).toBe("Task 'task-2' not found.\n\ntask-2 was not there at version 1")
    expect(await at(4)).toBe(
      'Version 4 was not shown to you: you last saw version 2. List first, or repeat with rev 2.',
    )
    await plan.call(...by(A, list()))
    expect(JSON.parse(await at(6))).toMatchObject({ groups: [{ items: [{ description: 'Four' }] }] })
    expect(await at(7)).toMatch(/^rev 7 is in the future: the plan is at version 6\. Nothing was changed\. List first/)
  })

  test('a dependency by rev that was not there then does not bind to who has the number now', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), by(B, add('g', 'Two'))])
    const reply = await plan.call(...withRev(by(A, edit('task-1', { depends_on: ['task-2'] })), 1))
    expect(errorOf(reply)).toBe('task-2 was not there at version 1 and is now "Two". Nothing was changed. List first.')
  })

  test('numberedAt tells who had a number at a version', async () => {
    const { History } = await import('../../shared/plan/history.ts')
    const plan = openTasks()
    const history = new History(0)
    const at: (StepId | null)[][] = [[]]
    const calls = [
      add('g', 'A'),
      add('g', 'B'),
      complete(2),
      remove(2),
      add('g', 'C'),
      load('## x', '- [ ] D'),
      add('x', 'E'),
    ]
    for (const call of calls) {
      const before = plan.plan
      await make(plan, [call])
      history.record({ id: '', name: '', kind: 'agent' }, before, plan.plan)
      at.push([1, 2, 3].map((number) => plan.plan.steps.find((step) => step.number === number)?.id ?? null))
    }
    for (let version = 1; version < at.length; version++)
      expect([1, 2, 3].map((n) => numberedAt(history, plan.plan, version, n))).toEqual(at[version])
    expect(numberedAt(history, plan.plan, at.length, 1)).toBeUndefined()
  })

  test('[RB-C9] each agent may have one task in progress', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), by(A, add('g', 'Two')), by(A, add('g', 'Three')), by(B, list())])
    await make(plan, [by(A, start(1)), by(B, start(2)), by(A, list()), by(B, list())])
    expect(errorOf(await plan.call(...by(A, start('task-3'))))).toBe(
      "Only one task at a time can be InProgress. Complete or cancel 'task-1' first before starting 'task-3'.",
    )
    expect(errorOf(await plan.call(...by(B, start('task-3'))))).toMatch(/cancel 'task-2' first/)
    await make(plan, [by(A, complete(1)), by(A, start(3))])
  })

  test("starting what somebody else has in progress changes nothing, and is not one's own", async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), by(A, add('g', 'Two')), by(A, start(1)), by(B, list())])
    const { version } = plan
    const reply = await plan.call(...by(B, start(1)))
    expect(nagsOf(reply)).toEqual(["'task-1' is InProgress already: somebody else has started it"])
    expect(plan.version).toBe(version)
    await make(plan, [by(B, start(2))])
  })

  test('the refusal of Start lists two and three names', async () => {
    const plan = openTasks()
    await make(
      plan,
      ['One', 'Two', 'Three', 'Four'].map((text) => by(A, add('g', text))),
    )
    const refusal = async () => errorOf(await plan.call(...by(A, start(4))))
    const put = (place: number, startedBy: string | null) => {
      const id = plan.plan.at(place)?.id ?? ('' as StepId)
      plan.apply([{ type: 'setStep', id, fields: { status: 'in_progress', startedBy } }])
    }
    put(1, A)
    put(2, A)
    put(3, null)
    expect(await refusal()).toMatch(/Complete or cancel 'task-1' and 'task-2' first before starting 'task-4'\.$/)
    put(3, A)
    expect(await refusal()).toMatch(/Complete or cancel 'task-1', 'task-2', and 'task-3' first before/)
  })
})

describe('a plan that other dialects work on too', () => {
  test('steps without a group are Ungrouped, last, and nobody is asked for their tests', async () => {
    const plan = openTasks()
    await make(plan, [outlined([['Loose', 0], ['Below', 1]]), add('g', 'Task'), ['toggle_todos', { indices: [1, 2] }, B]]) // prettier-ignore
    const reply = await plan.call(...by(A, list()))
    expect(groupsOf(reply)).toEqual([
      'g: task-3 Pending Task',
      'Ungrouped: task-1 Completed Loose, task-2 Completed Below',
    ])
    expect(nagsOf(reply)).toEqual([])
    expect(groupsOf(await plan.call(...by(A, list({ group: 'Ungrouped' }))))).toHaveLength(1)
  })

  test.for([
    ['Add', add('Ungrouped', 'Mine'), 'Ungrouped: task-1 Pending Loose, task-2 Pending Below, task-3 Pending Mine'],
    ['Edit', edit('task-1', { group: 'Ungrouped' }), 'Ungrouped: task-1 Pending Loose, task-2 Pending Below'],
    ['VerifyGroup', verify('Ungrouped'), 'Ungrouped (verified): task-1 Pending Loose, task-2 Pending Below'],
  ] as const)('naming Ungrouped in %s makes it a real group', async ([, call, line]) => {
    const plan = openTasks()
    await make(plan, [outlined([['Loose', 0], ['Below', 1]])]) // prettier-ignore
    expect(groupsOf(await plan.call(...by(A, call)))).toEqual([line])
    expect(plan.plan.groups).toMatchObject([{ title: 'Ungrouped' }])
    expect(plan.plan.groupOf(plan.plan.steps[1] ?? expect.fail())).toBe(plan.plan.groups[0]?.id)
    await make(plan, [outlined([['Later', 0]])]) // prettier-ignore
    expect(groupsOf(await plan.call(...by(A, list())))).toHaveLength(1)
  })

  test('without such steps there is no Ungrouped to verify', async () => {
    expect(errorOf(await openTasks().call(...verify('Ungrouped')))).toBe("Group 'Ungrouped' does not exist.")
  })

  test('sub-steps are tasks of the group that they inherit; a removed task takes them along and says so', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'Task')), by(A, add('g', 'Other')), by(B, list())])
    await make(plan, [['list_todos', {}, B], outlined([['Sub', 0], ['Subsub', 1]], 1), by(A, list()), by(A, edit(2, { depends_on: [3] }))]) // prettier-ignore
    const reply = await plan.call(...by(A, remove(1)))
    expect(groupsOf(reply)).toEqual(['g: task-2 Pending Other <task-3>'])
    expect(nagsOf(reply)).toEqual([
      "'task-3' was removed but is still referenced as a dependency by 'task-2'.",
      `'task-1' had 2 sub-steps, removed with it: task-3 "Sub", task-4 "Subsub".`,
    ])
  })

  test('Edit moves a task with its sub-steps', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('a', 'Task')), ['list_todos', {}, B], outlined([['Sub', 0]], 1), by(A, list()), by(A, add('b', 'Last'))]) // prettier-ignore
    const reply = await plan.call(...by(A, edit('task-1', { group: 'b' })))
    expect(groupsOf(reply)).toEqual(['a: ', 'b: task-3 Pending Last, task-1 Pending Task, task-2 Pending Sub'])
  })

  test('a sub-step that is moved to another group is a task at top level', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('a', 'Task')), ['list_todos', {}, B], outlined([['Sub', 0]], 1), by(A, list())]) // prettier-ignore
    await make(plan, [by(A, edit('task-2', { group: 'b' }))])
    expect(plan.plan.step(plan.plan.steps[1]?.id ?? ('' as StepId))).toMatchObject({ text: 'Sub', depth: 0 })
  })

  test('Clean keeps what is pending below what it drops, in the group that it inherited', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'Task')), ['list_todos', {}, B], outlined([['Sub', 0], ['Subsub', 1], ['Done', 1]], 1), by(A, list())]) // prettier-ignore
    await make(plan, [by(A, complete(1)), by(A, cancel(2)), by(A, complete(4))])
    const reply = await plan.call(...by(A, clean(true)))
    expect(groupsOf(reply)).toEqual(['g: task-3 Pending Subsub'])
    expect(nagsOf(reply)).toEqual(['Removed 3 completed or cancelled tasks.'])
    expect(plan.plan.steps).toMatchObject([{ depth: 0, group: plan.plan.groups[0]?.id }])
  })

  test('blocked is Pending, and List says which', async () => {
    const plan = openTasks()
    await make(plan, [add('g', 'A'), add('g', 'B', 'task-1')])
    const id = plan.plan.steps[0]?.id ?? ('' as StepId)
    plan.apply([{ type: 'setStep', id, fields: { status: 'blocked' } }])
    const reply = await plan.call(...list({ status: 'Pending' }))
    expect(groupsOf(reply)).toEqual(['g: task-1 Pending A, task-2 Pending B <task-1>'])
    expect(nagsOf(reply)[0]).toBe("Task 'task-1' is marked blocked.")
    expect((await plan.block()).split('\n')[4]).toBe('- [ ] A  (task-1)')
    expect(nagsOf(await plan.call(...start(2)))).toEqual(["'task-2' depends on 'task-1' which is still Pending."])
    await make(plan, [clean(true)])
    expect(plan.plan.steps).toHaveLength(2)
    expect(groupsOf(await plan.call(...clean(false)))).toEqual(['g: task-2 InProgress B <task-1>'])
  })

  test('[RB-D6] a dependency on its own ancestor is a circle', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'Task')), ['list_todos', {}, B], outlined([['Sub', 0]], 1), by(A, list())]) // prettier-ignore
    expect(nagsOf(await plan.call(...by(A, edit(2, { depends_on: [1] })))).at(-1)).toBe("Dependency 'task-1' would create a circular dependency chain.") // prettier-ignore
  })

  test('the digest names tasks as this dialect does', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), outlined([['Two', 0]]), ['list_todos', {}, B], ['toggle_todos', { indices: [1] }, B]]) // prettier-ignore
    expect(nagsOf(await plan.call(...by(A, list()))).at(-1)).toBe('agent-b added task-2; agent-b completed task-1')
  })
})

describe('without a server', () => {
  test('a task without a number is called by its id, and once numbered the next reply says so', async () => {
    const plan = openTasks()
    plan.settles = false
    const reply = await plan.call(...add('g', 'Offline'))
    const name = printed(reply).list?.groups[0]?.items[0]?.id ?? ''
    expect(name).toMatch(/^task-~[\w-]{8}$/)
    await make(plan, [add('g', 'More', name), start(name)])
    plan.settles = true
    plan.apply([{ type: 'setTitle', title: 'Back' }], '')
    const next = await plan.call(...complete(name))
    expect(groupsOf(next)).toEqual(['g: task-1 Completed Offline, task-2 Pending More <task-1>'])
    expect(nagsOf(next)[1]).toMatch(new RegExp(`^${name} is now task-1, task-~[\\w-]{8} is now task-2$`))
    await make(plan, [edit(name, { description: 'Online' })])
  })
})

test('[10-F9] a new task between two of a group is in that group, whatever is nested or unlisted around it', async () => {
  const plan = openTasks()
  await make(plan, [by(B, add('g', 'A')), by(B, add('g', 'B')), by(B, add('g', 'C')), by(B, list())])
  await make(plan, [outlined([['A.1', 0]], 1), ['read_todos', {}, A]])
  const todos = ['A', 'new 1', 'A.1', 'B', 'new 2'].map((content) => ({ content, status: 'pending' }))
  await make(plan, [['write_todos', { todos }, A]])
  expect(groupsOf(await plan.call(...by(B, list())))).toEqual([
    'g: task-1 Pending A, task-4 Pending A.1, task-5 Pending new 1, task-2 Pending B, task-6 Pending new 2, task-3 Pending C',
  ])
})
