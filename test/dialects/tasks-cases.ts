import { expect } from 'vitest'
import type { ToolReply } from '../../shared/dialects/call.ts'
import type { TasksDriver } from './tasks-driver.ts'

/** A tool, its arguments, and who calls. */
export type Call = readonly [tool: string, args: unknown, actor?: string]

/** What is given, what is called, and all that must come of it. */
export interface Case {
  readonly id: string
  readonly title: string
  readonly given?: readonly Call[]
  readonly when: Call
  /** The groups in the reply, a line each: `title: task-1 Pending A <task-2>`; ` (verified)` behind the title. */
  readonly groups?: readonly string[]
  /** The nags, all of them. */
  readonly nags?: readonly string[]
  /** The message of a refusal; how a message begins whose end is the server's business. */
  readonly error?: string | RegExp
  /** What stands behind the error, after an empty line. */
  readonly adds?: string
  /** How List shows the plan afterwards. */
  readonly after?: readonly string[]
  /** The block for a prompt afterwards, but for its second line. */
  readonly block?: readonly string[]
}

const action = (tool: string, type: string, fields: object): Call => [tool, { action: { type, ...fields } }]
export const add = (group: string, description: string, ...depends_on: string[]): Call =>
  action('plan_todo_write', 'Add', { group, description, ...(depends_on.length === 0 ? {} : { depends_on }) })
export const start = (id: unknown): Call => action('plan_todo_write', 'Start', { id })
export const remove = (id: unknown): Call => action('plan_todo_write', 'Remove', { id })
export const clean = (keep_pending: boolean): Call => action('plan_todo_write', 'Clean', { keep_pending })
export const verify = (group: string): Call => action('plan_todo_write', 'VerifyGroup', { group })
export const complete = (id: unknown): Call => action('plan_todo_cross_off', 'Complete', { id })
export const cancel = (id: unknown): Call => action('plan_todo_cross_off', 'Cancel', { id })
export const list = (filter: object = {}): Call => action('plan_todo_read', 'List', filter)
export const get = (id: unknown): Call => action('plan_todo_read', 'Get', { id })
export const edit = (id: unknown, fields: object): Call => ['plan_todo_edit', { edit: { id, ...fields } }]
export const load = (...lines: string[]): Call => ['plan_load_from_md', { markdown: lines.join('\n') }]
export const by = (actor: string, [tool, args]: Call): Call => [tool, args, actor]

interface PrintedGroup {
  readonly title: string
  readonly items: readonly { id: string; description: string; status: string; depends_on: readonly string[] }[]
  readonly tests_verified: boolean
}
interface Printed {
  readonly list?: { readonly groups: readonly PrintedGroup[] }
  readonly groups?: readonly PrintedGroup[]
  readonly nags: readonly { readonly message: string }[]
  readonly version: number
}

/** What the model reads, read back. */
export const printed = ({ text }: ToolReply): Printed => JSON.parse(text) as Printed
export const nagsOf = (reply: ToolReply): string[] => printed(reply).nags.map(({ message }) => message)
export const errorOf = ({ success, error }: ToolReply): unknown => (success ? null : error)

/** The groups of a reply, a line each. */
export function groupsOf(reply: ToolReply): string[] {
  const { list: whole, groups = whole?.groups ?? [] } = printed(reply)
  return groups.map(({ title, items, tests_verified: verified }) => {
    const tasks = items.map(({ id, description, status, depends_on: awaited }) =>
      [id, status, description, ...(awaited.length === 0 ? [] : [`<${awaited.join(' ')}>`])].join(' '),
    )
    return `${title}${verified ? ' (verified)' : ''}: ${tasks.join(', ')}`
  })
}

/** Makes calls that must work. */
export async function make(driver: TasksDriver, calls: readonly Call[]): Promise<void> {
  for (const [tool, args, actor] of calls) {
    const reply = await driver.call(tool, args, actor)
    expect(reply, reply.text).toMatchObject({ success: true })
  }
}

