import { describe, expect, test } from 'vitest'
import type { Cases, PlanDriver } from '../helpers/plan-driver.ts'

/** A call, and how the plan stands after it. */
interface Row {
  /** The row of section 6 that it is about, and what is sent. */
  readonly title: string
  /** Calls before it, by the same agent. */
  readonly given?: readonly (readonly [tool: string, args: unknown])[]
  readonly tool: string
  readonly args: unknown
  /** A line a step: see `lines`. */
  readonly plan: readonly string[]
  /** What the reply notes, where that matters. */
  readonly notes?: readonly string[]
}

/** A call that is refused, with parts of what it says; nothing is changed. */
interface Refused {
  readonly title: string
  readonly given?: Row['given']
  readonly tool: string
  readonly args: unknown
  /** The dialect's own line, where it has one for this. */
  readonly line?: string
  readonly says: readonly string[]
}

const ME = 'agent-a'

/** The plan, a line a step: two blanks a level, `text`, `[status]` unless pending, `(details)`, `!` if required, `<- what it waits for`. */
async function lines(plan: PlanDriver): Promise<string[]> {
  const { steps } = await plan.standing()
  const texts = new Map(steps.map(({ id, text }) => [id as string, text]))
  return steps.map(({ text, depth, status, details, required, dependencies }) => {
    const waits = dependencies.map((one) => ('step' in one ? (texts.get(one.step) ?? '?') : `"${one.name}"`))
    return [
      '  '.repeat(depth) + text,
      ...(status === 'pending' ? [] : [`[${status}]`]),
      ...(details === '' ? [] : [`(${details})`]),
      ...(required ? ['!'] : []),
      ...(waits.length === 0 ? [] : [`<- ${waits.join(', ')}`]),
    ].join(' ')
  })
}

const add = (...steps: unknown[]): readonly [string, unknown] => ['add_todos', { steps }]
const ABC = add({ text: 'A' }, { text: 'B' }, { text: 'C' })
const ABC_TODOS: readonly [string, unknown] = [
  'write_todos',
  { todos: ['A', 'B', 'C'].map((content) => ({ content, status: 'pending' })) },
]
const ABC_TASKS = ['A', 'B', 'C'].map((description): readonly [string, unknown] => [
  'plan_todo_write',
  { action: { type: 'Add', group: 'g', description } },
])
const p = (content: string, more: object = {}): object => ({ content, status: 'pending', ...more })
const outline = (title: string, steps: unknown, plan: readonly string[], more: Partial<Row> = {}): Row => ({
  title: `outline: ${title}`,
  tool: 'add_todos',
  args: { steps },
  plan,
  ...more,
})
const checklist = (title: string, todos: unknown, plan: readonly string[], more: Partial<Row> = {}): Row => ({
  title: `checklist: ${title}`,
  tool: 'write_todos',
  args: { todos },
  plan,
  ...more,
})
const tasks = (title: string, action: object, plan: readonly string[], more: Partial<Row> = {}): Row => ({
  title: `tasks: ${title}`,
  tool: 'plan_todo_write',
  args: { action: { type: 'Add', group: 'g', ...action } },
  plan,
  ...more,
})

const NOTHING: readonly unknown[] = [
  '',
  ' ',
  'null',
  'None',
  'undefined',
  null,
  [],
  [null],
  ['null'],
  ['none'],
  '[]',
  '[null]',
]

const absent: readonly Row[] = NOTHING.flatMap((nothing): Row[] => {
  const is = JSON.stringify(nothing)
  // In an edit [] is the empty list, which clears.
  const clears = is === '[]' || is === '"[]"'
  return [
    outline(`[11-F39] ${is} for all that is optional`, [{ text: 'a', depth: nothing }], ['a'], {
      args: {
        steps: [{ text: 'a', depth: nothing }],
        parent_index: nothing,
        rev: nothing,
        action_and_reasoning: nothing,
      },
      notes: [],
    }),
    checklist(
      `[11-F39] ${is} for all that is optional`,
      [
        p('a', {
          description: nothing,
          required: nothing,
          id: nothing,
          children: nothing,
          depends_on: nothing,
          parent: nothing,
        }),
      ],
      ['a'],
      { notes: [] },
    ),
    tasks(`[11-F39] ${is} for the dependencies of Add`, { description: 'a', depends_on: nothing }, ['a'], {
      notes: [],
    }),
    tasks(`[11-F39] ${is} in an edit`, {}, clears ? ['A', 'B'] : ['A', 'B <- A'], {
      given: [...ABC_TASKS.slice(0, 2), ['plan_todo_edit', { edit: { id: 2, depends_on: [1] } }]],
      tool: 'plan_todo_edit',
      args: { edit: { id: 'task-2', group: nothing, depends_on: nothing } },
      ...(nothing === '[]' ? {} : { notes: [] }),
    }),
  ]
})

