import type { ThreadId } from '../../shared/schema/ids.ts'
import type { Recollection } from './room.ts'

/** Threads, and steps over all of them, that are remembered while they are not loaded. */
const MAX_THREADS = 1_000
const MAX_STEPS = 200_000

/** What rooms knew when they were unloaded. The one that was unloaded first is forgotten first. */
export class Recollections {
  readonly #kept = new Map<ThreadId, { recollection: Recollection; weight: number }>()
  #weight = 0

  keep(thread: ThreadId, recollection: Recollection): void {
    this.forget(thread)
    const weight = recollection.views.weight + recollection.history.weight
    this.#kept.set(thread, { recollection, weight })
    this.#weight += weight
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_THREADS && this.#weight <= MAX_STEPS) break
      this.forget(oldest)
    }
  }

  /** What was kept of a thread; it is the taker's from now on. */
  take(thread: ThreadId): Recollection | null {
    const kept = this.#kept.get(thread)
    this.forget(thread)
    return kept?.recollection ?? null
  }

  forget(thread: ThreadId): void {
    this.#weight -= this.#kept.get(thread)?.weight ?? 0
    this.#kept.delete(thread)
  }
}
