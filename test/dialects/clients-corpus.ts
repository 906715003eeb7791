import type { Status } from '../../shared/schema/plan.ts'

/** A step of a list that an agent means. */
export interface Meant {
  readonly text: string
  readonly status: Status
  /** A longer text, where a client has a place for one. */
  readonly more?: string
}

/** How one client writes a list, from its published schema. */
export interface ClientShape {
  readonly client: string
  /** Where in its source or documentation the schema stands. */
  readonly schema: string
  /** The statuses that it knows; lists with others are not sent by it. */
  readonly statuses: readonly Status[]
  readonly hasMore?: true
  /** Several ways in which its models fill the schema in. */
  readonly ways: Readonly<Record<string, (list: readonly Meant[]) => unknown>>
}

const TODAY: readonly Status[] = ['pending', 'in_progress', 'completed']
const each =
  <T>(item: (step: Meant, i: number) => T) =>
  (list: readonly Meant[]): T[] =>
    list.map(item)
/** As Python prints it. */
const python = (value: unknown): string =>
  JSON.stringify(value)
    .replace(/'/g, "\\'")
    .replace(/(?<!\\)"/g, "'")
    .replace(/\\"/g, '"')
    .replace(/\bnull\b/g, 'None')
const boxes: Readonly<Record<string, string>> = { pending: '[ ]', completed: '[x]' }
const gerund = (text: string): string => `Working on ${text}`

export const CLIENTS: readonly ClientShape[] = [
  {
    client: 'Codex',
    schema: 'update_plan: { explanation?, plan: [{ step, status }] }',
    statuses: TODAY,
    ways: {
      'with an explanation': (list) => ({
        explanation: 'Tests first.',
        plan: each(({ text, status }) => ({ step: text, status }))(list),
      }),
      'without one': (list) => ({ plan: each(({ text, status }) => ({ status, step: text }))(list) }),
      'with an empty one, as strict schemas send it': (list) => ({
        explanation: null,
        plan: each(({ text, status }) => ({ step: text, status }))(list),
      }),
      'as JSON in a string': (list) => ({
        plan: JSON.stringify(each(({ text, status }) => ({ step: text, status }))(list)),
      }),
    },
  },
  {
    client: 'Claude Code',
    schema: 'TodoWrite: { todos: [{ content, status, activeForm }] }',
    statuses: TODAY,
    ways: {
      'with activeForm': (list) => ({
        todos: each(({ text, status }) => ({ content: text, status, activeForm: gerund(text) }))(list),
      }),
      'with id and priority, as before 2.0': (list) => ({
        todos: each(({ text, status }, i) => ({ content: text, status, priority: 'high', id: `${i + 1}` }))(list),
      }),
      'as JSON in a string': (list) => ({
        todos: JSON.stringify(each(({ text, status }) => ({ content: text, status, activeForm: gerund(text) }))(list)),
      }),
      'the bare list': each(({ text, status }) => ({ content: text, status, activeForm: gerund(text) })),
    },
  },
  {
    client: 'Cursor',
    schema: 'todo_write: { merge, todos: [{ id, content, status, dependencies? }] }',
    statuses: [...TODAY, 'cancelled'],
    ways: {
      'with numbers for ids': (list) => ({
        merge: false,
        todos: each(({ text, status }, i) => ({ id: `${i + 1}`, content: text, status }))(list),
      }),
      'with words for ids': (list) => ({
        merge: false,
        todos: each(({ text, status }, i) => ({ id: `setup-${i}`, content: text, status }))(list),
      }),
      'with empty dependencies': (list) => ({
        merge: false,
        todos: each(({ text, status }, i) => ({ id: `${i + 1}`, content: text, status, dependencies: [] }))(list),
      }),
      'with the word for false': (list) => ({
        merge: 'false',
        todos: each(({ text, status }, i) => ({ content: text, id: i + 1, status: status.toUpperCase() }))(list),
      }),
    },
  },
  {
    client: 'Gemini CLI',
    schema: 'write_todos: { todos: [{ description, status }] }',
    statuses: [...TODAY, 'cancelled', 'blocked'],
    ways: {
      'as it is': (list) => ({ todos: each(({ text, status }) => ({ description: text, status }))(list) }),
      'status first': (list) => ({ todos: each(({ text, status }) => ({ status, description: text }))(list) }),
      'as JSON in a string': (list) => ({
        todos: JSON.stringify(each(({ text, status }) => ({ description: text, status }))(list)),
      }),
    },
  },
  {
    client: 'opencode',
    schema: 'todowrite: { todos: [{ content, status, priority, id }] }',
    statuses: [...TODAY, 'cancelled'],
    ways: {
      'with all fields': (list) => ({
        todos: each(({ text, status }, i) => ({ content: text, status, priority: 'medium', id: `${i + 1}` }))(list),
      }),
      'without ids': (list) => ({
        todos: each(({ text, status }) => ({ content: text, status, priority: 'low' }))(list),
      }),
      'with ids from 0': (list) => ({
        todos: each(({ text, status }, i) => ({ content: text, status, priority: 'high', id: `${i}` }))(list),
      }),
    },
  },
  {
    client: 'Copilot in VS Code',
    schema: 'manage_todo_list: { operation, todoList: [{ id, title, description, status }] }',
    statuses: TODAY,
    hasMore: true,
    ways: {
      'with its statuses': (list) => ({
        operation: 'write',
        todoList: each(({ text, status, more }, i) => ({
          id: i + 1,
          title: text,
          description: more ?? '',
          status: { pending: 'not-started', in_progress: 'in-progress', completed: 'completed' }[status as 'pending'],
        }))(list),
      }),
      'without descriptions': (list) => ({
        todoList: each(({ text, status, more }, i) => ({
          id: i + 1,
          title: text,
          status: status.replace('_', '-'),
          ...(more === undefined ? {} : { description: more }),
        }))(list),
      }),
    },
  },
  {
    client: 'Roo Code',
    schema: 'update_todo_list: { todos: "[ ] text\\n[x] text" }',
    statuses: ['pending', 'completed'],
    ways: {
      'lines with boxes': (list) => ({ todos: list.map(({ text, status }) => `${boxes[status]} ${text}`).join('\n') }),
      'as a list in Markdown': (list) => ({
        todos: list.map(({ text, status }) => `- ${boxes[status]} ${text}`).join('\n'),
      }),
      'lines of a list': (list) => ({ todos: list.map(({ text, status }) => `${boxes[status]} ${text}`) }),
    },
  },
  {
    client: 'Goose',
    schema: 'todo_write: { content: "- [ ] text" }',
    statuses: ['pending', 'completed'],
    ways: {
      'as it is': (list) => ({ content: list.map(({ text, status }) => `- ${boxes[status]} ${text}`).join('\n') }),
      'with numbers': (list) => ({
        content: list.map(({ text, status }, i) => `${i + 1}. ${boxes[status]} ${text}`).join('\n'),
      }),
    },
  },
  {
    client: 'LangChain',
    schema: 'write_todos: { todos: [{ content, status }] }',
    statuses: TODAY,
    ways: {
      'as it is': (list) => ({ todos: each(({ text, status }) => ({ content: text, status }))(list) }),
      'as Python prints it': (list) => ({
        todos: python(each(({ text, status }) => ({ content: text, status, note: null }))(list)),
      }),
      'all arguments in a string': (list) =>
        JSON.stringify({ todos: each(({ text, status }) => ({ content: text, status }))(list) }),
    },
  },
  {
    client: 'Cline',
    schema: 'task_progress: "- [ ] text"',
    statuses: ['pending', 'completed'],
    ways: {
      'as it is': (list) => ({
        task_progress: list.map(({ text, status }) => `- ${boxes[status]} ${text}`).join('\n'),
      }),
      'capital X': (list) => ({
        task_progress: list.map(({ text, status }) => `- ${(boxes[status] ?? '').toUpperCase()} ${text}`).join('\n'),
      }),
    },
  },
]

const list = (...steps: readonly (readonly [text: string, status: Status, more?: string])[]): readonly Meant[] =>
  steps.map(([text, status, more]) => (more === undefined ? { text, status } : { text, status, more }))

/** Lists as agents have them. */
export const LISTS: readonly (readonly Meant[])[] = [
  list(['Find the failing test', 'in_progress'], ['Fix the parser', 'pending'], ['Run all tests', 'pending']),
  list(['Find the failing test', 'completed'], ['Fix the parser', 'completed'], ['Run all tests', 'in_progress']),
  list(['Read the docs', 'completed'], ['Draft', 'completed']),
  list(['Only one', 'pending']),
  list(
    ['Set up CI', 'completed', 'GitHub Actions'],
    ['Build images', 'in_progress', 'amd64 and arm64'],
    ['Deploy', 'pending'],
  ),
  list(['日本語のテスト', 'pending'], ['Größe prüfen', 'completed'], ['emoji 👩‍👩‍👧', 'pending']),
  list(['Ask about the budget', 'cancelled'], ['Book a flat', 'completed'], ['Pack', 'pending']),
  list(['Wait for the review', 'blocked'], ['Merge', 'pending']),
  list(['Write tests', 'completed'], ['Write code', 'pending'], ['Write tests', 'pending']),
  list(["Don't break user's config", 'pending'], ['Say "hello"', 'completed'], ['a, b: c; d', 'pending']),
  list(
    ...Array.from({ length: 20 }, (_, i) => [`Step ${i + 1} of the plan`, i < 7 ? 'completed' : 'pending'] as const),
  ),
]