const lists: readonly Row[] = ['todos', 'tasks', 'items', 'plan', 'list', 'steps', 'Todos', 'todoList'].flatMap(
  (name) => [
    outline(`the list under ${name}`, [], ['a', '  b'], { args: { [name]: [{ text: 'a' }, { text: 'b', depth: 1 }] } }),
    checklist(`the list under ${name}`, [], ['a', 'b [completed]'], {
      args: { [name]: [p('a'), { content: 'b', status: 'completed' }] },
    }),
  ],
)

const bare: readonly Row[] = [
  checklist(
    'dependencies of a later list are all that there are, where nobody else has a part',
    [p('A'), p('B'), p('C', { deps: [2] })],
    ['A', 'B', 'C <- B'],
    { given: [['write_todos', { todos: [p('A'), p('B'), p('C', { deps: [1] })] }]] },
  ),
  outline('the one item in place of the list', [], ['a [completed]'], { args: { title: 'a', done: true } }),
  {
    title: 'outline: the one update in place of the list',
    given: [ABC],
    tool: 'update_todos',
    args: { index: 2, text: 'X', rev: 1 },
    plan: ['A', 'X', 'C'],
  },
  {
    title: 'outline: updates by id and title',
    given: [ABC],
    tool: 'update_todos',
    args: { todos: [{ id: 2, title: 'X' }] },
    plan: ['A', 'X', 'C'],
  },
  ...[[], '[]', '{"todos": []}'].map((none) =>
    checklist(`the empty list ${JSON.stringify(none)} empties it`, none, [], { given: [ABC_TODOS] }),
  ),
  outline('[10] a bare list', [], ['a', 'b'], { args: [{ text: 'a' }, { text: 'b' }] }),
  checklist('[10] a bare list', [], ['a', 'b'], { args: [p('a'), p('b')] }),
  checklist('[10] a bare list in a string', [], ['a'], { args: JSON.stringify([p('a')]) }),
  {
    title: 'outline: a bare list of numbers',
    given: [ABC],
    tool: 'toggle_todos',
    args: [1, 3],
    plan: ['A [completed]', 'B', 'C [completed]'],
  },
]

const texts: readonly Row[] = ['content', 'text', 'title', 'task', 'name', 'description', 'step', 'label'].flatMap(
  (name) => [
    outline(`the text under ${name}`, [{ [name]: 'a' }], ['a']),
    checklist(`the text under ${name}`, [{ [name]: 'a', status: 'pending' }], ['a']),
    tasks(`the text under ${name}`, { [name]: 'a' }, ['a']),
  ],
)
const twoTexts: readonly Row[] = [
  outline('title and description', [{ title: 'a', description: 'more' }], ['a (more)']),
  checklist('title and description', [{ title: 'a', description: 'more', status: 'pending' }], ['a (more)']),
  checklist('step and description', [{ step: 1, description: 'a', status: 'pending' }], ['a']),
  tasks('details beside the description', { description: 'a', details: 'more' }, ['a (more)']),
]

const children: readonly Row[] = [
  'children',
  'subtasks',
  'sub_tasks',
  'substeps',
  'items',
  'steps',
  'subTasks',
].flatMap((name) => [
  outline(
    `${name} nest`,
    [{ text: 'a', [name]: [{ text: 'b', [name]: [{ text: 'c' }] }, { text: 'd' }] }, { text: 'e' }],
    ['a', '  b', '    c', '  d', 'e'],
  ),
  checklist(
    `${name} nest`,
    [p('a', { [name]: [p('b', { [name]: [p('c')] }), p('d')] }), p('e')],
    ['a', '  b', '    c', '  d', 'e'],
  ),
  tasks(`${name} nest`, { description: 'a', [name]: [{ description: 'b', status: 'done' }, 'c'] }, [
    'a',
    '  b [completed]',
    '  c',
  ]),
])

