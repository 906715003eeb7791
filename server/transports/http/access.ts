import type { Context, Hono, MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { MAX_ACTOR_NAME } from '../../../shared/schema/limits.ts'
import type { Access } from '../../auth/access.ts'
import { tokenInHeader } from '../../auth/bearer.ts'
import { challenge, INSUFFICIENT, METADATA_PATH, resourceMetadata } from '../../auth/challenge.ts'
import { type Action, may, roleFor } from '../../auth/grant.ts'
import { KeysUnavailable, NotAuthenticated } from '../../auth/refusals.ts'
import type { Log } from '../../rooms/log.ts'
import { readJson } from './body.ts'
import type { HttpEnv } from './env.ts'
import { isLost, isOfPage } from './page.ts'
import { answerProblem, badRequest, Problem } from './problem.ts'

/** What is for everybody, token or not: it tells nothing of any plan. */
const PUBLIC = /^\/(?:|healthz|readyz|openapi\.json|\.well-known\/.*)$/

export interface GateOptions {
  readonly access: Access
  readonly log: Log
  /** Under which the server is reached from outside; null: as each request says. */
  readonly publicUrl: string | null
  /** Where clients of MCP get tokens. */
  readonly authServers: readonly string[]
}

/** Lets nobody in without a good token, and notes who it is. What they may do, each handler asks `allow`. */
export function keepGate({ access, log, publicUrl }: GateOptions): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (PUBLIC.test(c.req.path) || isOfPage(c.req.path) || isLost(c)) return next()
    try {
      c.set('identity', await access.identify(tokenInHeader(c.req.header('Authorization'))))
    } catch (error) {
      if (error instanceof KeysUnavailable) {
        log.warn({ err: error }, 'tokens cannot be checked')
        return answerProblem(c, keysUnavailable)
      }
      if (!(error instanceof NotAuthenticated)) throw error
      const { message, hadToken } = error
      const { pathname } = new URL(c.req.url)
      return answerProblem(c, {
        status: 401,
        kind: 'not-authenticated',
        title: 'Not authenticated',
        detail: `This server wants a token, as "Authorization: Bearer ...": ${message}.`,
        members: { reason: message },
        headers: {
          'WWW-Authenticate': challenge(baseOf(c, publicUrl), pathname.replace(/\/$/, ''), hadToken ? message : null),
        },
      })
    }
    return next()
  }
}

/** Whether who asks may do this. @param thread null for what concerns no thread in particular */
export function isAllowed(c: Context<HttpEnv>, action: Action, thread: string | null): boolean {
  const identity = c.get('identity')
  return identity !== undefined && may(identity.grant, action, thread)
}

/** @param thread null for what concerns no thread in particular. @throws Problem 403 that says what is missing */
export function allow(c: Context<HttpEnv>, action: Action, thread: string | null): void {
  if (isAllowed(c, action, thread)) return
  const grant = c.get('identity')?.grant
  const isForOthers = grant !== undefined && !may({ ...grant, role: 'admin' }, action, thread)
  const detail = isForOthers
    ? `Your token is not good for ${thread === null ? 'all threads' : `the thread ${thread}`}.`
    : `This takes the role ${roleFor(action)}${grant === undefined ? '' : `; your token has the role ${grant.role}`}.`
  throw new Problem({
    status: 403,
    kind: 'not-allowed',
    title: 'Not allowed',
    detail: `${detail} Nothing was changed.`,
    headers: { 'WWW-Authenticate': INSUFFICIENT },
  })
}

const id = z.string().trim().min(1).max(MAX_ACTOR_NAME)
export const Revoke = z.union([z.strictObject({ subject: id }), z.strictObject({ tokenId: id })])

/** Taking tokens back, and telling where to get some. */
export function addAccessRoutes(app: Hono<HttpEnv>, { access, log, publicUrl, authServers }: GateOptions): void {
  app.post('/admin/revoke', async (c) => {
    allow(c, 'admin', null)
    if (access.isOpen) throw new Problem(noTokens)
    const parsed = Revoke.safeParse(await readJson(c))
    if (!parsed.success) {
      throw badRequest('The body is {"subject": "..."} or {"tokenId": "..."}. Nothing was revoked.')
    }
    const what =
      'subject' in parsed.data
        ? ({ kind: 'subject', id: parsed.data.subject } as const)
        : ({ kind: 'token', id: parsed.data.tokenId } as const)
    try {
      const { closed, until } = await access.revoke(what)
      log.info({ ...what, by: c.get('identity')?.actor?.id, closed }, 'tokens were revoked')
      return c.json({ revoked: parsed.data, closed, until: new Date(until).toISOString() })
    } catch (error) {
      log.error({ err: error, ...what }, 'a revocation was not kept')
      return answerProblem(c, notKept)
    }
  })

  app.get(`${METADATA_PATH}/*`, (c, next) => {
    const path = new URL(c.req.url).pathname.slice(METADATA_PATH.length)
    if (access.isOpen || !path.startsWith('/threads')) return next()
    return c.json(resourceMetadata(baseOf(c, publicUrl), path, authServers))
  })
}

const baseOf = (c: Context<HttpEnv>, publicUrl: string | null): string => publicUrl ?? new URL(c.req.url).origin

const noTokens = {
  status: 409,
  kind: 'open',
  title: 'No tokens here',
  detail: 'This server is open: there are no tokens to revoke.',
} as const
const notKept = {
  status: 503,
  kind: 'outcome-unknown',
  title: 'Storage failed',
  detail: 'It counts now, but may be forgotten when the server starts anew. Repeat it.',
  headers: { 'Retry-After': '1' },
} as const
const keysUnavailable = {
  status: 503,
  kind: 'keys-unavailable',
  title: 'Tokens cannot be checked',
  detail: 'The keys to check tokens with cannot be had just now. Nothing was changed. Try again in a moment.',
  headers: { 'Retry-After': '5' },
} as const
