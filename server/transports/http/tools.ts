import type { Hono } from 'hono'
import { TOOLS } from '../../../shared/dialects/registry.ts'
import { baseDefinition } from '../../../shared/dialects/schemas.ts'
import type { Rooms } from '../../rooms/rooms.ts'
import { readJson } from './body.ts'
import type { HttpEnv } from './env.ts'
import { badRequest, Problem } from './problem.ts'
import { callerOf, dialectOf, idempotencyKeyOf, readerOf, threadOf } from './request.ts'

const PROVIDERS: readonly string[] = ['base']

/** What agents use: the tools, how they are described to a model, and the block for its prompt. */
export function addToolRoutes(app: Hono<HttpEnv>, rooms: Rooms): void {
  app.post('/threads/:thread/tools/:tool', async (c) => {
    const thread = threadOf(c)
    const { tool, dialect } = toolNamed(c.req.param('tool'))
    const caller = callerOf(c)
    const key = idempotencyKeyOf(c)
    const args = asArguments(await readJson(c))
    const call = { tool, dialect, args, caller, ...(key === undefined ? {} : { key }) }
    return c.json(await rooms.use(thread, (room) => room.call(call)))
  })

  app.get('/threads/:thread/tools', (c) => {
    threadOf(c)
    const dialect = dialectOf(c)
    const provider = c.req.query('provider') ?? 'base'
    if (!PROVIDERS.includes(provider)) {
      throw badRequest(`There is no provider ${JSON.stringify(provider)}. There is: ${PROVIDERS.join(', ')}.`, {
        providers: PROVIDERS,
      })
    }
    return c.json({ dialect: dialect.name, provider, tools: dialect.tools.map(baseDefinition) })
  })

  app.get('/threads/:thread/context', async (c) => {
    const thread = threadOf(c)
    const dialect = dialectOf(c)
    const reader = readerOf(c)
    return c.text(await rooms.use(thread, (room) => room.block(dialect, reader)))
  })
}

function toolNamed(name: string) {
  const found = TOOLS.get(name)
  if (found !== undefined) return found
  const tools = [...TOOLS.keys()]
  throw new Problem({
    status: 404,
    kind: 'unknown-tool',
    title: 'Unknown tool',
    detail: `There is no tool ${JSON.stringify(name)}. There is: ${tools.join(', ')}.`,
    members: { tools },
  })
}

/** A string may hold an object: models send that, and the dialect reads it. */
function asArguments(body: unknown): unknown {
  if (body === undefined || body === null) return {}
  if (typeof body === 'string' || (typeof body === 'object' && !Array.isArray(body))) return body
  throw badRequest('The body holds the arguments of the tool: one JSON object, or nothing.')
}
