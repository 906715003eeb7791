import { setTimeout } from 'node:timers/promises'

export interface PlanAddress {
  /** Of the server, such as `http://127.0.0.1:4080`. */
  readonly url: string
  readonly thread: string
  /** The agent, as people and other agents read it. With a token, the token says who it is. */
  readonly agent: string
  readonly dialect?: string
  readonly token?: string
}

/** What the model is to be shown, and whether it has to mend something. */
export interface ToolResult {
  readonly text: string
  readonly isError: boolean
}

interface Answer {
  readonly success?: boolean
  readonly text?: string
  readonly type?: string
  readonly detail?: string
}

/** More turns than this are a model that goes round in circles. */
export const MOST_TURNS = 20
const MOST_TRIES = 3
/** Too many requests, and a server that is busy or going down: both pass. */
const PASSING = [429, 503]
/** Problems that come of what the model wrote: it reads what is valid, and tries again. */
const FOR_THE_MODEL = ['bad-request', 'unknown-tool', 'too-large']

/** One plan, as one agent uses it. */
export class Planroom {
  readonly #address: PlanAddress
  #last: Promise<unknown> = Promise.resolve()

  constructor(address: PlanAddress) {
    this.#address = address
  }

  /** The tools in the form that a provider's API takes. They are the same for everybody: fetch them once. */
  async tools<Tool>(provider: string): Promise<Tool[]> {
    const response = await this.#send(`tools?provider=${provider}`)
    return ((await response.json()) as { tools: Tool[] }).tools
  }

  /** A system prompt with the plan as it stands now. Fetch it for every request to the model, and keep no old ones. */
  async prompt(): Promise<string> {
    const block = await (await this.#send('context')).text()
    return `Work on the task of the user, and keep the plan up to date while you do.\n\n${block}`
  }

  /** Whether anything is left to do, as `TaskPlanner.hasPendingTasks` of the SDK says it. */
  async hasPendingTasks(): Promise<boolean> {
    const response = await this.#send('pending')
    return ((await response.json()) as { pending: boolean }).pending
  }

  /**
   * One tool call. Calls of one turn are made in the order in which the model wrote them.
   * @param args as the model wrote them: an object, or a string that may be broken
   * @param callId what the provider gave the call: under it the call is done once, however often it is sent
   * @throws Error for what the model cannot mend, such as a token that has expired
   */
  call(tool: string, args: unknown, callId: string): Promise<ToolResult> {
    const result = this.#last.then(() => this.#call(tool, args, callId))
    this.#last = result.catch(() => {})
    return result
  }

  async #call(tool: string, args: unknown, callId: string): Promise<ToolResult> {
    const body = typeof args === 'string' ? args : JSON.stringify(args)
    const headers = { 'Idempotency-Key': callId }
    const response = await this.#send(`tools/${encodeURIComponent(tool)}`, { method: 'POST', headers, body })
    const { success, text = '', detail = '' } = (await response.json()) as Answer
    return response.ok ? { text, isError: success !== true } : { text: detail, isError: true }
  }

  /** @returns an answer that is good, or that the model has to read. @throws Error for any other */
  async #send(path: string, init: RequestInit = {}): Promise<Response> {
    const { thread, dialect = 'outline' } = this.#address
    const address = new URL(`${this.#address.url}/threads/${thread}/${path}`)
    address.searchParams.set('dialect', dialect)
    const response = await this.#fetch(address, init)
    if (response.ok) return response
    const { type = '', detail = '' } = (await response.clone().json()) as Answer
    if (FOR_THE_MODEL.some((kind) => type.endsWith(`:${kind}`))) return response
    throw new Error(`${address.pathname}: ${response.status}: ${detail}`)
  }

  /** Tries again where that may help. It does no harm: reading changes nothing, and calls have a key. */
  async #fetch(address: URL, init: RequestInit, tries = MOST_TRIES): Promise<Response> {
    const { agent, token } = this.#address
    const headers = new Headers(init.headers)
    headers.set('X-Agent-Name', agent)
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
    const answer = fetch(address, { ...init, headers })
    if (tries === 1) return answer
    const response = await answer.catch(() => null)
    if (response !== null && !PASSING.includes(response.status)) return response
    await setTimeout(1_000 * Number(response?.headers.get('Retry-After') ?? 1))
    return this.#fetch(address, init, tries - 1)
  }
}
