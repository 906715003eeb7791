import { z } from 'zod'

interface KindOfProblem {
  readonly statuses: readonly number[]
  /** For whoever reads the documentation: what it means, and what to do. */
  readonly meaning: string
  /** What it says besides `type`, `title`, `status` and `detail`. */
  readonly members?: z.ZodRawShape
}

/** Every kind of problem. What is not here cannot be answered with, and what is here is documented. */
export const PROBLEMS = {
  'bad-request': {
    statuses: [400],
    meaning: 'The body, a header or a parameter cannot be read. `detail` says what is valid.',
    members: { dialects: z.array(z.string()).optional(), providers: z.array(z.string()).optional() },
  },
  'bad-thread': {
    statuses: [400],
    meaning: 'This is not the id of a thread.',
    members: { pattern: z.string() },
  },
  refused: { statuses: [400], meaning: 'The plan cannot take this, such as a text that is too long.' },
  'not-authenticated': {
    statuses: [401],
    meaning: 'The server wants a token, and there is none, or it is not good.',
    members: { reason: z.string() },
  },
  'not-allowed': { statuses: [403], meaning: 'The token is good, but not for this thread or this deed.' },
  'bad-host': { statuses: [403], meaning: 'The server does not answer to the name in `Host`.' },
  'bad-origin': { statuses: [403], meaning: 'Pages of this origin may not use the server.' },
  'cross-site': { statuses: [403], meaning: 'A page of another site cannot change plans.' },
  'not-found': { statuses: [404], meaning: 'Nothing is at this address.' },
  'unknown-thread': { statuses: [404], meaning: 'The thread never came into being.' },
  'unknown-tool': {
    statuses: [404],
    meaning: 'There is no tool of this name.',
    members: { tools: z.array(z.string()) },
  },
  'thread-deleted': {
    statuses: [404, 409, 410],
    meaning:
      'The thread was deleted, and its id is not given again: 410 for who reads or deletes, 409 for who writes, 404 over ' +
      'MCP.',
  },
  method: { statuses: [405], meaning: 'This method is not possible here. `Allow` says which are.' },
  'key-conflict': {
    statuses: [409],
    meaning: 'The Idempotency-Key was used in this thread for a call with other arguments. A new call needs a new key.',
  },
  open: { statuses: [409], meaning: 'The server takes no tokens, so there are none to revoke.' },
  'too-large': {
    statuses: [413],
    meaning: 'The body is too large. Split it over several calls.',
    members: { limit: z.int() },
  },
  'not-http': { statuses: [400, 408, 431], meaning: 'No request could be read from the connection.' },
  internal: {
    statuses: [500],
    meaning: 'Something went wrong in the server. Its log tells more under the request id.',
    members: { requestId: z.string() },
  },
  'outcome-unknown': {
    statuses: [503],
    meaning:
      'The storage failed, so nobody knows whether the change was kept. Repeat with the same Idempotency-Key, and it is ' +
      'done once.',
  },
  'too-many-requests': {
    statuses: [429],
    meaning: 'More than one caller or one address may have. Nothing was changed; `Retry-After` says when to come back.',
  },
  overloaded: {
    statuses: [503],
    meaning: 'More is under way than the server can hold. Nothing was changed; `Retry-After` says when to come back.',
  },
  'thread-unavailable': {
    statuses: [503],
    meaning: 'The storage could not open the thread. Nothing was changed; try again in a moment.',
  },
  'storage-unwritable': {
    statuses: [503],
    meaning:
      'Nothing can be stored just now, as on a disk that is full; `detail` says why. Nothing was changed, and plans can ' +
      'still be read.',
  },
  'thread-damaged': {
    statuses: [500],
    meaning:
      'What is stored of this thread cannot be read. It was left as it is, and somebody has to mend it; other threads go on.',
  },
  draining: { statuses: [503], meaning: 'The server is shutting down. Nothing was changed; try again in a moment.' },
  'not-ready': { statuses: [503], meaning: 'The server is not fit to serve.' },
  'keys-unavailable': { statuses: [503], meaning: 'Tokens cannot be checked just now; try again in a moment.' },
} as const satisfies Readonly<Record<string, KindOfProblem>>

export type ProblemKind = keyof typeof PROBLEMS

export const problemType = (kind: ProblemKind): string => `urn:planroom:problem:${kind}`

/** A problem of a kind, as it is answered. */
export function problemSchema(kind: ProblemKind): z.ZodObject {
  const { statuses, meaning, members = {} }: KindOfProblem = PROBLEMS[kind]
  return z
    .object({
      type: z.literal(problemType(kind)),
      title: z.string(),
      status: z.literal([...statuses]),
      detail: z.string().describe('What was wrong, and what is valid.'),
      ...members,
    })
    .describe(meaning)
}
