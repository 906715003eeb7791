import type { StepId } from '../schema/ids.ts'
import type { Step } from '../schema/plan.ts'
import type { View } from './dialect.ts'

/** A step as this actor last saw it: as it was printed to it, or as it wrote it; undefined if it never did. */
export function lastSeen(view: View | null, id: StepId): Step | undefined {
  return view?.plan.step(id)
}
