import type { ThreadId } from '../../shared/schema/ids.ts'

/** The part of the budget that is in use after it was exceeded: not every change shall have to make room. */
const REST = 7 / 8

/**
 * What is kept of threads in memory though nobody needs it just now: histories, views, plans without a user. All threads
 * share one budget; the one that was used least recently gives first.
 */
export class Kept {
  readonly #most: number
  readonly #giveUp: (thread: ThreadId) => number
  /** By thread, the one that was used last standing last. */
  readonly #bytes = new Map<ThreadId, number>()
  #total = 0

  /**
   * @param most bytes
   * @param giveUp gives up some of what is kept of a thread. It returns how many bytes are left: as many as before if
   *   there is nothing to give up
   */
  constructor(most: number, giveUp: (thread: ThreadId) => number) {
    this.#most = most
    this.#giveUp = giveUp
  }

  get total(): number {
    return this.#total
  }

  /** A thread is used, and so much is kept of it now. */
  used(thread: ThreadId, bytes: number): void {
    const before = this.#bytes.get(thread) ?? 0
    this.#bytes.delete(thread)
    this.#put(thread, before, bytes)
    if (this.#total > this.#most) this.#makeRoom()
  }

  /** Nothing is kept of a thread any more. */
  delete(thread: ThreadId): void {
    this.#put(thread, this.#bytes.get(thread) ?? 0, 0)
  }

  #put(thread: ThreadId, before: number, after: number): void {
    this.#total += after - before
    if (after === 0) this.#bytes.delete(thread)
    else this.#bytes.set(thread, after)
  }

  #makeRoom(): void {
    for (const [thread, bytes] of this.#bytes) {
      for (let before = bytes; this.#total > this.#most * REST;) {
        const after = this.#giveUp(thread)
        this.#put(thread, before, after)
        if (after >= before || after === 0) break
        before = after
      }
    }
  }
}
