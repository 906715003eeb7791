import { isDeepStrictEqual } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { fromJsonSchema } from '@modelcontextprotocol/server'
import type { Room, ToolCall } from '../../server/rooms/room.ts'
import { Rooms } from '../../server/rooms/rooms.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { createHttp } from '../../server/transports/http/http.ts'
import { createHttpServer } from '../../server/transports/http/server.ts'
import { createMcp } from '../../server/transports/mcp/mcp.ts'
import { listedTools } from '../../server/transports/mcp/tools.ts'
import type { ToolReply } from '../../shared/dialects/call.ts'
import { DIALECTS, TOOLS } from '../../shared/dialects/registry.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { ThreadId } from '../../shared/schema/ids.ts'
import { OPEN } from '../helpers/access.ts'
import type { PlanDriver, Way, Who } from '../helpers/plan-driver.ts'

const THREAD = 'thread' as ThreadId
const QUIET = { info: () => {}, warn: () => {}, error: () => {} }

/** An operator's folder with nothing in it. */
const FILES = { read: (path: string) => Promise.resolve({ error: `there is no file ${path}` }) }

const actorOf = (who: Who): Actor => (typeof who === 'string' ? { id: who, name: who, kind: 'agent' } : who)

/** Rooms that remember the last reply of each caller: MCP shows less of it than a table of cases looks at. */
class TappedRooms extends Rooms {
  readonly replies = new Map<string, ToolReply>()

  override use<T>(thread: ThreadId, work: (room: Room) => T | Promise<T>): Promise<T> {
    const tap = async (room: Room, call: ToolCall): Promise<ToolReply> => {
      const reply = await room.call(call)
      this.replies.set(call.caller.actor.id, reply)
      return reply
    }
    const tapped = (room: Room): Room =>
      new Proxy(room, {
        get: (target, name) => {
          if (name === 'call') return (call: ToolCall) => tap(target, call)
          const value: unknown = Reflect.get(target, name, target)
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        },
      })
    return super.use(thread, (room) => work(tapped(room)))
  }
}

/**
 * Through the real client and MCP over HTTP. Every result is held against the reply that the room gave: the same text, the
 * same as a structure, an error exactly if it was refused. So whatever a table says of replies, MCP says too.
 */
export const mcpWay: Way = { name: 'MCP', open: openMcp }

async function openMcp(): Promise<PlanDriver> {
  const storage = createMemoryStorage()
  let at = Date.UTC(2026, 0, 1)
  const rooms = new TappedRooms({ storage, files: FILES, log: QUIET, now: () => at++ })
  const parts = { ...OPEN, rooms, storage, log: QUIET, version: '0' }
  const mcp = createMcp(parts)
  const http = createHttp({ ...parts, mcp, isDraining: () => false })
  const server = createHttpServer((request, env) => http.fetch(request, env))
  const port = await server.listen(0, '127.0.0.1')
  const clients = new Map<string, Promise<Client>>()

  const clientOf = (who: Who, dialect: string): Promise<Client> => {
    const { id, name } = actorOf(who)
    const address = new URL(
      `http://127.0.0.1:${port}/threads/${THREAD}/mcp?${String(new URLSearchParams({ id, name, dialect }))}`,
    )
    const client = clients.get(address.href) ?? connect(address)
    clients.set(address.href, client)
    return client
  }

  return {
    call: async (who, name, args = {}) => {
      const found = TOOLS.get(name)
      if (found === undefined) throw new Error(`there is no tool ${name}`)
      const actor = actorOf(who)
      // MCP carries objects alone, and every caller over it is an agent.
      if (typeof args !== 'object' || args === null || Array.isArray(args) || actor.kind !== 'agent')
        return rooms.use(THREAD, (room) => room.call({ ...found, args, caller: { actor, source: 'http' } }))
      const client = await clientOf(who, found.dialect.name)
      const result = await client.callTool({ name, arguments: { ...args } })
      const reply = rooms.replies.get(actor.id)
      if (reply === undefined) throw new Error(`${name} never reached the room: ${JSON.stringify(result)}`)
      const { content, structuredContent, isError = false } = result
      const parsed = parseObject(reply.text)
      const expected = reply.success ? (parsed ?? { result: reply.text }) : undefined
      const isSame =
        isDeepStrictEqual(content, [{ type: 'text', text: reply.text }]) &&
        isDeepStrictEqual(structuredContent, expected) &&
        isError === !reply.success
      if (structuredContent !== undefined) checkStructure(name, structuredContent)
      if (!isSame) throw new Error(`over MCP ${JSON.stringify(result)}, but the reply was ${JSON.stringify(reply)}`)
      return reply
    },
    block: async (reader, dialect = 'outline') => {
      const client = await clientOf(reader, dialect)
      const { messages } = await client.getPrompt({ name: 'plan' })
      const [text = ''] = messages.map(({ content }) => (content.type === 'text' ? content.text : ''))
      return text === 'Nothing is open in the plan.' ? '' : text
    },
    standing: () => rooms.use(THREAD, (room) => room.snapshot()),
    activity: () => storage.activity(THREAD, 0, 10_000),
    close: async () => {
      for (const client of clients.values()) await (await client).close()
      await rooms.drain()
      await mcp.close()
      server.destroy()
      await server.close()
    },
  }
}

async function connect(address: URL): Promise<Client> {
  const client = new Client({ name: 'table', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new StreamableHTTPClientTransport(address))
  return client
}

const compile = (schema: object) => fromJsonSchema(schema as Parameters<typeof fromJsonSchema>[0])['~standard']

/** Each tool's schema of what it answers with, compiled. */
const OUTPUTS = new Map(
  [...DIALECTS.values()]
    .flatMap(listedTools)
    .map(({ name, outputSchema = { type: 'object' } }) => [name, compile(outputSchema)] as const),
)

/** As a client does that has listed the tools. @throws Error for a structure that does not fit its schema */
function checkStructure(tool: string, structure: unknown): void {
  const checked = OUTPUTS.get(tool)?.validate(structure)
  if (checked === undefined || checked instanceof Promise || checked.issues !== undefined)
    throw new Error(`${tool} answered with ${JSON.stringify(structure)}: ${JSON.stringify(checked)}`)
}

function parseObject(text: string): object | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
