/** Why there is no seat: all are taken, or all that one name may have. */
export type NoSeat = 'all' | 'own'

/** How many may be there at a time: in all, and under one name. */
export class Seats {
  readonly #most: number
  readonly #each: number
  readonly #taken = new Map<string, number>()
  #count = 0

  constructor(most: number, each: number) {
    this.#most = most
    this.#each = each
  }

  get taken(): number {
    return this.#count
  }

  /** @param name null: counts only in all. @returns how to leave, once, or why there is no seat */
  take(name: string | null): (() => void) | NoSeat {
    const own = name === null ? 0 : (this.#taken.get(name) ?? 0)
    if (this.#count >= this.#most) return 'all'
    if (own >= this.#each) return 'own'
    this.#count++
    if (name !== null) this.#taken.set(name, own + 1)
    let isHere = true
    return () => {
      if (!isHere) return
      isHere = false
      this.#count--
      if (name === null) return
      const left = (this.#taken.get(name) ?? 1) - 1
      if (left === 0) this.#taken.delete(name)
      else this.#taken.set(name, left)
    }
  }
}
