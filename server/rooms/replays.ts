import { createHash } from 'node:crypto'
import type { Outcome } from '../../shared/dialects/call.ts'
import type { ThreadId } from '../../shared/schema/ids.ts'
import { KeyConflict } from './errors.ts'
import type { IdempotencyRecord, Storage } from './storage.ts'

/** A call under an Idempotency-Key. */
export interface KeyedCall {
  readonly actorId: string
  readonly key: string
  readonly tool: string
  readonly args: unknown
}

/** What is stored with the outcome of a keyed call. */
export type KeyedRecord = Pick<IdempotencyRecord, 'actorId' | 'key' | 'hash'>

/** Runs each keyed call once: a repeat waits for one in flight, and gets what came of it. */
export class Replays {
  readonly #thread: ThreadId
  readonly #storage: Storage
  readonly #now: () => number
  readonly #inFlight = new Map<string, { hash: string; done: Promise<unknown> }>()

  constructor(thread: ThreadId, storage: Storage, now: () => number) {
    this.#thread = thread
    this.#storage = storage
    this.#now = now
  }

  /**
   * @param run makes the call, and has its outcome stored with the record
   * @param replay answers from what was stored
   * @throws KeyConflict if another call was made under the key
   */
  async once<T>(
    call: KeyedCall,
    run: (record: KeyedRecord) => Promise<T>,
    replay: (outcome: Outcome) => Promise<T>,
  ): Promise<T> {
    const { actorId, key } = call
    const slot = JSON.stringify([actorId, key])
    const hash = hashOf(call)
    for (let other = this.#inFlight.get(slot); other !== undefined; other = this.#inFlight.get(slot)) {
      if (other.hash !== hash) throw conflict(key)
      await other.done
    }
    const answer = this.#answer(call, hash, run, replay)
    const done = answer.catch(() => {})
    this.#inFlight.set(slot, { hash, done })
    try {
      return await answer
    } finally {
      this.#inFlight.delete(slot)
    }
  }

  async #answer<T>(
    { actorId, key }: KeyedCall,
    hash: string,
    run: (record: KeyedRecord) => Promise<T>,
    replay: (outcome: Outcome) => Promise<T>,
  ): Promise<T> {
    const record = await this.#storage.recall(this.#thread, actorId, key, this.#now())
    if (record === null) return run({ actorId, key, hash })
    if (record.hash !== hash) throw conflict(key)
    // We wrote it, with the code that reads it.
    return replay(JSON.parse(record.reply) as Outcome)
  }
}

const conflict = (key: string): KeyConflict =>
  new KeyConflict(`The Idempotency-Key "${key}" was used for another call. Use a new key for a new call.`)

/** The same for the same tool and arguments, whatever the order of their keys. */
function hashOf({ tool, args }: KeyedCall): string {
  const sorted = (_key: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value
  return createHash('sha256')
    .update(JSON.stringify([tool, args ?? null], sorted))
    .digest('base64url')
}