const depths: readonly Row[] = ['level', 'indent', 'nesting'].flatMap((name) =>
  [0, 1].flatMap((first) => [
    outline(
      `${name} from ${first}`,
      [
        { text: 'a', [name]: first },
        { text: 'b', [name]: first + 1 },
        { text: 'c', [name]: String(first) },
      ],
      ['a', '  b', 'c'],
    ),
    checklist(
      `${name} from ${first}`,
      [p('a', { [name]: first }), p('b', { [name]: first + 1 }), p('c', { [name]: first })],
      ['a', '  b', 'c'],
    ),
  ]),
)

const parents: readonly Row[] = ['parent', 'parent_id', 'parentId'].flatMap((name) => [
  outline(
    `${name} is an id of the call`,
    [
      { id: 'x', text: 'a' },
      { id: 'y', text: 'b' },
      { text: 'c', [name]: 'x' },
    ],
    ['a', '  c', 'b'],
  ),
  outline(
    `${name} is a position of the call`,
    [{ text: 'a' }, { text: 'b', [name]: 1 }, { text: 'c', [name]: '2' }],
    ['a', '  b', '    c'],
  ),
  outline(
    `${name} is a step of the plan`,
    [
      { text: 'x', [name]: 3 },
      { text: 'y', [name]: '#2' },
    ],
    ['A', 'B', '  y', 'C', '  x'],
    { given: [ABC] },
  ),
  outline(`${name} is null`, [{ text: 'a', [name]: null }], ['a']),
  checklist(`${name} is an id of the call`, [p('a', { id: 'x' }), p('b', { [name]: 'x' })], ['a', '  b']),
  checklist(`${name} is a position of the call`, [p('a'), p('b'), p('c', { [name]: 1 })], ['a', '  c', 'b']),
  checklist(
    `${name} is a numbered id of the call`,
    [p('a', { id: '1' }), p('b', { id: '2', [name]: '1' }), p('c', { id: 3, [name]: 2 })],
    ['a', '  b', '    c'],
  ),
  checklist(`${name} moves a step that is there`, [p('A'), p('B'), p('C', { [name]: 1 })], ['A', '  C', 'B'], {
    given: [ABC_TODOS],
  }),
  tasks(`${name} is a task`, { description: 'x', [name]: 'task-2' }, ['A', 'B', '  x'], {
    given: ABC_TASKS.slice(0, 2),
  }),
])

