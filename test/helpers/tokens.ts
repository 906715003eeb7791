import { onTestFinished } from 'vitest'
import { type Access, createAccess } from '../../server/auth/access.ts'
import type { Claims } from '../../server/auth/claims.ts'
import { signToken } from '../../server/auth/tokens.ts'
import type { App } from '../../server/app.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { newApp, type RecordedLog, recordedLog } from './http.ts'

export const SECRET = 'a secret that has the 32 bytes it needs'
export const DAY = 86_400_000
export const MAX_LIFE_MS = 30 * DAY

/** How a server that takes tokens by SECRET checks them. */
export const BY_SECRET = {
  secret: SECRET,
  jwksUrl: null,
  audience: null,
  issuer: null,
  maxLifeMs: MAX_LIFE_MS,
} as const

type Standard = Omit<Claims, 'iat' | 'jti'>

/** A token that is good for an hour, for an editor of all threads called ada, unless it is said otherwise. */
export async function tokenOf(claims: Partial<Claims> = {}, secret: string = SECRET): Promise<string> {
  const issuedAt = claims.iat ?? Math.floor(Date.now() / 1_000)
  const standard = {
    sub: 'ada',
    kind: 'agent',
    role: 'editor',
    threads: ['*'],
    exp: issuedAt + 3_600,
  } satisfies Standard
  const whole: Standard = { ...standard, ...claims }
  return (await signToken(secret, { claims: whole, audience: null, issuer: null, issuedAt })).token
}

export const bearer = (token: string): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${token}` })

export interface Guarded {
  readonly app: App
  readonly access: Access
  readonly log: RecordedLog
  readonly url: string
  /** What y-websocket is given. */
  readonly socketUrl: string
}

/** A server in memory that takes tokens by SECRET, listening. */
export async function newGuardedApp(): Promise<Guarded> {
  const storage = createMemoryStorage()
  const log = recordedLog()
  const access = await createAccess({ ...BY_SECRET, store: storage })
  const app = newApp({ storage, log, access })
  const { url } = await app.listen()
  return { app, access, log, url, socketUrl: `${url.replace('http', 'ws')}/sync` }
}

/** Undone after the test. */
export function later(undo: () => void): void {
  onTestFinished(() => undo())
}
