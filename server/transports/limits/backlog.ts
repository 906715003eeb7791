import { MAX_BUFFERED_SHARE_BYTES, MAX_BUFFERED_TOTAL_BYTES } from '../../../shared/schema/limits.ts'

/** Milliseconds, and bytes that were sent, after which what waits is added up anew. */
const COUNT_EVERY_MS = 50
const COUNT_EVERY_BYTES = 8 * 1024 * 1024

/** What waits for slow readers, over all connections: one of them may be far behind, all of them together may not. */
export class Backlog {
  readonly #readers = new Set<{ readonly buffered: number }>()
  readonly #most: number
  #countedAt = 0
  #sent = 0
  #total = 0

  /** @param most bytes */
  constructor(most = MAX_BUFFERED_TOTAL_BYTES) {
    this.#most = most
  }

  add(reader: { readonly buffered: number }): void {
    this.#readers.add(reader)
  }
  delete(reader: { readonly buffered: number }): void {
    this.#readers.delete(reader)
  }

  /** Bytes were handed to somebody's socket. */
  sent(bytes: number): void {
    this.#sent += bytes
  }

  /** Whether all together are too far behind. */
  get isOver(): boolean {
    const at = performance.now()
    if (this.#sent >= COUNT_EVERY_BYTES || at - this.#countedAt >= COUNT_EVERY_MS) {
      this.#countedAt = at
      this.#sent = 0
      this.#total = 0
      for (const { buffered } of this.#readers) this.#total += buffered
    }
    return this.#total > this.#most
  }

  /** Whether this one has to go, so that there is room for those who read. */
  isTooMuch(buffered: number): boolean {
    return buffered > MAX_BUFFERED_SHARE_BYTES && this.isOver
  }
}
