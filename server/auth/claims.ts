import { z } from 'zod'
import type { Actor } from '../../shared/schema/actor.ts'
import { MAX_ACTOR_NAME } from '../../shared/schema/limits.ts'
import { type Grant, ROLES, ThreadPattern } from './grant.ts'

/** Patterns in one token: each is tried at every request. */
const MAX_PATTERNS = 100

const label = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(MAX_ACTOR_NAME, `is longer than ${MAX_ACTOR_NAME} characters`)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'holds a control character')
/** Seconds since 1970. */
const time = z.number('is a number of seconds since 1970').nonnegative()

/** What a token says, as far as it is read here. Who signed it meant every bit of it: nothing is read leniently. */
export const Claims = z.object({
  sub: label,
  name: label.optional(),
  kind: z.enum(['agent', 'human'], 'is agent or human').default('agent'),
  role: z.enum(ROLES, `is one of ${ROLES.join(', ')}`),
  threads: z.array(ThreadPattern).min(1, 'is empty').max(MAX_PATTERNS, `has more than ${MAX_PATTERNS} patterns`),
  exp: time,
  iat: time.optional(),
  jti: label.optional(),
})
export type Claims = z.infer<typeof Claims>

/** Who somebody is, by their token, and what they may do until when. */
export interface Identity {
  /** Null in the open mode, where callers say themselves who they are. */
  readonly actor: Actor | null
  readonly grant: Grant
  readonly tokenId: string | null
  /** Milliseconds since 1970. */
  readonly issuedAt: number
  readonly expiresAt: number
}

/** The subject is the actor: two of one name are two. @param maxLifeMs how long tokens are good for at most */
export function identityOf(
  { sub, name = sub, kind, role, threads, exp, iat, jti }: Claims,
  maxLifeMs: number,
): Identity {
  const expiresAt = exp * 1_000
  return {
    actor: { id: sub, name, kind },
    grant: { role, threads },
    tokenId: jti ?? null,
    // One that does not say is taken for as old as it can be: so every revocation of its subject counts for it.
    issuedAt: iat === undefined ? expiresAt - maxLifeMs : iat * 1_000,
    expiresAt,
  }
}
