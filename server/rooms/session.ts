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
  /** Whether this reader is so far behind, or all are together, that it has to go. */
  readonly isTooSlow?: boolean
  /** Told how long the room was busy with what this connection sent, in milliseconds. */
  spend?(milliseconds: number): void
}

/** What the room sends to one of its connections, and what it knows of it. */
export class Session {
  readonly caller: Caller
  /** Whether the client asked to be told versions. */
  readonly wantsVersions: boolean
  readonly mayWrite: boolean
  readonly nth: number
  /** The awareness ids that this connection speaks for. */
  readonly clients = new Set<number>()
  /** The client ids under which its own edits were taken in, the latest ones. */
  readonly wrote = new Set<number>()
  /** So much of what was said about who is there was told to it. */
  told = 0
  /** The room has asked for what is missing and was not answered yet. */
  asked = false
  readonly #roused = new Set<number>()
  readonly #socket: Socket
  #open = true

  /** @param nth how many connections the room had before: later ones speak for their actor */
  constructor(socket: Socket, caller: Caller, wantsVersions: boolean, mayWrite: boolean, nth = 0) {
    this.nth = nth
    this.#socket = socket
    this.caller = caller
    this.wantsVersions = wantsVersions
    this.mayWrite = mayWrite
  }

  get isOpen(): boolean {
    return this.#open
  }
  /** Bytes that wait for it. */
  get behind(): number {
    return this.#socket.buffered
  }

  /** Never throws: one socket that does must not keep the others from hearing it. */
  send(bytes: Uint8Array): void {
    if (!this.#open) return
    try {
      // A reader that is this far behind syncs faster anew than by all that waits for it.
      if (this.#socket.buffered > MAX_BUFFERED_BYTES || this.#socket.isTooSlow === true)
        this.close(1013, 'reading too slowly')
      else this.#socket.send(bytes)
    } catch {
      this.close(1011, 'internal error')
    }
  }

  /** Never throws. */
  close(code: number, reason: string): void {
    if (!this.#open) return
    this.#open = false
    try {
      this.#socket.close(code, reason)
    } catch {
      // It is closed for the room, and the transport takes it out.
    }
  }

  /** Charges it for the time that the room was busy with it. */
  spend(milliseconds: number): void {
    this.#socket.spend?.(milliseconds)
  }

  /** Whether this is asked of an awareness id for the first time. */
  isNewTo(client: number): boolean {
    if (this.#roused.has(client)) return false
    this.#roused.add(client)
    return true
  }

  /** Takes an awareness id for this connection. @returns false if it speaks for too many already */
  adopt(client: number): boolean {
    if (this.clients.size >= MAX_AWARENESS_IDS) return false
    this.clients.add(client)
    return true
  }
}
