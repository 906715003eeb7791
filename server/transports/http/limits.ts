import type { MiddlewareHandler } from 'hono'
import { BYTES_A_REQUEST, MAX_BODY_BYTES } from '../../../shared/schema/limits.ts'
import type { Limits } from '../limits/limits.ts'
import type { HttpEnv } from './env.ts'
import { Problem } from './problem.ts'

/** Probes say whether the server is alive, above all when it is busy. */
const PROBES = ['/healthz', '/readyz']

/** Lets no address have more than its share, and nobody more than there is. Comes before anything that costs time. */
export function limitAddresses(limits: Limits): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const incoming = c.env?.incoming
    if (!limits.isOn || incoming === undefined || PROBES.includes(c.req.path)) return next()
    const address = limits.addressOf(incoming.socket.remoteAddress, c.req.header('X-Forwarded-For'))
    c.set('address', address)
    const seat = limits.requests.take(address)
    if (seat === 'all') throw overloaded('Too much is under way here.')
    if (seat === 'own') throw tooMany('Too many requests of your address are under way.', 1)
    try {
      const wait = await limits.addressRate.take(address, costOf(c.req.header('Content-Length')))
      if (wait !== null) throw tooMany('Your address makes too many requests.', wait)
      return await next()
    } finally {
      seat()
    }
  }
}

/** Lets no actor have more than its share. In the open mode everybody may call themselves anything: addresses count there. */
export function limitActors(limits: Limits): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    c.set('bodies', limits.bodies)
    const actor = c.get('identity')?.actor ?? null
    if (!limits.isOn || actor === null) return next()
    const wait = await limits.actorRate.take(actor.id, costOf(c.req.header('Content-Length')))
    if (wait !== null) throw tooMany('You make too many requests.', wait)
    return next()
  }
}

/** A large body counts as several requests. What it says of its length is checked when it is read. */
function costOf(contentLength: string | undefined): number {
  const bytes = Math.min(Number(contentLength ?? 0) || 0, MAX_BODY_BYTES)
  return 1 + Math.floor(bytes / BYTES_A_REQUEST)
}

/** @param seconds after which it is worth another try */
export const tooMany = (why: string, seconds: number): Problem =>
  new Problem({
    status: 429,
    kind: 'too-many-requests',
    title: 'Too many requests',
    detail: `${why} Nothing was changed. Try again in ${seconds} s.`,
    headers: { 'Retry-After': String(seconds) },
  })

export const overloaded = (why: string): Problem =>
  new Problem({
    status: 503,
    kind: 'overloaded',
    title: 'Overloaded',
    detail: `${why} Nothing was changed. Try again in a moment.`,
    headers: { 'Retry-After': '2' },
  })
