/**
 * How many MCP calls a server answers: 20 agents on one thread, each call a change that is on disk before it is answered.
 * `npm run bench:mcp [-- calls]` starts a server of its own, in a process of its own, on a folder that it deletes again.
 * Agents share the machine with it. Figures of different machines, or of a busy one, say nothing.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { withDirectory, withServer } from './serve.ts'

const AGENTS = 20
const CALLS = Number(process.argv[2] ?? 1_000)
const MODES = [{ pin: '2026-07-28' }, 'legacy'] as const

async function connect(url: string, thread: string, name: string, mode: (typeof MODES)[number]): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/threads/${thread}/mcp?name=${name}`)))
  await client.listTools()
  return client
}

/** Milliseconds of every call, in order of length. @throws Error for a call that was not answered right */
async function measure(clients: readonly Client[]): Promise<number[]> {
  const each = CALLS / clients.length
  const times = await Promise.all(
    clients.map(async (client, i) => {
      const own: number[] = []
      for (let k = 0; k < each; k++) {
        const began = performance.now()
        const result = await client.callTool({
          name: 'add_todos',
          arguments: { steps: [{ text: `Step ${k} of agent ${i}` }] },
        })
        own.push(performance.now() - began)
        if (result.isError === true || result.structuredContent === undefined) throw new Error(JSON.stringify(result))
      }
      return own
    }),
  )
  return times.flat().sort((a, b) => a - b)
}

await withDirectory((directory) =>
  withServer(directory, async (url) => {
    for (const mode of MODES) {
      const era = typeof mode === 'string' ? mode : mode.pin
      const names = Array.from({ length: AGENTS }, (_, i) => `agent-${i}`)
      const clients = await Promise.all(names.map((name) => connect(url, `bench-${era}`, name, mode)))
      const began = performance.now()
      const times = await measure(clients)
      const seconds = (performance.now() - began) / 1_000
      const at = (part: number): string => `${(times[Math.floor(times.length * part)] ?? 0).toFixed(1)} ms`
      console.log(
        `${era}: ${times.length} calls of ${AGENTS} agents in ${seconds.toFixed(2)} s, ` +
          `${Math.round(times.length / seconds)} a second; median ${at(0.5)}, 99th percentile ${at(0.99)}`,
      )
      for (const client of clients) await client.close()
    }
  }),
)
