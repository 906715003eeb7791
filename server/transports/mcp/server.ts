import type { CallToolResult, McpRequestContext, ServerOptions, Tool as McpTool } from '@modelcontextprotocol/server'
import { McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { MAX_KEY } from '../../../shared/schema/limits.ts'
import type { Log } from '../../rooms/log.ts'
import { explainFailure, KEY_FIELD } from './failures.ts'
import type { RequestId } from './message.ts'
import type { PlanSource } from './resources.ts'
import { listedResources, readResource } from './resources.ts'
import { failedResult, toolResult } from './tools.ts'
import type { Visit } from './visit.ts'

const INSTRUCTIONS =
  'One plan that agents and people share and change at the same time. Numbers mean what you were last shown; give `rev`, ' +
  'the version printed with them, and they mean that whatever others did since. Replies say what others did. A refusal ' +
  'changes nothing and says what to do instead.'
const PROMPT = {
  name: 'plan',
  title: 'The plan as it stands',
  description: 'The steps with their numbers and statuses, for the model that is about to work on them.',
}
const NOTHING = 'Nothing is open in the plan.'
/** Lists are the same until another build is started; a plan may have changed the moment it was read. */
const LISTS = { ttlMs: 300_000, cacheScope: 'private' } as const
const PLAN = { ttlMs: 0, cacheScope: 'private' } as const
const CACHE: NonNullable<ServerOptions['cacheHints']> = {
  'tools/list': LISTS,
  'prompts/list': LISTS,
  'resources/list': LISTS,
  'resources/templates/list': LISTS,
  'resources/read': PLAN,
  'server/discover': LISTS,
}

export interface ServerContext extends PlanSource {
  readonly log: Log
  readonly version: string
  /** Built once for all requests. */
  readonly tools: ReadonlyMap<string, readonly McpTool[]>
}

/**
 * What answers one request of one visitor. The handlers are set directly: schemas are not built anew for every request,
 * and arguments reach the dialect as they came, to be read leniently.
 */
export function createServer(visit: Visit, era: McpRequestContext['era'], context: ServerContext): McpServer {
  const { thread, dialect, caller, mistakes } = visit
  const { rooms, log } = context
  const capabilities = {
    tools: { listChanged: false },
    // Only in the modern era is there a stream that notices could come by.
    resources: era === 'modern' ? { subscribe: true, listChanged: false } : { listChanged: false },
    prompts: { listChanged: false },
  }
  const mcp = new McpServer(
    { name: 'planroom', title: 'Planroom', version: context.version },
    { capabilities, instructions: INSTRUCTIONS, cacheHints: CACHE },
  )
  const { server } = mcp

  /** Runs work for a request that has no result of its own for failures. */
  const orFail = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      throw new ProtocolError(ProtocolErrorCode.InternalError, explain(error))
    }
  }
  const explain = (error: unknown): string => {
    const known = explainFailure(error)
    if (known !== null) return known
    log.error({ err: error, thread }, 'an MCP request failed')
    return 'Something went wrong here, and was logged.'
  }

  /** @throws ProtocolError for a request that was not read */
  const expectRead = ({ mcpReq: { id } }: { mcpReq: { id: RequestId } }): void => {
    const mistake = mistakes.get(id)
    if (mistake !== undefined) throw invalid(mistake)
  }

  server.setRequestHandler('tools/list', (_, request) => {
    expectRead(request)
    return { tools: [...(context.tools.get(dialect.name) ?? [])] }
  })
  server.setRequestHandler('tools/call', async ({ params }, request): Promise<CallToolResult> => {
    expectRead(request)
    const tool = dialect.tools.find(({ name }) => name === params.name)
    if (tool === undefined) {
      const names = dialect.tools.map(({ name }) => name)
      throw invalid(`There is no tool ${JSON.stringify(params.name)} here. There is: ${names.join(', ')}.`)
    }
    const key = keyOf(request.mcpReq._meta)
    const call = { tool, dialect, args: params.arguments ?? {}, caller, ...(key === undefined ? {} : { key }) }
    try {
      return toolResult(await rooms.use(thread, (room) => room.call(call)))
    } catch (error) {
      return failedResult(explain(error))
    }
  })

  server.setRequestHandler('resources/list', (_, request) => {
    expectRead(request)
    return { resources: listedResources(thread) }
  })
  server.setRequestHandler('resources/templates/list', (_, request) => {
    expectRead(request)
    return { resourceTemplates: [] }
  })
  server.setRequestHandler('resources/read', ({ params: { uri } }, request) =>
    orFail(async () => {
      expectRead(request)
      const found = await readResource(uri, thread, context)
      if (found === null) throw new ResourceNotFoundError(uri)
      return found
    }),
  )

  server.setRequestHandler('prompts/list', (_, request) => {
    expectRead(request)
    return { prompts: [PROMPT] }
  })
  server.setRequestHandler('prompts/get', ({ params: { name } }, request) =>
    orFail(async () => {
      expectRead(request)
      if (name !== PROMPT.name) throw invalid(`There is no prompt ${JSON.stringify(name)}. There is: ${PROMPT.name}.`)
      const block = await rooms.use(thread, (room) => room.block(dialect, caller.actor))
      const text = block === '' ? NOTHING : block
      return { description: PROMPT.description, messages: [{ role: 'user', content: { type: 'text', text } }] }
    }),
  )
  return mcp
}

/** @throws ProtocolError for one that is none */
function keyOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const key = meta?.[KEY_FIELD]
  if (key === undefined) return undefined
  if (typeof key === 'string' && key.trim() !== '' && key.trim().length <= MAX_KEY) return key.trim()
  throw invalid(`${KEY_FIELD} is a string of 1 to ${MAX_KEY} characters.`)
}

const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message)
