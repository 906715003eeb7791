/** An amount that many share, such as bytes of memory: each takes a part of it and gives it back. */
export class Allowance {
  readonly most: number
  #taken = 0

  constructor(most: number) {
    this.most = most
  }

  get taken(): number {
    return this.#taken
  }

  /** @returns false, and takes nothing, if there is not so much left */
  take(amount: number): boolean {
    if (this.#taken + amount > this.most) return false
    this.#taken += amount
    return true
  }

  give(amount: number): void {
    this.#taken -= amount
  }
}
