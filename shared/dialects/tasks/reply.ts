import type { StepId } from '../../schema/ids.ts'
import type { PlanOperation } from '../../schema/operation.ts'
import type { Plan } from '../../plan/plan.ts'
import type { CallContext, Decision, Json, JsonObject, Refusal, Rendered, Situation } from '../dialect.ts'
import { taskName } from './names.ts'
import type { TaskStatus } from './shape.ts'
import { groupJson, taskGroups, taskStatus } from './shape.ts'

/** What a listing is of. */
export type Filter = {
  readonly group: string | null
  readonly status: TaskStatus | null
  readonly task: StepId | null
}

/** What kind of reply it is, and its advice; the tasks are printed from the plan as it stands then. */
export type Outcome =
  | { readonly kind: 'list'; readonly nags: readonly string[] }
  | { readonly kind: 'groups'; readonly filter: Filter; readonly nags: readonly string[] }
  | { readonly kind: 'ok' }

export type Answer = Decision<Outcome> | Refusal

/** The groups that a filter lets through, each with what it lets through of their tasks. */
export function filtered(plan: Plan, { group, status, task }: Filter) {
  const groups = taskGroups(plan)
    .filter(({ title }) => group === null || title === group)
    .map((one) => ({
      ...one,
      tasks: one.tasks.filter(
        (step) => (task === null || step.id === task) && (status === null || taskStatus(step) === status),
      ),
    }))
  return task === null ? groups : groups.filter(({ tasks }) => tasks.length > 0)
}

const NO_FILTER: Filter = { group: null, status: null, task: null }

export function render(outcome: Outcome, situation: Situation): Rendered {
  if (outcome.kind === 'ok') return { text: 'ok', fields: {} }
  const { plan, version, notes, digest } = situation
  const groups = filtered(plan, outcome.kind === 'list' ? NO_FILTER : outcome.filter).map((one) => groupJson(plan, one))
  const told = [...outcome.nags, ...notes, ...(digest === null ? [] : [digest])]
  const nags = told.map((message): Json => ({ message }))
  const fields: JsonObject = outcome.kind === 'list' ? { list: { groups }, nags } : { groups, nags }
  return { text: JSON.stringify({ ...fields, version }), fields }
}

/** An error is its message; what is added stands after an empty line. */
export function refuse(message: string, { notes, digest }: Situation): Rendered {
  const more = [...notes, ...(digest === null ? [] : [digest])]
  return { text: more.length === 0 ? message : `${message}\n\n${more.join('\n')}`, fields: { error: message } }
}

/** A change, answered with the whole list. */
export function changed(
  context: CallContext,
  operations: readonly PlanOperation[],
  notes: readonly string[],
  nags: (after: Plan) => readonly string[],
): Decision<Outcome> {
  return {
    operations,
    notes,
    prints: 'plan',
    outcome: (after) => ({ kind: 'list', nags: nags(after) }),
    noteAfter: (after) => numbered(context, after),
  }
}

/** Which tasks that the caller knew without a number have one now: `task-~ab12cd34 is now task-7`. */
export function numbered({ view }: CallContext, after: Plan): string | null {
  const unnumbered = view?.plan.steps.filter(({ number }) => number === null) ?? []
  const told = unnumbered.flatMap((seen) => {
    const step = after.step(seen.id)
    return step === undefined || step.number === null ? [] : [`${taskName(seen)} is now ${taskName(step)}`]
  })
  return told.length === 0 ? null : told.join(', ')
}
