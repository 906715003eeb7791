import type { ThreadId } from '../../shared/schema/ids.ts'
import type { Recollection } from './room.ts'

/** What rooms knew when they were unloaded. */
export class Recollections {
  readonly #kept = new Map<ThreadId, Recollection>()

  keep(thread: ThreadId, recollection: Recollection): void {
    this.#kept.set(thread, recollection)
  }

  /** What was kept of a thread; it is the taker's from now on. */
  take(thread: ThreadId): Recollection | null {
    const kept = this.#kept.get(thread)
    this.forget(thread)
    return kept ?? null
  }

  forget(thread: ThreadId): void {
    this.#kept.delete(thread)
  }

  /** Bytes of a thread's, about; 0 if nothing was kept. */
  weightOf(thread: ThreadId): number {
    const kept = this.#kept.get(thread)
    return kept === undefined ? 0 : RECOLLECTION_BYTES + kept.views.weight + kept.history.weight
  }
}

/** Bytes that one takes which holds nothing, about. */
const RECOLLECTION_BYTES = 1_000
