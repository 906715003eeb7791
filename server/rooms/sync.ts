import * as Y from 'yjs'
import { MAX_AWARENESS_IDS, MAX_DOCUMENT_BYTES, MAX_PLAN_BYTES, MAX_UPDATE_BYTES } from '../../shared/schema/limits.ts'
import { contradicts } from '../../shared/plan/contradicts.ts'
import { TWIN_CODE, TWIN_REASON } from '../../shared/schema/closes.ts'
import type { Allowance } from './allowance.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { Doing } from './agents.ts'
import type { Caller } from './caller.ts'
import type { LivePlan } from './live-plan.ts'
import type { Log } from './log.ts'
import { Parked } from './parked.ts'
import { type Person, Presence } from './presence.ts'
import type { Socket } from './session.ts'
import { Session } from './session.ts'
import { bringsNothing, newClients } from './update-effect.ts'
import type { Missing } from './validate-update.ts'
import { validateUpdate } from './validate-update.ts'
import type { Message } from './wire.ts'
import { KEEP_ALIVE, readMessage, stepOne, stepTwo, updateMessage, versionMessage } from './wire.ts'
import { writtenTexts } from './written-texts.ts'

const READ_ONLY = 'you may read this plan, but not change it'
const UNWRITABLE = 'nothing can be stored just now'

const notOfTheWire = (error: unknown): string =>
  `not a y-websocket message: ${error instanceof Error ? error.message : ''}`

/** The connections of a room: what they send is judged before it is applied, and all of them hear what is on disk. */
export class Sync {
  readonly #live: LivePlan
  readonly #log: Log
  readonly #sessions = new Set<Session>()
  readonly #parked: Parked
  readonly #presence: Presence
  #joined = 0
  /** The connections whose own edits were taken in under a client id. */
  readonly #writers = new Map<number, Session>()
  /** Milliseconds of work that were charged to somebody. */
  #charged = 0

  /** @param parking bytes that updates with a missing part may take, of all rooms */
  constructor(live: LivePlan, log: Log, parking: Allowance) {
    this.#live = live
    this.#log = log
    this.#parked = new Parked(parking)
    this.#presence = new Presence(live.doc, this.#sessions)
  }

  get size(): number {
    return this.#sessions.size
  }
  /** Updates that wait for a missing part. */
  get parked(): number {
    return this.#parked.count
  }

