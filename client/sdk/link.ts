import * as Y from 'yjs'
import { newStepId } from '../../shared/schema/ids.ts'
import { contradicts } from '../../shared/plan/contradicts.ts'
import { backoffWithJitter } from './backoff.ts'
import { Connection } from './connection.ts'
import type { Present } from './events.ts'
import type { ConnectOptions } from './options.ts'
import { Replica } from './replica.ts'
import { Siblings } from './siblings.ts'
import { Unsaved } from './unsaved.ts'
import { defaultWebSocket } from './web-socket.ts'

export interface LinkEvents {
  /** All that the server has is here. */
  readonly onSynced: () => void
  /** Something of others was taken in. */
  readonly onReceived: () => void
  /** Own changes are on the server's disk. */
  readonly onSafe: (ids: readonly string[]) => void
  readonly onVersion: (version: number) => void
  readonly onOffline: (why: string) => void
  /** Another document writes under this copy's client id: nothing more of it counts as saved. */
  readonly onTwin: () => void
  readonly onRefused: (code: number, why: string) => void
  readonly onPresence: () => void
}

/** A copy, its way to the server, and what the server has of it. */
export class Link {
  readonly replica = new Replica()
  readonly unsaved = new Unsaved()
  readonly connection: Connection
  readonly #events: LinkEvents
  #siblings: Siblings | null = null
  #isRetired = false
  #isClosed = false
  #isTwin = false
  /** The server has said what it has. */
  #isUp = false
  /** Up to which clock this copy's own structs can have reached the server. */
  #offered = 0

  /** @throws Error if there is no WebSocket */
  constructor(options: ConnectOptions, presence: Readonly<Record<string, unknown>>, events: LinkEvents) {
    const { url, thread, name = '', id = name, kind = 'human', token } = options
    this.#events = events
    const { doc, awareness } = this.replica
    const safe = (ids: readonly string[]): void => {
      if (ids.length > 0) events.onSafe(ids)
    }
    const twin = (): void => {
      if (this.#isClosed || this.#isTwin) return
      this.#isTwin = true
      this.connection.pause()
      events.onTwin()
    }
    // Not before: a server that answers, and then refuses what it is brought, is not to be asked again at once.
    const wentWell = (): void => {
      if (this.unsaved.size === 0) this.connection.wentWell()
    }
    this.connection = new Connection(
      doc,
      awareness,
      {
        url,
        thread,
        params: { name, id, kind },
        token: token ?? null,
        WebSocket: options.WebSocket ?? defaultWebSocket(),
        backoff: options.backoff ?? backoffWithJitter(),
      },
      {
        onState: (stateVector) => {
          if (this.#isTwinIn(stateVector)) return twin()
          this.#isUp = true
          safe(this.unsaved.heardState(doc, stateVector))
        },
        onSynced: (update) => {
          if (contradicts(doc, update, doc.clientID)) return twin()
          const ids = this.unsaved.heardAll(doc, update)
          events.onReceived()
          safe(ids)
          wentWell()
          events.onSynced()
        },
        onUpdate: (update) => {
          if (contradicts(doc, update, doc.clientID)) return twin()
          const before = this.unsaved.size
          const ids = this.unsaved.heard(update)
          wentWell()
          events.onReceived()
          if (ids.length > 0 || this.unsaved.size !== before) events.onSafe(ids)
        },
        onVersion: events.onVersion,
        onOffline: (why) => {
          if (this.#isUp) this.#offered = this.#ownClock
          this.#isUp = false
          if (this.#isClosed) return
          events.onOffline(why)
          this.#siblings?.greet()
        },
        onTwin: twin,
        onRefused: events.onRefused,
      },
    )
    awareness.setLocalState(presence)
    awareness.on('change', () => {
      if (!this.#isClosed) events.onPresence()
    })
  }

  get #ownClock(): number {
    const { store, clientID } = this.replica.doc
    return Y.getState(store, clientID)
  }

  /** Whether the server has something under this copy's client id that never went there from here. */
  #isTwinIn(stateVector: Uint8Array): boolean {
    const known = Y.decodeStateVector(stateVector).get(this.replica.doc.clientID) ?? 0
    return !this.#isUp && known > this.#offered
  }

  get presence(): readonly Present[] {
    const self = this.replica.doc.clientID
    return [...this.replica.awareness.getStates()].map(([client, state]) => ({
      client,
      isSelf: client === self,
      state: state as Readonly<Record<string, unknown>>,
    }))
  }

  /** Shares what is changed without a connection with other tabs. @param channel the store's name for them */
  meetSiblings(channel: string | undefined): void {
    const isMet = this.#siblings !== null || this.#isRetired
    if (channel === undefined || isMet || !('BroadcastChannel' in globalThis)) return
    const isAlone = (): boolean => !this.#isUp
    this.#siblings = new Siblings(channel, this.replica.doc, isAlone, (update) => {
      this.unsaved.add(newStepId(), update)
      this.#events.onReceived()
      this.#events.onSafe([])
    })
  }

  /** It goes to the server no more, nor to other tabs. */
  retire(): void {
    this.#isRetired = true
    this.connection.pause()
    this.#siblings?.close()
    this.#siblings = null
  }

  close(): void {
    if (this.#isClosed) return
    this.retire()
    this.#isClosed = true
    this.connection.destroy()
    this.replica.destroy()
  }
}
