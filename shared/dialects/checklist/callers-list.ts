import type { StepId } from '../../schema/ids.ts'
import type { Step } from '../../schema/plan.ts'
import type { CallContext, Refusal } from '../dialect.ts'
import { resolvePlaces } from '../references.ts'
import { lastSeen, withWritten } from '../seen.ts'
import { names } from './names.ts'

/** The list as a caller last saw it: what its call replaces. */
export interface CallersList {
  /** What `t1`, `t2`, ... mean, in order. */
  readonly places: readonly StepId[]
  /** The caller named the version that it read, so places mean what they say even where it saw no contents. */
  readonly isNamed: boolean
  /** The steps that the caller has seen, each as it saw it, in the order in which it saw them. */
  readonly seen: ReadonlyMap<StepId, Step>
}

export function callersList(rev: number | undefined, context: CallContext): CallersList | Refusal {
  const seen = seenSteps(context)
  const shown = context.view?.plan.steps.map((step) => step.id) ?? []
  if (rev === undefined) return { places: shown, isNamed: false, seen }
  const known = resolvePlaces([], rev, context, names)
  if ('refused' in known) return known
  const places = context.history.orderAt(rev, context.plan) ?? []
  const ordered = new Map<StepId, Step>()
  for (const id of [...places, ...seen.keys()]) {
    const step = seen.get(id)
    if (step !== undefined) ordered.set(id, step)
  }
  return { places, isNamed: true, seen: ordered }
}

/** What was printed to this actor, and what it wrote since. */
function seenSteps({ view, history, actor }: CallContext): Map<StepId, Step> {
  const seen = new Map<StepId, Step>()
  if (view === null) return seen
  for (const id of [...view.plan.steps.map((step) => step.id), ...view.later.keys()]) {
    const step = lastSeen(view, id)
    if (step !== undefined) seen.set(id, step)
  }
  for (const entry of history.since(view.version) ?? []) {
    if (entry.actor.id !== actor.id) continue
    for (const { id, before, after } of entry.changes) {
      const known = seen.get(id)
      if (after === null) seen.delete(id)
      else if (before === null || known !== undefined) seen.set(id, withWritten(known, before, after))
    }
  }
  return seen
}
