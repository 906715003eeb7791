import { z } from 'zod'
import { PROVIDERS } from '../../../../shared/dialects/providers.ts'
import { MAX_MCP_BATCH } from '../../../../shared/schema/limits.ts'
import { PlanSnapshot } from '../../../../shared/schema/plan.ts'
import { METADATA_PATH } from '../../../auth/challenge.ts'
import { Revoke } from '../access.ts'
import type { ProblemKind } from '../problems.ts'
import { NewPlan, Seed } from '../seed.ts'
import type { ParameterName } from './parameters.ts'
import { ActivityPage, Pending, ThreadPage, VersionChanges } from './replies.ts'

/** One method at one address, for the documentation. */
export interface Door {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** As OpenAPI writes it: `/threads/{thread}`. */
  readonly path: string
  readonly tag: 'Tools' | 'Plans' | 'Server'
  /** Its name for programs that are generated. */
  readonly id: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly ParameterName[]
  /** The schema of the body, for zod or as it is; absent if nothing is read. */
  readonly body?: { readonly schema: z.ZodType | object; readonly required: boolean }
  /** By status: what it means, and its schema by type of content; without types there is no body. */
  readonly replies: Readonly<Record<number, readonly [meaning: string, content?: Readonly<Record<string, z.ZodType>>]>>
  readonly problems: readonly ProblemKind[]
  /** For everybody, with a token or without. */
  readonly isPublic?: boolean
}

/** What may be wrong at every door but probes, and at every one that needs a token where tokens are needed. */
export const ANYWHERE: readonly ProblemKind[] = [
  'bad-host',
  'bad-origin',
  'too-many-requests',
  'overloaded',
  'internal',
]
export const GATED: readonly ProblemKind[] = ['not-authenticated', 'not-allowed', 'keys-unavailable']
/** What may be wrong where a plan is opened, where it is read, and where something is sent. */
const OPENED: readonly ProblemKind[] = ['outcome-unknown', 'thread-unavailable', 'thread-damaged', 'draining']
/** Of what may change something. */
const CHANGED: readonly ProblemKind[] = [...OPENED, 'storage-unwritable']
const READ: readonly ProblemKind[] = ['bad-thread', 'unknown-thread', 'thread-deleted', ...OPENED]
const SENT: readonly ProblemKind[] = ['bad-request', 'too-large', 'cross-site']
export const CALLED: readonly ProblemKind[] = [...SENT, 'bad-thread', 'thread-deleted', 'key-conflict', ...CHANGED]

const text = z.string()
const Alive = z.object({ status: z.literal('ok') })
const Ready = Alive.extend({ warning: z.string().optional().describe('What will keep it from being fit before long.') })
const caller = ['agentName', 'agentId', 'name', 'id'] as const

const RpcMessage = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
})
const RpcAnswer = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).nullable(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
})
const rpcAnswer = { 'application/json': z.union([RpcAnswer, z.array(RpcAnswer)]) }

