import { MAX_PARKED_BYTES } from '../../shared/schema/limits.ts'
import type { Session } from './session.ts'

/** Every one is judged again at each change, so there may not be many. */
const MAX_PARKED = 200

export interface ParkedUpdate {
  readonly session: Session
  readonly update: Uint8Array
}

/**
 * Updates that need something the room does not have yet. They wait outside the document: Yjs would apply the half of
 * them that it can, and the plan would show a past that never was.
 */
export class Parked {
  #updates: ParkedUpdate[] = []
  #bytes = 0

  get count(): number {
    return this.#updates.length
  }

  /** @returns false if too much waits already */
  add(session: Session, update: Uint8Array): boolean {
    if (this.#updates.length >= MAX_PARKED || this.#bytes + update.length > MAX_PARKED_BYTES) return false
    this.#updates.push({ session, update })
    this.#bytes += update.length
    return true
  }

  /** Offers each waiting update until a whole round takes none. `take` returns whether it is done with it. */
  drain(take: (parked: ParkedUpdate) => boolean): void {
    let before: number
    do {
      before = this.#updates.length
      // While one is taken others may be dropped, with the session that sent them.
      for (const parked of this.#updates)
        if (this.#updates.includes(parked) && take(parked)) this.#drop((one) => one === parked)
    } while (this.#updates.length > 0 && this.#updates.length < before)
  }

  /** A client that leaves still has what it sent, and brings it again. */
  leave(session: Session): void {
    this.#drop((one) => one.session === session)
  }

  #drop(isDone: (parked: ParkedUpdate) => boolean): void {
    this.#updates = this.#updates.filter((parked) => !isDone(parked))
    this.#bytes = this.#updates.reduce((sum, { update }) => sum + update.length, 0)
  }
}
