import type { Step } from '../../schema/plan.ts'
import type { CallContext, Refusal } from '../dialect.ts'
import { findStep } from './find-step.ts'
import type { Narrowing } from './narrowing.ts'
import { isSaid } from './narrowing.ts'

/**
 * The steps that a listing is of, out of all in its order.
 * @param statusOf a step's status in the words of the dialect
 * @returns a refusal if `parent` names no step
 */
export function narrowed(
  steps: readonly Step[],
  { parent, status, query }: Narrowing,
  context: CallContext,
  statusOf: (step: Step) => string,
  nameOf: (step: Step) => string,
): readonly Step[] | Refusal {
  let left = steps
  if (isSaid(parent)) {
    const found = findStep(parent ?? '', context, nameOf)
    if ('refused' in found) return found
    const below = new Set(context.plan.subtree(found.id))
    left = left.filter((step) => below.has(step))
  }
  if (status !== undefined) left = left.filter((step) => statusOf(step) === status)
  const words = query?.trim().toLowerCase() ?? ''
  return words === '' ? left : left.filter(({ text, details }) => `${text}\n${details}`.toLowerCase().includes(words))
}
