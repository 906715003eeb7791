import type { ThreadId } from '../../shared/schema/ids.ts'
import type { ThreadDamaged } from './errors.ts'

/**
 * Milliseconds that a thread counts as damaged once it was found to be: it need not be read again for everybody who comes,
 * and is found mended soon after it was.
 */
const DAMAGED_MS = 30_000
/** Threads that are remembered as damaged. */
const MAX_DAMAGED = 1_000

/** Threads whose stored plan cannot be read: they are left alone, and the others go on. */
export class Quarantine {
  readonly #now: () => number
  readonly #damaged = new Map<ThreadId, { readonly error: ThreadDamaged; readonly until: number }>()

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now
  }

  /** @throws ThreadDamaged if the thread was found to be so a short while ago */
  assertWhole(thread: ThreadId): void {
    const damaged = this.#damaged.get(thread)
    if (damaged !== undefined && this.#now() < damaged.until) throw damaged.error
    this.#damaged.delete(thread)
  }

  add(thread: ThreadId, error: ThreadDamaged): void {
    for (const oldest of this.#damaged.keys()) if (this.#damaged.size >= MAX_DAMAGED) this.#damaged.delete(oldest)
    this.#damaged.set(thread, { error, until: this.#now() + DAMAGED_MS })
  }

  forget(thread: ThreadId): void {
    this.#damaged.delete(thread)
  }
}
