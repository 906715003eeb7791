import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import type { Doors } from '../../auth/doors.ts'
import type { Rooms } from '../../rooms/rooms.ts'
import type { Storage } from '../../rooms/storage.ts'
import type { Limits } from '../limits/limits.ts'
import type { McpDoor } from '../mcp/mcp.ts'
import { addAccessRoutes, type GateOptions, keepGate } from './access.ts'
import { compressReads } from './compress.ts'
import { keepDoors, safeHeaders } from './doors.ts'
import type { HttpEnv } from './env.ts'
import { limitActors, limitAddresses } from './limits.ts'
import { openApi } from './openapi/document.ts'
import { addPageRoutes, answerLost, type Page } from './page.ts'
import { answerError, answerProblem, badTarget, Problem, type ProblemDetails } from './problem.ts'
import { badThread } from './request.ts'
import { addThreadRoutes } from './threads.ts'
import { addToolRoutes } from './tools.ts'

/** Milliseconds within which a storage that is fit to serve answers: probes wait a few seconds at most. */
const READY_MS = 2_000

export interface HttpOptions extends GateOptions {
  readonly rooms: Rooms
  readonly storage: Storage
  readonly mcp: McpDoor
  readonly doors: Doors
  readonly limits: Limits
  readonly version: string
  /** The page for people; null: it was not built. */
  readonly page?: Page | null
  /** Whether the server is shutting down, and wants no more traffic. */
  readonly isDraining: () => boolean
}

/** All doors over HTTP, as one function from a request to its response. */
export function createHttp(options: HttpOptions): Hono<HttpEnv> {
  const { rooms, storage, mcp, doors, limits, access, publicUrl, log, version, page = null, isDraining } = options
  let description: string | undefined
  const app = new Hono<HttpEnv>()
  app.onError((error, c) => answerError(error, c, log))
  app.notFound((c) => answerLost(c, page) ?? answerProblem(c, notFound))

  app.use(requestId())
  app.use(compressReads)
  app.use(safeHeaders)
  app.use(limitAddresses(limits))
  app.use(async (c, next) => {
    // A Host such as 1277.0.0.1 has the form of one and is none.
    if (!URL.canParse(c.req.url)) throw new Problem(badTarget)
    await next()
  })
  app.use(keepDoors(doors))
  app.use(async (c, next) => {
    // Dots are resolved before a route is chosen: what came in tells what was meant.
    if (hasDots(c.env?.incoming?.url)) throw badThread()
    await next()
  })
  app.use(keepGate(options))
  app.use(limitActors(limits))
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (c, methods) => {
        const detail = `${c.req.method} is not possible here. ${methods.join(', ')} is.`
        const headers = { Allow: methods.join(', ') }
        return answerProblem(c, { status: 405, kind: 'method', title: 'Method not allowed', detail, headers })
      },
    }),
  )

  addPageRoutes(app, page, overview(version))
  app.get('/openapi.json', (c) => {
    description ??= JSON.stringify(openApi({ version, publicUrl, isOpen: access.isOpen }))
    return c.body(description, 200, { 'Content-Type': 'application/json' })
  })
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const reason = isDraining() ? 'The server is shutting down.' : await whyNotReady(storage)
    const { warning } = storage.condition()
    if (reason === null) return c.json({ status: 'ok', ...(warning === null ? {} : { warning }) })
    return answerProblem(c, { status: 503, kind: 'not-ready', title: 'Not ready', detail: reason })
  })
  addToolRoutes(app, rooms)
  addThreadRoutes(app, rooms, storage)
  mcp.addRoutes(app)
  addAccessRoutes(app, options)
  return app
}

const notFound: ProblemDetails = {
  status: 404,
  kind: 'not-found',
  title: 'Not found',
  detail: 'Nothing is here. GET / tells what is.',
}

async function whyNotReady(storage: Storage): Promise<string | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`The storage did not answer within ${READY_MS} ms.`), READY_MS)
  })
  const answer = storage.ping().then(
    () => storage.condition().unwritable,
    () => 'The storage does not answer.',
  )
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

/** Whether a path holds `.` or `..` as a part of its own, written plainly or escaped. */
function hasDots(target: string | undefined): boolean {
  const path = target?.split(/[?#]/, 1)[0] ?? ''
  return path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))
}

const overview = (version: string): string => `Planroom ${version}: the live plan that agents and people share.

POST   /threads/:thread/tools/:tool         call a tool; the body holds its arguments as JSON
                                            X-Agent-Name says who calls, Idempotency-Key makes repeats safe
GET    /threads/:thread/tools?dialect=      the tools, as a model is told of them
GET    /threads/:thread/context?dialect=    the plan as a block for a prompt
GET    /threads/:thread/pending             whether anything is left to do
POST   /threads/:thread/mcp?dialect=        the same by MCP; ?name= says who calls
GET    /threads/:thread                     the plan as JSON; PUT creates it, DELETE deletes it
GET    /threads/:thread/plan.md             the plan as Markdown
GET    /threads/:thread/activity?after=     who changed what; /activity/:version what exactly
GET    /threads?after=&query=               all threads that you may see: title, progress, who is there
GET    /, /t/:thread                        the page for people, in a browser
WS     /sync/:thread                        the plan live, for y-websocket
POST   /admin/revoke                        take the tokens of a subject back
GET    /openapi.json                        all of this for programs
GET    /healthz, /readyz                    alive; ready to serve
`
