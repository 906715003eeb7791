import { z } from 'zod'
import { replaceList } from './checklist/replace-list.ts'
import { names } from './checklist/names.ts'
import { itemsOf } from './checklist/read-items.ts'
import { statusText, todoId, todoOf, todosAmong, todosOf, versionName } from './checklist/show.ts'
import type { Dialect, Rendered, Situation } from './dialect.ts'
import { defineTool } from './dialect.ts'
import { count } from './lines.ts'
import { isFirstPage, isNarrowed, narrowing } from './listing/narrowing.ts'
import { pageOf } from './listing/page.ts'
import { narrowed } from './listing/select.ts'
import { leniently, reasoning, rev } from './parameters.ts'
import { LIST_NAMES } from './reading/names.ts'
import type { StepId } from '../schema/ids.ts'
import type { Step } from '../schema/plan.ts'
import { STATUSES } from '../schema/plan.ts'

const REMINDER =
  'All tasks completed. Before responding, verify your work: check the results against what was asked, run what can be ' +
  'run, and put down as new tasks whatever turns out to be missing.'

/**
 * A list of todos as it is shown. At run time anything is let through, for the tool has errors of its own for what does
 * not fit, and takes the list as a string of JSON too.
 */
const anything = z
  .unknown()
  // `meta` would make a copy of a schema that has no type.
  .register(z.globalRegistry, {
    type: 'array',
    description:
      'The whole list, in order: every task that there is to be, those that are done too. What you have seen of the ' +
      'list and leave out is removed.',
    items: {
      type: 'object',
      properties: {
        content: { type: 'string', description: 'What is to be done, in the imperative and in a few words.' },
        status: {
          type: 'string',
          enum: ['pending', 'in_progress', 'completed', 'blocked'],
          description: 'How far it is.',
        },
        description: { type: 'string', description: 'A longer explanation. Left out: none.' },
        required: { type: 'boolean', description: 'Whether it must be done in any case. Left out: no.' },
        id: {
          type: 'string',
          description:
            'Names a task of the list as you last saw it (t1, t2, ...), to give it another content. A name of your own ' +
            'is kept with the task. Usually left out: tasks are known by their content.',
        },
      },
      required: ['content', 'status'],
    },
  })
const todos = leniently(leniently(anything, { steps: 'content' }).optional(), { names: LIST_NAMES, holdsNothing: true })
const merge = z
  .boolean()
  .optional()
  .describe(
    'true: the list holds only tasks that change and new ones, and nothing is removed. An item then needs no more than the ' +
      'id or the content of its task, and what changes. Left out: the call replaces the list.',
  )

const writeTodos = defineTool({
  name: 'write_todos',
  title: 'Write the task list',
  description:
    'Creates or updates the task list. Each call REPLACES the whole list: send every task with its status, not only ' +
    'those that changed. Put a task in_progress when you start it and completed as soon as it is done; blocked if it ' +
    'cannot go on. Others may work on the same list: what they added since you last saw it stays and is shown to you, ' +
    'and what they finished stays finished. For work of several steps; a single trivial task needs no list.',
  parameters: z.object({ todos, merge, rev, action_and_reasoning: reasoning }).meta({ required: ['todos'] }),
  example: {
    todos: [
      { content: 'Write the parser', status: 'in_progress' },
      { content: 'Test it', status: 'pending' },
    ],
  },
  effects: { readOnly: false, destructive: true, idempotent: false },
  printsPlan: true,
  decide: ({ todos: given, merge: merges = false, rev: at }, context) => {
    const read = itemsOf(given, merges)
    if ('items' in read) return replaceList(read.items, { rev: at, merges }, context)
    return { refused: read.error, notes: read.notes }
  },
  render: ({ version, progress, lines, remind }, situation): Rendered => {
    const head = `Updated todo list ${versionName(version)}: ${progress} completed`
    const text = [head, ...lines, ...(remind ? ['', REMINDER] : []), ...remarks(situation)].join('\n')
    return { text, fields: { todos: todosOf(situation.plan) } }
  },
})

/** A part of the list, or null for all of it. */
type Part = { readonly ids: readonly StepId[]; readonly rest: number; readonly next: string | null }

const readTodos = defineTool({
  name: 'read_todos',
  title: 'Read the task list',
  description:
    'Returns the task list as JSON, in order: content, status, description, id, whether it is required, who updated it ' +
    'last and when. An empty list is []. Of a very long list the first tasks are returned, and how to read the rest.',
  parameters: z.object({
    parent: z.string().optional().describe('Only this task and what is below it: its id.'),
    status: z.enum(STATUSES).optional().describe('Only tasks of this status.'),
    ...narrowing,
    action_and_reasoning: reasoning,
  }),
  example: {},
  effects: { readOnly: true, destructive: false, idempotent: true },
  printsPlan: true,
  leavesNews: true,
  decide: ({ action_and_reasoning: _, ...given }, context) => {
    const { plan } = context
    const nameOf = (step: Step): string => todoId(step, plan.placeOf(step.id))
    const steps = narrowed(plan.steps, given, context, ({ status }) => status, nameOf)
    if ('refused' in steps) return steps
    const page = pageOf(steps, given, (step) => JSON.stringify(todoOf(step, 0), null, 2).length + 20)
    if ('refused' in page) return page
    const ids = page.shown.map(({ id }) => id)
    const isPart = isNarrowed(given)
    const isAll = ids.length === plan.steps.length
    const part: Part | null = isAll ? null : { ids, rest: page.rest, next: page.next }
    const prints = { printed: ids, isListing: isFirstPage(given), isWhole: !isPart, places: true }
    return { operations: [], notes: [], outcome: () => ({ part }), prints: isAll ? 'plan' : prints }
  },
  render: ({ part }: { readonly part: Part | null }, { plan }): Rendered => {
    const list = part === null ? todosOf(plan) : todosAmong(plan, part.ids)
    const json = JSON.stringify(list, null, 2)
    if (part === null || part.next === null) return { text: json, fields: { todos: list } }
    const { rest, next } = part
    const note = `(not shown: ${count(rest, 'more task')}; read_todos with cursor "${next}" goes on; parent, status and query narrow it)`
    return { text: `${json}\n\n${note}`, fields: { todos: list, cursor: next } }
  },
})

/** What stands below the lines of a reply, after an empty one. */
function remarks({ notes, digest }: Situation): string[] {
  const lines = [
    ...notes.map((note) => `Note: ${note}`),
    ...(digest === null ? [] : [`Since you last looked: ${digest}`]),
  ]
  return lines.length === 0 ? [] : ['', ...lines]
}

/** A list that is written as a whole. */
export const checklist: Dialect = {
  name: 'checklist',
  tools: [writeTodos, readTodos],
  ...names,
  refuse: (message, situation) => {
    const error = message.startsWith('Error: ') ? message : `Error: ${message}`
    return { text: [error, ...remarks(situation)].join('\n'), fields: { error } }
  },
  block: statusText,
}
