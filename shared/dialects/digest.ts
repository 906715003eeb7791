import type { StepId } from '../schema/ids.ts'
import type { Status } from '../schema/plan.ts'
import type { StepChange } from '../plan/changes.ts'
import type { FormerText } from '../plan/former-texts.ts'
import type { HistoryEntry } from '../plan/history.ts'
import type { Plan } from '../plan/plan.ts'
import type { Dialect } from './dialect.ts'
import { actorName, count, cut, oneLine, some } from './lines.ts'
import { outrunClause, OwnWords } from './own-words.ts'

/** Steps named in one digest; the rest is counted, so that news of a large change stays short. */
const MOST_NAMED = 20

const STATUS_VERBS: Readonly<Record<Status, string>> = {
  pending: 're-opened',
  in_progress: 'started',
  completed: 'completed',
  cancelled: 'cancelled',
  blocked: 'blocked',
}

/** What was done to a step, as verbs in the past; none for what only the server gives. */
export function verbs({ before, after, moved, regrouped }: StepChange): string[] {
  if (before === null) return ['added']
  if (after === null) return ['removed']
  const found: string[] = []
  if (before.text !== after.text) found.push('renamed')
  if (before.status !== after.status) found.push(STATUS_VERBS[after.status])
  if (moved || regrouped) found.push('moved')
  if (
    before.details !== after.details ||
    before.required !== after.required ||
    before.dependencies !== after.dependencies
  )
    found.push('changed')
  if (before.claim?.holder !== after.claim?.holder) found.push(after.claim === null ? 'released' : 'claimed')
  return found
}

const STATUS_VERB: ReadonlySet<string> = new Set(Object.values(STATUS_VERBS))

type Names = Pick<Dialect, 'nameStep' | 'nameRemoved'>

/**
 * What others did, in the dialect of the reader: `agent-a renamed #3; agent-b completed #5`.
 * @param tell what of a change to tell of
 * @param options.said what the reply says already: the same news is not told twice
 * @param options.earlier what is known of before `entries`: what others reword of the reader's own is told with its words
 * @returns null if nobody but the reader did anything that shows
 */
export function digest(
  entries: readonly HistoryEntry[],
  reader: string,
  plan: Plan,
  names: Names,
  tell: (change: StepChange) => readonly string[] = verbs,
  { said = '', earlier = [] }: { readonly said?: string; readonly earlier?: readonly HistoryEntry[] } = {},
): string | null {
  const words = new OwnWords(reader, earlier)
  /** For each actor, what was done, and the steps by their names. */
  const deeds = new Map<string, { who: string; byVerb: Map<string, Map<StepId, string>> }>()
  const brought = new Set<StepId>()
  const gone = new Set<StepId>()
  const gaveWay: string[] = []
  for (const entry of entries) {
    const { actor, changes } = entry
    const isOwn = actor.id === reader
    if (isOwn) gaveWay.push(...entry.outrun.map((text) => outrunClause(text, words.writer(entry, text), plan, names)))
    for (const change of changes) {
      const { id, before, after } = change
      const isBack = before === null && gone.has(id)
      if (after === null) gone.add(id)
      if (isOwn) continue
      if (before === null && !isBack) brought.add(id)
      const lives = plan.step(id) !== undefined
      // What others brought and took away while the reader was away is no news, nor is what came of it in between.
      if (lives ? after === null : after !== null || brought.has(id)) continue
      const { byVerb } = getOrSet(deeds, actor.id, () => ({
        who: actorName(actor),
        byVerb: new Map<string, Map<StepId, string>>(),
      }))
      const name = lives ? names.nameStep(plan, id) : names.nameRemoved(change)
      for (const verb of isBack ? ['restored'] : tell(change)) {
        // Of several statuses in a row the last one counts.
        if (STATUS_VERB.has(verb)) for (const other of STATUS_VERB) byVerb.get(other)?.delete(id)
        const own = lives ? words.replacedBy(entry, change, verb, plan) : ''
        const steps = getOrSet(byVerb, verb, () => new Map<StepId, string>())
        // What was replaced by others again is the reader's own words all the same.
        if (own !== '' || !steps.has(id)) steps.set(id, name + own)
      }
    }
  }
  let left = MOST_NAMED
  const clauses = [...deeds.values()].flatMap(({ who, byVerb }) =>
    [...byVerb].flatMap(([verb, steps]) => {
      if (steps.size === 0) return []
      const whole = `${who} ${verb} ${some([...steps.values()], MOST_NAMED)}`
      if (said.includes(`${whole}.`) || said.includes(`${whole};`)) return []
      const clause = `${who} ${verb} ${left === 0 ? count(steps.size, 'step') : some([...steps.values()], left)}`
      left = Math.max(0, left - steps.size)
      return [clause]
    }),
  )
  clauses.push(...gaveWay.slice(0, MOST_NAMED))
  return clauses.length === 0 ? null : clauses.join('; ')
}

function getOrSet<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = make()))
  return value
}

/** One line for the log: what a change did, whoever made it. @param outrun what it brought and what does not show */
export function summarize(changes: readonly StepChange[], outrun: readonly FormerText[] = []): string {
  const byVerb = new Map<string, string[]>()
  for (const change of changes) {
    const text = (change.after ?? change.before)?.text ?? ''
    for (const verb of verbs(change)) getOrSet(byVerb, verb, () => []).push(text)
  }
  const deeds = [...byVerb].map(
    ([verb, texts]) => `${verb} ${count(texts.length, 'step')}: ${some(texts.map(short), 3)}`,
  )
  const vain = outrun.map(({ text }) => short(text))
  if (vain.length > 0) deeds.push(`brought ${count(vain.length, 'text')} that gave way: ${some(vain, 3)}`)
  return deeds.length === 0 ? 'changed the plan' : deeds.join('; ')
}

const short = (text: string): string => cut(oneLine(text), 60)
