import type { WebSocket } from 'ws'
import type { Socket } from '../../rooms/session.ts'

/**
 * Clients up to y-websocket 3.0.0 take no close code for final and come back at once, some nine times a second; later
 * ones do so too after a transient code, once they were in sync. So a refusal is kept from a client until its connection
 * is this old.
 */
const REFUSAL_DELAY_MS = 2_000

/** The server goes down: the sooner a client looks for another one, the better. */
const RESTARTING = 1012

/** The longest reason that fits a close frame, in bytes. */
const MAX_REASON_BYTES = 123

/** A WebSocket as a room sees it. */
export class Connection implements Socket {
  readonly #socket: WebSocket
  readonly #openedAt = performance.now()
  #sentAt = performance.now()
  #isClosing = false
  #isAlive = true

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('pong', () => {
      this.#isAlive = true
    })
    // An error is always followed by a close, where everything is cleaned up; without a listener it would end the process.
    socket.on('error', () => {})
  }

  get buffered(): number {
    return this.#socket.bufferedAmount
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
    this.#socket.send(bytes)
  }

  close(code: number, reason: string): void {
    this.#close(code, reason, code === RESTARTING ? 0 : REFUSAL_DELAY_MS - (performance.now() - this.#openedAt))
  }

  /** Ends at once what was allowed until now: whoever comes back is refused, and it is that which takes its time. */
  end(code: number, reason: string): void {
    this.#close(code, reason, 0)
  }

  #close(code: number, reason: string, delay: number): void {
    if (this.#isClosing) return
    this.#isClosing = true
    const words = shorten(reason)
    if (delay <= 0) return this.#socket.close(code, words)
    // Nothing that comes meanwhile is read: it would only fill memory.
    this.#socket.pause()
    const close = (): void => {
      this.#socket.resume()
      this.#socket.close(code, words)
    }
    setTimeout(close, delay).unref()
  }

  /** Asks for a sign of life, and gives up on a peer that did not answer the last time. */
  ping(): void {
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
