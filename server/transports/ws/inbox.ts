import type { ThreadId } from '../../../shared/schema/ids.ts'
import { MAX_SLOWED_MS, MAX_WAITING_BYTES, MAX_WAITING_FRAMES } from '../../../shared/schema/limits.ts'
import type { Turns } from '../../rooms/turns.ts'
import type { Meter } from '../limits/meter.ts'
import type { Connection } from './connection.ts'

export interface InboxOptions {
  readonly connection: Connection
  readonly meter: Meter
  readonly turns: Turns
  readonly thread: ThreadId
  /** Whoever has this connection: all its connections to the thread wait in one line. */
  readonly line: unknown
  /** Works on a frame. Never throws. */
  readonly receive: (frame: Uint8Array) => void
}

/**
 * The frames of one connection that wait for their turn. While many wait its socket is not read from, so that what a client
 * sends too fast stays with the client, and keeps nobody else waiting.
 */
export class Inbox {
  readonly #options: InboxOptions
  #frames: Uint8Array[] = []
  #bytes = 0
  #isPaused = false
  #waitsForTurn = false
  #slowed: NodeJS.Timeout | undefined
  /** Since when there was always something to do. */
  #busySince = 0
  #onEmpty: (() => void) | null = null

  constructor(options: InboxOptions) {
    this.#options = options
  }

  push(frame: Uint8Array): void {
    if (this.#frames.length === 0) this.#busySince = performance.now()
    this.#frames.push(frame)
    this.#bytes += frame.length
    if (!this.#isPaused && (this.#frames.length >= MAX_WAITING_FRAMES || this.#bytes >= MAX_WAITING_BYTES)) {
      this.#isPaused = true
      this.#options.connection.pause()
    }
    this.#next()
  }

  /** Does something once all that has come was worked on. */
  whenEmpty(work: () => void): void {
    this.#onEmpty = work
    this.#next()
  }

  /** Forgets what waits. */
  clear(): void {
    clearTimeout(this.#slowed)
    this.#slowed = undefined
    this.#frames = []
    this.#bytes = 0
    this.#onEmpty = null
  }

  #next(): void {
    if (this.#waitsForTurn || this.#slowed !== undefined) return
    if (this.#frames.length === 0) {
      const onEmpty = this.#onEmpty
      this.#onEmpty = null
      return onEmpty?.()
    }
    this.#waitsForTurn = true
    const { turns, thread, line } = this.#options
    turns.post(thread, line, () => this.#work())
  }

  #work(): void {
    this.#waitsForTurn = false
    const frame = this.#frames.shift()
    if (frame === undefined) return this.#next()
    this.#bytes -= frame.length
    this.#options.receive(frame)
    if (this.#isPaused && this.#frames.length <= MAX_WAITING_FRAMES / 2 && this.#bytes <= MAX_WAITING_BYTES / 2) {
      this.#isPaused = false
      this.#options.connection.resume()
    }
    this.#slow()
    this.#next()
  }

  /** A client that uses more than its share waits between its frames; one that never lets up is told. */
  #slow(): void {
    const { meter, connection } = this.#options
    const wait = meter.wait()
    if (wait === 0 || this.#frames.length === 0) return
    if (performance.now() - this.#busySince > MAX_SLOWED_MS)
      return connection.close(1013, 'you send more than can be worked on: come back in a while')
    this.#slowed = setTimeout(() => {
      this.#slowed = undefined
      this.#next()
    }, wait)
  }
}