const states: readonly Row[] = [
  ...(
    [
      [{ done: true }, 'completed'],
      [{ completed: true }, 'completed'],
      [{ checked: 'true' }, 'completed'],
      [{ done: false }, 'pending'],
      [{ completed: false, status: 'in_progress' }, 'in_progress'],
      [{ done: true, status: 'Done' }, 'completed'],
      [{ state: 'In Progress' }, 'in_progress'],
      [{ state: 'done', status: 'completed' }, 'completed'],
      [{ status: 'in-progress' }, 'in_progress'],
      [{ status: 'TODO' }, 'pending'],
      [{ status: 'not_started' }, 'pending'],
      [{ status: 'WIP' }, 'in_progress'],
      [{ status: 'Skipped' }, 'cancelled'],
      [{ status: 'canceled' }, 'cancelled'],
      [{ status: 'Complete' }, 'completed'],
      [{ status: 'FAILED' }, 'blocked'],
    ] as const
  ).flatMap(([said, status]) => {
    const line = status === 'pending' ? 'a' : `a [${status}]`
    return [
      outline(`${JSON.stringify(said)} is a status`, [{ text: 'a', ...said }], [line]),
      checklist(`${JSON.stringify(said)} is a status`, [{ content: 'a', ...said }], [line]),
      tasks(`${JSON.stringify(said)} is a status`, { description: 'a', ...said }, [line]),
    ]
  }),
  ...(
    [
      [{ done: true }, ['A [completed]', 'B [completed]', 'C']],
      [{ completed: true }, ['A [completed]', 'B [completed]', 'C']],
      [{ checked: false }, ['A', 'B', 'C']],
      [{ status: 'pending' }, ['A', 'B', 'C']],
      [{ status: 'in progress' }, ['A [in_progress]', 'B [in_progress]', 'C']],
      [{ state: 'cancelled' }, ['A [cancelled]', 'B [cancelled]', 'C']],
    ] as const
  ).map(([said, plan]): Row => ({
    title: `outline: [12-3] a toggle with ${JSON.stringify(said)} sets it`,
    given: [ABC, ['toggle_todos', { indices: [1] }]],
    tool: 'toggle_todos',
    args: { indices: [1, 2], ...said },
    plan,
  })),
  {
    title: 'outline: [12-3] a toggle that sets what is so already changes nothing',
    given: [ABC, ['toggle_todos', { indices: [1] }]],
    tool: 'toggle_todos',
    args: { indices: [1], done: true },
    plan: ['A [completed]', 'B', 'C'],
    notes: ['done true was read as completed', '#1 was done already'],
  },
  ...(
    [
      [{ status: 'done' }, 'completed'],
      [{ done: true }, 'completed'],
      [{ status: 'cancelled' }, 'cancelled'],
      [{ type: 'Complete', status: 'Completed' }, 'completed'],
    ] as const
  ).map(([said, status]): Row => ({
    title: `tasks: [12-3] a cross-off with ${JSON.stringify(said)}`,
    given: ABC_TASKS.slice(0, 1),
    tool: 'plan_todo_cross_off',
    args: { action: { id: 'task-1', ...said } },
    plan: [`A [${status}]`],
  })),
  {
    title: 'tasks: [12-3] a state as it stands may be sent along with an edit',
    given: ABC_TASKS.slice(0, 1),
    tool: 'plan_todo_edit',
    args: { edit: { id: 'task-1', description: 'X', status: 'Pending', done: false } },
    plan: ['X'],
  },
]

const dependencies: readonly Row[] = [
  'dependencies',
  'dependsOn',
  'depends_on',
  'blockedBy',
  'blocked_by',
  'deps',
].flatMap((name) => [
  outline(
    `${name} name items of the call`,
    [
      { id: 'x', text: 'a' },
      { text: 'b', [name]: ['x'] },
      { text: 'c', [name]: [1, 2] },
    ],
    ['a', 'b <- a', 'c <- a, b'],
  ),
  outline(`${name} name a step of the plan`, [{ text: 'x', [name]: '#2' }], ['A', 'B', 'C', 'x <- B'], {
    given: [ABC],
  }),
  checklist(
    `${name} name items of the call`,
    [p('a', { id: '1' }), p('b', { id: '2', [name]: ['1'] }), p('c', { id: '3', [name]: '1,2' })],
    ['a', 'b <- a', 'c <- a, b'],
  ),
  tasks(`${name} name tasks`, { description: 'x', [name]: 'task-1' }, ['A', 'B', 'x <- A'], {
    given: ABC_TASKS.slice(0, 2),
  }),
  tasks(`${name} of an edit`, {}, ['A', 'B <- A'], {
    given: ABC_TASKS.slice(0, 2),
    tool: 'plan_todo_edit',
    args: { edit: { id: 2, [name]: [1] } },
  }),
])

