import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { newDataDirectory, type ServerProcess, startServer } from '../helpers/server-process.ts'

export const BIN = resolve('dist/client/cli/planroom.js')

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}
export interface Around {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Starts the compiled command line, away from any terminal, with nothing but what it is given around it. */
export function start(args: readonly string[], { env = {} }: Around = {}): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [BIN, ...args], { env: { PATH: process.env['PATH'], ...env }, stdio: 'pipe' })
}

/** Runs the command line to its end. */
export async function planroom(args: readonly string[], around: Around = {}): Promise<Ran> {
  const child = start(args, around)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part))
  // It may end before it reads.
  child.stdin.on('error', () => {})
  child.stdin.end(around.input ?? '')
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

/** The first line of a child's output that matches. */
export function line(child: ChildProcessWithoutNullStreams, pattern: RegExp): Promise<string> {
  return new Promise((found, failed) => {
    let text = ''
    const look = (part: string): void => {
      text += part
      const match = text.split('\n').find((one) => pattern.test(one))
      if (match !== undefined) found(match)
    }
    child.stdout.setEncoding('utf8').on('data', look)
    child.stderr.setEncoding('utf8').on('data', look)
    child.once('close', () => failed(new Error(`It ended without ${pattern}:\n${text}`)))
  })
}

/** A data directory that goes with the test. */
export async function newDirectory(): Promise<string> {
  const { directory, remove } = await newDataDirectory()
  onTestFinished(() => remove())
  return directory
}

/** A server that goes with the test. */
export async function newServer(
  env: Readonly<Record<string, string>> = {},
  directory?: string,
): Promise<ServerProcess> {
  const server = await startServer(directory ?? (await newDirectory()), env)
  onTestFinished(async () => void (await server.kill9()))
  return server
}

/** Calls a tool over HTTP. */
export async function callTool(
  url: string,
  thread: string,
  tool: string,
  args: object,
  name = '',
): Promise<{ version: number }> {
  const init = { method: 'POST', headers: { 'X-Agent-Name': name }, body: JSON.stringify(args) }
  const response = await fetch(`${url}/threads/${thread}/tools/${tool}`, init)
  if (!response.ok) throw new Error(`${tool}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { version: number }
}
