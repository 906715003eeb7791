import { setTimeout as after } from 'node:timers/promises'
import { serverUrl, threadOf, tokenOf } from '../api.ts'
import type { Call } from '../command.ts'
import { Bridge } from './mcp-bridge.ts'

export async function run(call: Call): Promise<number> {
  const address = addressOf(call)
  const token = tokenOf(call)
  // Nobody reads any more.
  process.stdout.on('error', () => process.exit(0))
  const bridge = new Bridge({
    address,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    write: (line) => process.stdout.write(`${line}\n`),
    warn: (text) => console.error(`planroom: ${text}`),
    wait: (milliseconds, signal) => after(milliseconds, undefined, { signal }),
  })
  // Split by hand: readline takes U+2028 for the end of a line too, and JSON may hold it.
  let rest = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (part: string) => {
    const lines = (rest + part).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) bridge.receive(line)
  })
  await new Promise((resolve) => process.stdin.once('close', resolve))
  bridge.receive(rest)
  await bridge.end()
  return new Promise(() => process.stdout.write('', () => process.exit(0)))
}

/** Of the plan's MCP over HTTP. @throws CliError */
function addressOf(call: Call): URL {
  const address = new URL(`${serverUrl(call)}/threads/${threadOf(call)}/mcp`)
  const name = call.text('name', 'PLANROOM_NAME')
  if (name !== undefined) address.searchParams.set('name', name)
  for (const option of ['id', 'dialect'] as const) {
    const value = call.text(option)
    if (value !== undefined) address.searchParams.set(option, value)
  }
  return address
}
