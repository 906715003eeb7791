import type { DependencyTarget } from '../../../shared/schema/plan.ts'
import type { Plan, Step } from '../../sdk/index.ts'
import { plain } from './bidi.ts'
import { isFinished } from './statuses.ts'

/** What a step waits for as an operation says it. */
export const targetsOf = (dependencies: Step['dependencies']): DependencyTarget[] =>
  dependencies.map((one) => ('step' in one ? { step: one.step } : { name: one.name }))

/** What a step waits for itself and what is not finished, as it is called. */
function openOf(plan: Plan, { dependencies, status }: Step): string[] {
  if (dependencies.length === 0 || isFinished(status)) return []
  return dependencies.flatMap((one) => {
    if ('name' in one) return [one.name]
    const step = plan.step(one.step)
    return step === undefined || isFinished(step.status) ? [] : [step.number === null ? step.text : `#${step.number}`]
  })
}

/** The same in a few words. */
export function waitsOf(plan: Plan, step: Step): string {
  const open = openOf(plan, step)
  return plain(open.length > 3 ? `${open.slice(0, 3).join(' ')} +${open.length - 3}` : open.join(' '))
}

/** Whether it has to wait: itself, or what it belongs to. */
export function isWaiting(plan: Plan, step: Step): boolean {
  if (isFinished(step.status)) return false
  for (let at: Step | undefined = step; at !== undefined; at = at.parent === null ? undefined : plan.step(at.parent))
    if (openOf(plan, at).length > 0) return true
  return false
}

/** Whether somebody could start it now. A step that has others below it is done by doing those. */
export function isReady(plan: Plan, step: Step): boolean {
  const at = plan.places.of(step.id)
  return step.status === 'pending' && plan.places.end(at) === at + 1 && !isWaiting(plan, step)
}
