import type { WebSocket } from 'ws'
import type { Socket } from '../../rooms/session.ts'

/**
 * Clients up to y-websocket 3.0.0 take no close code for final and come back at once, some nine times a second: a
 * permanent refusal is kept from them until their connection is this old.
 */
const REFUSAL_DELAY_MS = 2_000

const isPermanent = (code: number): boolean => code >= 4400 && code <= 4499

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
    if (this.#isClosing) return
    this.#isClosing = true
    const words = shorten(reason)
    const delay = isPermanent(code) ? REFUSAL_DELAY_MS - (performance.now() - this.#openedAt) : 0
    if (delay <= 0) this.#socket.close(code, words)
    else setTimeout(() => this.#socket.close(code, words), delay).unref()
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
