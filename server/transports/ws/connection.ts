import type { WebSocket } from 'ws'
import { MAX_SOCKET_PAYLOAD } from '../../../shared/schema/limits.ts'
import type { Socket } from '../../rooms/session.ts'
import type { Backlog } from '../limits/backlog.ts'
import type { Meter } from '../limits/meter.ts'

/**
 * Clients up to y-websocket 3.0.0 take no close code for final and come back at once, some nine times a second; later
 * ones do so too after a transient code, once they were in sync. So a refusal is kept from a client until its connection
 * is this old.
 */
const REFUSAL_DELAY_MS = 2_000

/** The server goes down: the sooner a client looks for another one, the better. */
const RESTARTING = 1012

/** Milliseconds that a client has to answer a refusal. Whoever sends on instead is cut off. */
const FAREWELL_MS = 5_000

/** Codes after which a client shall not come back. */
const isFinal = (code: number): boolean => code >= 4_400 && code < 4_500
/** Those that say that bytes were sent which no honest client sends. */
const OF_BAD_BYTES: readonly number[] = [4400, 4413, 4422]

/** The longest reason that fits a close frame, in bytes. */
const MAX_REASON_BYTES = 123

/** A WebSocket as a room sees it. */
export class Connection implements Socket {
  readonly #socket: WebSocket
  readonly #backlog: Backlog
  readonly #openedAt = performance.now()
  #sentAt = performance.now()
  #isClosing = false
  #isAlive = true
  #isPaused = false
  #meter: Meter | null = null
  #takesRefusals = false

  constructor(socket: WebSocket, backlog: Backlog) {
    this.#socket = socket
    this.#backlog = backlog
    backlog.add(this)
    socket.once('close', () => backlog.delete(this))
    const isAlive = (): void => {
      this.#isAlive = true
    }
    socket.on('pong', isAlive)
    // A pong stands behind all that was sent before it, which may be a lot for who is not read from.
    socket.on('message', isAlive)
    socket.on('oversized', () => this.close(4413, `a message may have ${MAX_SOCKET_PAYLOAD} bytes`))
    // An error is always followed by a close, where everything is cleaned up; without a listener it would end the process.
    socket.on('error', () => {})
  }

  get buffered(): number {
    return this.#socket.bufferedAmount
  }
  get isTooSlow(): boolean {
    return this.#backlog.isTooMuch(this.#socket.bufferedAmount)
  }
  /** Whether frames still count. */
  get isOpen(): boolean {
    return !this.#isClosing && this.#socket.readyState === this.#socket.OPEN
  }
  /** Milliseconds since the last frame went out. */
  get silence(): number {
    return performance.now() - this.#sentAt
  }

  send(bytes: Uint8Array): void {
    if (!this.isOpen) return
    this.#sentAt = performance.now()
    this.#backlog.sent(bytes.length)
    this.#socket.send(bytes)
  }

  /** From now on it is measured what its client uses. */
  measure(meter: Meter): void {
    this.#meter = meter
  }

  spend(milliseconds: number): void {
    this.#meter?.work(milliseconds)
  }

  /** Its client is our own: what is final for it, it hears at once. */
  takesRefusals(): void {
    this.#takesRefusals = true
  }

  /** Nothing more is read: what its client sends stays with the client. */
  pause(): void {
    this.#isPaused = true
    if (!this.#isClosing) this.#socket.pause()
  }

  resume(): void {
    this.#isPaused = false
    if (!this.#isClosing) this.#socket.resume()
  }

  close(code: number, reason: string): void {
    const isToldAtOnce = code === RESTARTING || (this.#takesRefusals && isFinal(code))
    this.#close(code, reason, isToldAtOnce ? 0 : REFUSAL_DELAY_MS - (performance.now() - this.#openedAt))
  }

  /** Ends at once what was allowed until now: whoever comes back is refused, and it is that which takes its time. */
  end(code: number, reason: string): void {
    this.#close(code, reason, 0)
  }

  #close(code: number, reason: string, delay: number): void {
    if (this.#isClosing) return
    this.#isClosing = true
    if (OF_BAD_BYTES.includes(code)) this.#meter?.refused()
    // There is no room for what it has not read, and so none for a close frame behind it.
    if (this.isTooSlow) return this.#socket.terminate()
    const words = shorten(reason)
    if (delay <= 0) return this.#farewell(code, words)
    // Nothing that comes meanwhile is read: it would only fill memory.
    this.#socket.pause()
    setTimeout(() => this.#farewell(code, words), delay).unref()
  }

  #farewell(code: number, words: string): void {
    // What is still sent is read past, to come to the answer.
    this.#socket.resume()
    this.#socket.close(code, words)
    if (isFinal(code)) setTimeout(() => this.#socket.terminate(), FAREWELL_MS).unref()
  }

  /** Asks for a sign of life, and gives up on a peer that did not answer the last time. */
  ping(): void {
    // It may not be read from just now. One that is being closed is ended in time anyway.
    if (this.#isClosing || this.#isPaused) return
    if (!this.#isAlive) return this.#socket.terminate()
    this.#isAlive = false
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
  }
}

/** Cut at a character so that it fits a close frame. */
function shorten(reason: string): string {
  let words = reason
  while (Buffer.byteLength(words) > MAX_REASON_BYTES) words = words.slice(0, -1)
  return words
}
