import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import type { Awareness } from 'y-protocols/awareness'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { TWIN_CODE, TWIN_REASON } from '../../shared/schema/closes.ts'
import type { Backoff } from './backoff.ts'
import { Pulse } from './pulse.ts'

/** What arrives beside the plan itself. */
export interface ConnectionEvents {
  /** The server's state vector: what it has on disk. */
  readonly onState: (stateVector: Uint8Array) => void
  /** All that this copy did not have was applied. */
  readonly onSynced: (update: Uint8Array) => void
  /** An update was applied; it is on the server's disk. */
  readonly onUpdate: (update: Uint8Array) => void
  readonly onVersion: (version: number) => void
  /** The connection was lost, or could not be made; another try is under way. */
  readonly onOffline: (why: string) => void
  /** Another document writes under this copy's client id. No further try is made with it. */
  readonly onTwin: () => void
  /** The server will not have it: no further try is made. */
  readonly onRefused: (code: number, why: string) => void
}

export interface ConnectionOptions {
  /** `http://…` or `ws://…` of the server; undefined: that of the page. */
  readonly url: string
  readonly thread: string
  readonly params: Readonly<Record<string, string>>
  /** A function is asked anew for each attempt. */
  readonly token: string | (() => string | Promise<string>) | null
  readonly WebSocket: typeof WebSocket
  readonly backoff: Backoff
}

const SYNC = 0
const VERSION = 100
const NOT_AUTHENTICATED = 4401
const NO_CLOSE_FRAME = 1006
/** Of what may stand in a subprotocol, as every JWT does. */
const TOKEN = /^[\w.~+-]+$/
const isPermanent = (code: number): boolean => code >= 4400 && code <= 4499

/**
 * One copy's way to the server: an unmodified y-websocket provider that is told when to connect. It has no jitter of its
 * own, and would come back with an old token.
 */
export class Connection {
  readonly #doc: Y.Doc
  readonly #options: ConnectionOptions
  readonly #events: ConnectionEvents
  readonly #provider: WebsocketProvider
  readonly #pulse: Pulse
  #timer: ReturnType<typeof setTimeout> | undefined
  #isWanted = false
  #isTrying = false
  /** Failed attempts since the last one that went well. */
  #failures = 0
  /** What the socket said went wrong, as far as it may say. */
  #error = ''
  /** A token that was refused is replaced once. */
  #hasFreshToken = false
  /** A missing part was asked for, and has not come. */
  #hasAsked = false

