import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'

/** The real clients: the present SDK's in each of its ways to begin, and the one before it. */
export const CLIENTS = ['v2 auto', 'v2 2026-07-28', 'v2 legacy', 'sdk 1.32'] as const
export type ClientKind = (typeof CLIENTS)[number]
export const isModern = (kind: ClientKind): boolean => kind === 'v2 auto' || kind === 'v2 2026-07-28'

/** What a tool call came to, as a host sees it. */
export interface Result {
  readonly text: string
  readonly blocks: number
  readonly structure: Readonly<Record<string, unknown>> | undefined
  readonly isError: boolean
}

export interface ListedTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: object
  readonly outputSchema?: object | undefined
  readonly annotations?: object | undefined
}

/** What every one of the clients can do. */
export interface McpClient {
  readonly instructions: string | undefined
  readonly capabilities: object | undefined
  listTools(): Promise<readonly ListedTool[]>
  call(tool: string, args?: object, key?: string): Promise<Result>
  listResources(): Promise<readonly { readonly uri: string; readonly mimeType?: string | undefined }[]>
  read(uri: string): Promise<string>
  listPrompts(): Promise<readonly { readonly name: string }[]>
  prompt(name: string): Promise<string>
  close(): Promise<void>
}

export interface Address {
  /** `http://…`, of the server. */
  readonly url: string
  readonly thread?: string
  readonly name?: string
  readonly dialect?: string
}

function addressOf({ url, thread = 'plan', name, dialect }: Address): URL {
  const address = new URL(`${url}/threads/${thread}/mcp`)
  if (name !== undefined) address.searchParams.set('name', name)
  if (dialect !== undefined) address.searchParams.set('dialect', dialect)
  return address
}

const IDENTITY = { name: 'test', version: '1.0.0' }

/** A client of the present SDK, connected; closed after the test. */
export async function connectModern(
  address: Address,
  mode: 'auto' | 'legacy' | { pin: string } = { pin: '2026-07-28' },
): Promise<Client> {
  const client = new Client(IDENTITY, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(addressOf(address)))
  onTestFinished(() => client.close())
  return client
}

async function connectOld(address: Address): Promise<OldClient> {
  const client = new OldClient(IDENTITY)
  await client.connect(new OldTransport(addressOf(address)))
  onTestFinished(() => client.close())
  return client
}

const MODES = { 'v2 auto': 'auto', 'v2 2026-07-28': { pin: '2026-07-28' }, 'v2 legacy': 'legacy' } as const

export async function connectMcp(kind: ClientKind, address: Address): Promise<McpClient> {
  if (kind === 'sdk 1.32') {
    const client = await connectOld(address)
    return {
      ...common(client),
      call: async (name, args, key) =>
        resultOf(CallToolResultSchema.parse(await client.callTool({ name, ...argumentsOf(args), ...metaOf(key) }))),
    }
  }
  const client = await connectModern(address, MODES[kind])
  return {
    ...common(client),
    call: async (name, args, key) => resultOf(await client.callTool({ name, ...argumentsOf(args), ...metaOf(key) })),
  }
}

const argumentsOf = (args: object | undefined) => (args === undefined ? {} : { arguments: { ...args } })
const metaOf = (key: string | undefined) => (key === undefined ? {} : { _meta: { 'planroom/idempotencyKey': key } })

function common(client: Client | OldClient): Omit<McpClient, 'call'> {
  return {
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
    listTools: async () => (await client.listTools()).tools,
    listResources: async () => (await client.listResources()).resources,
    read: async (uri) => {
      const { contents } = await client.readResource({ uri })
      return contents.map((part) => ('text' in part ? part.text : '')).join('\n')
    },
    listPrompts: async () => (await client.listPrompts()).prompts,
    prompt: async (name) => {
      const { messages } = await client.getPrompt({ name })
      return messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('\n')
    },
    close: () => client.close(),
  }
}

interface RawResult {
  readonly content: readonly { readonly type: string; readonly text?: unknown }[]
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

const resultOf = ({ content, structuredContent, isError = false }: RawResult): Result => ({
  text: content.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n'),
  blocks: content.length,
  structure: structuredContent as Result['structure'],
  isError,
})