const MARKDOWN = '- [x] a\n  - [ ] b\n- [*] c'
const strings: readonly Row[] = [
  ...(
    [
      ['Markdown', MARKDOWN, ['a [completed]', '  b', 'c [in_progress]']],
      ['a numbered list', '1. a\n2. b\n   1. c', ['a', 'b', '  c']],
      ['numbers that nest', '1. a\n1.1 b\n1.2 c\n2. d', ['a', '  b', '  c', 'd']],
      ['lines with boxes', '[ ] a\n[x] b', ['a', 'b [completed]']],
      ['lines with signs', '✅ a\n⏳ b\n⬜ c', ['a [completed]', 'b [in_progress]', 'c']],
      [
        'what list_todos prints',
        '#1  1  [x] a\n#2  1.1  [-] b\n#3  2  [*] c',
        ['a [completed]', '  b [cancelled]', 'c [in_progress]'],
      ],
    ] as const
  ).flatMap(([name, text, plan]) => [
    outline(`${name} in a string`, text, plan),
    checklist(`${name} in a string`, text, plan),
    tasks(`${name} in a string below a task`, { description: 'top', subtasks: text }, [
      'top',
      ...plan.map((line) => `  ${line}`),
    ]),
  ]),
  outline('lines with boxes as items', ['[ ] a', '- [x] b'], ['a', 'b [completed]']),
  checklist('lines with boxes as items', ['[ ] a', '- [x] b'], ['a', 'b [completed]']),
  ...(
    [
      ['Python', (text: string) => `[{'${text}': "it's", 'status': 'done', 'x': None, 'required': True},]`],
      ['JavaScript', (text: string) => `[{${text}: 'it\\'s', status: "done", x: undefined, required: true,}]`],
      [
        'JSON in a string',
        (text: string) => JSON.stringify(JSON.stringify([{ [text]: "it's", status: 'done', required: true }])),
      ],
      [
        'an object with the list',
        (text: string) => JSON.stringify({ todos: [{ [text]: "it's", status: 'done', required: true }] }),
      ],
    ] as const
  ).flatMap(([name, literal]) => [
    outline(`${name} in a string`, literal('text'), ["it's [completed] !"]),
    checklist(`${name} in a string`, literal('content'), ["it's [completed] !"]),
  ]),
  tasks('Python in a string', {}, ['it is'], {
    args: { action: "{'type': 'Add', 'group': 'g', 'description': 'it is', 'depends_on': None}" },
  }),
]

const decoration: readonly Row[] = [
  outline(
    'decoration is ignored, and told once',
    [1, 2].map((i) => ({ text: `a${i}`, priority: i, emoji: '!' })),
    ['a1', 'a2'],
    {
      notes: ['ignored: priority, emoji'],
    },
  ),
  checklist(
    'decoration is ignored, and told once',
    [1, 2].map((i) => p(`a${i}`, { activeForm: 'Doing', priority: i })),
    ['a1', 'a2'],
    {
      notes: ['ignored: activeForm, priority'],
    },
  ),
  tasks('decoration is ignored, and told once', { description: 'a', priority: 1, emoji: '!' }, ['a'], {
    notes: ['ignored: priority, emoji'],
  }),
]

const merging: readonly Row[] = [
  ['[O36][12-2] the others stay', [{ content: 'A', status: 'completed' }], ['A [completed]', 'B', 'C']],
  ['an id and what changes', [{ id: '2', status: 'in_progress' }], ['A', 'B [in_progress]', 'C']],
  ['a content and what changes', [{ content: 'B', description: 'more' }], ['A', 'B (more)', 'C']],
  ['a new one goes to the end', [p('D'), { id: 't1', status: 'done' }], ['A [completed]', 'B', 'C', 'D']],
  ['a new text at a place', [{ id: '2', content: 'B2' }], ['A', 'B2', 'C']],
  ...['', '...', '…', 'null', '(unchanged)'].map(
    (content) =>
      [
        `the content ${JSON.stringify(content)} never renames`,
        [{ id: '2', content, status: 'done' }],
        ['A', 'B [completed]', 'C'],
      ] as const,
  ),
  ['nothing', [], ['A', 'B', 'C']],
].map(([title, todos, plan]) =>
  checklist(`merge: ${title as string}`, [], plan as string[], { given: [ABC_TODOS], args: { merge: true, todos } }),
)

const ROWS: readonly Row[] = [
  ...absent,
  ...lists,
  ...bare,
  ...texts,
  ...twoTexts,
  ...children,
  ...depths,
  ...parents,
  ...states,
  ...dependencies,
  ...strings,
  ...decoration,
  ...merging,
]

const INCOMPLETE = "Error: each todo must have 'content' and 'status'"
const ten = (bad: unknown) => [
  ...Array.from({ length: 6 }, (_, i) => p(`a${i}`)),
  bad,
  ...Array.from({ length: 3 }, (_, i) => p(`b${i}`)),
]

