import type { Plan } from '../plan/plan.ts'
import type { StepId } from '../schema/ids.ts'
import type { Step } from '../schema/plan.ts'
import type { CallContext, PrintedPart, View } from './dialect.ts'
import { lastSeen } from './seen.ts'

/** The ids of a set that are not in another. */
export function without(ids: ReadonlySet<StepId>, gone: ReadonlySet<StepId>): ReadonlySet<StepId> {
  if (ids.size === 0 || gone.size === 0) return ids
  return new Set([...ids].filter((id) => !gone.has(id)))
}

/** The view of an actor to whom a part of the plan was printed, with what it knew of the rest. */
export function partlySeen(
  { view, places }: Pick<CallContext, 'view' | 'places'>,
  version: number,
  plan: Plan,
  part: PrintedPart,
): View {
  const printed = new Set(part.printed)
  const unseen = new Set<StepId>()
  const unplaced = new Set<StepId>()
  const folded = new Set<StepId>()
  const later = new Map<StepId, Step>()
  for (const [position, step] of plan.steps.entries()) {
    const { id } = step
    const known = places.get(id) ?? (view?.unplaced.has(id) === true ? null : (view?.plan.placeOf(id) ?? null))
    const isPlaced = known === position + 1 || (part.places && printed.has(id))
    if (!isPlaced) unplaced.add(id)
    if (printed.has(id)) continue
    folded.add(id)
    const was = lastSeen(view, id)
    if (was === undefined) unseen.add(id)
    else if (was !== step) later.set(id, was)
  }
  return { version, plan, unseen, unplaced, folded, later }
}
