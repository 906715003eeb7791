import type { Identity } from './claims.ts'

/** Why something that was allowed is over. */
export type Ending = 'expired' | 'revoked'

/** The longest that a timer can wait is 24.8 days: longer ones would ring at once. */
const MAX_TIMER_MS = 24 * 60 * 60 * 1_000

interface Lease {
  readonly identity: Identity
  readonly end: (ending: Ending) => void
  timer: NodeJS.Timeout | undefined
}

/** Whatever lasts longer than a request, such as a socket: ended when its token expires or is revoked. */
export class Leases {
  readonly #now: () => number
  readonly #isRevoked: (identity: Identity) => boolean
  readonly #leases = new Set<Lease>()

  constructor(now: () => number, isRevoked: (identity: Identity) => boolean) {
    this.#now = now
    this.#isRevoked = isRevoked
  }

  get size(): number {
    return this.#leases.size
  }

  /**
   * Calls `end` once when the token is over, at once if it is so already; it must not throw.
   * @returns how to give the lease back
   */
  hold(identity: Identity, end: (ending: Ending) => void): () => void {
    const lease: Lease = { identity, end, timer: undefined }
    if (this.#isRevoked(identity)) {
      end('revoked')
      return () => {}
    }
    this.#leases.add(lease)
    this.#wait(lease)
    return () => this.#drop(lease)
  }

  /** Ends what has been revoked. @returns how many that were */
  sweep(): number {
    const revoked = [...this.#leases].filter(({ identity }) => this.#isRevoked(identity))
    for (const lease of revoked) this.#end(lease, 'revoked')
    return revoked.length
  }

  #wait(lease: Lease): void {
    const left = lease.identity.expiresAt - this.#now()
    if (left <= 0) return this.#end(lease, 'expired')
    if (left === Infinity) return
    lease.timer = setTimeout(() => this.#wait(lease), Math.min(left, MAX_TIMER_MS))
    lease.timer.unref()
  }

  #end(lease: Lease, ending: Ending): void {
    this.#drop(lease)
    lease.end(ending)
  }

  #drop(lease: Lease): void {
    clearTimeout(lease.timer)
    this.#leases.delete(lease)
  }
}