const REFUSALS: readonly Refused[] = [
  {
    title: '[12-6] checklist: one of ten without content',
    tool: 'write_todos',
    args: { todos: ten({ status: 'pending', priority: 1 }) },
    line: INCOMPLETE,
    says: ['todos[6] has status, priority, and lacks content'],
  },
  {
    title: '[12-6] checklist: one of ten without status',
    tool: 'write_todos',
    args: { todos: ten({ content: 'x' }) },
    line: INCOMPLETE,
    says: ['todos[6] has content, and lacks status'],
  },
  {
    title: '[12-6] checklist: one of ten is no object',
    tool: 'write_todos',
    args: { todos: ten(7) },
    line: INCOMPLETE,
    says: ['todos[6] is 7, not an object'],
  },
  {
    title: '[12-6] checklist: a status that there is not',
    tool: 'write_todos',
    args: { todos: ten(p('x', { status: 'weird' })) },
    line: "Error: status must be one of ['blocked', 'completed', 'in_progress', 'pending']",
    says: ['the status of todos[6] is "weird"'],
  },
  {
    title: '[12-6] checklist: one inside of another',
    tool: 'write_todos',
    args: { todos: [p('a', { children: [p('b'), { content: 'c' }] })] },
    line: INCOMPLETE,
    says: ['todos[0].children[1] has content, and lacks status'],
  },
  {
    title: '[12-6] outline: one of ten without text',
    tool: 'add_todos',
    args: { steps: [...Array.from({ length: 6 }, () => ({ text: 'a' })), { depth: 1, priority: 2 }, { text: 'b' }] },
    says: ['steps[6].text is missing: it is text (steps[6] has depth, priority)'],
  },
  {
    title: '[12-6] outline: one inside of another',
    tool: 'add_todos',
    args: { steps: [{ text: 'a', children: [{ text: 'b' }, { done: true }] }] },
    says: ['steps[0].children[1].text is missing: it is text (steps[0].children[1] has done)'],
  },
  {
    title: '[12-6] tasks: Complete on plan_todo_write',
    given: ABC_TASKS,
    tool: 'plan_todo_write',
    args: { action: { type: 'Complete', id: 'task-1' } },
    says: ['"Complete" is done by plan_todo_cross_off'],
  },
  {
    title: '[12-6] tasks: Start on plan_todo_cross_off',
    given: ABC_TASKS,
    tool: 'plan_todo_cross_off',
    args: { action: { type: 'start', id: 'task-1' } },
    says: ['"start" is done by plan_todo_write'],
  },
  {
    title: '[12-3] tasks: an edit of only the status',
    given: ABC_TASKS,
    tool: 'plan_todo_edit',
    args: { edit: { id: 1, status: 'completed' } },
    says: ['plan_todo_cross_off completes or cancels a task'],
  },
  {
    title: '[12-3] tasks: an edit that would lose a status',
    given: ABC_TASKS,
    tool: 'plan_todo_edit',
    args: { edit: { id: 1, description: 'X', done: true } },
    says: ["'task-1' is Pending", 'plan_todo_cross_off completes'],
  },
  {
    title: '[12-3] tasks: an edit of nothing that can be changed',
    given: ABC_TASKS,
    tool: 'plan_todo_edit',
    args: { edit: { id: 1, priority: 'high' } },
    says: ['names only priority', 'description, group, depends_on'],
  },
  {
    title: '[12-4] tasks: an edit that would lose a parent',
    given: ABC_TASKS,
    tool: 'plan_todo_edit',
    args: { edit: { id: 1, description: 'X', parent: 2 } },
    says: ['edit.parent is not changed here'],
  },
  {
    title: '[12-3] tasks: a cross-off that contradicts itself',
    given: ABC_TASKS,
    tool: 'plan_todo_cross_off',
    args: { action: { type: 'Cancel', id: 1, done: true } },
    says: ['contradict each other'],
  },
  {
    title: '[12-3] tasks: a state on Remove',
    given: ABC_TASKS,
    tool: 'plan_todo_write',
    args: { action: { type: 'Remove', id: 1, status: 'done' } },
    says: ['Remove does not set a task completed'],
  },
  {
    title: '[12-4] tasks: dependencies on Start',
    given: ABC_TASKS,
    tool: 'plan_todo_write',
    args: { action: { type: 'Start', id: 1, depends_on: ['task-2'] } },
    says: ['Start does not change depends_on: plan_todo_edit does'],
  },
  {
    title: '[12-4] tasks: sub-tasks on Remove',
    given: ABC_TASKS,
    tool: 'plan_todo_write',
    args: { action: { type: 'Remove', id: 1, children: ['x'] } },
    says: ['Remove does not change children: Add makes tasks below others'],
  },
  {
    title: '[12-5] tasks: a whole list for one task',
    tool: 'plan_todo_write',
    args: { todos: [{ content: 'x', status: 'pending' }] },
    says: ['todos is a list, and one call is about one task'],
  },
  {
    title: '[12-3] outline: a state on a removal',
    given: [ABC],
    tool: 'remove_todos',
    args: { indices: [1], status: 'done' },
    says: ['Steps are removed whatever their state is'],
  },
  {
    title: '[12-6] checklist: one inside of another is no object',
    tool: 'write_todos',
    args: { todos: [p('a', { subtasks: ['y'] })] },
    line: INCOMPLETE,
    says: ['todos[0].subtasks[0] is "y", not an object'],
  },
  {
    title: '[12-3] outline: an update of only a state',
    given: [ABC],
    tool: 'update_todos',
    args: { updates: [{ index: 1, done: true }] },
    says: ['updates[0] has only a state to change: toggle_todos with done'],
  },
  {
    title: '[12-3] outline: an update that would lose a state',
    given: [ABC],
    tool: 'update_todos',
    args: { updates: [{ index: 1, text: 'X', status: 'done' }] },
    says: ['toggle_todos'],
  },
  {
    title: '[12-4] outline: an update that would lose a depth',
    given: [ABC],
    tool: 'update_todos',
    args: { updates: [{ index: 1, text: 'X', depth: 1 }] },
    says: ['updates[0].depth is not changed here'],
  },
  ...(['add_todos', 'write_todos'] as const).flatMap((tool): Refused[] => {
    const [list, item] =
      tool === 'add_todos'
        ? (['steps', (text: string, more: object) => ({ text, ...more })] as const)
        : (['todos', (text: string, more: object) => p(text, more)] as const)
    return [
      {
        title: `[12-3] ${tool}: states that contradict each other`,
        tool,
        args: { [list]: [item('a', { status: 'pending', done: true })] },
        says: [`${list}[0] has`, 'contradict each other'],
      },
      {
        title: `[12-3] ${tool}: a flag that is none`,
        tool,
        args: { [list]: [item('a', { done: 'perhaps' })] },
        says: [`${list}[0].done is "perhaps", not true or false`],
      },
      {
        title: `[12-4] ${tool}: a parent that there is not`,
        tool,
        args: { [list]: [item('a', {}), item('b', { parent: 'nowhere' })] },
        says: ['nowhere'],
      },
      {
        title: `[12-4] ${tool}: a parent below itself`,
        tool,
        args: { [list]: [item('a', { parent: 2 }), item('b', { parent: 1 })] },
        says: ['stands below itself'],
      },
      {
        title: `[12-4] ${tool}: a dependency that there is not`,
        tool,
        args: { [list]: [item('a', { depends_on: ['nowhere'] })] },
        says: ['nowhere'],
      },
      {
        title: `[12-4] ${tool}: a dependency on itself`,
        tool,
        args: { [list]: [item('a', { id: 'x', depends_on: ['x'] })] },
        says: [`${list}[0] depends on itself`],
      },
      {
        title: `[12-4] ${tool}: groups in Markdown`,
        tool,
        args: { [list]: '## one\n- [ ] a\n## two\n- [ ] b' },
        says: ['"one", "two"'],
      },
      {
        title: `[12-4] ${tool}: the beginning of a literal`,
        tool,
        args: { [list]: "[{'text': 'a'" },
        says: [tool === 'add_todos' ? 'not a list' : 'Error: todos must be a valid JSON array'],
      },
      {
        title: `[12-5] ${tool}: two lists`,
        tool,
        args: { [list]: [item('a', {})], tasks: [item('b', {})] },
        says: [`${list} and tasks are both given`],
      },
      {
        title: `[12-4] ${tool}: children that are no list`,
        tool,
        args: { [list]: [item('a', { children: 7 })] },
        says: [`${list}[0].children is 7, not a list of steps`],
      },
    ]
  }),
  {
    title: '[12-2] merge: an id that names nothing',
    given: [ABC_TODOS],
    tool: 'write_todos',
    args: { merge: true, todos: [{ id: '9', status: 'completed' }] },
    line: INCOMPLETE,
    says: ['todos[0] names no task that you have seen (id "9")'],
  },
  {
    title: '[12-2] merge: a new one without status',
    given: [ABC_TODOS],
    tool: 'write_todos',
    args: { merge: true, todos: [{ content: 'D' }] },
    line: INCOMPLETE,
    says: ['todos[0] is a new task ("D"), and lacks status'],
  },
]

