import * as Y from 'yjs'
import { summarize } from '../../shared/dialects/digest.ts'
import type { StepChange } from '../../shared/plan/changes.ts'
import { outrunTexts, replacedTexts } from '../../shared/plan/former-texts.ts'
import type { WrittenTexts } from '../../shared/plan/former-texts.ts'
import { History } from '../../shared/plan/history.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import { type Progress, progressAfter, progressOf } from '../../shared/plan/progress.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import { settle } from '../../shared/plan/settle.ts'
import type { ThreadId } from '../../shared/schema/ids.ts'
import {
  MAX_DOCUMENT_BYTES,
  MAX_PLAN_BYTES,
  MAX_PLAN_STRUCTS,
  NEARLY_FULL,
  SNAPSHOT_EVERY,
} from '../../shared/schema/limits.ts'
import { RoomFailed, StorageUnwritable, ThreadDamaged } from './errors.ts'
import type { Incidents } from './incidents.ts'
import type { Log } from './log.ts'
import { Outbox } from './outbox.ts'
import type { LogEntry, Outlook, Storage, StoredPlan } from './storage.ts'
import { ThreadDeleted } from './storage.ts'
import { bringsNothing } from './update-effect.ts'
import { growthByUpdate } from './update-growth.ts'

export interface LivePlanOptions {
  readonly thread: ThreadId
  readonly storage: Storage
  readonly log: Log
  readonly incidents: Incidents
  /** The Yjs client id under which the server writes. */
  readonly clientId: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called when a version is on disk, before any reply that shows it. */
  readonly onCommitted: (version: number, update: Uint8Array) => void
  /** Called once, when memory can no longer be trusted, or when the thread turned out to be deleted or damaged. */
  readonly onFailed: (error: RoomFailed | ThreadDeleted | ThreadDamaged, cause: Cause) => void
}

/** Why a room is lost: the disk did not keep a change, or something here threw. */
export type Cause = 'storage' | 'room'

/** Bytes of memory that an empty room takes, and each step beside its text, as measured. */
const ROOM_BYTES = 20_000
const STEP_BYTES = 1_300

const NO_TEXTS: WrittenTexts = new Map()
/** The update that changes nothing. */
const NO_CHANGE = Y.encodeStateAsUpdate(new Y.Doc())

/** What a change is logged as. */
export type Deed = Pick<LogEntry, 'source' | 'actor' | 'tool' | 'reasoning'>

/**
 * The document of one thread, and its log. Every change is made in memory at once, one after the other, and its entry
 * given to the log; none waits for another's commit. Whatever shows a change goes through `outbox`, and so leaves when
 * that change is on disk.
 */
export class LivePlan {
  readonly doc = new Y.Doc()
  readonly history: History
  readonly outbox: Outbox
  readonly #options: LivePlanOptions
  readonly #reader: PlanReader
  /** Updates that Yjs has told of since the present change began. */
  #written: Uint8Array[] = []
  /** The document's size: as last measured, and all updates since. */
  #bytes: number
  #snapshotAt: number
  #closed: Error | null = null
  #progress: Progress | null = null

