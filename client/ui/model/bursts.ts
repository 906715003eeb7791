import type { ActivityEntry } from './api.ts'

/** Milliseconds between two changes of one actor that are still one piece of work, and that such a piece may last. */
const GAP_MS = 120_000
const SPAN_MS = 600_000
/** Single changes that an open entry shows. */
const RECENT = 200
const REASONS = 3

/** What one actor did within some minutes, whatever others did in between. */
export interface Burst {
  /** Its first version. */
  readonly key: number
  readonly latest: ActivityEntry
  readonly count: number
  /** The latest changes, the newest first. */
  readonly recent: readonly ActivityEntry[]
  /** What was done, in all. */
  readonly summary: string
  /** The latest reasons that were given, each once. */
  readonly reasons: readonly string[]
}

/** A burst that may go on. */
interface Growing {
  readonly startedAt: number
  readonly counts: Map<string, number>
  burst: Burst
}

/** The bursts of a log that grows at its end: what one more change costs does not grow with the log. */
export class BurstList {
  readonly #isWanted: (entry: ActivityEntry) => boolean
  /** By actor. */
  #growing = new Map<string, Growing>()
  /** The newest first, by their latest change. */
  #bursts: readonly Burst[] = []
  readonly #names = new Set<string>()
  #allNames: readonly string[] = []
  #first = Infinity
  #last = -1

  constructor(isWanted: (entry: ActivityEntry) => boolean = () => true) {
    this.#isWanted = isWanted
  }

  /** Who is in the log, wanted or not; the same list until somebody is new. */
  get names(): readonly string[] {
    return this.#allNames
  }

  /** @param entries the log, ascending; what it had at its beginning may be gone, or more may be there. @returns the newest first */
  update(entries: readonly ActivityEntry[]): readonly Burst[] {
    const first = entries[0]?.version ?? Infinity
    if (first < this.#first) this.#begin()
    let from = entries.length
    while (from > 0 && (entries[from - 1]?.version ?? 0) > this.#last) from--
    if (from < entries.length) this.#append(entries.slice(from))
    if (first > this.#first && first !== Infinity) this.#bursts = this.#bursts.filter(({ latest }) => latest.version >= first) // prettier-ignore
    this.#first = first
    return this.#bursts
  }

  #begin(): void {
    this.#growing = new Map()
    this.#bursts = []
    this.#last = -1
  }

  #append(entries: readonly ActivityEntry[]): void {
    const touched = new Set<number>()
    const fresh: Burst[] = []
    const known = this.#names.size
    for (const entry of entries) {
      this.#last = entry.version
      this.#names.add(nameOf(entry))
      if (!this.#isWanted(entry)) continue
      const { burst } = this.#grow(entry)
      if (touched.has(burst.key)) fresh.splice(fresh.findIndex(({ key }) => key === burst.key), 1) // prettier-ignore
      touched.add(burst.key)
      fresh.push(burst)
    }
    if (this.#names.size > known) this.#allNames = [...this.#names].sort()
    if (fresh.length > 0) this.#bursts = [...fresh.toReversed(), ...this.#bursts.filter(({ key }) => !touched.has(key))]
  }

  #grow(entry: ActivityEntry): Growing {
    const { actor, at, version, summary, reasoning } = entry
    const before = this.#growing.get(actor.id)
    const goesOn = before !== undefined && at - before.burst.latest.at < GAP_MS && at - before.startedAt < SPAN_MS
    const was = goesOn ? before.burst : null
    const counts = goesOn ? before.counts : new Map<string, number>()
    for (const [, verb = '', count = '1'] of summary.matchAll(/(?:^|; )([a-z-]+) (\d+) steps?(?=:)/g))
      counts.set(verb, (counts.get(verb) ?? 0) + Number(count))
    const reason = reasoning.trim()
    const others = was?.reasons.filter((one) => one !== reason) ?? []
    const count = (was?.count ?? 0) + 1
    const burst: Burst = {
      key: was?.key ?? version,
      latest: entry,
      count,
      recent: [entry, ...(was?.recent ?? [])].slice(0, RECENT),
      summary: count === 1 ? summary : summarize(counts, count),
      reasons: reason === '' ? others : [reason, ...others].slice(0, REASONS),
    }
    const growing = { startedAt: goesOn ? before.startedAt : at, counts, burst }
    this.#growing.set(actor.id, growing)
    return growing
  }
}

export const nameOf = ({ actor }: ActivityEntry): string => actor.name || actor.id

function summarize(counts: ReadonlyMap<string, number>, count: number): string {
  if (counts.size === 0) return `${count} changes`
  const parts = [...counts].map(([verb, steps]) => `${verb} ${steps}`)
  const isOne = parts.length === 1 && [...counts.values()][0] === 1
  return parts.length > 1 ? parts.join(', ') : `${parts.join('')} ${isOne ? 'step' : 'steps'}`
}
