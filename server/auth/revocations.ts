import type { Identity } from './claims.ts'

/** Takes back all tokens that a subject was given until then, or the one with an id. */
export interface Revocation {
  readonly kind: 'subject' | 'token'
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** When everything that it takes back has expired, and it can be forgotten. */
  readonly until: number
}

/** Where revocations are kept. Every method may reject with an Error when the disk fails. */
export interface RevocationStore {
  /** Resolves when it is on disk. Of several for one subject or token the latest times count. */
  revoke(revocation: Revocation): Promise<void>
  /** Those that must not be forgotten yet at `now`; older ones are dropped. */
  revocations(now: number): Promise<Revocation[]>
}

/** What was revoked: in memory, because every request asks, and on disk, because it holds over restarts. */
export class Revocations {
  readonly #store: RevocationStore | null
  readonly #known = new Map<string, Revocation>()

  /** @param store null: nothing outlives the process */
  constructor(store: RevocationStore | null, kept: readonly Revocation[] = []) {
    this.#store = store
    for (const revocation of kept) this.#add(revocation)
  }

  has({ actor, tokenId, issuedAt }: Identity): boolean {
    if (tokenId !== null && this.#known.has(keyOf('token', tokenId))) return true
    const bySubject = actor === null ? undefined : this.#known.get(keyOf('subject', actor.id))
    // Times in tokens are whole seconds: one of the same second may be from before.
    return bySubject !== undefined && issuedAt <= bySubject.at
  }

  /** Counts at once. @returns when it is on disk. @throws the store's error: it counts until the server ends */
  async add(revocation: Revocation): Promise<void> {
    for (const [key, { until }] of this.#known) if (until <= revocation.at) this.#known.delete(key)
    this.#add(revocation)
    await this.#store?.revoke(revocation)
  }

  #add(revocation: Revocation): void {
    const key = keyOf(revocation.kind, revocation.id)
    const before = this.#known.get(key)
    const at = Math.max(revocation.at, before?.at ?? 0)
    const until = Math.max(revocation.until, before?.until ?? 0)
    this.#known.set(key, { ...revocation, at, until })
  }
}

const keyOf = (kind: Revocation['kind'], id: string): string => `${kind} ${id}`
