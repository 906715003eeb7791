import { once } from 'node:events'
import { WebSocket } from 'ws'
import * as Y from 'yjs'
import type { ServerMessage } from './sockets.ts'
import { readServerMessage, stepOneFrame, stepTwoFrame, updateFrame } from './sockets.ts'

export interface Closed {
  readonly code: number
  readonly reason: string
}

/** A promise, and what settles it. */
interface Deferred {
  readonly clock: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** A y-websocket client without its patience: one connection, and it knows which of its updates were acknowledged. */
export class WireClient {
  readonly doc: Y.Doc
  readonly socket: WebSocket
  readonly closed: Promise<Closed>
  /** Resolves with the first step 2. */
  readonly synced: Promise<void>
  readonly versions: number[] = []
  #markSynced: () => void = () => {}
  #failSynced: (error: Error) => void = () => {}
  #watchers: { readonly until: (message: ServerMessage) => boolean; readonly resolve: () => void }[] = []
  /** Writes whose echo is awaited. */
  #unacknowledged: Deferred[] = []
  /** So much of what this document's client wrote is on the server's disk. */
  #safe = 0
  #isClosed = false

  private constructor(address: string, doc: Y.Doc) {
    this.doc = doc
    this.socket = new WebSocket(address)
    this.socket.binaryType = 'nodebuffer'
    this.synced = new Promise((resolve, reject) => {
      this.#markSynced = resolve
      this.#failSynced = reject
    })
    this.synced.catch(() => {})
    this.socket.on('error', () => {})
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => {
        this.#isClosed = true
        this.doc.off('update', this.#onUpdate)
        const error = new Error(`closed with ${code} ${reason.toString()}`)
        this.#failSynced(error)
        for (const { reject } of this.#unacknowledged.splice(0)) reject(error)
        resolve({ code, reason: reason.toString() })
      })
    })
    this.socket.on('open', () => this.send(stepOneFrame(Y.encodeStateVector(doc))))
    this.socket.on('message', (data: Buffer) => this.#receive(readServerMessage(new Uint8Array(data))))
    doc.on('update', this.#onUpdate)
  }

  /** Starts to connect. @param socketUrl `ws://…/sync` */
  static connect(
    socketUrl: string,
    thread: string,
    {
      doc = new Y.Doc(),
      name = '',
      parameters = 'planroom=1',
    }: { doc?: Y.Doc; name?: string; parameters?: string } = {},
  ): WireClient {
    return new WireClient(`${socketUrl}/${thread}?name=${encodeURIComponent(name)}&${parameters}`, doc)
  }

  readonly #onUpdate = (update: Uint8Array, origin: unknown): void => {
    if (origin !== this && this.socket.readyState === WebSocket.OPEN) this.send(updateFrame(update))
  }

  send(frame: Uint8Array): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(frame)
  }

  /**
   * Writes to the document. Resolves with what `write` returned once the server has echoed it.
   * @throws Error if the connection ends before; the outcome is then unknown
   */
  async write<T>(write: (doc: Y.Doc) => T): Promise<T> {
    const written = this.doc.transact(() => write(this.doc))
    await this.acknowledged()
    return written
  }

  /** Resolves when the server has told that it holds everything that this document's client ever wrote. */
  acknowledged(): Promise<void> {
    const clock = Y.getState(this.doc.store, this.doc.clientID)
    if (clock <= this.#safe) return Promise.resolve()
    if (this.#isClosed) return Promise.reject(new Error('closed already'))
    return new Promise((resolve, reject) => {
      this.#unacknowledged.push({ clock, resolve, reject })
    })
  }

  /** Resolves when the document is as `condition` wants it. */
  async until(condition: (doc: Y.Doc) => boolean): Promise<void> {
    if (condition(this.doc)) return
    await new Promise<void>((resolve) => {
      this.#watchers.push({ until: () => condition(this.doc), resolve })
    })
  }

  /** Closes, and resolves when that is done. */
  async close(): Promise<void> {
    this.socket.close()
    await this.closed
  }

  #receive(message: ServerMessage): void {
    switch (message.type) {
      case 'stepOne':
        this.#acknowledge(Y.decodeStateVector(message.bytes))
        this.send(stepTwoFrame(Y.encodeStateAsUpdate(this.doc, message.bytes)))
        break
      case 'stepTwo':
      case 'update':
        Y.applyUpdate(this.doc, message.bytes, this)
        this.#acknowledge(Y.parseUpdateMeta(message.bytes).to)
        if (message.type === 'stepTwo') this.#markSynced()
        break
      case 'version':
        this.versions.push(message.version)
        break
      case 'awareness':
    }
    const done = this.#watchers.filter(({ until }) => until(message))
    this.#watchers = this.#watchers.filter((watcher) => !done.includes(watcher))
    for (const { resolve } of done) resolve()
  }

  /** What the server tells of is on its disk. */
  #acknowledge(known: ReadonlyMap<number, number>): void {
    this.#safe = Math.max(this.#safe, known.get(this.doc.clientID) ?? 0)
    const done = this.#unacknowledged.filter((waiting) => waiting.clock <= this.#safe)
    this.#unacknowledged = this.#unacknowledged.filter((waiting) => waiting.clock > this.#safe)
    for (const { resolve } of done) resolve()
  }
}

/** Opens a bare WebSocket. */
export async function openSocket(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address)
  socket.on('error', () => {})
  await once(socket, 'open')
  return socket
}

/** How a connection ended, whether it was opened or not. */
export async function closeOf(socket: WebSocket): Promise<Closed> {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
  return { code, reason: reason.toString() }
}

export interface ToolAnswer {
  readonly success: boolean
  readonly version: number
  readonly replayed?: true
  readonly changed?: readonly {
    readonly id: string
    readonly index: number
    readonly number: number
    readonly text: string
  }[]
}

/** A tool call over HTTP. @throws Error if it is not answered with 200 */
export async function callTool(
  url: string,
  thread: string,
  tool: string,
  args: object,
  { name = '', key }: { readonly name?: string; readonly key?: string } = {},
): Promise<ToolAnswer> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json', 'X-Agent-Name': name }
  if (key !== undefined) headers['Idempotency-Key'] = key
  const response = await fetch(`${url}/threads/${thread}/tools/${tool}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(args),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text) as ToolAnswer
}

/** What GET /threads/:thread shows, as far as tests look at it. */
export interface ShownPlan {
  readonly version: number
  readonly steps: readonly {
    readonly id: string
    readonly number: number
    readonly text: string
    readonly status: string
  }[]
}

/** @throws Error if it is not answered with 200 */
export async function getPlan(url: string, thread: string): Promise<ShownPlan> {
  const response = await fetch(`${url}/threads/${thread}`)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text) as ShownPlan
}

/** mulberry32: random numbers that a seed brings back. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}