  /** Takes a connection in: it is asked for what it has, and shown who is there. */
  join(socket: Socket, caller: Caller, wantsVersions: boolean, mayWrite: boolean): Session {
    const session = new Session(socket, caller, wantsVersions, mayWrite, this.#joined++)
    this.#sessions.add(session)
    const question = stepOne(Y.encodeStateVector(this.#live.doc))
    this.#live.outbox.post(() => {
      session.send(question)
      this.#presence.greet(session)
    })
    return session
  }

  /** Shows an agent that made a call, once everybody may know what it did. */
  called(actor: Actor, doing: Doing): void {
    this.#live.outbox.post(() => this.#presence.called(actor, doing))
  }

  leave(session: Session): void {
    if (!this.#sessions.delete(session)) return
    this.#parked.leave(session)
    this.#presence.leave(session)
    for (const client of session.wrote) if (this.#writers.get(client) === session) this.#writers.delete(client)
  }

  /** Who is there. */
  people(most: number): Person[] {
    return this.#presence.people(most)
  }

  /** A version is on disk: everybody hears it, its sender too, for whom it is the acknowledgement. */
  committed(version: number, update: Uint8Array): void {
    this.#broadcast(updateMessage(update))
    const told = versionMessage(version)
    for (const session of this.#sessions) if (session.wantsVersions) session.send(told)
  }

  /** A frame from a connection. What is no message of the wire closes it. Never throws. */
  receive(session: Session, bytes: Uint8Array): void {
    if (!session.isOpen) return
    this.#charge(session, () => {
      let message: Message
      try {
        message = readMessage(bytes)
      } catch (error) {
        return this.#refuse(session, 4400, notOfTheWire(error))
      }
      try {
        return this.#handle(session, message)
      } catch (error) {
        // A mistake of ours: it costs this room its memory, and not the whole server.
        return this.#live.fail(error, 'room')
      }
    })
  }

  #handle(session: Session, message: Message): void {
    switch (message.type) {
      case 'stepOne':
        return this.#sendMissing(session, message.stateVector)
      case 'stepTwo':
        session.asked = false
        return this.#receiveUpdate(session, message.update, MAX_DOCUMENT_BYTES)
      case 'update':
        return this.#receiveUpdate(session, message.update, MAX_UPDATE_BYTES)
      case 'awareness':
        // It asks whether the connection is alive.
        if (message.entries.length === 0 && session.wantsVersions) session.send(KEEP_ALIVE)
        if (!this.#presence.receive(session, message.entries))
          this.#refuse(session, 4500, 'too much awareness for one connection')
        return
      case 'queryAwareness':
        return this.#presence.answer(session)
      case 'auth':
    }
  }

  #sendMissing(session: Session, stateVector: Uint8Array): void {
    let missing: Uint8Array
    try {
      missing = stepTwo(Y.encodeStateAsUpdate(this.#live.doc, stateVector))
    } catch (error) {
      return this.#refuse(session, 4400, notOfTheWire(error))
    }
    const { version } = this.#live
    this.#live.outbox.post(() => {
      session.send(missing)
      if (session.wantsVersions) session.send(versionMessage(version))
    })
  }

  #receiveUpdate(session: Session, update: Uint8Array, most: number): void {
    if (update.length > most)
      return this.#refuse(session, 4413, `an update may have ${most} bytes, this one has ${update.length}`)
    const missing = this.#take(session, update)
    if (missing === null) this.#drain()
    else if (!this.#parked.add({ session, update, missing }))
      this.#refuse(session, 4500, 'too many updates wait for something that is missing')
    else if (!session.asked) {
      session.asked = true
      const question = stepOne(Y.encodeStateVector(this.#live.doc))
      this.#live.outbox.post(() => session.send(question))
    }
  }

  /** Takes in what waited for something that has arrived now. Whoever sent it is charged for it, and not who set it free. */
  #drain(): void {
    const { store } = this.#live.doc
    this.#parked.drain(
      ({ client, clock }) => Y.getState(store, client) > clock,
      ({ session, update }) => this.#charge(session, () => this.#take(session, update)),
    )
  }

  /** Judges an update and applies it. @returns what is missing for it, if anything is */
  #take(session: Session, update: Uint8Array): Missing | null {
    const { doc, plan } = this.#live
    const { actor } = session.caller
    const reserved = (client: number): boolean => {
      const owner = this.#writers.get(client)
      return client === doc.clientID || (owner !== undefined && owner.caller.actor.id !== actor.id)
    }
    const verdict = validateUpdate(doc, update, { reserved })
    if (!session.mayWrite && verdict.kind !== 'refused') this.#takeNothingNew(session, update, 4403, READ_ONLY)
    else if (verdict.kind === 'missing') return verdict
    else if (verdict.kind === 'refused') this.#refuse(session, verdict.code, verdict.reason)
    else if (contradicts(doc, update)) this.#refuse(session, TWIN_CODE, TWIN_REASON)
    else if (!this.#live.isWritable) this.#takeNothingNew(session, update, 4503, UNWRITABLE)
    else if (this.#live.isFullFor(update))
      this.#refuse(session, 4413, `a plan may have ${MAX_PLAN_BYTES} bytes; removing and shortening always works`)
    else {
      this.#reserve(session, update)
      const deed = { ...session.caller, tool: '', reasoning: '' }
      const changed = this.#live.change(deed, plan, () => {
        const texts = writtenTexts(doc, update)
        Y.applyUpdate(doc, update, session)
        return texts
      })
      // What has no effect makes no version, but its sender waits to hear that it is safe.
      if (!changed) this.#live.outbox.post(() => session.send(updateMessage(update)))
    }
    return null
  }

  /**
   * A client id belongs to the connection that wrote under it first, while that is there. Whole copies bring what others
   * wrote: only an update that writes under one id alone is its sender's own.
   */
  #reserve(session: Session, update: Uint8Array): void {
    const [client, ...others] = newClients(this.#live.doc, update)
    if (client === undefined || others.length > 0) return
    if (session.wrote.size >= MAX_AWARENESS_IDS && !session.wrote.has(client)) return
    const writer = this.#writers.get(client)
    if (writer !== undefined && writer.caller.actor.id !== session.caller.actor.id) return
    this.#writers.set(client, session)
    session.wrote.add(client)
  }

  /** Clients that may not write send what they have as well: it is refused if anything of it is new. */
  #takeNothingNew(session: Session, update: Uint8Array, code: number, reason: string): void {
    if (bringsNothing(this.#live.doc, update)) this.#live.outbox.post(() => session.send(updateMessage(update)))
    else this.#refuse(session, code, reason)
  }

  #refuse(session: Session, code: number, reason: string): void {
    this.#log.info({ actor: session.caller.actor.name, code, reason }, 'a connection was refused')
    session.close(code, reason)
    this.leave(session)
  }

  /** Runs work that a connection caused, and charges it for the time, but for what others are charged for meanwhile. */
  #charge<T>(session: Session, work: () => T): T {
    const before = this.#charged
    const began = performance.now()
    try {
      return work()
    } finally {
      const took = performance.now() - began
      session.spend(took - (this.#charged - before))
      this.#charged = before + took
    }
  }

  #broadcast(message: Uint8Array): void {
    for (const session of this.#sessions) session.send(message)
  }

  close(code: number, reason: string): void {
    for (const session of this.#sessions) session.close(code, reason)
    this.#sessions.clear()
    this.#parked.clear()
    this.#presence.destroy()
  }
}