  constructor(doc: Y.Doc, awareness: Awareness, options: ConnectionOptions, events: ConnectionEvents) {
    checkUrl(options.url)
    this.#doc = doc
    this.#options = options
    this.#events = events
    this.#provider = new WebsocketProvider(socketUrl(options.url), encodeURIComponent(options.thread), doc, {
      awareness,
      connect: false,
      // Tabs of one browser would pass on each other's changes under their own names.
      disableBc: true,
      WebSocketPolyfill: options.WebSocket,
      // It never comes back by itself: the next attempt is ours.
      shouldReconnect: () => false,
      maxBackoffTime: 0,
    })
    this.#provider.messageHandlers[VERSION] = (_encoder, decoder) => events.onVersion(decoding.readVarUint(decoder))
    this.#provider.messageHandlers[SYNC] = this.#listen(this.#provider.messageHandlers[SYNC] as Handler)
    this.#provider.on('connection-close', (event) => this.#onClose(event))
    this.#provider.on('connection-error', (event) => {
      this.#error = messageIn(event)
    })
    this.#pulse = new Pulse(this.#provider, () => this.lost())
  }

  /** Begins to connect, and goes on until it is told otherwise. */
  open(): void {
    this.#isWanted = true
    this.#failures = 0
    this.#tryNow()
  }

  /** Does not wait for the next attempt: the network is back. What began without it comes to nothing. */
  hurry(): void {
    if (!this.#isWanted) return
    if (this.#provider.wsconnecting) this.lost()
    if (this.#timer !== undefined) this.#tryNow()
  }

  /** The network is gone, or the connection is dead, whatever the socket says. */
  lost(): void {
    if (this.#provider.wsconnected || this.#provider.wsconnecting) this.#provider.disconnect()
  }

  /** All went well: the server has taken what there was to bring. */
  wentWell(): void {
    this.#failures = 0
  }

  pause(): void {
    this.#isWanted = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#provider.disconnect()
  }

  destroy(): void {
    this.#isWanted = false
    this.#pulse.stop()
    clearTimeout(this.#timer)
    this.#provider.destroy()
  }

  #tryNow(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#isTrying || this.#provider.wsconnected || this.#provider.wsconnecting) return
    this.#isTrying = true
    void this.#attempt().finally(() => {
      this.#isTrying = false
    })
  }

  async #attempt(): Promise<void> {
    const { params, token } = this.#options
    try {
      const bearer = typeof token === 'function' ? await token() : token
      if (!this.#isWanted) return
      if (bearer !== null && bearer !== '' && !TOKEN.test(bearer)) {
        this.#isWanted = false
        return this.#events.onRefused(
          NOT_AUTHENTICATED,
          'the token is not whole: one has three parts, with dots between them',
        )
      }
      this.#provider.params = { ...params, planroom: '1' }
      // Not in the address, which proxies write into their logs. The server answers with the one that tells nothing.
      this.#provider.protocols = bearer === null || bearer === '' ? [] : ['planroom', `planroom.bearer.${bearer}`]
      this.#error = ''
      this.#provider.connect()
      this.#pulse.start()
    } catch (error) {
      this.#failed(error instanceof Error ? error.message : String(error))
    }
  }

  #failed(why: string): void {
    this.#events.onOffline(why)
    if (!this.#isWanted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#tryNow(), this.#options.backoff(++this.#failures))
  }

  /** @param event null if this side closed it: silence, or on purpose */
  #onClose(event: CloseEvent | null): void {
    this.#provider.shouldConnect = false
    this.#hasAsked = false
    this.#pulse.stop()
    if (event !== null && isPermanent(event.code) && this.#isWanted) {
      const canRenew =
        event.code === NOT_AUTHENTICATED && typeof this.#options.token === 'function' && !this.#hasFreshToken
      if (!canRenew) {
        this.#isWanted = false
        return this.#events.onRefused(event.code, event.reason)
      }
      this.#hasFreshToken = true
    }
    if (event !== null && event.code === TWIN_CODE && event.reason === TWIN_REASON && this.#isWanted) {
      this.#isWanted = false
      return this.#events.onTwin()
    }
    this.#failed(this.#whyClosed(event))
  }

  /** In words: a browser does not tell why it reached nobody. */
  #whyClosed(event: CloseEvent | null): string {
    const { url } = this.#options
    if (event === null) return 'The connection was silent, or closed on this side.'
    if (event.code !== NO_CLOSE_FRAME)
      return `The server closed the connection: ${event.reason || 'no reason given'} (${event.code}).`
    return `No connection to ${url}${this.#error === '' ? '' : `: ${this.#error}`}. Is the server running there?`
  }

  /** Lets y-websocket do its work, and looks over its shoulder. */
  #listen(handle: Handler): Handler {
    return (encoder, decoder, provider, emitSynced, type) => {
      const peek = decoding.createDecoder(decoder.arr)
      peek.pos = decoder.pos
      const step = decoding.readVarUint(peek)
      const bytes = decoding.readVarUint8Array(peek)
      handle(encoder, decoder, provider, emitSynced, type)
      if (step === 0) return this.#events.onState(bytes)
      if (step === 1) {
        this.#hasFreshToken = false
        this.#hasAsked = false
        this.#events.onSynced(bytes)
      } else this.#events.onUpdate(bytes)
      this.#askForMissing()
    }
  }

  /** An update that leans on one that did not come waits in the document, and nobody would ever hear of it. */
  #askForMissing(): void {
    const { store } = this.#doc
    if (this.#hasAsked || (store.pendingStructs === null && store.pendingDs === null)) return
    this.#hasAsked = true
    this.#provider.ws?.send(
      encoding.encode((encoder) => {
        encoding.writeVarUint(encoder, SYNC)
        encoding.writeVarUint(encoder, 0)
        encoding.writeVarUint8Array(encoder, Y.encodeStateVector(this.#doc))
      }),
    )
  }
}

type Handler = (
  encoder: encoding.Encoder,
  decoder: decoding.Decoder,
  provider: WebsocketProvider,
  emitSynced: boolean,
  type: number,
) => void

/** What the event of a failed socket tells: Node's has words, that of a browser has none. */
function messageIn(event: unknown): string {
  if (typeof event !== 'object' || event === null) return ''
  const { message, error } = event as { readonly message?: unknown; readonly error?: unknown }
  if (error instanceof Error) return wordsOf(error)
  return typeof message === 'string' ? message : ''
}

/** Node hides the reason of a refused connection below an empty message. */
function wordsOf(error: Error & { readonly code?: unknown }): string {
  const inner = error instanceof AggregateError ? (error.errors as unknown[])[0] : error.cause
  if (error.message !== '') return inner instanceof Error && inner.message !== '' ? inner.message : error.message
  return inner instanceof Error ? wordsOf(inner) : typeof error.code === 'string' ? error.code : ''
}

/** @throws Error for an address that no server can ever be at */
function checkUrl(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : ''
  if (/^(?:https?|wss?):$/.test(protocol)) return
  throw new Error(
    `url is "${url}": it is the address of a Planroom server, such as http://127.0.0.1:4080 or wss://plans.example.org.`,
  )
}

const socketUrl = (url: string): string => `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/sync`
