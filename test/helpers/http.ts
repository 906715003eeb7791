import { connect, type Socket } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { type App, type AppOptions, createApp } from '../../server/app.ts'
import type { Log } from '../../server/rooms/log.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'

/** A log that remembers. */
export interface RecordedLog extends Log {
  readonly lines: { readonly level: keyof Log; readonly fields: object; readonly message: string }[]
}
export function recordedLog(): RecordedLog {
  const lines: RecordedLog['lines'] = []
  const at = (level: keyof Log) => (fields: object, message: string) => void lines.push({ level, fields, message })
  return { lines, info: at('info'), warn: at('warn'), error: at('error') }
}

/** The whole server, in memory, with no port until it listens; closed after the test. */
export function newApp(options: Partial<AppOptions> = {}): App {
  const { storage = createMemoryStorage(), log = recordedLog(), ...rest } = options
  const allowedHosts = ['planroom.test', 'a']
  const app = createApp({ config: { host: '127.0.0.1', port: 0, idleMs: 60_000, allowedHosts }, storage, log, ...rest })
  onTestFinished(() => app.close())
  return app
}

/** A response, read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Undefined where the body is no JSON. */
  readonly json: unknown
}
export interface Wish {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Anything but text and bytes is sent as JSON. */
  readonly body?: unknown
}

/** One request to an app, without a network. */
export async function ask(app: App, path: string, { method = 'GET', headers = {}, body }: Wish = {}): Promise<Answer> {
  const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const init = { method, headers, ...(bytes === undefined ? {} : { body: bytes as BodyInit }) }
  const response = await app.fetch(new Request(`http://planroom.test${path}`, init))
  return { status: response.status, headers: response.headers, ...parsed(await response.text()) }
}

/** A tool call. */
export const call = (app: App, thread: string, tool: string, body?: unknown, headers: Wish['headers'] = {}) =>
  ask(app, `/threads/${thread}/tools/${tool}`, { method: 'POST', headers, body })

function parsed(text: string): Pick<Answer, 'text' | 'json'> {
  try {
    return { text, json: JSON.parse(text) as unknown }
  } catch {
    return { text, json: undefined }
  }
}

/** Asserts that an answer is a problem as RFC 9457 has it, and returns its members. */
export function expectProblem(answer: Answer, status: number, kind: string): Readonly<Record<string, unknown>> {
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.json).toMatchObject({ type: `urn:planroom:problem:${kind}`, status })
  const problem = answer.json as Record<string, unknown>
  expect(problem['title']).toMatch(/./)
  expect(problem['detail']).toMatch(/./)
  return problem
}

/** A TCP connection to a server, for what no HTTP client would send. */
export async function openSocket(port: number): Promise<{ socket: Socket; ended: Promise<string> }> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (part: string) => (text += part))
  // A reset counts as an end: what came before it is what counts.
  const ended = new Promise<string>((resolve) => {
    socket.on('error', () => resolve(text))
    socket.on('close', () => resolve(text))
  })
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve)
  })
  return { socket, ended }
}

/** Sends bytes as they are and reads until the server ends the connection. */
export async function sendRaw(port: number, text: string): Promise<Answer> {
  const { socket, ended } = await openSocket(port)
  socket.write(text)
  return readAnswer(await ended)
}

/** The first answer in what came over a connection. */
export function readAnswer(text: string): Answer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  )
  return { status: Number(statusLine.split(' ')[1]), headers, ...parsed(rest.join('\r\n\r\n')) }
}
