import type { StepId } from '../schema/ids.ts'
import type { Step } from '../schema/plan.ts'
import type { View } from './dialect.ts'

/** A step as this actor last saw it: as it was printed to it, or as it wrote it; undefined if it never did. */
export function lastSeen(view: View | null, id: StepId): Step | undefined {
  return view?.later.get(id) ?? (view?.unseen.has(id) === true ? undefined : view?.plan.step(id))
}

/** A step as an actor knows it that changed it: only what it wrote itself is new to it, the rest may be others' news. */
export function withWritten(seen: Step | undefined, before: Step | null, after: Step): Step {
  if (seen === undefined || before === null) return after
  const written = Object.entries(after).filter(([key, value]) => value !== before[key as keyof Step])
  return { ...seen, ...Object.fromEntries(written) }
}
