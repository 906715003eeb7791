import type { StepId } from '../schema/ids.ts'
import type { Plan } from './plan.ts'

/** Everything that waits for a step, directly or through others: its ancestors too, for they end after their sub-steps. */
export function dependentsOf(id: StepId, plan: Plan): ReadonlySet<StepId> {
  const waiters = new Map<StepId, StepId[]>()
  const add = (on: StepId, waiter: StepId): void => {
    const known = waiters.get(on)
    if (known === undefined) waiters.set(on, [waiter])
    else known.push(waiter)
  }
  for (const step of plan.steps) {
    for (const dependency of step.dependencies) if ('step' in dependency) add(dependency.step, step.id)
    if (step.parent !== null) add(step.id, step.parent)
  }
  const found = new Set<StepId>()
  const stack = [id]
  for (let at = stack.pop(); at !== undefined; at = stack.pop())
    for (const waiter of waiters.get(at) ?? [])
      if (!found.has(waiter)) {
        found.add(waiter)
        stack.push(waiter)
      }
  return found
}
