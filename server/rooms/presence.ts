import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import type * as Y from 'yjs'
import type { Actor } from '../../shared/schema/actor.ts'
import { Agents, type Doing } from './agents.ts'
import type { Session } from './session.ts'
import type { AwarenessEntry } from './wire.ts'
import { awarenessMessage, awarenessUpdate, isTooLarge } from './wire.ts'

/**
 * Who is there. A client's state belongs to the connection that announced it first: clients send on what they hear of
 * each other, and nobody can speak for somebody else.
 */
export class Presence {
  readonly #awareness: Awareness
  readonly #owners = new Map<number, Session>()
  readonly #agents: Agents

  /** @param broadcast sends a message to everybody, the sender included: clients take silence for a dead connection */
  constructor(doc: Y.Doc, broadcast: (message: Uint8Array) => void) {
    this.#awareness = new Awareness(doc)
    this.#awareness.setLocalState(null)
    this.#agents = new Agents(this.#awareness)
    this.#awareness.on('update', ({ added, updated, removed }: Record<'added' | 'updated' | 'removed', number[]>) => {
      broadcast(awarenessMessage(encodeAwarenessUpdate(this.#awareness, [...added, ...updated, ...removed])))
    })
  }

  destroy(): void {
    this.#agents.destroy()
    this.#awareness.destroy()
  }

  /** An agent made a call: it is present for a while, unless it has a connection and says so itself. */
  called(actor: Actor, doing: Doing): void {
    for (const { caller } of this.#owners.values()) if (caller.actor.id === actor.id) return this.#agents.left(actor.id)
    this.#agents.called(actor, doing)
  }

  /** Client ids that something is remembered of, the room's own and those that said goodbye included. */
  get known(): number {
    return this.#awareness.meta.size
  }

  /** The connection that speaks for a client id. */
  ownerOf(client: number): Session | undefined {
    return this.#owners.get(client)
  }

  /** Everybody's state as one message, or null if nobody is there. */
  all(): Uint8Array | null {
    const clients = [...this.#awareness.getStates().keys()]
    return clients.length === 0 ? null : awarenessMessage(encodeAwarenessUpdate(this.#awareness, clients))
  }

  /** @returns false if the session announced a state that is too large, or too many clients */
  receive(session: Session, entries: readonly AwarenessEntry[]): boolean {
    const own: AwarenessEntry[] = []
    for (const entry of entries) {
      if (!this.#isOwn(session, entry)) continue
      if (isTooLarge(entry) || (!session.clients.has(entry.client) && !session.adopt(entry.client))) return false
      this.#owners.set(entry.client, session)
      own.push(entry)
    }
    if (own.length > 0) applyAwarenessUpdate(this.#awareness, awarenessUpdate(own), session)
    return true
  }

  #isOwn(session: Session, { client, clock, state }: AwarenessEntry): boolean {
    const owner = this.#owners.get(client)
    if (owner !== undefined) return owner === session
    if (this.#agents.owns(client)) return false
    const known = this.#awareness.meta.get(client)
    return state !== 'null' && client !== this.#awareness.clientID && (known === undefined || known.clock < clock)
  }

  /** Forgets all that a connection spoke for, its clocks too: a client that comes back starts where it was. */
  leave(session: Session): void {
    const clients = [...session.clients]
    for (const client of clients) this.#owners.delete(client)
    removeAwarenessStates(this.#awareness, clients, session)
    for (const client of clients) this.#awareness.meta.delete(client)
    session.clients.clear()
  }
}
