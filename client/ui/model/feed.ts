import type { LivePlan } from '../../sdk/index.ts'
import { type ActivityEntry, ApiError, readActivity } from './api.ts'
import { recall, remember } from './identity.ts'
import { Store } from './store.ts'

/** Entries that are read at first, and at each look further back. */
const PAGE = 200
/** Entries that are kept at most, beside those that somebody went back to: the rest can be asked for again. */
const MOST = 2_000
/** Milliseconds between two questions: agents are fast, and one answer may tell of many changes. */
const PACE_MS = 400

export interface FeedState {
  /** Ascending. */
  readonly entries: readonly ActivityEntry[]
  readonly hasEarlier: boolean
  /** The version up to which it was looked at. */
  readonly seen: number
  readonly problem: string | null
  readonly isLoaded: boolean
}

type OnEntries = (entries: readonly ActivityEntry[]) => void

/** The log of a plan, asked for again whenever the server tells a new version. */
export class Feed extends Store<FeedState> {
  readonly #thread: string
  readonly #token: string | null
  readonly #onEntries: OnEntries
  readonly #stop: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #isAsking = false
  #wanted = 0
  #askedAt = 0
  #most = MOST

  constructor(live: LivePlan, thread: string, token: string | null, onEntries: OnEntries) {
    const seen = Number(recall(`planroom.seen.${thread}`) ?? -1)
    super({ entries: [], hasEarlier: false, seen, problem: null, isLoaded: false })
    this.#thread = thread
    this.#token = token
    this.#onEntries = onEntries
    this.#stop = live.subscribe((event) => {
      if (event.type === 'version') this.#want(event.version)
      if (event.type === 'status' && event.status.kind === 'online' && this.#wanted > 0) this.#want(this.#wanted)
    })
  }

  close(): void {
    this.#stop()
    clearTimeout(this.#timer)
  }

  markSeen(): void {
    const last = this.get().entries.at(-1)?.version ?? 0
    if (last <= this.get().seen) return
    remember(`planroom.seen.${this.#thread}`, String(last))
    this.patch({ seen: last })
  }

  async loadEarlier(): Promise<void> {
    const first = this.get().entries[0]?.version ?? 1
    const after = Math.max(0, first - 1 - PAGE)
    const { entries } = await readActivity(this.#token, this.#thread, after, first - 1 - after || 1)
    const earlier = entries.filter(({ version }) => version < first)
    this.#most += earlier.length
    this.patch({ entries: [...earlier, ...this.get().entries], hasEarlier: after > 0 && earlier.length > 0 })
  }

  #want(version: number): void {
    this.#wanted = Math.max(version, this.#wanted)
    if (this.#isAsking || this.#timer !== undefined) return
    this.#timer = setTimeout(() => void this.#ask(), Math.max(0, this.#askedAt + PACE_MS - Date.now()))
  }

  async #ask(): Promise<void> {
    this.#timer = undefined
    this.#isAsking = true
    this.#askedAt = Date.now()
    const known = this.get().entries.at(-1)?.version
    const after = known ?? Math.max(0, this.#wanted - PAGE)
    try {
      const { entries } = await readActivity(this.#token, this.#thread, after, 500)
      const first = known === undefined ? { hasEarlier: after > 0, seen: this.#firstSeen(entries) } : {}
      const all = [...this.get().entries, ...entries]
      const dropped = all.length > this.#most ? { hasEarlier: true } : {}
      this.patch({ entries: all.slice(-this.#most), problem: null, isLoaded: true, ...first, ...dropped })
      this.#onEntries(entries)
      this.#isAsking = false
      if ((this.get().entries.at(-1)?.version ?? 0) < this.#wanted && entries.length > 0) this.#want(this.#wanted)
    } catch (error) {
      this.#isAsking = false
      // A plan that nobody has written in yet has no log.
      if (error instanceof ApiError && error.status === 404 && this.#wanted === 0) return this.patch({ isLoaded: true })
      this.patch({ problem: error instanceof Error ? error.message : String(error), isLoaded: true })
    }
  }

  /** Whoever opens a plan for the first time has missed nothing. */
  #firstSeen(entries: readonly ActivityEntry[]): number {
    const { seen } = this.get()
    if (seen >= 0) return seen
    const last = entries.at(-1)?.version ?? 0
    remember(`planroom.seen.${this.#thread}`, String(last))
    return last
  }
}
