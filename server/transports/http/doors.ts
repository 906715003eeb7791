import type { MiddlewareHandler } from 'hono'
import type { Doors } from '../../auth/doors.ts'
import type { HttpEnv } from './env.ts'
import { isOfPage } from './page.ts'
import { Problem } from './problem.ts'
import type { ProblemKind } from './problems.ts'

/** For whatever is no page: nothing in it runs, loads, or is framed, should a browser take it for one. */
const POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
const HEADERS: readonly (readonly [string, string])[] = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', POLICY],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
]
/** Probes come under whatever name the machine has, and learn nothing. */
const PROBES = ['/healthz', '/readyz']

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, DELETE'
const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Idempotency-Key',
  'X-Agent-Name',
  'X-Agent-Name*',
  'X-Agent-Id',
  'X-Agent-Id*',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'Last-Event-ID',
].join(', ')
const EXPOSED_HEADERS = [
  'WWW-Authenticate',
  'Retry-After',
  'X-Request-Id',
  'MCP-Protocol-Version',
  'Mcp-Session-Id',
].join(', ')
/** Seconds that a browser need not ask again. */
const PREFLIGHT_SECONDS = '600'

/** Puts the headers on every answer that a browser must not misread. An answer that brings its own keeps it. */
export const safeHeaders: MiddlewareHandler<HttpEnv> = async (c, next) => {
  for (const [name, value] of HEADERS) c.header(name, value)
  await next()
  // An answer that was not made by hono, such as one of MCP, has none of them.
  for (const [name, value] of HEADERS) if (!c.res.headers.has(name)) c.header(name, value)
}

/** Refuses what pages of others had a browser send, and lets pages of allowed origins read answers. */
export function keepDoors(doors: Doors): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const host = c.req.header('Host') ?? new URL(c.req.url).host
    const origin = c.req.header('Origin')
    if (!PROBES.includes(c.req.path) && !doors.allowsHost(host)) throw badHost()
    // A browser names the page for its own scripts too; behind a proxy that changes Host they would not seem its own.
    if (isOfPage(c.req.path) && ['GET', 'HEAD'].includes(c.req.method)) return next()
    if (!doors.allowsOrigin(origin, host)) throw badOrigin()
    if (origin === undefined) {
      // Without an Origin this is all that tells a form of another site from a program.
      const isFromElsewhere = c.req.header('Sec-Fetch-Site') === 'cross-site'
      if (isFromElsewhere && !['GET', 'HEAD'].includes(c.req.method)) throw crossSite()
      return next()
    }
    const isPreflight = c.req.method === 'OPTIONS' && c.req.header('Access-Control-Request-Method') !== undefined
    const shared: Record<string, string> = { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' }
    if (isPreflight) {
      shared['Access-Control-Allow-Methods'] = ALLOWED_METHODS
      shared['Access-Control-Allow-Headers'] = ALLOWED_HEADERS
      shared['Access-Control-Max-Age'] = PREFLIGHT_SECONDS
      return c.body(null, 204, shared)
    }
    shared['Access-Control-Expose-Headers'] = EXPOSED_HEADERS
    for (const [name, value] of Object.entries(shared)) c.header(name, value)
    await next()
    for (const [name, value] of Object.entries(shared)) c.header(name, value)
  }
}

const refused = (kind: ProblemKind, title: string, detail: string): Problem =>
  new Problem({ status: 403, kind, title, detail })

const badHost = (): Problem =>
  refused(
    'bad-host',
    'Unknown host',
    'This server does not answer to the name in the header Host. PLANROOM_ALLOWED_HOSTS adds names.',
  )
const badOrigin = (): Problem =>
  refused(
    'bad-origin',
    'Foreign origin',
    'Pages of this origin may not use this server. PLANROOM_ALLOWED_ORIGINS adds origins.',
  )
const crossSite = (): Problem =>
  refused('cross-site', 'Cross-site request', 'A page of another site cannot change plans here.')