  /**
   * @param history what was lived through before, if it ends at the stored version
   * @param passing is shown the plan as it stood at each version since the snapshot, while the log is read
   * @throws ThreadDamaged
   */
  constructor(
    options: LivePlanOptions,
    stored: StoredPlan | null,
    history: History | null,
    passing: (version: number, plan: () => Plan) => void = () => {},
  ) {
    this.#options = options
    const { version, snapshot, updates } = stored ?? { version: 0, snapshot: null, updates: [] }
    this.#snapshotAt = version - updates.length
    this.#reader = whole(this.doc, options.thread, () => {
      if (snapshot !== null) Y.applyUpdate(this.doc, snapshot)
      const reader = new PlanReader(this.doc)
      passing(this.#snapshotAt, () => reader.plan)
      updates.forEach((update, i) => {
        Y.applyUpdate(this.doc, update)
        passing(this.#snapshotAt + i + 1, () => reader.plan)
      })
      reader.takeFindings()
      return reader
    })
    // Not before all is loaded: Yjs takes a new id when it is given what was written under its own.
    this.doc.clientID = options.clientId
    this.doc.on('update', (update: Uint8Array) => this.#written.push(update))
    this.history = history?.version === version ? history : new History(version)
    this.outbox = new Outbox(version, (error) => options.incidents.note('callback', error, { thread: options.thread }))
    this.#bytes = updates.reduce((sum, update) => sum + update.length, snapshot?.length ?? 0)
  }

  get plan(): Plan {
    return this.#reader.plan
  }
  /** The version of the plan in memory. */
  get version(): number {
    return this.outbox.applied
  }

  /**
   * Makes one change, settles it, and gives its entry to the log.
   * @param write may give back the texts that it brings, for those of them that will not show
   * @param before the plan before somebody else's update, for what only the server may change; null for the server's own
   * @param remember makes the record that is kept under an Idempotency-Key; when it is given, the change counts as a
   *   version even if there is nothing to change
   * @returns whether there is a new version
   * @throws StorageUnwritable, before anything is changed
   */
  change(
    deed: Deed,
    before: Plan | null,
    write: (doc: Y.Doc) => WrittenTexts | void,
    remember?: (changes: readonly StepChange[]) => LogEntry['idempotency'],
  ): boolean {
    this.assertUsable()
    this.assertWritable()
    const from = this.plan
    this.#written = []
    try {
      const written = write(this.doc) ?? NO_TEXTS
      settle(this.doc, this.#reader, before, deed.actor.kind === 'human')
      if (this.#written.length === 0 && remember === undefined) return false
      const update = this.#written.length === 0 ? NO_CHANGE : Y.mergeUpdates(this.#written)
      const outrun = outrunTexts(written, from, this.plan)
      const { changes } = this.history.record(deed.actor, from, this.plan, outrun)
      const formerTexts = [...replacedTexts(changes, from), ...outrun]
      const idempotency = remember?.(changes)
      const version = this.outbox.advance()
      const outlook = this.#look(from, changes)
      this.#append({
        version,
        at: this.#options.now(),
        ...deed,
        summary: summarize(changes, outrun),
        update,
        outlook,
        ...(formerTexts.length === 0 ? {} : { formerTexts }),
        ...(idempotency === undefined ? {} : { idempotency }),
      })
      return true
    } catch (error) {
      // A Yjs transaction does not roll back: the document may hold half of the change.
      this.fail(error, 'room')
      throw error
    }
  }

  /** How the plan looks from outside, counted on from how it looked before. */
  get outlook(): Outlook {
    this.#progress ??= progressOf(this.plan.steps)
    return { title: this.plan.title, progress: this.#progress }
  }

  #look(from: Plan, changes: readonly StepChange[]): Outlook {
    this.#progress = progressAfter(this.#progress ?? progressOf(from.steps), changes)
    return this.outlook
  }

  #append(entry: LogEntry): void {
    const { version, update } = entry
    const { storage, thread } = this.#options
    this.#bytes += update.length
    this.outbox.post(() => this.#options.onCommitted(version, update))
    const appended = inPromise(() => storage.append(thread, entry))
    const state = version - this.#snapshotAt >= SNAPSHOT_EVERY ? this.#measure() : null
    if (state !== null) this.#snapshotAt = version
    appended.then(
      () => {
        if (this.#closed === null) this.outbox.commit(version)
        if (state !== null) this.#keepSnapshot(version, state)
      },
      (error: unknown) => this.fail(error, 'storage'),
    )
  }

  /** A snapshot only makes opening faster: without it the log is read further back. */
  #keepSnapshot(version: number, state: Uint8Array): void {
    const { storage, thread, log } = this.#options
    inPromise(() => storage.snapshot(thread, version, state)).catch((error: unknown) => {
      log.warn({ thread, version, error }, 'a snapshot could not be kept')
    })
  }

  /**
   * Whether the plan has no room for what an update brings. What of it is known already takes none: a client that sends
   * its whole copy of a large plan is told that it is safe, and not that the plan is full.
   */
  isFullFor(update: Uint8Array): boolean {
    if (!this.isFull(update.length) || bringsNothing(this.doc, update)) return false
    const news = Y.diffUpdate(update, Y.encodeStateVector(this.doc))
    if (!this.isFull(news.length)) return false
    const growth = growthByUpdate(this.doc, news, this.plan)
    // Statuses have the headroom; what takes away needs none.
    return growth > 0 || (growth === 0 && this.#bytes + news.length > MAX_DOCUMENT_BYTES)
  }

  /** Whether the plan may not grow by so many bytes more. Measured only when the estimate says so. */
  isFull(more: number): boolean {
    if (this.#bytes + more > MAX_PLAN_BYTES) this.#measure()
    let structs = 0
    for (const list of this.doc.store.clients.values()) structs += list.length
    return this.#bytes + more > MAX_PLAN_BYTES || structs >= MAX_PLAN_STRUCTS
  }

  /** How full the plan is, in percent of what it may grow to; null while there is plenty of room. */
  get nearlyFull(): number | null {
    if (this.#bytes < NEARLY_FULL * MAX_PLAN_BYTES) return null
    this.#measure()
    const share = this.#bytes / MAX_PLAN_BYTES
    return share < NEARLY_FULL ? null : Math.min(100, Math.floor(share * 100))
  }

  /** Bytes of memory that the document and the plan take, about. */
  get weight(): number {
    return ROOM_BYTES + this.#bytes + this.plan.steps.length * STEP_BYTES
  }

  #measure(): Uint8Array {
    const state = Y.encodeStateAsUpdate(this.doc)
    this.#bytes = state.length
    return state
  }

  /** What could not be kept is better not begun: nobody is thrown out, and all can still look. */
  get isWritable(): boolean {
    return this.#options.storage.condition().unwritable === null
  }

  /** @throws StorageUnwritable */
  assertWritable(): void {
    const { unwritable } = this.#options.storage.condition()
    if (unwritable !== null) throw new StorageUnwritable(unwritable)
  }

  assertUsable(): void {
    if (this.#closed !== null) throw this.#closed
  }

  /** Memory is ahead of the disk, or not whole: nothing may be answered from it any more. */
  fail(error: unknown, cause: Cause): void {
    if (this.#closed !== null) return
    const { thread, incidents, onFailed } = this.#options
    // Deleted meanwhile: that is no failure, and whoever is here hears that the thread is gone.
    const isGone = error instanceof ThreadDeleted
    // Its storage refused it for good, and says so before anything is kept.
    const isDamaged = error instanceof ThreadDamaged
    if (!isGone) incidents.note(isDamaged ? 'damaged' : cause, error, { thread, version: this.version })
    const failed =
      isGone || isDamaged
        ? error
        : new RoomFailed('The outcome is unknown: repeat with the same Idempotency-Key.', { cause: error })
    this.close(failed)
    onFailed(failed, cause)
  }

  /** Whatever waits, and whatever comes, fails with `reason`. */
  close(reason: Error): void {
    if (this.#closed !== null) return
    this.#closed = reason
    this.outbox.fail(reason)
    this.#reader.destroy()
    this.doc.destroy()
  }
}

/** Runs `load`, which fills a document from what is stored. @throws ThreadDamaged if that does not make a whole plan */
function whole<T>(doc: Y.Doc, thread: ThreadId, load: () => T): T {
  try {
    const loaded = load()
    if (doc.store.pendingStructs !== null || doc.store.pendingDs !== null) throw new Error('a part of it is missing')
    return loaded
  } catch (error) {
    doc.destroy()
    throw new ThreadDamaged(`What is stored of the thread ${thread} cannot be read.`, { cause: error })
  }
}

/** A storage may throw as well as reject. */
async function inPromise<T>(work: () => Promise<T>): Promise<T> {
  return work()
}
