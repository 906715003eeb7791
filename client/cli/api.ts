import { userInfo } from 'node:os'
import { isThreadId } from '../../shared/schema/ids.ts'
import { type Call, CliError, EXIT, usageError } from './command.ts'

/** Milliseconds for an answer. */
const PATIENCE_MS = 30_000

/** Where the server is. @throws CliError if that is no address */
export function serverUrl(call: Call): string {
  const text = call.text('url', 'PLANROOM_URL') ?? 'http://127.0.0.1:4080'
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw usageError(`--url is an address such as http://127.0.0.1:4080, not ${JSON.stringify(text)}.`)
  return text.replace(/\/+$/, '')
}

/** The thread of a command, by option, by the place at `index`, or by the environment. @throws CliError */
export function threadOf(call: Call, index?: number): string {
  const placed = index === undefined ? undefined : call.place(index)
  const named = call.text('thread')
  if (placed !== undefined && named !== undefined && placed !== named)
    throw usageError(`Two threads are given: ${placed} and --thread ${named}.`)
  const thread = placed ?? named ?? call.text('thread', 'PLANROOM_THREAD')
  if (thread === undefined) throw usageError('Which thread? Give it with --thread, or set PLANROOM_THREAD.')
  if (isThreadId(thread)) return thread
  throw usageError(
    `${JSON.stringify(thread)} is no thread id: 1 to 128 letters, digits and . _ ~ -, and no dot at the beginning.`,
  )
}

/** Who calls, where no token says it. */
export function callerName(call: Call): string {
  const name = call.text('name', 'PLANROOM_NAME')
  if (name !== undefined) return name
  try {
    return userInfo().username
  } catch {
    return 'planroom'
  }
}

export const tokenOf = (call: Call): string | undefined => call.text('token', 'PLANROOM_TOKEN')

interface Wish {
  readonly method?: string
  /** As it stands: JSON is not written anew. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The doors of a server. Whatever goes wrong is a CliError with the exit code for it. */
export class Api {
  readonly url: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(call: Call) {
    this.url = serverUrl(call)
    const token = tokenOf(call)
    this.#headers = {
      // A header holds bytes; the server reads them as UTF-8.
      'X-Agent-Name': Buffer.from(callerName(call), 'utf8').toString('latin1'),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    }
  }

  async json<T>(path: string, wish: Wish = {}): Promise<T> {
    const text = await this.text(path, wish)
    try {
      return JSON.parse(text) as T
    } catch (error) {
      throw this.#noPlanroom(error)
    }
  }

  async text(path: string, { method = 'GET', body, headers = {} }: Wish = {}): Promise<string> {
    let response: Response
    let text: string
    try {
      response = await fetch(this.url + path, {
        method,
        headers: { ...this.#headers, ...headers },
        signal: AbortSignal.timeout(PATIENCE_MS),
        ...(body === undefined ? {} : { body }),
      })
      text = await response.text()
    } catch (error) {
      throw unreachable(this.url, error)
    }
    if (!response.ok) throw this.#refused(response.status, text)
    return text
  }

  /** @throws CliError if nobody answers, or somebody else */
  async greet(): Promise<void> {
    const { status } = await this.json<{ status?: unknown }>('/healthz')
    if (status !== 'ok') throw this.#noPlanroom()
  }

  #noPlanroom(cause?: unknown): CliError {
    const error = new CliError(`What answers at ${this.url} is no Planroom server.`)
    error.cause = cause
    return error
  }

  #refused(status: number, text: string): CliError {
    let problem: { type?: unknown; title?: unknown; detail?: unknown } = {}
    try {
      problem = (JSON.parse(text) ?? {}) as typeof problem
    } catch {
      // Then it was not the server that answered.
    }
    const { type, title, detail } = problem
    if (typeof type !== 'string' || !type.startsWith('urn:planroom:problem:')) return this.#noPlanroom()
    const kind = type.slice('urn:planroom:problem:'.length)
    const message = [detail, title].find((one) => typeof one === 'string') ?? `The server answered with ${status}.`
    return new CliError(
      message,
      exitCodeOf(status, kind),
      status === 401 ? 'Set PLANROOM_TOKEN, or give --token.' : undefined,
    )
  }
}

function exitCodeOf(status: number, kind: string): number {
  if (status === 401 || status === 403) return EXIT.notAllowed
  if (kind === 'unknown-tool' || kind === 'bad-request' || kind === 'bad-thread') return EXIT.usage
  if (kind === 'thread-deleted' || status === 404 || status === 410) return EXIT.notFound
  if (kind === 'draining' || kind === 'not-ready') return EXIT.unreachable
  return status < 500 ? EXIT.refused : EXIT.failed
}

export function unreachable(url: string, error?: unknown): CliError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const isLate = error instanceof Error && error.name === 'TimeoutError'
  const why = isLate ? `within ${PATIENCE_MS / 1_000} s` : code
  return new CliError(
    `No server answers at ${url}${why === '' ? '' : isLate ? ` ${why}` : ` (${why})`}.`,
    EXIT.unreachable,
    'Start one with "planroom serve", or name another with --url or PLANROOM_URL.',
  )
}
