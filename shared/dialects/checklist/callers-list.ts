import type { StepId } from '../../schema/ids.ts'
import type { Step } from '../../schema/plan.ts'
import type { CallContext, Refusal } from '../dialect.ts'
import { resolvePlaces } from '../references.ts'
import { seenSteps, stepsMade } from '../seen.ts'
import { names } from './names.ts'

/** The list as a caller last saw it: what its call replaces. */
export interface CallersList {
  /** What `t1`, `t2`, ... mean, in order. */
  readonly places: readonly StepId[]
  /** The same list in the order in which a list that is numbered from 1 counts: as the caller wrote it, if it did. */
  readonly order: readonly StepId[]
  /** The caller named the version that it read, so places mean what they say even where it saw no contents. */
  readonly isNamed: boolean
  /** The steps that the caller has seen, each as it saw it, in the order in which it saw them. */
  readonly seen: ReadonlyMap<StepId, Step>
  /** What the caller gave in its last list that did not count. */
  readonly overruled: CallContext['overruled']
  /** Whether a step is the caller's own: it listed it before, or made it. */
  readonly isOwn: (id: StepId) => boolean
}

export function callersList(rev: number | undefined, context: CallContext): CallersList | Refusal {
  const seen = seenSteps(context)
  const rest = { overruled: context.overruled, isOwn: ownSteps(context) }
  const shown = context.view?.plan.steps.map((step) => step.id) ?? []
  if (rev === undefined) return { places: shown, order: context.lastList ?? shown, isNamed: false, seen, ...rest }
  const known = resolvePlaces([], rev, context, names)
  if ('refused' in known) return known
  const places = context.history.orderAt(rev, context.plan) ?? []
  const ordered = new Map<StepId, Step>()
  for (const id of [...places, ...seen.keys()]) {
    const step = seen.get(id)
    if (step !== undefined) ordered.set(id, step)
  }
  return { places, order: places, isNamed: true, seen: ordered, ...rest }
}

/** What it listed before, or made; all of it where nobody else has a part in the plan. */
function ownSteps(context: CallContext): (id: StepId) => boolean {
  const { listed, history, plan, actor } = context
  if (!history.isShared(actor, plan)) return () => true
  const isMade = stepsMade(context)
  return (id) => listed.has(id) || isMade(id)
}
