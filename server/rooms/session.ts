import { MAX_AWARENESS_IDS, MAX_BUFFERED_BYTES } from '../../shared/schema/limits.ts'
import type { Caller } from './caller.ts'

/** One open connection, as a room sees it. Neither method throws. */
export interface Socket {
  /** One binary frame. */
  send(bytes: Uint8Array): void
  /** @param reason at most 123 bytes */
  close(code: number, reason: string): void
  /** Bytes given to `send` that have not left yet. */
  readonly buffered: number
}

/** What the room sends to one of its connections, and what it knows of it. */
export class Session {
  readonly caller: Caller
  /** Whether the client asked to be told versions. */
  readonly wantsVersions: boolean
  readonly mayWrite: boolean
  /** The awareness ids that this connection speaks for. */
  readonly clients = new Set<number>()
  /** The room has asked for what is missing and was not answered yet. */
  asked = false
  readonly #socket: Socket
  #open = true

  constructor(socket: Socket, caller: Caller, wantsVersions: boolean, mayWrite: boolean) {
    this.#socket = socket
    this.caller = caller
    this.wantsVersions = wantsVersions
    this.mayWrite = mayWrite
  }

  get isOpen(): boolean {
    return this.#open
  }

  send(bytes: Uint8Array): void {
    if (!this.#open) return
    // A reader that is this far behind syncs faster anew than by all that waits for it.
    if (this.#socket.buffered > MAX_BUFFERED_BYTES) this.close(1013, 'reading too slowly')
    else this.#socket.send(bytes)
  }

  close(code: number, reason: string): void {
    if (!this.#open) return
    this.#open = false
    this.#socket.close(code, reason)
  }

  /** Takes an awareness id for this connection. @returns false if it speaks for too many already */
  adopt(client: number): boolean {
    if (this.clients.size >= MAX_AWARENESS_IDS) return false
    this.clients.add(client)
    return true
  }
}
