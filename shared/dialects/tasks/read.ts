import { z } from 'zod'
import type { StepId } from '../../schema/ids.ts'
import type { CallContext, Prints } from '../dialect.ts'
import { defineTool } from '../dialect.ts'
import type { Narrowing } from '../listing/narrowing.ts'
import { isFirstPage, isNarrowed, narrowing } from '../listing/narrowing.ts'
import { pageOf } from '../listing/page.ts'
import { narrowed } from '../listing/select.ts'
import { reasoning, rev } from '../parameters.ts'
import { isAbsent } from '../reading/absent.ts'
import { groupTitle, needs, rewrap, taskId } from './arguments.ts'
import { listNags } from './nags.ts'
import { missingNags } from './missing.ts'
import { taskName } from '../../plan/task-names.ts'
import { notesOnUnknown } from './named-task.ts'
import { resolveTask } from './references.ts'
import { sizeIn } from './page.ts'
import type { Answer, Filter } from './reply.ts'
import { filtered, NO_FILTER, numbered, render } from './reply.ts'
import type { TaskStatus } from './shape.ts'
import { TASK_STATUSES, taskStatus } from './shape.ts'

const TYPES = ['List', 'Get'] as const

export const read = defineTool({
  name: 'plan_todo_read',
  title: 'Read the tasks',
  description:
    'Shows tasks, in their groups. List: all of them, or only those of a group, of a status, or of both; with advice (nags) on ' +
    'the whole list, such as groups whose tests nobody has confirmed. Get: one task by its id. Of a very long list the first ' +
    'tasks are shown, and how to see the rest.',
  parameters: z.object({
    action: z
      .object({
        type: z.enum(TYPES).describe('What to show.'),
        group: groupTitle.optional().describe('List: only the group with exactly this title.'),
        status: z.enum(TASK_STATUSES).optional().describe('List: only tasks of this status.'),
        id: taskId.optional().describe('Get: the id of the task, such as task-3.'),
        parent: taskId.optional().describe('List: only this task and its sub-tasks.'),
        ...narrowing,
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
    inside: (fields, reading) => {
      // Looking does no harm, so a call that does not say what to show is a listing.
      fields['type'] ??= isAbsent(fields['id']) ? 'List' : 'Get'
      const { status } = fields
      if (typeof status !== 'string' || !BLOCKED.has(status.trim().toLowerCase())) return
      fields['status'] = 'Pending'
      reading.tell('blocked', 'action.status: blocked tasks are listed as Pending')
    },
  }),
  decide: ({ action: { type, id, ...filter }, rev: at }, context): Answer =>
    type === 'Get' ? get(id, at, context) : listed(filter, context),
  render,
})

interface ListFilter extends Narrowing {
  readonly group?: string | undefined
  readonly status?: TaskStatus | undefined
}

function listed({ group, status, ...given }: ListFilter, context: CallContext): Answer {
  const { plan } = context
  const filter = { ...NO_FILTER, group: group ?? null, status: status ?? null }
  const tasks = filtered(plan, filter).flatMap((one) => one.tasks)
  const chosen = narrowed(tasks, given, context, taskStatus, taskName)
  if ('refused' in chosen) return chosen
  const page = pageOf(chosen, given, sizeIn(plan))
  if ('refused' in page) return page
  const ids = page.shown.map((task) => task.id)
  const isPart = isNarrowed(given)
  const isWhole = group === undefined && status === undefined && !isPart
  const { rest, next } = page
  return shown(
    context,
    { ...filter, page: isPart || next !== null ? { ids, rest, next } : null },
    printsOf(ids, isWhole, isFirstPage(given), context),
    [...listNags(plan), ...missingNags(context, plan.steps)],
  )
}

/** A part that was asked for is no look at the plan for who never took one. */
function printsOf(ids: StepId[], isWhole: boolean, isListing: boolean, { plan, view }: CallContext): Prints {
  if (isWhole && ids.length === plan.steps.length) return 'plan'
  return isWhole || view !== null ? { printed: ids, isListing, isWhole, places: false } : ids
}

/** A status that this dialect does not show: it has no more than Pending for it. */
const BLOCKED: ReadonlySet<string> = new Set(['blocked', 'failed', 'stuck'])

function get(given: string | number | undefined, at: number | undefined, context: CallContext): Answer {
  if (given === undefined || String(given).trim() === '')
    return needs('Get needs an id: that of the task.', { action: { type: 'Get', id: 'task-1' } })
  const reference = resolveTask(given, at, context, 'read')
  if ('refused' in reference) return reference
  const { name, step } = reference
  if (step === null) return { refused: `Task '${name}' not found.`, notes: notesOnUnknown(reference, context.plan) }
  return shown(context, { ...NO_FILTER, task: step.id }, [step.id], missingNags(context, [step]))
}

function shown(context: CallContext, filter: Filter, prints: Prints, nags: string[]): Answer {
  return {
    operations: [],
    notes: [],
    prints,
    outcome: () => ({ kind: 'groups', filter, nags }),
    noteAfter: (after) => numbered(context, after),
  }
}