/** Runs a case on an empty plan. */
export async function runCase(one: Case, driver: TasksDriver): Promise<void> {
  await make(driver, one.given ?? [])
  const before = await listing(driver)
  const [tool, args, actor] = one.when
  const reply = await driver.call(tool, args, actor)
  if (one.error !== undefined) {
    const error = typeof one.error === 'string' ? one.error : (expect.stringMatching(one.error) as unknown)
    const { adds } = one
    const text = adds === undefined ? error : `${String(error)}\n\n${adds}`
    const notes = adds === undefined ? {} : { notes: [adds] }
    expect(reply).toEqual({ success: false, text, error, version: before.version, ...notes })
    expect(await listing(driver)).toEqual(before)
  } else expect(reply, reply.text).toMatchObject({ success: true })
  if (one.groups !== undefined) expect(groupsOf(reply)).toEqual(one.groups)
  if (one.nags !== undefined) expect(nagsOf(reply)).toEqual(one.nags)
  if (one.after !== undefined) expect(groupsOf(await driver.call(...list()))).toEqual(one.after)
  if (one.block !== undefined) {
    const lines = (await driver.block()).split('\n')
    expect([...lines.slice(0, 1), ...lines.slice(2)]).toEqual(one.block)
  }
}

async function listing(driver: TasksDriver): Promise<{ text: string; version: number }> {
  const { text, version } = await driver.call(...list())
  return { text, version }
}

const populated = [
  add('backend', 'Task A'),
  add('backend', 'Task B'),
  add('frontend', 'Task C'),
  complete('task-2'),
  start('task-1'),
]
const moved = [
  add('Database', 'schema'),
  add('Backend', 'api', 'task-1'),
  start('task-1'),
  edit('task-1', { group: 'Backend' }),
]
const unknown = (id: string): string => `Task '${id}' does not exist. Use List to see available tasks.`
const unconfirmed = (title: string): string =>
  `Group '${title}' is complete but tests have not been confirmed. Use VerifyGroup to confirm tests passed.`
const oneAtATime = (names: string, id: string): string =>
  `Only one task at a time can be InProgress. Complete or cancel ${names} first before starting '${id}'.`

