import type { StepId } from '../schema/ids.ts'
import type { Status } from '../schema/plan.ts'
import type { StepChange } from '../plan/changes.ts'
import type { HistoryEntry } from '../plan/history.ts'
import type { Plan } from '../plan/plan.ts'
import type { Dialect } from './dialect.ts'
import { actorName, count, oneLine, some } from './lines.ts'

/** Steps named in one clause of a digest; the rest is counted. */
const MOST_NAMED = 10

const STATUS_VERBS: Readonly<Record<Status, string>> = {
  pending: 're-opened',
  in_progress: 'started',
  completed: 'completed',
  cancelled: 'cancelled',
  blocked: 'blocked',
}

/** What was done to a step, as verbs in the past; none for what only the server gives. */
export function verbs({ before, after, moved }: StepChange): string[] {
  if (before === null) return ['added']
  if (after === null) return ['removed']
  const found: string[] = []
  if (before.text !== after.text) found.push('renamed')
  if (before.status !== after.status) found.push(STATUS_VERBS[after.status])
  if (moved || before.group !== after.group) found.push('moved')
  if (before.details !== after.details || before.required !== after.required || before.dependencies !== after.dependencies)
    found.push('changed')
  if (before.claim?.holder !== after.claim?.holder) found.push(after.claim === null ? 'released' : 'claimed')
  return found
}

type Names = Pick<Dialect, 'nameStep' | 'nameRemoved'>

/**
 * What others did, in the dialect of the reader: `agent-a renamed #3; agent-b completed #5`.
 * @returns null if nobody but the reader did anything that shows
 */
export function digest(entries: readonly HistoryEntry[], reader: string, plan: Plan, names: Names): string | null {
  const clauses = new Map<string, { lead: string; steps: Map<StepId, string> }>()
  const news = new Set<StepId>()
  for (const { actor, changes } of entries) {
    for (const change of changes) if (change.before === null) news.add(change.id)
    if (actor.id === reader) continue
    for (const change of changes) {
      const living = plan.step(change.id) !== undefined
      // What came and went while the reader was away is no news.
      if (!living && (change.after !== null || news.has(change.id))) continue
      const name = living ? names.nameStep(plan, change.id) : names.nameRemoved(change)
      for (const verb of verbs(change)) {
        const lead = `${actorName(actor)} ${verb}`
        const key = `${actor.id}\n${verb}`
        const clause = clauses.get(key) ?? { lead, steps: new Map<StepId, string>() }
        clause.steps.set(change.id, name)
        clauses.set(key, clause)
      }
    }
  }
  if (clauses.size === 0) return null
  return [...clauses.values()].map(({ lead, steps }) => `${lead} ${some([...steps.values()], MOST_NAMED)}`).join('; ')
}

/** One line for the log: what a change did, whoever made it. */
export function summarize(changes: readonly StepChange[]): string {
  const byVerb = new Map<string, string[]>()
  for (const change of changes) {
    const text = (change.after ?? change.before)?.text ?? ''
    for (const verb of verbs(change)) {
      const texts = byVerb.get(verb)
      if (texts === undefined) byVerb.set(verb, [text])
      else texts.push(text)
    }
  }
  if (byVerb.size === 0) return 'changed the plan'
  return [...byVerb]
    .map(([verb, texts]) => `${verb} ${count(texts.length, 'step')}: ${some(texts.slice(0, 4).map(short), 3)}${texts.length > 4 ? ' …' : ''}`)
    .join('; ')
}

const short = (text: string): string => {
  const line = oneLine(text)
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
