import type { ActivityEntry } from './api.ts'

/** Milliseconds between two changes of one actor that are still one piece of work. */
const BURST_MS = 60_000

/** Changes that one actor made in a row, the newest first. */
export interface Burst {
  readonly key: number
  readonly entries: readonly ActivityEntry[]
  /** What it did, in all. */
  readonly summary: string
  /** The latest reasons that were given, each once. */
  readonly reasons: readonly string[]
}

/** @param entries ascending. @returns the newest first */
export function burstsOf(entries: readonly ActivityEntry[]): Burst[] {
  const groups: ActivityEntry[][] = []
  for (const entry of entries) {
    const last = groups.at(-1)
    const before = last?.[0]
    const goesOn = before !== undefined && before.actor.id === entry.actor.id && entry.at - before.at < BURST_MS
    if (goesOn) last?.unshift(entry)
    else groups.push([entry])
  }
  return groups.toReversed().map((group) => {
    const reasons = [...new Set(group.map(({ reasoning }) => reasoning.trim()).filter(Boolean))]
    return { key: group.at(-1)?.version ?? 0, entries: group, summary: summarize(group), reasons: reasons.slice(0, 3) }
  })
}

function summarize(entries: readonly ActivityEntry[]): string {
  const [only] = entries
  if (entries.length === 1) return only?.summary ?? ''
  const counts = new Map<string, number>()
  for (const { summary } of entries)
    for (const [, verb = '', count = '1'] of summary.matchAll(/(?:^|; )([a-z-]+) (\d+) steps?(?=:)/g))
      counts.set(verb, (counts.get(verb) ?? 0) + Number(count))
  if (counts.size === 0) return `${entries.length} changes`
  const parts = [...counts].map(([verb, count]) => `${verb} ${count}`)
  const isOne = parts.length === 1 && [...counts.values()][0] === 1
  return parts.length > 1 ? parts.join(', ') : `${parts.join('')} ${isOne ? 'step' : 'steps'}`
}
