import { Awareness, applyAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import type * as Y from 'yjs'
import type { Actor } from '../../shared/schema/actor.ts'
import { MAX_ACTOR_NAME } from '../../shared/schema/limits.ts'
import { Agents, type Doing } from './agents.ts'
import { Rounds } from './rounds.ts'
import type { Session } from './session.ts'
import type { AwarenessEntry } from './wire.ts'
import { awarenessMessage, awarenessUpdate, isTooLarge } from './wire.ts'

/** Somebody who is there, as a list shows it. */
export interface Person {
  readonly name: string
  readonly kind: 'agent' | 'human'
}

/** Clients that left of which the clock is known: those of the last minutes in the largest of threads. */
const MAX_LEFT = 2_000

/**
 * Who is there. A client's state belongs to the connection that announced it first: clients send on what they hear of
 * each other, and nobody can speak for somebody else.
 */
export class Presence {
  readonly #awareness: Awareness
  readonly #owners = new Map<number, Session>()
  readonly #agents: Agents
  readonly #rounds: Rounds
  /** Clients that were asked for a higher clock than this: with any other they are not seen. */
  readonly #roused = new Map<number, number>()
  /** The clocks of clients that left. */
  readonly #left = new Map<number, number>()

  /** @param sessions everybody, at any time: who said something is told so too */
  constructor(doc: Y.Doc, sessions: Iterable<Session>) {
    this.#rounds = new Rounds(sessions)
    this.#awareness = new Awareness(doc)
    this.#awareness.setLocalState(null)
    this.#agents = new Agents(this.#awareness)
    this.#awareness.on('update', ({ added, updated, removed }: Record<'added' | 'updated' | 'removed', number[]>) => {
      for (const client of [...added, ...updated, ...removed]) {
        const state = JSON.stringify(this.#awareness.getStates().get(client) ?? null)
        const clock = this.#awareness.meta.get(client)?.clock ?? 0
        const isAwaited = clock > (this.#roused.get(client) ?? Infinity)
        if (isAwaited) this.#roused.delete(client)
        this.#rounds.say({ client, clock, state }, isAwaited)
      }
    })
  }

  destroy(): void {
    this.#agents.destroy()
    this.#rounds.destroy()
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

  /** Client ids that somebody is there under. */
  get there(): number {
    return this.#awareness.getStates().size
  }

  /** Tells somebody new who is there. */
  greet(session: Session): void {
    this.#rounds.greet(session)
  }

  /** Tells who asks. */
  answer(session: Session): void {
    this.#rounds.answer(session)
  }

  /** Who is there, each once, at most so many; nobody's word is trusted for more than a name. */
  people(most: number): Person[] {
    const people = new Map<string, Person>()
    for (const { name, kind: said, id } of this.#awareness.getStates().values() as Iterable<Record<string, unknown>>) {
      if (people.size >= most) break
      if (typeof name !== 'string' || name === '') continue
      const kind = said === 'agent' ? 'agent' : 'human'
      people.set(`${kind} ${typeof id === 'string' ? id : name}`, { name: name.slice(0, MAX_ACTOR_NAME), kind })
    }
    return [...people.values()]
  }

  /** @returns false if the session announced a state that is too large, or too many clients */
  receive(session: Session, entries: readonly AwarenessEntry[]): boolean {
    const own: AwarenessEntry[] = []
    for (const entry of entries) {
      this.#takeOver(session, entry)
      if (!this.#isOwn(session, entry)) continue
      if (isTooLarge(entry) || (!session.clients.has(entry.client) && !session.adopt(entry.client))) return false
      this.#owners.set(entry.client, session)
      this.#rouse(session, entry)
      own.push(entry)
    }
    if (own.length > 0) applyAwarenessUpdate(this.#awareness, awarenessUpdate(own), session)
    return true
  }

  /**
   * A client that came back while its old connection is not known to be dead yet: what it says counts, and the end of the
   * old connection takes nothing away.
   */
  #takeOver(session: Session, { client, clock, state }: AwarenessEntry): void {
    const owner = this.#owners.get(client)
    if (owner === undefined || owner === session || state === 'null' || clock < 1) return
    if (owner.caller.actor.id !== session.caller.actor.id || owner.nth > session.nth) return
    if (!session.clients.has(client) && !session.adopt(client)) return
    owner.clients.delete(client)
    this.#owners.set(client, session)
  }

  /** What others heard last of a client that left, so that it can be told. */
  #remember(client: number): void {
    const clock = this.#awareness.meta.get(client)?.clock
    if (clock === undefined) return
    this.#left.delete(client)
    this.#left.set(client, clock)
    const [oldest] = this.#left.keys()
    if (this.#left.size > MAX_LEFT && oldest !== undefined) this.#left.delete(oldest)
  }

  /**
   * Others pass over a clock that they have heard already. A client that hears a farewell to itself answers with a higher
   * one at once, whatever clock it has.
   */
  #rouse(session: Session, { client, clock, state }: AwarenessEntry): void {
    const told = Math.max(this.#left.get(client) ?? -1, this.#awareness.meta.get(client)?.clock ?? -1)
    if (state === 'null' || clock > told || !session.isNewTo(client)) return
    this.#roused.set(client, told)
    session.send(awarenessMessage(awarenessUpdate([{ client, clock: told, state: 'null' }])))
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
    for (const client of clients) {
      this.#owners.delete(client)
      this.#roused.delete(client)
      this.#remember(client)
    }
    removeAwarenessStates(this.#awareness, clients, session)
    for (const client of clients) this.#awareness.meta.delete(client)
    session.clients.clear()
  }
}