export const argumentsCases: Cases = (withPlan) => {
  const prepare = async (plan: PlanDriver, given: Row['given'] = []): Promise<void> => {
    for (const [tool, args] of given) expect((await plan.call(ME, tool, args)).success).toBe(true)
  }

  describe('[12] arguments are read as meant', () => {
    for (const { title, given, tool, args, plan: expected, notes } of ROWS)
      test(
        `${title} (${tool})`,
        withPlan(async (plan) => {
          await prepare(plan, given)
          const reply = await plan.call(ME, tool, args)
          expect(reply.success, reply.text).toBe(true)
          expect(await lines(plan)).toEqual(expected)
          if (notes !== undefined) expect(reply['notes'] ?? []).toEqual(notes)
        }),
      )
  })

  test(
    '[12-4] a list that repeats what it saw takes no dependency away that somebody else has added',
    withPlan(async (plan) => {
      const list = (...more: unknown[]) => ({ todos: [p('A'), p('B', { deps: [1] }), p('C', { deps: more })] })
      await plan.call(ME, 'write_todos', list())
      await plan.call('agent-b', 'plan_todo_read', {})
      await plan.call('agent-b', 'plan_todo_edit', { edit: { id: 2, depends_on: ['task-1', 'task-3'] } })
      await plan.call(ME, 'write_todos', list())
      expect(await lines(plan)).toEqual(['A', 'B <- A, C', 'C'])
      await plan.call('agent-b', 'plan_todo_edit', { edit: { id: 3, depends_on: ['task-1'] } })
      await plan.call(ME, 'write_todos', {
        todos: [p('A'), p('B', { deps: [1] }), p('C', { deps: ['D'] }), p('D', { id: 'D' })],
      })
      expect(await lines(plan)).toEqual(['A', 'B <- A, C', 'C <- A, D', 'D'])
    }),
  )

  test(
    '[12-3] a state that is set opens nothing again that somebody else has closed unseen',
    withPlan(async (plan) => {
      await prepare(plan, [ABC, ['list_todos', {}]])
      await plan.call('agent-b', 'list_todos', {})
      await plan.call('agent-b', 'toggle_todos', { indices: [1] })
      const reply = await plan.call(ME, 'toggle_todos', { indices: [1, 2], status: 'in_progress' })
      expect(reply['summary']).toBe('toggled 1 todo step: #2 now in_progress')
      expect(reply['notes']).toEqual([
        '#1 stays completed: agent-b set that since you looked. List first to open it again',
      ])
      expect(await lines(plan)).toEqual(['A [completed]', 'B [in_progress]', 'C'])
      // Who has seen it may.
      await plan.call(ME, 'list_todos', {})
      await plan.call(ME, 'toggle_todos', { indices: [1], done: false })
      expect(await lines(plan)).toEqual(['A', 'B [in_progress]', 'C'])
    }),
  )

  describe('[12] what would be lost is refused, and says where', () => {
    for (const { title, given, tool, args, line, says } of REFUSALS)
      test(
        `${title} (${tool})`,
        withPlan(async (plan) => {
          await prepare(plan, given)
          const before = await plan.standing()
          const reply = await plan.call(ME, tool, args)
          expect(reply.success, reply.text).toBe(false)
          if (line !== undefined) expect([reply['error'], reply.text.split('\n\n')[0]]).toEqual([line, line])
          const text = reply.text.replaceAll('\\"', '"')
          for (const part of says) expect(text).toContain(part)
          expect(await plan.standing()).toEqual(before)
        }),
      )
  })
}
