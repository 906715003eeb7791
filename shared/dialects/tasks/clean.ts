import type { PlanOperation } from '../../schema/operation.ts'
import type { Step } from '../../schema/plan.ts'
import type { CallContext } from '../dialect.ts'
import { unseenAmong } from '../seen.ts'
import { cleanNags } from './nags.ts'
import type { Answer } from './reply.ts'
import { changed } from './reply.ts'
import { effectiveGroups, isTerminal, taskGroups } from './shape.ts'

/**
 * Takes away what is finished, and what is pending unless it is to stay; never what is in progress, nor what the caller
 * has not seen.
 */
export function clean(keepPending: boolean, context: CallContext): Answer {
  const { plan } = context
  const stays = (step: Step): boolean => step.status === 'in_progress' || (keepPending && !isTerminal(step))
  const unseen = unseenAmong(
    plan.steps.filter((step) => !stays(step)),
    context,
  )
  const unseenIds = new Set(unseen.map(({ id }) => id))
  const isKept = (step: Step): boolean => stays(step) || unseenIds.has(step.id)
  const dropped = plan.steps.filter((step) => !isKept(step))
  const gone = new Set(dropped.map(({ id }) => id))
  const empty = taskGroups(plan).flatMap(({ id, tasks }) => (id !== null && !tasks.some(isKept) ? [id] : []))
  const effective = effectiveGroups(plan)
  const operations: PlanOperation[] = []
  for (const step of plan.steps) {
    const group = effective.get(step.id) ?? null
    // What climbs would fall out of the group that it only inherited.
    if (isKept(step) && step.group === null && group !== null && step.parent !== null && gone.has(step.parent))
      operations.push({ type: 'setStep', id: step.id, fields: { group } })
  }
  if (gone.size > 0) operations.push({ type: 'removeSteps', steps: [...gone], subSteps: false })
  for (const id of empty) operations.push({ type: 'removeGroup', id })
  return changed(context, operations, [], () => cleanNags(gone.size, empty.length, unseen))
}
