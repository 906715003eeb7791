import type { StepChange } from '../plan/changes.ts'
import type { StepId } from '../schema/ids.ts'
import type { CallContext } from './dialect.ts'
import { actorName, quoted, some } from './lines.ts'

/** Steps told of in one note. */
const MOST_TOLD = 5

/**
 * Which texts a call took away or rewrote that a person had written last, as far as the history reaches: it is done,
 * and told. null if there were none, or if it is a person who did it.
 */
export function changedFromPeople(changes: readonly StepChange[], { actor, history }: CallContext): string | null {
  if (actor.kind === 'human') return null
  const open = new Map<StepId, string>()
  for (const { id, before, after } of changes)
    if (before !== null && before.text !== after?.text) open.set(id, before.text)
  const told: string[] = []
  for (const entry of (history.since(history.start) ?? []).toReversed()) {
    if (open.size === 0) break
    for (const { id, before, after } of entry.changes) {
      const text = open.get(id)
      if (text === undefined || after?.text !== text || before?.text === text) continue
      open.delete(id)
      if (entry.actor.kind === 'human') told.push(`${quoted(text)} by ${actorName(entry.actor)}`)
    }
  }
  return told.length === 0 ? null : `this changed what people had written: ${some(told, MOST_TOLD)}`
}
