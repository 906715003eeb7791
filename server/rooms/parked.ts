import { MAX_PARKED_BYTES, MAX_PARKED_UPDATES, MAX_UPDATE_STEPS } from '../../shared/schema/limits.ts'
import type { Allowance } from './allowance.ts'
import type { Session } from './session.ts'
import type { Missing } from './validate-update.ts'

export interface ParkedUpdate {
  readonly session: Session
  readonly update: Uint8Array
  /** What it waits for, and what judging it costs. */
  readonly missing: Missing
}

/**
 * Updates that need something the room does not have yet. They wait outside the document: Yjs would apply the half of
 * them that it can, and the plan would show a past that never was.
 */
export class Parked {
  readonly #allowance: Allowance
  #updates: ParkedUpdate[] = []
  #bytes = 0
  #steps = 0

  /** @param allowance bytes that the parked updates of all rooms share */
  constructor(allowance: Allowance) {
    this.#allowance = allowance
  }

  get count(): number {
    return this.#updates.length
  }

  /** @returns false if too much waits already */
  add(parked: ParkedUpdate): boolean {
    const { update, missing } = parked
    if (this.#updates.length >= MAX_PARKED_UPDATES || this.#bytes + update.length > MAX_PARKED_BYTES) return false
    // All of them together may cost as much as one update may: they are judged anew when something arrives.
    if (this.#steps + missing.steps > MAX_UPDATE_STEPS || !this.#allowance.take(update.length)) return false
    this.#updates.push(parked)
    this.#count()
    return true
  }

  /**
   * Offers each update whose missing part has arrived, until a whole round takes none.
   * @param has whether something has arrived
   * @param take returns null when it is done with the update, or what else is missing
   */
  drain(has: (missing: Missing) => boolean, take: (parked: ParkedUpdate) => Missing | null): void {
    let goesOn = true
    while (goesOn) {
      goesOn = false
      for (const parked of this.#updates.filter(({ missing }) => has(missing))) {
        // While one is taken others may be dropped, with the session that sent them.
        if (!this.#updates.includes(parked)) continue
        goesOn = true
        const missing = take(parked)
        if (missing === null) this.#drop((one) => one === parked)
        else this.#updates = this.#updates.map((one) => (one === parked ? { ...one, missing } : one))
      }
    }
    this.#count()
  }

  /** A client that leaves still has what it sent, and brings it again. */
  leave(session: Session): void {
    this.#drop((one) => one.session === session)
  }

  /** Nothing waits any more. */
  clear(): void {
    this.#drop(() => true)
  }

  #drop(isDone: (parked: ParkedUpdate) => boolean): void {
    const kept = this.#updates.filter((parked) => !isDone(parked))
    const before = this.#bytes
    this.#updates = kept
    this.#count()
    this.#allowance.give(before - this.#bytes)
  }

  #count(): void {
    this.#bytes = this.#updates.reduce((sum, { update }) => sum + update.length, 0)
    this.#steps = this.#updates.reduce((sum, { missing }) => sum + missing.steps, 0)
  }
}
