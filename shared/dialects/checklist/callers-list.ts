import type { StepId } from '../../schema/ids.ts'
import type { Step } from '../../schema/plan.ts'
import type { CallContext, Refusal } from '../dialect.ts'
import { isPlaceKnown, resolvePlaces } from '../references.ts'
import { ownSteps, seenSteps } from '../seen.ts'
import { names } from './names.ts'

/** The list as a caller last saw it: what its call replaces. */
export interface CallersList {
  /** What `t1`, `t2`, ... mean, in order. */
  readonly places: readonly (StepId | undefined)[]
  /** The same list in the order in which a list that is numbered from 1 counts: as the caller wrote it, if it did. */
  readonly order: readonly (StepId | undefined)[]
  /** Steps that places mean although their contents were not seen: the caller named the version that it read. */
  readonly isNamed: (id: StepId) => boolean
  /** The steps that the caller has seen, each as it saw it, in the order in which it saw them. */
  readonly seen: ReadonlyMap<StepId, Step>
  /** What the caller gave in its last list that did not count. */
  readonly overruled: CallContext['overruled']
  /** Whether a step is the caller's own: it listed it before, or made it. */
  readonly isOwn: (id: StepId) => boolean
  /** What its last listing left out of its sight: leaving that out of a list says nothing. */
  readonly folded: ReadonlySet<StepId>
}

export function callersList(rev: number | undefined, context: CallContext): CallersList | Refusal {
  const seen = seenSteps(context)
  const folded = context.view?.folded ?? new Set<StepId>()
  const rest = { overruled: context.overruled, isOwn: ownSteps(context), folded }
  if (rev === undefined) {
    const places = placesKnown(context)
    return { places, order: context.lastList ?? places, isNamed: () => false, seen, ...rest }
  }
  const known = resolvePlaces([], rev, context, names)
  if ('refused' in known) return known
  const places = context.history.orderAt(rev, context.plan) ?? []
  const ordered = new Map<StepId, Step>()
  for (const id of [...places, ...seen.keys()]) {
    const step = seen.get(id)
    if (step !== undefined) ordered.set(id, step)
  }
  return { places, order: places, isNamed: (id) => isPlaceKnown(id, context), seen: ordered, ...rest }
}

/** The steps by the places at which the caller knows them: as it was told last, else as it saw them. */
function placesKnown({ view, places: told }: CallContext): (StepId | undefined)[] {
  const known = (view?.plan.steps ?? []).map(({ id }) =>
    told.has(id) || view?.unplaced.has(id) === true ? undefined : id,
  )
  for (const [id, place] of told) known[place - 1] = id
  // A place that was told may lie behind the view: what is between is not known.
  return Array.from(known)
}