/** Every door but those of the tools, which are made from the dialects. */
export const DOORS: readonly Door[] = [
  {
    method: 'get',
    path: '/threads/{thread}/tools',
    tag: 'Tools',
    id: 'describeTools',
    summary: 'The tools of a dialect, as a model is told of them',
    parameters: ['thread', 'dialect', 'provider', 'strict'],
    replies: {
      200: [
        'Ready to be put into the request to the provider.',
        {
          'application/json': z.object({
            dialect: z.string(),
            provider: z.enum(PROVIDERS),
            tools: z.array(z.looseObject({})),
          }),
        },
      ],
    },
    problems: ['bad-request', 'bad-thread'],
  },
  {
    method: 'get',
    path: '/threads/{thread}/context',
    tag: 'Tools',
    id: 'getContext',
    summary: 'The plan as a block for a prompt',
    description: 'Fetch it just before the model is asked. It counts as looking: numbers then mean what it shows.',
    parameters: ['thread', 'dialect', 'for', 'maxTokens', ...caller],
    replies: { 200: ['The block; some dialects have none while nothing is open.', { 'text/plain': text }] },
    problems: ['bad-request', 'bad-thread', 'thread-deleted', ...OPENED],
  },
  {
    method: 'get',
    path: '/threads/{thread}/pending',
    tag: 'Tools',
    id: 'hasPending',
    summary: 'Whether anything is left to do',
    description:
      'For a program that runs an agent until all is done. It does not count as looking. A plan that nobody has made has ' +
      'nothing to do.',
    parameters: ['thread'],
    replies: { 200: ['How much there is.', { 'application/json': Pending }] },
    problems: ['bad-thread', 'thread-deleted', ...OPENED],
  },
  {
    method: 'post',
    path: '/threads/{thread}/mcp',
    tag: 'Tools',
    id: 'mcp',
    summary: 'The tools, the plan and a prompt over MCP',
    description: `Streamable HTTP, without sessions. A batch has at most ${MAX_MCP_BATCH} messages.`,
    parameters: ['thread', 'dialect', ...caller],
    body: { schema: z.union([RpcMessage, z.array(RpcMessage)]), required: true },
    replies: {
      200: ['The answer, or a stream of notices.', { ...rpcAnswer, 'text/event-stream': text }],
      202: ['A notification was taken.'],
      400: ['The message cannot be read.', rpcAnswer],
      404: ['There is no such method.', rpcAnswer],
      406: ['The client does not take what would be answered.', rpcAnswer],
      413: ['The message is too large.', rpcAnswer],
      415: ['The message is not sent as application/json.', rpcAnswer],
    },
    problems: ['bad-request', 'bad-thread', 'cross-site', 'thread-deleted', ...OPENED],
  },
  {
    method: 'get',
    path: '/threads',
    tag: 'Plans',
    id: 'listThreads',
    summary: 'All threads that the caller may see, by name',
    parameters: ['afterThread', 'limit', 'threadQuery'],
    replies: { 200: ['A page; it may be short, or empty, with more to come.', { 'application/json': ThreadPage }] },
    problems: ['bad-request'],
  },
  {
    method: 'get',
    path: '/threads/{thread}',
    tag: 'Plans',
    id: 'getPlan',
    summary: 'The plan as JSON',
    parameters: ['thread'],
    replies: { 200: ['All steps and groups, with all their fields.', { 'application/json': PlanSnapshot }] },
    problems: READ,
  },
  {
    method: 'put',
    path: '/threads/{thread}',
    tag: 'Plans',
    id: 'createPlan',
    summary: 'Creates a plan, empty or with a title and some steps',
    description:
      'Done once, however often it is asked for: a plan that is there stays as it is. The `text` of a step may also be ' +
      'called `title` or `content`, and a string is a step.',
    parameters: ['thread', ...caller],
    body: { schema: z.union([NewPlan, Seed]), required: false },
    replies: {
      200: ['It was there.', { 'application/json': PlanSnapshot }],
      201: ['It was made.', { 'application/json': PlanSnapshot }],
    },
    problems: [...SENT, 'refused', 'bad-thread', 'thread-deleted', ...CHANGED],
  },
  {
    method: 'delete',
    path: '/threads/{thread}',
    tag: 'Plans',
    id: 'deletePlan',
    summary: 'Deletes a plan for good, with its log',
    parameters: ['thread'],
    replies: { 204: ['It is gone, and its id is not given again.'] },
    problems: [...READ, 'cross-site', 'storage-unwritable'],
  },
  {
    method: 'get',
    path: '/threads/{thread}/plan.md',
    tag: 'Plans',
    id: 'getMarkdown',
    summary: 'The plan as Markdown',
    parameters: ['thread'],
    replies: { 200: ['A list of tasks.', { 'text/markdown': text }] },
    problems: READ,
  },
  {
    method: 'get',
    path: '/threads/{thread}/activity',
    tag: 'Plans',
    id: 'getActivity',
    summary: 'Who changed what, and why',
    parameters: ['thread', 'afterVersion', 'limit'],
    replies: { 200: ['A page of the log.', { 'application/json': ActivityPage }] },
    problems: ['bad-request', ...READ],
  },
  {
    method: 'get',
    path: '/threads/{thread}/activity/{version}',
    tag: 'Plans',
    id: 'getChanges',
    summary: 'What one version changed: each step before and after',
    parameters: ['thread', 'version'],
    replies: { 200: ['What it changed, as far as it is remembered.', { 'application/json': VersionChanges }] },
    problems: ['bad-request', ...READ],
  },
  {
    method: 'post',
    path: '/admin/revoke',
    tag: 'Server',
    id: 'revoke',
    summary: 'Takes back all tokens of a subject, or one token',
    body: { schema: Revoke, required: true },
    replies: {
      200: [
        'They count no more.',
        {
          'application/json': z.object({
            revoked: Revoke,
            closed: z.int().describe('Connections that were closed.'),
            until: z.string().describe('How long it is remembered: by then they have expired. ISO 8601, UTC.'),
          }),
        },
      ],
    },
    problems: [...SENT, 'open', 'outcome-unknown'],
  },
  {
    method: 'get',
    path: `${METADATA_PATH}/threads/{thread}/mcp`,
    tag: 'Server',
    id: 'getResourceMetadata',
    summary: 'Where clients of MCP get tokens (RFC 9728)',
    parameters: ['thread'],
    replies: {
      200: [
        'What protects the thread.',
        {
          'application/json': z.object({
            resource: z.string(),
            resource_name: z.string(),
            bearer_methods_supported: z.array(z.string()),
            authorization_servers: z.array(z.string()).optional(),
          }),
        },
      ],
    },
    problems: ['not-found'],
    isPublic: true,
  },
  {
    method: 'get',
    path: '/',
    tag: 'Server',
    id: 'getOverview',
    summary: 'What is here, in words',
    description: 'A browser gets the page for people instead, where it was built.',
    replies: { 200: ['The doors.', { 'text/plain': text }] },
    problems: [],
    isPublic: true,
  },
  {
    method: 'get',
    path: '/openapi.json',
    tag: 'Server',
    id: 'getOpenApi',
    summary: 'This description',
    replies: { 200: ['OpenAPI 3.1.', { 'application/json': z.looseObject({ openapi: z.string() }) }] },
    problems: [],
    isPublic: true,
  },
  {
    method: 'get',
    path: '/healthz',
    tag: 'Server',
    id: 'isAlive',
    summary: 'Whether the server is alive',
    replies: { 200: ['It is.', { 'application/json': Alive }] },
    problems: [],
    isPublic: true,
  },
  {
    method: 'get',
    path: '/readyz',
    tag: 'Server',
    id: 'isReady',
    summary: 'Whether the server is fit to serve',
    replies: { 200: ['It is.', { 'application/json': Ready }] },
    problems: ['not-ready'],
    isPublic: true,
  },
]