/** The rows of the table in the specification. */
export const CASES: readonly Case[] = [
  {
    id: 'W1',
    title: 'Add makes a pending task in a new group',
    when: add('default', 'Fix memory leak'),
    groups: ['default: task-1 Pending Fix memory leak'],
    nags: [],
  },
  {
    id: 'W2',
    title: 'Add puts a task at the end of a known group',
    given: [add('backend', 'Task 1')],
    when: add('backend', 'Task 2'),
    groups: ['backend: task-1 Pending Task 1, task-2 Pending Task 2'],
  },
  {
    id: 'W3',
    title: 'a new group is the last',
    given: [add('frontend', 'UI')],
    when: add('backend', 'API'),
    groups: ['frontend: task-1 Pending UI', 'backend: task-2 Pending API'],
  },
  {
    id: 'W4',
    title: 'Add stores dependencies',
    given: [add('g', 'Prerequisite')],
    when: add('g', 'Dependent', 'task-1'),
    groups: ['g: task-1 Pending Prerequisite, task-2 Pending Dependent <task-1>'],
    nags: [],
  },
  {
    id: 'W5',
    title: 'a dependency that does not exist is advised on, and stored',
    when: add('g', 'A', 'nonexistent'),
    groups: ['g: task-1 Pending A <nonexistent>'],
    nags: ["Dependency 'nonexistent' does not exist in the task list."],
  },
  { id: 'W6', title: 'no text is refused', when: add('g', ''), error: 'Description must be non-empty text.' },
  { id: 'W7', title: 'blank text is refused', when: add('g', '   '), error: 'Description must be non-empty text.' },
  {
    id: 'W8',
    title: 'numbers run through all groups',
    given: [add('a', 'First')],
    when: add('b', 'Second'),
    groups: ['a: task-1 Pending First', 'b: task-2 Pending Second'],
  },
  {
    id: 'W9',
    title: 'Start',
    given: [add('g', 'A')],
    when: start('task-1'),
    groups: ['g: task-1 InProgress A'],
    nags: [],
  },
  {
    id: 'W10',
    title: 'Start of nothing',
    given: [add('g', 'A')],
    when: start('ghost'),
    error: unknown('ghost'),
    adds: 'There is task-1 "A".',
  },
  {
    id: 'W11',
    title: 'one at a time in a group',
    given: [add('g', 'A'), add('g', 'B'), start('task-1')],
    when: start('task-2'),
    error: oneAtATime("'task-1'", 'task-2'),
  },
  {
    id: 'W12',
    title: 'one at a time in different groups',
    given: [add('a', 'A'), add('b', 'B'), start('task-1')],
    when: start('task-2'),
    error: oneAtATime("'task-1'", 'task-2'),
  },
  {
    id: 'W13',
    title: 'Remove leaves the group',
    given: [add('g', 'A')],
    when: remove('task-1'),
    groups: ['g: '],
    nags: [],
  },
  { id: 'W14', title: 'Remove of nothing', when: remove('ghost'), error: unknown('ghost') },
  {
    id: 'W15',
    title: 'Remove leaves references, and says so',
    given: [add('g', 'A'), add('g', 'B', 'task-1')],
    when: remove('task-1'),
    groups: ['g: task-2 Pending B <task-1>'],
    nags: ["'task-1' was removed but is still referenced as a dependency by 'task-2'."],
  },
  {
    id: 'W16',
    title: 'Clean keeps what is pending',
    given: [add('g', 'Active'), add('g', 'Done'), add('g', 'Dropped'), complete('task-2'), cancel('task-3')],
    when: clean(true),
    groups: ['g: task-1 Pending Active'],
    nags: ['Removed 2 completed or cancelled tasks.'],
  },
  {
    id: 'W17',
    title: 'Clean takes away what is pending too',
    given: [add('a', 'A1'), add('b', 'B1'), complete('task-2')],
    when: clean(false),
    groups: [],
    nags: ['Removed 2 completed or cancelled tasks.', 'Removed 2 empty groups.'],
  },
  { id: 'W18', title: 'Clean of nothing', when: clean(true), groups: [], nags: [] },
  {
    id: 'W19',
    title: 'a circle of dependencies is advised on, and stored',
    given: [add('g', 'A'), add('g', 'B', 'task-1'), add('g', 'C', 'task-2')],
    when: edit('task-1', { depends_on: ['task-3'] }),
    groups: ['g: task-1 Pending A <task-3>, task-2 Pending B <task-1>, task-3 Pending C <task-2>'],
    nags: ["Dependency 'task-3' would create a circular dependency chain."],
  },
  {
    id: 'W20',
    title: 'Clean keeps a group that is not empty',
    given: [add('backend', 'Active'), add('backend', 'Done'), complete('task-2')],
    when: clean(true),
    groups: ['backend: task-1 Pending Active'],
  },
  {
    id: 'W21',
    title: 'Clean says what it took away',
    given: [add('g', 'A'), complete('task-1')],
    when: clean(false),
    nags: ['Removed 1 completed or cancelled tasks.', 'Removed 1 empty group.'],
  },
  {
    id: 'W22',
    title: 'VerifyGroup of a group that is not done',
    given: [add('backend', 'A'), add('backend', 'B'), complete('task-1')],
    when: verify('backend'),
    groups: ['backend (verified): task-1 Completed A, task-2 Pending B'],
    nags: ["Group 'backend' still has pending or in-progress tasks."],
  },
  { id: 'W23', title: 'VerifyGroup of nothing', when: verify('ghost'), error: "Group 'ghost' does not exist." },
  {
    id: 'W24',
    title: 'VerifyGroup while something is pending',
    given: [add('g', 'A')],
    when: verify('g'),
    groups: ['g (verified): task-1 Pending A'],
  },
  {
    id: 'W25',
    title: 'Add leaves a group verified',
    given: [add('g', 'A'), verify('g')],
    when: add('g', 'B'),
    groups: ['g (verified): task-1 Pending A, task-2 Pending B'],
  },
  {
    id: 'R1',
    title: 'List shows all groups',
    given: populated,
    when: list(),
    groups: ['backend: task-1 InProgress Task A, task-2 Completed Task B', 'frontend: task-3 Pending Task C'],
    nags: [],
  },
  {
    id: 'R2',
    title: 'List of a group',
    given: populated,
    when: list({ group: 'frontend' }),
    groups: ['frontend: task-3 Pending Task C'],
  },
  {
    id: 'R3',
    title: 'List of a status keeps the groups that it empties',
    given: populated,
    when: list({ status: 'Completed' }),
    groups: ['backend: task-2 Completed Task B', 'frontend: '],
  },
  {
    id: 'R4',
    title: 'filters compose',
    given: populated,
    when: list({ group: 'backend', status: 'InProgress' }),
    groups: ['backend: task-1 InProgress Task A'],
  },
  {
    id: 'R5',
    title: 'List of a status that nothing has',
    given: populated,
    when: list({ status: 'Cancelled' }),
    groups: ['backend: ', 'frontend: '],
  },
  { id: 'R6', title: 'List of nothing', when: list(), groups: [], nags: [] },
  {
    id: 'R7',
    title: 'Get',
    given: populated,
    when: get('task-2'),
    groups: ['backend: task-2 Completed Task B'],
    nags: [],
  },
  {
    id: 'R8',
    title: 'Get of nothing',
    given: populated,
    when: get('ghost'),
    error: "Task 'ghost' not found.",
    adds: 'There are task-1 "Task A", task-3 "Task C", task-2 "Task B".',
  },
  { id: 'R9', title: 'Get from an empty plan', when: get('task-1'), error: "Task 'task-1' not found." },
  {
    id: 'R10',
    title: 'List asks for the tests of a complete group',
    given: [add('backend', 'A'), complete('task-1')],
    when: list(),
    nags: [unconfirmed('backend')],
  },
  {
    id: 'R11',
    title: 'List asks no more once they are confirmed',
    given: [add('backend', 'A'), complete('task-1'), verify('backend')],
    when: list(),
    groups: ['backend (verified): task-1 Completed A'],
    nags: [],
  },
  { id: 'R12', title: 'List asks nothing while something is pending', given: [add('g', 'A')], when: list(), nags: [] },
  {
    id: 'R13',
    title: 'List asks nothing of an empty group',
    given: [add('g', 'A'), remove('task-1')],
    when: list(),
    groups: ['g: '],
    nags: [],
  },
  {
    id: 'C1',
    title: 'Complete',
    given: [add('g', 'A'), start('task-1')],
    when: complete('task-1'),
    groups: ['g: task-1 Completed A'],
    nags: [],
  },
  { id: 'C2', title: 'Complete of nothing', when: complete('ghost'), error: unknown('ghost') },
  {
    id: 'C3',
    title: 'Complete twice',
    given: [add('g', 'A'), complete('task-1')],
    when: complete('task-1'),
    error: "Task 'task-1' is already completed.",
  },
  {
    id: 'C4',
    title: 'Complete of what was cancelled',
    given: [add('g', 'A'), cancel('task-1')],
    when: complete('task-1'),
    error: "Task 'task-1' is already cancelled.",
  },
  {
    id: 'C5',
    title: 'Complete tells who waited',
    given: [add('g', 'A'), add('g', 'B', 'task-1'), add('g', 'C', 'task-1'), cancel('task-3')],
    when: complete('task-1'),
    nags: ["'task-2' depends on 'task-1' which is now Completed."],
  },
  {
    id: 'C6',
    title: 'Cancel',
    given: [add('g', 'A')],
    when: cancel('task-1'),
    groups: ['g: task-1 Cancelled A'],
    nags: [],
  },
  { id: 'C7', title: 'Cancel of nothing', when: cancel('ghost'), error: unknown('ghost') },
  {
    id: 'C8',
    title: 'Cancel twice',
    given: [add('g', 'A'), cancel('task-1')],
    when: cancel('task-1'),
    error: "Task 'task-1' is already cancelled.",
  },
  {
    id: 'C9',
    title: 'Cancel tells who waited',
    given: [add('g', 'A'), add('g', 'B', 'task-1')],
    when: cancel('task-1'),
    nags: ["'task-2' depends on 'task-1' which is now Cancelled."],
  },
  {
    id: 'E1',
    title: 'Edit of the description',
    given: [add('g', 'Old'), start('task-1')],
    when: edit('task-1', { description: 'New' }),
    groups: ['g: task-1 InProgress New'],
    nags: [],
  },
  {
    id: 'E2',
    title: 'Edit of the group moves to its end, and leaves the old one',
    given: [add('a', 'A')],
    when: edit('task-1', { group: 'b' }),
    groups: ['a: ', 'b: task-1 Pending A'],
  },
  {
    id: 'E3',
    title: 'a blank description refuses the whole edit',
    given: [add('a', 'A')],
    when: edit('task-1', { description: '', group: 'b', depends_on: ['task-1'] }),
    error: 'Description must be non-empty text.',
  },
  {
    id: 'E4',
    title: 'Edit of the dependencies replaces them',
    given: [add('g', 'A'), add('g', 'B'), add('g', 'C', 'task-1')],
    when: edit('task-3', { depends_on: ['task-2'] }),
    groups: ['g: task-1 Pending A, task-2 Pending B, task-3 Pending C <task-2>'],
    nags: [],
  },
  { id: 'E5', title: 'Edit of nothing', when: edit('ghost', { description: 'New' }), error: unknown('ghost') },
  {
    id: 'E6',
    title: 'a dependency on itself is advised on, and stored',
    given: [add('g', 'A')],
    when: edit('task-1', { depends_on: ['task-1'] }),
    groups: ['g: task-1 Pending A <task-1>'],
    nags: ["Dependency 'task-1' is a self-reference."],
  },
  {
    id: 'E7',
    title: 'an unknown dependency is advised on, and stored',
    given: [add('g', 'A')],
    when: edit('task-1', { depends_on: ['task-9'] }),
    groups: ['g: task-1 Pending A <task-9>'],
    nags: ["Dependency 'task-9' does not exist in the task list."],
  },
  { id: 'M1', title: 'an empty file', when: load(''), after: [] },
  { id: 'M2', title: 'one open item', when: load('## g', '- [ ] A'), after: ['g: task-1 Pending A'] },
  { id: 'M3', title: 'one ticked item', when: load('## g', '- [x] A'), after: ['g: task-1 Completed A'] },
  {
    id: 'M4',
    title: 'two groups',
    when: load('## a', '- [ ] A', '- [X] B', '', '## b', '- [ ] C'),
    after: ['a: task-1 Pending A, task-2 Completed B', 'b: task-3 Pending C'],
  },
  {
    id: 'M5',
    title: 'dependencies on two',
    when: load('## g', '- [ ] A', '- [ ] B', '- [ ] C', '  - depends: task-1, task-2'),
    after: ['g: task-1 Pending A, task-2 Pending B, task-3 Pending C <task-1 task-2>'],
  },
  {
    id: 'M6',
    title: 'a dependency on one, that comes later',
    when: load('## g', '- [ ] A', '  - depends: task-2', '- [ ] B'),
    after: ['g: task-1 Pending A <task-2>, task-2 Pending B'],
  },
  {
    id: 'M7',
    title: 'all else is passed over',
    when: load('# Plan', '- [ ] early', '> quoted', '## g', 'text', '- plain', '### not a group', '- [ ] A', '> more'),
    after: ['g: task-1 Pending A'],
  },
  {
    id: 'M8',
    title: 'no such file',
    given: [add('g', 'A')],
    when: ['plan_load_from_md', { path: 'ghost.md' }],
    error: /^Failed to read plan file: ./,
  },
  {
    id: 'M9',
    title: 'numbers run through all groups',
    given: [add('old', 'O'), add('old', 'P')],
    when: load('## a', '- [ ] A', '## b', '- [ ] B', '- [ ] C'),
    after: ['a: task-1 Pending A', 'b: task-2 Pending B, task-3 Pending C'],
  },
  { id: 'B1', title: 'no block for an empty plan', when: list(), block: [''] },
  { id: 'B4', title: 'no block when all is over', given: [add('g', 'A')], when: complete('task-1'), block: [''] },
  {
    id: 'B2',
    title: 'a block with a pending task',
    when: add('g', 'A'),
    block: ['## Tool TODOs', '', '### g', '- [ ] A  (task-1)'],
  },
  {
    id: 'B3',
    title: 'a block with a completed task and a pending one, and no empty group',
    given: [add('empty', 'N'), add('g', 'A'), add('h', 'B'), remove('task-1')],
    when: complete('task-2'),
    block: ['## Tool TODOs', '', '### g', '- [x] A  (task-2)', '', '### h', '- [ ] B  (task-3)'],
  },
  {
    id: 'B5',
    title: 'a block with a task in progress and what it depends on',
    given: [add('g', 'schema'), add('g', 'user endpoints', 'task-1')],
    when: start('task-2'),
    block: [
      '## Tool TODOs',
      '',
      '### g',
      '- [ ] schema  (task-1)',
      '- [*] user endpoints  (depends: task-1)  (task-2)',
    ],
  },
  {
    id: 'X',
    title: '1: a task that is moved while it is in progress',
    given: moved.slice(0, 3),
    when: edit('task-1', { group: 'Backend' }),
    groups: ['Database: ', 'Backend: task-2 Pending api <task-1>, task-1 InProgress schema'],
  },
  {
    id: 'X',
    title: '2: Complete tells who waited',
    given: moved,
    when: complete('task-1'),
    nags: ["'task-2' depends on 'task-1' which is now Completed."],
  },
  {
    id: 'X',
    title: '3: List asks for the tests of each complete group',
    given: [...moved, add('Docs', 'guide'), complete('task-1'), complete('task-2'), complete('task-3')],
    when: list(),
    nags: [unconfirmed('Backend'), unconfirmed('Docs')],
  },
  {
    id: 'X',
    title: '4: and no more once they are confirmed',
    given: [...moved, complete('task-1'), complete('task-2'), verify('Database'), verify('Backend')],
    when: list(),
    groups: ['Database (verified): ', 'Backend (verified): task-2 Completed api <task-1>, task-1 Completed schema'],
    nags: [],
  },
  {
    id: 'X',
    title: '5: Clean takes it all away',
    given: [...moved, complete('task-1'), complete('task-2'), verify('Database'), verify('Backend')],
    when: clean(true),
    groups: [],
    nags: ['Removed 2 completed or cancelled tasks.', 'Removed 2 empty groups.'],
  },
  {
    id: 'Also',
    title: 'Start of a completed task re-opens it',
    given: [add('g', 'A'), complete('task-1')],
    when: start('task-1'),
    groups: ['g: task-1 InProgress A'],
  },
  {
    id: 'Also',
    title: 'Start of a cancelled task re-opens it',
    given: [add('g', 'A'), cancel('task-1')],
    when: start('task-1'),
    groups: ['g: task-1 InProgress A'],
  },
  {
    id: 'Also',
    title: 'Start of itself twice is fine',
    given: [add('g', 'A'), start('task-1')],
    when: start('task-1'),
    groups: ['g: task-1 InProgress A'],
    nags: [],
  },
  {
    id: 'Also',
    title: 'Complete of a pending task is fine',
    given: [add('g', 'A')],
    when: complete('task-1'),
    groups: ['g: task-1 Completed A'],
  },
  {
    id: 'Also',
    title: 'the nags of List ignore its filters',
    given: [add('a', 'A'), complete('task-1'), add('b', 'B')],
    when: list({ group: 'b', status: 'Cancelled' }),
    groups: ['b: '],
    nags: [unconfirmed('a')],
  },
  {
    id: 'Also',
    title: 'an unknown group lists nothing',
    given: populated,
    when: list({ group: 'ghost' }),
    groups: [],
  },
  {
    id: 'Also',
    title: 'the number of a removed highest task comes back',
    given: [add('g', 'A'), add('g', 'B'), remove('task-2')],
    when: add('g', 'C'),
    groups: ['g: task-1 Pending A, task-2 Pending C'],
  },
  {
    id: 'Also',
    title: 'but not while somebody still depends on it',
    given: [add('g', 'A'), add('g', 'B'), edit('task-1', { depends_on: ['task-2'] }), remove('task-2')],
    when: add('g', 'C'),
    groups: ['g: task-1 Pending A <task-2>, task-3 Pending C'],
  },
  {
    id: 'Also',
    title: 'a removed number that a new task depends on is its own, if it takes it',
    given: [add('g', 'A'), add('g', 'B'), remove('task-2')],
    when: add('g', 'C', 'task-2'),
    groups: ['g: task-1 Pending A, task-2 Pending C <task-2>'],
    nags: ["Dependency 'task-2' is a self-reference."],
  },
  {
    id: 'Also',
    title: 'Remove lists two names',
    given: [add('g', 'A'), add('g', 'B', 'task-1'), add('g', 'C', 'task-1')],
    when: remove('task-1'),
    nags: ["'task-1' was removed but is still referenced as a dependency by 'task-2' and 'task-3'."],
  },
  {
    id: 'Also',
    title: 'Remove lists three names',
    given: [add('g', 'A'), add('g', 'B', 'task-1'), add('h', 'C', 'task-1'), add('g', 'D', 'task-1')],
    when: remove('task-1'),
    nags: ["'task-1' was removed but is still referenced as a dependency by 'task-2', 'task-4', and 'task-3'."],
  },
  {
    id: 'Also',
    title: 'Clean drops a group that was empty before',
    given: [add('a', 'A'), add('b', 'B'), remove('task-1')],
    when: clean(true),
    groups: ['b: task-2 Pending B'],
    nags: ['Removed 1 empty group.'],
  },
  {
    id: 'Also',
    title: 'Clean keeps what is in progress',
    given: [add('a', 'A'), add('b', 'B'), start('task-2')],
    when: clean(false),
    groups: ['b: task-2 InProgress B'],
    nags: ['Removed 1 completed or cancelled tasks.', 'Removed 1 empty group.'],
  },
  {
    id: 'Also',
    title: 'a dependency given before the task exists holds once it does',
    given: [add('g', 'A', 'task-2'), add('g', 'B')],
    when: complete('task-2'),
    groups: ['g: task-1 Pending A <task-2>, task-2 Completed B'],
    nags: ["'task-1' depends on 'task-2' which is now Completed."],
  },
  {
    id: 'Also',
    title: 'Start tells what is not completed, and what is gone',
    given: [
      add('g', 'A'),
      add('g', 'B'),
      add('g', 'C'),
      add('g', 'D'),
      add('g', 'E', 'task-1', 'task-2', 'task-3', 'task-4', 'ghost'),
      complete('task-2'),
      cancel('task-3'),
      remove('task-4'),
    ],
    when: start('task-5'),
    nags: [
      "'task-5' depends on 'task-1' which is still Pending.",
      "'task-5' depends on 'task-3' which is still Cancelled.",
      "'task-5' depends on 'task-4' which no longer exists.",
      "'task-5' depends on 'ghost' which no longer exists.",
    ],
  },
  {
    id: 'Also',
    title: 'duplicate dependencies are dropped',
    given: [add('g', 'A')],
    when: add('g', 'B', 'task-1', '1', 'nothing', 'nothing', 'task-1'),
    groups: ['g: task-1 Pending A, task-2 Pending B <task-1 nothing>'],
    nags: ["Dependency 'nothing' does not exist in the task list."],
  },
  {
    id: 'Also',
    title: 'an empty list clears the dependencies',
    given: [add('g', 'A'), add('g', 'B', 'task-1')],
    when: edit('task-2', { depends_on: [] }),
    groups: ['g: task-1 Pending A, task-2 Pending B'],
  },
  {
    id: 'Also',
    title: 'a description is stored as given',
    when: add('g', '  two\nlines  '),
    groups: ['g: task-1 Pending   two\nlines  '],
  },
  {
    id: 'Also',
    title: 'Edit moves to the end of the target, and leaves both groups verified or not',
    given: [add('a', 'A'), add('b', 'B'), add('b', 'C'), verify('a'), verify('b')],
    when: edit('task-1', { group: 'b' }),
    groups: ['a (verified): ', 'b (verified): task-2 Pending B, task-3 Pending C, task-1 Pending A'],
    nags: [],
  },
  {
    id: 'Also',
    title: 'Edit into its own group does not move',
    given: [add('a', 'A'), add('a', 'B')],
    when: edit('task-1', { group: 'a' }),
    groups: ['a: task-1 Pending A, task-2 Pending B'],
  },
]
