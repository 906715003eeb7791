import type { StepId } from '../../schema/ids.ts'
import type { Status, Step } from '../../schema/plan.ts'
import type { CallContext } from '../dialect.ts'
import { hasLooked, seenAmong } from '../seen.ts'

/**
 * The statuses that the caller last saw or set, in one pass over the history. It flips what it saw: two agents that both
 * tick an open step mean the same thing. What was only counted before it is taken for open, so that nothing is opened
 * again unseen.
 */
export function statusesSeen(ids: readonly StepId[], context: CallContext): (step: Step) => Status {
  if (!hasLooked(context)) {
    const written = statusesWritten(ids, context)
    return (step) => written.get(step.id) ?? step.status
  }
  const seen = seenAmong(ids, context)
  const isAlone = !context.history.isShared(context.actor, context.plan)
  return (step) => seen.get(step.id)?.status ?? (isAlone ? step.status : 'pending')
}

/** What an actor that never looked set itself, as far as the history reaches. */
function statusesWritten(ids: readonly StepId[], { history, actor }: CallContext): ReadonlyMap<StepId, Status> {
  const open = new Set(ids)
  const written = new Map<StepId, Status>()
  for (const entry of (history.since(history.start) ?? []).toReversed()) {
    if (open.size === 0) break
    if (entry.actor.id !== actor.id) continue
    for (const { id, before, after } of entry.changes) {
      if (before?.status === after?.status || !open.delete(id)) continue
      if (after !== null) written.set(id, after.status)
    }
  }
  return written
}
