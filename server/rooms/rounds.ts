import type { Session } from './session.ts'
import type { AwarenessEntry } from './wire.ts'
import { awarenessMessage, awarenessUpdate } from './wire.ts'

/** Milliseconds between two rounds: quick enough for cursors, and all that happens meanwhile is one message. */
const GATHER_MS = 100
/**
 * Milliseconds that states without news wait for company. A client says every 15 to 18 s that it is still there, and the
 * others forget it after 30 s.
 */
const RENEWAL_MS = 5_000
/** What one slice of a round may send, and the milliseconds between two: 2,000 who greet each other are 800 MB. */
const SLICE_BYTES = 1024 * 1024
const SLICE_SENDS = 100
const PAUSE_MS = 20
/** Bytes of states in one message. */
const MESSAGE_BYTES = 256 * 1024
/** Bytes that a reader may be behind and is still told who is there: it is told the latest when it has caught up. */
const MAX_BEHIND_BYTES = 1024 * 1024
/** So many states are told at once to whoever joins; more of them with the next round. */
const MAX_GREETING = 64

/** What is told of a client. Who left is told with the state 'null'. */
interface Told extends AwarenessEntry {
  /** Which of all that was said this was. */
  readonly nth: number
}

/**
 * Tells everybody who is there, in rounds: one message for all, of whatever changed since the round before. Told one by
 * one, N clients that announce themselves are N times N messages.
 */
export class Rounds {
  readonly #sessions: Iterable<Session>
  /** By client, what was said last standing last. */
  readonly #states = new Map<number, Told>()
  #said = 0
  /** Something has to be told with the next round. */
  #isDue = false
  #isUnderWay = false
  /** There was a round a moment ago. */
  #rest: NodeJS.Timeout | undefined
  #renewal: NodeJS.Timeout | undefined
  #pause: NodeJS.Timeout | undefined

  /** @param sessions everybody, at any time */
  constructor(sessions: Iterable<Session>) {
    this.#sessions = sessions
  }

  /**
   * A client said something: that it is there, in which state, or that it leaves.
   * @param isNews others did not see it before, though the state is the same
   */
  say(entry: AwarenessEntry, isNews = false): void {
    const before = this.#states.get(entry.client)
    this.#states.delete(entry.client)
    this.#states.set(entry.client, { ...entry, nth: ++this.#said })
    if (isNews || before?.state !== entry.state) return this.#tellSoon()
    this.#renewal ??= setTimeout(() => this.#tellSoon(), RENEWAL_MS).unref()
  }

  /** Tells somebody new who is there: at once if they are few. */
  greet(session: Session): void {
    if (this.#states.size > MAX_GREETING) return this.#tellSoon()
    this.answer(session)
    session.told = this.#said
  }

  /** Tells who asks. */
  answer(session: Session): void {
    for (const message of this.#since(0, this.#said)) session.send(message)
  }

  destroy(): void {
    for (const timer of [this.#rest, this.#renewal, this.#pause]) clearTimeout(timer)
    this.#states.clear()
  }

  #tellSoon(): void {
    this.#isDue = true
    if (!this.#isUnderWay && this.#rest === undefined) this.#begin()
  }

  #begin(): void {
    this.#isDue = false
    this.#isUnderWay = true
    clearTimeout(this.#renewal)
    this.#renewal = undefined
    this.#goOn([...this.#sessions].values(), this.#said, new Map())
  }

  /** @param messages what those are told who know all that was said so far */
  #goOn(sessions: Iterator<Session>, upTo: number, messages: Map<number, readonly Uint8Array[]>): void {
    let bytes = 0
    let sends = 0
    for (let next = sessions.next(); next.done !== true; next = sessions.next()) {
      const session = next.value
      if (session.told >= upTo || !session.isOpen) continue
      if (session.behind > MAX_BEHIND_BYTES) {
        this.#isDue = true
        continue
      }
      let news = messages.get(session.told)
      if (news === undefined) messages.set(session.told, (news = this.#since(session.told, upTo)))
      session.told = upTo
      for (const message of news) {
        session.send(message)
        bytes += message.length
        sends++
      }
      if (bytes < SLICE_BYTES && sends < SLICE_SENDS) continue
      this.#pause = setTimeout(() => this.#goOn(sessions, upTo, messages), PAUSE_MS).unref()
      return
    }
    this.#end(upTo)
  }

  #end(upTo: number): void {
    // Who left has been told; who was too far behind to hear it finds that nobody renews the state.
    for (const [client, { state, nth }] of this.#states)
      if (state === 'null' && nth <= upTo) this.#states.delete(client)
    this.#isUnderWay = false
    this.#rest = setTimeout(() => {
      this.#rest = undefined
      if (this.#isDue) this.#begin()
    }, GATHER_MS).unref()
  }

  /** All that was said after something and up to something, as messages of a limited size. */
  #since(after: number, upTo: number): Uint8Array[] {
    const messages: Uint8Array[] = []
    let entries: AwarenessEntry[] = []
    let bytes = 0
    const flush = (): void => {
      if (entries.length > 0) messages.push(awarenessMessage(awarenessUpdate(entries)))
      entries = []
      bytes = 0
    }
    for (const told of this.#states.values()) {
      // To somebody new nobody has left.
      if (told.nth <= after || told.nth > upTo || (after === 0 && told.state === 'null')) continue
      entries.push(told)
      bytes += told.state.length
      if (bytes >= MESSAGE_BYTES) flush()
    }
    flush()
    return messages
  }
}
