import type { StepId } from '../../schema/ids.ts'
import type { PlanOperation } from '../../schema/operation.ts'
import type { Plan } from '../../plan/plan.ts'
import type { CallContext, Decision, Json, JsonObject, Refusal, Rendered, Situation } from '../dialect.ts'
import { MAX_CHANGED, MAX_NAGS } from '../../schema/limits.ts'
import { isTitled } from './groups.ts'
import { taskName } from '../../plan/task-names.ts'
import { excerptOf, fewEmpty, foldedNag, printedAfter } from './page.ts'
import type { TaskStatus } from './shape.ts'
import { groupJson, taskGroups, taskStatus } from './shape.ts'

/** What a listing is of. */
export type Filter = {
  readonly group: string | null
  readonly status: TaskStatus | null
  readonly task: StepId | null
  /** Only these of what the rest lets through; null for all. */
  readonly page: { readonly ids: readonly StepId[]; readonly rest: number; readonly next: string | null } | null
}

/** What kind of reply it is, and its advice; the tasks are printed from the plan as it stands then. */
export type Outcome =
  | { readonly kind: 'list'; readonly nags: readonly string[]; readonly about: readonly StepId[] }
  | { readonly kind: 'groups'; readonly filter: Filter; readonly nags: readonly string[] }
  | { readonly kind: 'ok'; readonly kept: string | null }

export type Answer = Decision<Outcome> | Refusal

/** The groups that a filter lets through, each with what it lets through of their tasks. */
export function filtered(plan: Plan, { group, status, task, page }: Filter) {
  const ids = page === null ? null : new Set(page.ids)
  const groups = taskGroups(plan).flatMap((one) => {
    if (group !== null && !isTitled(one, group)) return []
    const tasks = one.tasks.filter(
      (step) => (task === null || step.id === task) && (status === null || taskStatus(step) === status),
    )
    const shown = ids === null ? tasks : tasks.filter(({ id }) => ids.has(id))
    // A group that the page does not reach is not shown as an empty one.
    return tasks.length > 0 && shown.length === 0 ? [] : [{ ...one, tasks: shown }]
  })
  return task === null ? groups : groups.filter(({ tasks }) => tasks.length > 0)
}

export const NO_FILTER: Filter = { group: null, status: null, task: null, page: null }

export function render(outcome: Outcome, situation: Situation): Rendered {
  if (outcome.kind === 'ok') return { text: outcome.kept === null ? 'ok' : `ok\n\n${outcome.kept}`, fields: {} }
  const { plan, version, notes, digest } = situation
  const filter = outcome.kind === 'list' ? { ...NO_FILTER, page: excerptOf(plan, outcome.about) } : outcome.filter
  const { groups: shown, left } = fewEmpty(filtered(plan, filter))
  const groups = shown.map((one) => groupJson(plan, one))
  const { page } = filter
  const folded = [
    ...(page === null || page.next === null ? [] : [foldedNag(page.rest, plan.steps.length, page.next)]),
    ...(left === 0 ? [] : [`Not shown: ${left} groups without tasks.`]),
  ]
  const nags = [...few(outcome.nags), ...folded, ...notes, ...(digest === null ? [] : [digest])].map(
    (message): Json => ({ message }),
  )
  const fields: JsonObject = outcome.kind === 'list' ? { list: { groups }, nags } : { groups, nags }
  const cursor = page?.next ?? null
  return {
    text: JSON.stringify({ ...fields, version }),
    fields: cursor === null ? fields : { ...fields, cursor },
  }
}

const few = (nags: readonly string[]): readonly string[] =>
  nags.length <= MAX_NAGS ? nags : [...nags.slice(0, MAX_NAGS), `And ${nags.length - MAX_NAGS} more of this kind.`]

/** An error is its message; what is added stands after an empty line. */
export function refuse(message: string, { notes, digest }: Situation): Rendered {
  const more = [...notes, ...(digest === null ? [] : [digest])]
  return { text: more.length === 0 ? message : `${message}\n\n${more.join('\n')}`, fields: { error: message } }
}

/** The steps that an operation is about. */
function stepsIn(operation: PlanOperation): readonly StepId[] {
  switch (operation.type) {
    case 'addSteps':
      return operation.steps.map(({ id }) => id)
    case 'moveSteps':
      return operation.steps
    case 'setStep':
      return [operation.id]
    default:
      return []
  }
}

/** A change, answered with the whole list. */
export function changed(
  context: CallContext,
  operations: readonly PlanOperation[],
  notes: readonly string[],
  nags: (after: Plan) => readonly string[],
): Decision<Outcome> {
  const about = [...new Set(operations.flatMap(stepsIn))].slice(0, MAX_CHANGED)
  return {
    operations,
    notes,
    prints: (after) => printedAfter(after, about),
    outcome: (after) => ({ kind: 'list', nags: nags(after), about }),
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
