import { VERSION } from '../version.ts'

type Id = string | number
type Fields = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asObject = (value: unknown): Fields => (isObject(value) ? value : {})

const PARSE_ERROR = -32_700
const METHOD_NOT_FOUND = -32_601
const INTERNAL_ERROR = -32_603
/** The revisions that begin with initialize, the latest first. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion'
/** What the header Mcp-Name repeats, by method. */
const NAMED_BY: ReadonlyMap<unknown, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

/** Milliseconds between two attempts to reach a server that has not come yet. */
const RETRY_MS = 500
/** Milliseconds for which a request waits for a server that has not come yet: less than hosts wait for an answer. */
const WAIT_MS = 20_000

export interface BridgeOptions {
  /** Of the plan's MCP over HTTP. */
  readonly address: URL
  /** Sent with every request, such as a token. */
  readonly headers?: Readonly<Record<string, string>>
  /** Takes one message for the host, without its line break. */
  readonly write: (line: string) => void
  /** Takes what a person should know. */
  readonly warn: (text: string) => void
  /** Resolves after so many milliseconds, or when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/**
 * Whether a server was reached: not yet; not yet, though a host has been greeted in its place, and waits; or it was.
 * Only before it was reached is anything waited for.
 */
type Reach = 'unknown' | 'awaited' | 'reached'

/**
 * Carries MCP between a host that speaks lines and a server that speaks HTTP, message by message and in any revision.
 * Requests go out one after another, as they were written, since one may build on the other; subscriptions stay open
 * beside them. A host that starts before the server is greeted in its place, and its requests wait a while.
 */
export class Bridge {
  readonly #options: BridgeOptions
  #queue: Promise<void> = Promise.resolve()
  readonly #underWay = new Map<Id, AbortController>()
  readonly #listening = new Set<AbortController>()
  /** What an `initialize` has agreed on; later revisions say theirs in every message. */
  #version = ''
  #reach: Reach = 'unknown'

  constructor(options: BridgeOptions) {
    this.#options = options
  }

  /** One line of the host. */
  receive(line: string): void {
    if (line.trim() === '') return
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      return this.#fail(null, PARSE_ERROR, 'This is not JSON.')
    }
    const { method, params } = asObject(message)
    if (method === 'notifications/cancelled') {
      this.#underWay.get(asObject(params)['requestId'] as Id)?.abort()
      return
    }
    const controller = new AbortController()
    const id = idOf(message)
    if (id !== null) this.#underWay.set(id, controller)
    const run = (): Promise<void> =>
      this.#forward(message, controller.signal).finally(() => {
        if (id !== null && this.#underWay.get(id) === controller) this.#underWay.delete(id)
        this.#listening.delete(controller)
      })
    if (method === 'subscriptions/listen') {
      this.#listening.add(controller)
      void run()
    } else this.#queue = this.#queue.then(run)
  }

  /** Resolves when everything that came has been answered. Subscriptions are given up. */
  async end(): Promise<void> {
    for (const controller of this.#listening) controller.abort()
    await this.#queue
  }

  async #forward(message: unknown, signal: AbortSignal): Promise<void> {
    const id = idOf(message)
    let isAnswered = id === null
    try {
      signal.throwIfAborted()
      const headers = this.#headersFor(message)
      const body = JSON.stringify(message)
      const response = await this.#send(message, { method: 'POST', headers, body, signal })
      if (response === null) return
      for await (const reply of repliesIn(response)) {
        if (!isMessage(reply)) {
          this.#refused(id, response.status, reply)
          isAnswered = true
        } else if (isObject(reply) && !('method' in reply)) {
          const { protocolVersion } = asObject(reply['result'])
          if (asObject(message)['method'] === 'initialize' && typeof protocolVersion === 'string')
            this.#version = protocolVersion
          // A server that could not read the request does not know whose it was.
          this.#options.write(JSON.stringify(reply['id'] === null ? { ...reply, id } : reply))
          isAnswered = true
        } else this.#options.write(JSON.stringify(reply))
      }
      if (!isAnswered) this.#fail(id, INTERNAL_ERROR, `The server ended its answer (${response.status}) too early.`)
    } catch (error) {
      if (signal.aborted) return // whoever gave up does not wait for an answer
      const text = `The server at ${this.#options.address.origin} cannot be reached: ${whyUnreachable(error)}`
      this.#options.warn(text)
      if (!isAnswered) this.#fail(id, INTERNAL_ERROR, text)
    }
  }

  /**
   * @returns null if the host was answered in place of a server that has not come yet
   * @throws whatever fetch does, at the end of the wait
   */
  async #send(message: unknown, request: RequestInit & { readonly signal: AbortSignal }): Promise<Response | null> {
    for (let waited = 0; ; waited += RETRY_MS) {
      try {
        const response = await fetch(this.#options.address, request)
        this.#reached()
        return response
      } catch (error) {
        if (this.#reach === 'reached' || !wasNeverSent(error)) throw error
        if (this.#answerInPlace(message)) return null
        if (this.#reach === 'unknown' || waited >= WAIT_MS) throw error
        await this.#options.wait(RETRY_MS, request.signal)
        request.signal.throwIfAborted()
      }
    }
  }

  /** A host that was greeted before the server came may have been told that there are no tools: it asks again now. */
  #reached(): void {
    const wasAwaited = this.#reach === 'awaited'
    this.#reach = 'reached'
    if (!wasAwaited) return
    this.#options.warn(`The server at ${this.#options.address.origin} is there now.`)
    for (const list of ['tools', 'resources', 'prompts'])
      this.#options.write(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }))
  }

  /** What a host needs to hear before it asks for anything. @returns whether the message was of that kind */
  #answerInPlace(message: unknown): boolean {
    const { method, params } = asObject(message)
    const id = idOf(message)
    if (method === 'initialize') {
      if (this.#reach === 'unknown')
        this.#options.warn(`No server answers at ${this.#options.address.origin} yet. It is waited for.`)
      this.#reach = 'awaited'
      const asked = asObject(params)['protocolVersion']
      this.#version = REVISIONS.find((revision) => revision === asked) ?? REVISIONS[0]
      if (id !== null) this.#options.write(JSON.stringify({ jsonrpc: '2.0', id, result: greeting(this.#version) }))
      return true
    }
    // A host that asks for a newer revision goes back to one that begins with initialize.
    if (method === 'server/discover') this.#fail(id, METHOD_NOT_FOUND, 'The server has not come yet.')
    else if (method === 'ping' && id !== null) this.#options.write(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
    else return method === 'notifications/initialized'
    return true
  }

  /** The server refused before it read the message: it answers with a problem of HTTP. */
  #refused(id: Id | null, status: number, problem: unknown): void {
    const { title, detail } = asObject(problem)
    const text = typeof detail === 'string' ? detail : typeof title === 'string' ? title : 'The server refused this.'
    this.#options.warn(`${status}: ${text}`)
    if (id !== null) this.#fail(id, INTERNAL_ERROR, text)
  }

  #fail(id: Id | null, code: number, message: string): void {
    this.#options.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
  }

  /** Since 2026-07-28 headers repeat what the message says; before, they say what was agreed on. */
  #headersFor(message: unknown): Record<string, string> {
    const headers: Record<string, string> = {
      ...this.#options.headers,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    }
    const { method, params } = asObject(message)
    const said = asObject(asObject(params)['_meta'])[PROTOCOL_VERSION]
    if (typeof said !== 'string')
      return this.#version === '' ? headers : { ...headers, 'MCP-Protocol-Version': this.#version }
    headers['MCP-Protocol-Version'] = said
    headers['Mcp-Method'] = String(method)
    const name = asObject(params)[NAMED_BY.get(method) ?? '']
    if (typeof name === 'string') headers['Mcp-Name'] = asHeader(name)
    return headers
  }
}

