import type { Hono } from 'hono'
import type { Provider } from '../../../shared/dialects/providers.ts'
import { PROVIDERS, toolDefinitions } from '../../../shared/dialects/providers.ts'
import { TOOLS } from '../../../shared/dialects/registry.ts'
import type { Rooms } from '../../rooms/rooms.ts'
import { allow } from './access.ts'
import { readJson } from './body.ts'
import type { HttpEnv } from './env.ts'
import { badRequest, Problem } from './problem.ts'
import { callerOf, dialectOf, idempotencyKeyOf, numberIn, readerOf, threadOf } from './request.ts'

/** Tokens that a block can be folded to: its heading and a count take about as many. */
export const MIN_BLOCK_TOKENS = 100

/** What agents use: the tools, how they are described to a model, and the block for its prompt. */
export function addToolRoutes(app: Hono<HttpEnv>, rooms: Rooms): void {
  app.post('/threads/:thread/tools/:tool', async (c) => {
    const thread = threadOf(c, 'read')
    const { tool, dialect } = toolNamed(c.req.param('tool'))
    if (!tool.effects.readOnly) allow(c, 'write', thread)
    const caller = callerOf(c)
    const key = idempotencyKeyOf(c)
    const args = asArguments(await readJson(c))
    const call = { tool, dialect, args, caller, ...(key === undefined ? {} : { key }) }
    return c.json(await rooms.use(thread, (room) => room.call(call)))
  })

  app.get('/threads/:thread/tools', (c) => {
    threadOf(c, 'read')
    const dialect = dialectOf(c)
    const provider = providerOf(c.req.query('provider') ?? 'base')
    const strict = flag('strict', c.req.query('strict'))
    return c.json({ dialect: dialect.name, provider, tools: toolDefinitions(dialect, provider, strict) })
  })

  app.get('/threads/:thread/context', async (c) => {
    const thread = threadOf(c, 'read')
    const dialect = dialectOf(c)
    const reader = readerOf(c, thread)
    const maxTokens = numberIn(c, 'max_tokens', {
      least: MIN_BLOCK_TOKENS,
      most: Number.MAX_SAFE_INTEGER,
      standard: Infinity,
    })
    return c.text(await rooms.use(thread, (room) => room.block(dialect, reader, maxTokens)))
  })
}

function providerOf(name: string): Provider {
  const provider = PROVIDERS.find((one) => one === name)
  if (provider !== undefined) return provider
  throw badRequest(`There is no provider ${JSON.stringify(name)}. There is: ${PROVIDERS.join(', ')}.`, {
    providers: PROVIDERS,
  })
}

function flag(name: string, value = 'false'): boolean {
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw badRequest(`${name} is true or false.`)
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

/** A string may hold an object, and a list may be the one that a tool takes: models send that, and the dialect reads it. */
function asArguments(body: unknown): unknown {
  if (body === undefined || body === null) return {}
  if (typeof body === 'string' || typeof body === 'object') return body
  throw badRequest('The body holds the arguments of the tool: one JSON object, or nothing.')
}
