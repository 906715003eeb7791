import { parseArgs } from 'node:util'
import { isThreadId } from '../../shared/schema/ids.ts'
import { Bridge } from './mcp-bridge.ts'

const USAGE = `Usage: npm run --silent mcp -- --thread T [--url http://127.0.0.1:4080] [--name agent] [--id id] [--dialect outline]

An MCP server on standard input and output, for hosts that speak nothing else: it carries every message to the server
over HTTP and back. Whatever goes wrong is told on standard error. It ends when its input does.`

function main(): void {
  const address = readAddress()
  if (address === null) return
  // Nobody reads any more.
  process.stdout.on('error', () => process.exit(0))
  const bridge = new Bridge({
    address,
    write: (line) => process.stdout.write(`${line}\n`),
    warn: (text) => console.error(`planroom: ${text}`),
  })
  // Split by hand: readline takes U+2028 for the end of a line too, and JSON may hold it.
  let rest = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (part: string) => {
    const lines = (rest + part).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) bridge.receive(line)
  })
  process.stdin.once('close', () => {
    bridge.receive(rest)
    void bridge.end().then(() => process.stdout.write('', () => process.exit(0)))
  })
}

/** Where the plan is, as the command line says; null if it does not. */
function readAddress(): URL | null {
  const text = { type: 'string' } as const
  const options = { thread: text, url: text, name: text, id: text, dialect: text, help: { type: 'boolean' } } as const
  try {
    const { values } = parseArgs({ options })
    const { thread, help } = values
    if (help === true || !isThreadId(thread)) {
      console.error(thread === undefined ? USAGE : `"${thread}" is no thread id.\n\n${USAGE}`)
      process.exitCode = help === true ? 0 : 2
      return null
    }
    const address = new URL(values.url ?? process.env['PLANROOM_URL'] ?? 'http://127.0.0.1:4080')
    address.pathname = `${address.pathname.replace(/\/$/, '')}/threads/${thread}/mcp`
    for (const name of ['name', 'id', 'dialect'] as const) {
      const value = values[name]
      if (value !== undefined) address.searchParams.set(name, value)
    }
    return address
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
    process.exitCode = 2
    return null
  }
}

main()
