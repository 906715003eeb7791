import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { PlanError } from '../../../shared/schema/errors.ts'
import {
  Draining,
  KeyConflict,
  RoomFailed,
  StorageUnwritable,
  ThreadDamaged,
  ThreadUnavailable,
} from '../../rooms/errors.ts'
import type { Log } from '../../rooms/log.ts'
import { ThreadDeleted } from '../../rooms/storage.ts'
import type { HttpEnv } from './env.ts'
import { type ProblemKind, problemType } from './problems.ts'

/** What is wrong with a request, as RFC 9457 has it. Whatever a model should read and mend is a reply, not a problem. */
export interface ProblemDetails {
  readonly status: ContentfulStatusCode
  /** The last part of the problem's type: stable, for programs. */
  readonly kind: ProblemKind
  readonly title: string
  /** For whoever made the request: what was wrong, what is valid. */
  readonly detail: string
  readonly members?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** The one error that handlers throw. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly details: ProblemDetails
  constructor(details: ProblemDetails) {
    super(details.detail)
    this.details = details
  }
}

export const badRequest = (detail: string, members: Readonly<Record<string, unknown>> = {}): Problem =>
  new Problem({ status: 400, kind: 'bad-request', title: 'Bad request', detail, members })

export const unknownThread = (thread: string): Problem =>
  new Problem({
    status: 404,
    kind: 'unknown-thread',
    title: 'Unknown thread',
    detail: `There is no thread ${thread}. It comes into being with its first change, or with PUT /threads/${thread}.`,
  })

/** For requests that never reach a handler. */
export const notHttp = (status: 400 | 408 | 431, title: string, detail: string): ProblemDetails => ({
  status,
  kind: 'not-http',
  title,
  detail,
})

export const badTarget: ProblemDetails = notHttp(
  400,
  'Bad Request',
  'The target or the Host of the request is not valid.',
)

export function problemJson({ status, kind, title, detail, members = {} }: ProblemDetails): string {
  return JSON.stringify({ type: problemType(kind), title, status, detail, ...members })
}

export const PROBLEM_JSON = 'application/problem+json'

export function answerProblem(c: Context<HttpEnv>, problem: ProblemDetails): Response {
  return c.body(problemJson(problem), problem.status, { 'Content-Type': PROBLEM_JSON, ...problem.headers })
}

/** Maps every error of a handler, once. What it does not know is logged, and shown without its insides. */
export function answerError(error: unknown, c: Context<HttpEnv>, log: Log): Response {
  const known = explain(error, c.req.method)
  if (known !== null) return answerProblem(c, known)
  const requestId = c.get('requestId')
  // Without the query, which may carry a token.
  log.error({ err: error, requestId, method: c.req.method, path: c.req.path }, 'a request failed')
  return answerProblem(c, {
    status: 500,
    kind: 'internal',
    title: 'Internal error',
    detail: `Something went wrong here. The log tells more under the request id ${requestId}.`,
    members: { requestId },
  })
}

function explain(error: unknown, method: string): ProblemDetails | null {
  if (error instanceof Problem) return error.details
  if (error instanceof ThreadDeleted) return deleted(method)
  if (error instanceof KeyConflict) {
    return { status: 409, kind: 'key-conflict', title: 'Idempotency-Key used before', detail: keyConflict }
  }
  if (error instanceof RoomFailed) return failed(method)
  if (error instanceof StorageUnwritable) return unwritable(error.message)
  if (error instanceof ThreadUnavailable) return unavailable
  if (error instanceof ThreadDamaged) return damaged
  if (error instanceof Draining) {
    const detail = 'The server is shutting down and takes no new work. Nothing was changed.'
    return { status: 503, kind: 'draining', title: 'Shutting down', detail, headers: { 'Retry-After': '5' } }
  }
  if (error instanceof PlanError) {
    return { status: 400, kind: 'refused', title: 'Refused', detail: `${error.message} Nothing was changed.` }
  }
  return null
}

const unavailable: ProblemDetails = {
  status: 503,
  kind: 'thread-unavailable',
  title: 'Storage failed',
  detail: 'The plan could not be opened just now. Nothing was changed. Try again in a moment.',
  headers: { 'Retry-After': '2' },
}
const unwritable = (why: string): ProblemDetails => ({
  status: 503,
  kind: 'storage-unwritable',
  title: 'Nothing can be stored',
  detail: `${why} Nothing was changed. Plans can still be read.`,
  headers: { 'Retry-After': '10' },
})
const damaged: ProblemDetails = {
  status: 500,
  kind: 'thread-damaged',
  title: 'Plan damaged',
  detail:
    'What is stored here cannot be read. It was left as it is, and nothing was changed. Whoever runs the server finds out ' +
    'with "planroom verify" what is damaged and what can be saved. Other plans are not affected.',
}

const keyConflict =
  'This Idempotency-Key was used in this thread for a call with other arguments. Nothing was changed. ' +
  'A repeat must be the same call; a new call needs a new key.'

/** A deleted thread is gone for those who look, and taken for those who write. */
function deleted(method: string): ProblemDetails {
  const kind = 'thread-deleted'
  return method === 'POST' || method === 'PUT'
    ? {
        status: 409,
        kind,
        title: 'Thread deleted',
        detail: 'This thread was deleted, and the id of a deleted thread is not given again. Use another id.',
      }
    : { status: 410, kind, title: 'Thread deleted', detail: 'This thread was deleted.' }
}

function failed(method: string): ProblemDetails {
  const detail =
    method === 'GET' || method === 'HEAD'
      ? 'The plan could not be read just now. Try again.'
      : 'The storage failed, so the outcome is unknown: repeat with the same Idempotency-Key, and it is done once. ' +
        'Without a key, look at the plan before you repeat.'
  return {
    status: 503,
    kind: 'outcome-unknown',
    title: 'Storage failed',
    detail,
    headers: { 'Retry-After': '1' },
  }
}