/** How a host is greeted in the place of the server; the server itself needs no greeting. */
const greeting = (protocolVersion: string): Fields => ({
  protocolVersion,
  capabilities: { tools: { listChanged: true }, resources: { listChanged: true }, prompts: { listChanged: true } },
  serverInfo: { name: 'planroom', title: 'Planroom', version: VERSION },
})

/** Errors of a connection that never was: nothing went over it. */
const NEVER_SENT: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'nothing listens there'],
  ['ENOTFOUND', 'there is no such host'],
  ['EAI_AGAIN', 'the name of the host could not be looked up'],
  ['EHOSTUNREACH', 'there is no way to the host'],
  ['ENETUNREACH', 'there is no way to its network'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the host does not answer'],
])

const codeOf = (error: unknown): unknown => asObject(error instanceof Error ? error.cause : error)['code']
const wasNeverSent = (error: unknown): boolean => NEVER_SENT.has(codeOf(error))

function whyUnreachable(error: unknown): string {
  const known = NEVER_SENT.get(codeOf(error))
  if (known !== undefined) return `${known} (${String(codeOf(error))}). Nothing was done.`
  const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
  return `${why}. What was asked for may have been done.`
}

/** Whether this is JSON-RPC, one message or a batch of them. */
const isMessage = (value: unknown): boolean => (isObject(value) ? value['jsonrpc'] === '2.0' : Array.isArray(value))

/** Of a request; null for a notification. */
function idOf(message: unknown): Id | null {
  const { id, method } = asObject(message)
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null
}

/** What a header cannot hold goes as Base64. */
function asHeader(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}

/** The messages of an answer, as they come. @throws Error if it is none of JSON */
async function* repliesIn(response: Response): AsyncGenerator {
  const type = response.headers.get('content-type') ?? ''
  if (response.body === null) return
  if (!type.startsWith('text/event-stream')) {
    const text = await response.text()
    if (text.trim() !== '') yield JSON.parse(text)
    return
  }
  let rest = ''
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + part).split(/\r?\n\r?\n/)
    rest = events.pop() ?? ''
    for (const event of events) {
      const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
      const data = lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n')
      if (data !== '') yield JSON.parse(data)
    }
  }
}
