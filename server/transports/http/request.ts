import type { Context } from 'hono'
import type { Dialect } from '../../../shared/dialects/dialect.ts'
import { DIALECTS } from '../../../shared/dialects/registry.ts'
import type { Actor } from '../../../shared/schema/actor.ts'
import { isThreadId, type ThreadId } from '../../../shared/schema/ids.ts'
import { MAX_ACTOR_NAME, MAX_KEY } from '../../../shared/schema/limits.ts'
import type { Action } from '../../auth/grant.ts'
import type { Caller } from '../../rooms/caller.ts'
import type { Source } from '../../rooms/storage.ts'
import { allow } from './access.ts'
import type { HttpEnv } from './env.ts'
import { nameInHeader } from './names.ts'
import { badRequest, Problem } from './problem.ts'

/** As the thread's pattern is told to callers; `isThreadId` decides. */
export const THREAD_PATTERN = '[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}'
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** The thread of a request that may do `action` with it. @throws Problem 400, or 403 if it may not */
export function threadOf(c: Context<HttpEnv>, action: Action): ThreadId {
  const thread = c.req.param('thread')
  if (!isThreadId(thread)) throw badThread()
  allow(c, action, thread)
  return thread
}

export const badThread = (): Problem =>
  new Problem({
    status: 400,
    kind: 'bad-thread',
    title: 'Not a thread id',
    detail: `A thread id is 1 to 128 characters that match ${THREAD_PATTERN}.`,
    members: { pattern: THREAD_PATTERN },
  })

/**
 * Who makes the request: as the token says, and only in the open mode as its headers say, or else `?name=` and `?id=`, for
 * who can only be given an address. Callers without a name or an id are one actor then.
 * @throws Problem 400
 */
export function callerOf(c: Context<HttpEnv>, source: Source = 'http'): Caller {
  const known = c.get('identity')?.actor ?? null
  if (known !== null) return { actor: known, source }
  const [name, id] = [headerName(c, 'X-Agent-Name'), headerName(c, 'X-Agent-Id')]
  if (name !== '' || id !== '') return { actor: agentOf(name, id), source }
  return { actor: agentOf(label('name', c.req.query('name') ?? ''), label('id', c.req.query('id') ?? '')), source }
}

const agentOf = (name: string, id: string): Actor => ({ id: id || name, name: name || id, kind: 'agent' })

/**
 * The actor whose view a read moves: the one named by `?for=`, else the caller.
 * @throws Problem 400, or 403 if the caller may not look in the name of another
 */
export function readerOf(c: Context<HttpEnv>, thread: ThreadId): Actor {
  const name = label('for', c.req.query('for') ?? '')
  const { actor } = callerOf(c)
  if (name === '' || name === c.get('identity')?.actor?.id) return actor
  allow(c, 'actFor', thread)
  return { id: name, name, kind: 'agent' }
}

function label(what: string, value: string): string {
  const text = value.trim()
  if (text.length > MAX_ACTOR_NAME) throw badRequest(`${what} is longer than ${MAX_ACTOR_NAME} characters.`)
  if (CONTROL.test(text)) throw badRequest(`${what} holds a control character.`)
  return text
}

/** With an asterisk behind its name a header holds the form of RFC 8187, as parameters of headers do. */
function headerName(c: Context<HttpEnv>, header: string): string {
  const value = c.req.header(header) ?? c.req.header(`${header}*`) ?? ''
  const name = nameInHeader(value)
  if (name === null)
    throw badRequest(`${header} looks like the form of RFC 8187, but is not UTF-8''... in percent-encoded bytes.`)
  return label(header, name)
}

/** @returns undefined without the header. @throws Problem 400 */
export function idempotencyKeyOf(c: Context<HttpEnv>): string | undefined {
  const key = c.req.header('Idempotency-Key')?.trim()
  if (key === undefined || (key !== '' && key.length <= MAX_KEY)) return key
  throw badRequest(`An Idempotency-Key has 1 to ${MAX_KEY} characters.`)
}

/** @throws Problem 400 that names the dialects */
export function dialectOf(c: Context<HttpEnv>): Dialect {
  const name = c.req.query('dialect') ?? 'outline'
  const dialect = DIALECTS.get(name)
  if (dialect !== undefined) return dialect
  const dialects = [...DIALECTS.keys()]
  throw badRequest(`There is no dialect ${JSON.stringify(name)}. There is: ${dialects.join(', ')}.`, { dialects })
}

/** A whole number in the query. @throws Problem 400 that names the range */
export function numberIn(c: Context<HttpEnv>, name: string, { least, most, standard }: NumberRange): number {
  const text = c.req.query(name) ?? ''
  if (text === '') return standard
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN
  if (value >= least && value <= most) return value
  throw badRequest(`${name} is a whole number from ${least} to ${most}.`)
}

interface NumberRange {
  readonly least: number
  readonly most: number
  /** Without the parameter. */
  readonly standard: number
}
