/**
 * So much at a time, and so much a second in the long run. It belongs to one connection and goes with it, and answers at
 * once: limits that are looked up by a name, and outlive a connection, are in rates.ts.
 */
export class Bucket {
  readonly #most: number
  readonly #perMs: number
  readonly #now: () => number
  #left: number
  #at: number

  /** @param now milliseconds of a clock that only goes on */
  constructor(most: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#most = most
    this.#perMs = perSecond / 1_000
    this.#now = now
    this.#left = most
    this.#at = now()
  }

  /** How much there is. */
  get left(): number {
    return Math.min(this.#most, this.#left + (this.#now() - this.#at) * this.#perMs)
  }

  /** Takes out an amount, also when there is less. @returns whether there was so much */
  take(amount: number): boolean {
    const at = this.#now()
    this.#left = Math.min(this.#most, this.#left + (at - this.#at) * this.#perMs) - amount
    this.#at = at
    return this.#left >= 0
  }
}
