import { createMcpHandler } from '@modelcontextprotocol/server'
import type { McpServerFactory } from '@modelcontextprotocol/server'
import type { Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { DIALECTS } from '../../../shared/dialects/registry.ts'
import type { ThreadId } from '../../../shared/schema/ids.ts'
import { MAX_MCP_SUBSCRIPTIONS, MCP_NOTICE_MS } from '../../../shared/schema/limits.ts'
import type { Access } from '../../auth/access.ts'
import type { Log } from '../../rooms/log.ts'
import type { Rooms } from '../../rooms/rooms.ts'
import type { Storage } from '../../rooms/storage.ts'
import { ThreadDeleted } from '../../rooms/storage.ts'
import { allow } from '../http/access.ts'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import { Problem } from '../http/problem.ts'
import { callerOf, dialectOf, threadOf } from '../http/request.ts'
import type { Limits } from '../limits/limits.ts'
import { type Accepted, acceptingBoth, inAcceptedForm, readAccept } from './accept.ts'
import type { Hold } from './listeners.ts'
import { Listeners } from './listeners.ts'
import { calledTools, idOf, isListen, type ReadMessage, readMessage, type RequestId } from './message.ts'
import { resourceUris } from './resources.ts'
import { createServer } from './server.ts'
import { listedTools } from './tools.ts'
import type { Visit } from './visit.ts'

const PATH = '/threads/:thread/mcp'
/** As JSON-RPC has it. */
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const INTERNAL_ERROR = -32_603
/** As the SDK has it. */
const NOT_ACCEPTABLE = -32_000

export interface McpOptions {
  readonly rooms: Rooms
  readonly storage: Pick<Storage, 'activity'>
  readonly access: Pick<Access, 'hold'>
  readonly limits: Pick<Limits, 'subscriptions'>
  readonly log: Log
  readonly version: string
  /** Subscriptions at a time, over all threads. */
  readonly maxSubscriptions?: number
}

export interface McpDoor {
  addRoutes(app: Hono<HttpEnv>): void
  /** Subscriptions that are open. */
  readonly subscriptions: number
  /** Ends all subscriptions. Calls under way are answered. */
  close(): Promise<void>
}

/** MCP over HTTP: every revision at one address for each thread, without sessions. */
export function createMcp(options: McpOptions): McpDoor {
  const { rooms, storage, access, limits, log, version, maxSubscriptions = MAX_MCP_SUBSCRIPTIONS } = options
  const tools = new Map([...DIALECTS.values()].map((dialect) => [dialect.name, listedTools(dialect)] as const))
  const context = { rooms, storage, log, version, tools }
  const visits = new WeakMap<Request, Visit>()
  const factory: McpServerFactory = ({ era, requestInfo }) => {
    const visit = requestInfo && visits.get(requestInfo)
    if (visit === undefined) throw new Error('A request reached MCP by another way.')
    return createServer(visit, era, context)
  }
  // What it reports was answered already: mistakes of clients.
  const eras = { legacy: 'stateless' } as const
  const calls = createMcpHandler(factory, eras)
  const listeners = new Listeners<ThreadId>({
    watch: (thread, changed, removed) => rooms.watch(thread, changed, removed),
    eventsOf: (thread) => resourceUris(thread).map((uri) => ({ kind: 'resource_updated', uri }) as const),
    createHandler: (bus) => createMcpHandler(factory, { ...eras, bus }),
    delay: MCP_NOTICE_MS,
    most: maxSubscriptions,
  })

  const serve = async (c: Context<HttpEnv>): Promise<Response> => {
    const [thread, dialect, caller] = [threadOf(c, 'read'), dialectOf(c), callerOf(c, 'mcp')]
    const read = await messageOf(c, thread)
    if (read instanceof Response) return read
    const { message, mistakes } = read
    const accepted = readAccept(c.req.header('Accept') ?? null)
    const refusal = unacceptable(accepted, isListen(message))
    if (refusal !== null) return rpcError(c, 406, NOT_ACCEPTABLE, refusal, idOf(message))
    if (calledTools(message, dialect).some(({ effects }) => !effects.readOnly)) allow(c, 'write', thread)
    const request = acceptingBoth(c.req.raw)
    visits.set(request, { thread, dialect, caller, mistakes })
    // The room says whether the thread was deleted, and stays loaded for what the request will ask of it.
    return rooms.use(thread, async () => {
      if (isListen(message)) return (await listen(c, thread, request, message)) ?? tooManyListeners(c, message)
      const response = await calls.fetch(request, { parsedBody: message })
      return inAcceptedForm(response, accepted, Array.isArray(message))
    })
  }

  /** @returns null if there are too many subscriptions already, of everybody or of this actor */
  const listen = async (
    c: Context<HttpEnv>,
    thread: ThreadId,
    request: Request,
    message: unknown,
  ): Promise<Response | null> => {
    const seat = limits.subscriptions.take(c.get('identity')?.actor?.id ?? c.get('address') ?? null)
    if (typeof seat === 'string') return null
    let isHeld = false
    const hold: Hold = (end) => {
      const release = holdOf(c, access)(end)
      isHeld = true
      return () => {
        release()
        seat()
      }
    }
    try {
      return await listeners.listen(thread, request, message, hold)
    } finally {
      if (!isHeld) seat()
    }
  }

  return {
    addRoutes: (app) => {
      for (const path of [PATH, `${PATH}/`])
        app.post(path, (c) =>
          serve(c).catch((error: unknown) => {
            throw error instanceof ThreadDeleted ? gone : error
          }),
        )
    },
    get subscriptions() {
      return listeners.count
    },
    close: () => listeners.close(),
  }
}

/** What a request says, or the answer to one that says nothing. */
async function messageOf(c: Context<HttpEnv>, thread: ThreadId): Promise<ReadMessage | Response> {
  try {
    const body = await readJson(c)
    if (body === undefined) return rpcError(c, 400, PARSE_ERROR, 'The body is empty.')
    return readMessage(body, resourceUris(thread))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { status, detail } = error.details
    return rpcError(c, status, status === 400 ? PARSE_ERROR : INVALID_REQUEST, detail)
  }
}

/** A subscription lasts no longer than the token that it was asked for with. */
function holdOf(c: Context<HttpEnv>, access: McpOptions['access']): Hold {
  const identity = c.get('identity')
  return (end) => (identity === undefined ? () => {} : access.hold(identity, end))
}

/** An error as clients of MCP read it; without an id, since none could be read. */
function rpcError(
  c: Context<HttpEnv>,
  status: ContentfulStatusCode,
  code: number,
  message: string,
  id: RequestId | null = null,
): Response {
  return c.json({ jsonrpc: '2.0', id, error: { code, message } }, status)
}

const tooManyListeners = (c: Context<HttpEnv>, message: unknown): Response =>
  rpcError(c, 200, INTERNAL_ERROR, 'Subscription limit reached', idOf(message))

/** @returns in words why a client cannot be answered; null if it can */
function unacceptable({ json, stream }: Accepted, isStreamNeeded: boolean): string | null {
  if (isStreamNeeded) return stream ? null : 'Notices come in a stream: accept text/event-stream.'
  return json || stream ? null : 'An answer is application/json or text/event-stream: accept one of them.'
}

const gone = new Problem({
  status: 404,
  kind: 'thread-deleted',
  title: 'Thread deleted',
  detail: 'This thread was deleted, and the id of a deleted thread is not given again. Use another id.',
})
