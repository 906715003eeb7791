import type { Identity } from './claims.ts'
import { EVERYTHING } from './grant.ts'
import { type Ending, Leases } from './leases.ts'
import { NotAuthenticated, Revoked } from './refusals.ts'
import { type Revocation, Revocations, type RevocationStore } from './revocations.ts'
import { createVerifier, type TokenOptions } from './tokens.ts'

export interface AccessOptions extends TokenOptions {
  /** Null: revocations last until the server ends. */
  readonly store: RevocationStore | null
}

/** Who comes in. What they may do then, `may` says. */
export interface Access {
  /** Nobody needs a token, and callers say themselves who they are. */
  readonly isOpen: boolean
  /** @throws NotAuthenticated, KeysUnavailable */
  identify(token: string | null): Promise<Identity>
  /** Calls `end` when the token is over. @returns how to give it up @see Leases.hold */
  hold(identity: Identity, end: (ending: Ending) => void): () => void
  /**
   * Takes tokens back and ends what they hold open, at once.
   * @returns how many connections were ended, and until when it is remembered. @throws the store's error if it is not kept
   */
  revoke(what: Pick<Revocation, 'kind' | 'id'>): Promise<{ closed: number; until: number }>
}

const ANYBODY: Identity = {
  actor: null,
  grant: EVERYTHING,
  tokenId: null,
  issuedAt: Infinity,
  expiresAt: Infinity,
}

/** Without a secret and without keys: everybody may do everything. */
export const openAccess: Access = {
  isOpen: true,
  identify: () => Promise.resolve(ANYBODY),
  hold: () => () => {},
  revoke: () => Promise.reject(new Error('The server is open: there are no tokens.')),
}

/** @throws the store's error: without knowing what was revoked, nobody is let in */
export async function createAccess(options: AccessOptions): Promise<Access> {
  const { secret, jwksUrl, store, maxLifeMs, now = Date.now } = options
  if (secret === null && jwksUrl === null) return openAccess
  const verify = createVerifier(options)
  const revocations = new Revocations(store, (await store?.revocations(now())) ?? [])
  const leases = new Leases(now, (identity) => revocations.has(identity))
  return {
    isOpen: false,
    identify: async (token) => {
      if (token === null) throw new NotAuthenticated('a token is needed', false)
      const identity = await verify(token)
      if (revocations.has(identity)) throw new Revoked()
      return identity
    },
    hold: (identity, end) => leases.hold(identity, end),
    revoke: async (what) => {
      const at = now()
      const revocation = { ...what, at, until: at + maxLifeMs }
      const kept = revocations.add(revocation)
      const closed = leases.sweep()
      await kept
      return { closed, until: revocation.until }
    },
  }
}
