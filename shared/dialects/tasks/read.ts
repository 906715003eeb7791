import { z } from 'zod'
import type { StepId } from '../../schema/ids.ts'
import type { CallContext } from '../dialect.ts'
import { defineTool } from '../dialect.ts'
import { reasoning, rev } from '../parameters.ts'
import { groupTitle, needs, rewrap, taskId } from './arguments.ts'
import { listNags } from './nags.ts'
import { missingNags } from './missing.ts'
import { notesOnUnknown } from './named-task.ts'
import { resolveTask } from './references.ts'
import type { Answer, Filter } from './reply.ts'
import { filtered, numbered, render } from './reply.ts'
import { TASK_STATUSES } from './shape.ts'

const TYPES = ['List', 'Get'] as const

export const read = defineTool({
  name: 'plan_todo_read',
  title: 'Read the tasks',
  description:
    'Shows tasks, in their groups. List: all of them, or only those of a group, of a status, or of both; with advice (nags) on ' +
    'the whole list, such as groups whose tests nobody has confirmed. Get: one task by its id.',
  parameters: z.object({
    action: z
      .object({
        type: z.enum(TYPES).describe('What to show.'),
        group: groupTitle.optional().describe('List: only the group with exactly this title.'),
        status: z.enum(TASK_STATUSES).optional().describe('List: only tasks of this status.'),
        id: taskId.optional().describe('Get: the id of the task, such as task-3.'),
      })
      .describe('The action, with the fields that it needs.'),
    rev,
    action_and_reasoning: reasoning,
  }),
  example: { action: { type: 'List' } },
  effects: { readOnly: true, destructive: false, idempotent: true },
  printsPlan: true,
  reshape: rewrap({
    field: 'action',
    types: { names: TYPES, synonyms: { all: 'List', read: 'List' } },
    inside: (fields, notes) => {
      // Looking does no harm, so a call that does not say what to show is a listing.
      fields['type'] ??= fields['id'] === undefined || fields['id'] === null ? 'List' : 'Get'
      for (const key of ['group', 'status'])
        if (typeof fields[key] === 'string' && fields[key].trim() === '') fields[key] = null
      const { status } = fields
      if (typeof status !== 'string' || !BLOCKED.has(status.trim().toLowerCase())) return
      fields['status'] = 'Pending'
      notes.push('action.status: blocked tasks are listed as Pending')
    },
  }),
  decide: ({ action: { type, group, status, id }, rev: at }, context): Answer => {
    if (type === 'Get') return get(id, at, context)
    const filter = { group: group ?? null, status: status ?? null, task: null }
    const isWhole = filter.group === null && filter.status === null
    return shown(context, filter, isWhole ? 'plan' : idsOf(context, filter), [
      ...listNags(context.plan),
      ...missingNags(context, context.plan.steps),
    ])
  },
  render,
})

/** A status that this dialect does not show: it has no more than Pending for it. */
const BLOCKED: ReadonlySet<string> = new Set(['blocked', 'failed', 'stuck'])

function get(given: string | number | undefined, at: number | undefined, context: CallContext): Answer {
  if (given === undefined || String(given).trim() === '')
    return needs('Get needs an id: that of the task.', { action: { type: 'Get', id: 'task-1' } })
  const reference = resolveTask(given, at, context, 'read')
  if ('refused' in reference) return reference
  const { name, step } = reference
  if (step === null) return { refused: `Task '${name}' not found.`, notes: notesOnUnknown(reference, context.plan) }
  return shown(context, { group: null, status: null, task: step.id }, [step.id], missingNags(context, [step]))
}

const idsOf = ({ plan }: CallContext, filter: Filter): StepId[] =>
  filtered(plan, filter).flatMap(({ tasks }) => tasks.map(({ id }) => id))

function shown(context: CallContext, filter: Filter, prints: 'plan' | StepId[], nags: string[]): Answer {
  return {
    operations: [],
    notes: [],
    prints,
    outcome: () => ({ kind: 'groups', filter, nags }),
    noteAfter: (after) => numbered(context, after),
  }
}
