import { setTimeout as timer, clearTimeout } from 'node:timers'
import type { ThreadId } from '../../shared/schema/ids.ts'
import { newStepId } from '../../shared/schema/ids.ts'
import type { NewStep, PlanOperation } from '../../shared/schema/operation.ts'
import { MAX_KEPT_BYTES, MAX_PARKED_TOTAL_BYTES } from '../../shared/schema/limits.ts'
import type { PlanSnapshot, Status } from '../../shared/schema/plan.ts'
import { Allowance } from './allowance.ts'
import type { Caller } from './caller.ts'
import { Draining, RoomFailed, StorageUnwritable, ThreadDamaged, ThreadUnavailable } from './errors.ts'
import type { Files } from './files.ts'
import { noFiles } from './files.ts'
import { Incidents } from './incidents.ts'
import { Kept } from './kept.ts'
import type { Log } from './log.ts'
import { Quarantine } from './quarantine.ts'
import { Recollections } from './recollections.ts'
import { Room } from './room.ts'
import { ServerIds } from './server-ids.ts'
import type { Storage } from './storage.ts'
import { ThreadDeleted } from './storage.ts'
import { FairTurns, type Turns } from './turns.ts'
import { Watchers } from './watchers.ts'

/** A step that a plan is created with. */
export interface SeedStep {
  readonly text: string
  /** 0 is top level. */
  readonly depth?: number
  readonly status?: Status
  readonly details?: string
  readonly required?: boolean
}

export interface RoomsOptions {
  readonly storage: Storage
  readonly files?: Files
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Milliseconds that a room without connections and calls stays loaded. */
  readonly idleMs?: number
  /** Bytes, by estimate, that what nobody needs just now may take, of all threads. */
  readonly keptBytes?: number
  /** Who works next. */
  readonly turns?: Turns
}

/** A thread that is open, or opening. */
interface Entry {
  readonly opening: Promise<Room>
  room: Room | null
  /** How many hold the room: calls under way and connections. */
  users: number
  idle: NodeJS.Timeout | null
}

/** All open rooms: a thread is opened once, however many ask, and unloaded when nobody has used it for a while. */
export class Rooms {
  readonly #storage: Storage
  readonly #files: Files
  readonly #log: Log
  readonly #now: () => number
  readonly #idleMs: number
  readonly #entries = new Map<ThreadId, Entry>()
  readonly #recollections = new Recollections()
  readonly #kept: Kept
  readonly #serverIds = new ServerIds()
  readonly #watchers: Watchers
  readonly #quarantine: Quarantine
  readonly #parking = new Allowance(MAX_PARKED_TOTAL_BYTES)
  /** What went wrong so far, counted. */
  readonly incidents: Incidents
  /** Who works next, of all threads and doors. */
  readonly turns: Turns
  /** Deletions under way: who comes meanwhile waits for the outcome. */
  readonly #removing = new Map<ThreadId, Promise<unknown>>()
  /** Calls under way: who drains waits for their replies. */
  readonly #calls = new Set<Promise<unknown>>()
  #draining = false

  constructor({
    storage,
    files = noFiles,
    log,
    now = Date.now,
    idleMs = 60_000,
    keptBytes,
    turns = new FairTurns(),
  }: RoomsOptions) {
    this.turns = turns
    this.#kept = new Kept(keptBytes ?? MAX_KEPT_BYTES, (thread) => this.#giveUp(thread))
    this.#storage = storage
    this.#files = files
    this.#log = log
    this.incidents = new Incidents(log)
    this.#watchers = new Watchers(this.incidents)
    this.#quarantine = new Quarantine(now)
    this.#now = now
    this.#idleMs = idleMs
  }

  /** How many rooms are open. */
  get loaded(): number {
    return this.#entries.size
  }
  /** Bytes of updates that wait for a missing part, in all rooms. */
  get parkedBytes(): number {
    return this.#parking.taken
  }

  /**
   * Runs work with a thread's room, which stays loaded meanwhile.
   * @throws ThreadDeleted, RoomFailed, Draining; ThreadUnavailable or ThreadDamaged if the thread cannot be opened
   */
  use<T>(thread: ThreadId, work: (room: Room) => T | Promise<T>): Promise<T> {
    const call = this.#use(thread, work)
    const done = call.then(
      () => {},
      () => {},
    )
    this.#calls.add(done)
    void done.then(() => this.#calls.delete(done))
    return call
  }

  async #use<T>(thread: ThreadId, work: (room: Room) => T | Promise<T>): Promise<T> {
    const { room, release } = await this.hold(thread)
    try {
      return await work(room)
    } finally {
      release()
    }
  }

  /** A thread's room, loaded until `release` is called. @throws as `use` does */
  async hold(thread: ThreadId): Promise<{ room: Room; release: () => void }> {
    await this.#removing.get(thread)
    this.#assertServing()
    const entry = this.#entries.get(thread) ?? this.#open(thread)
    entry.users++
    if (entry.idle !== null) clearTimeout(entry.idle)
    entry.idle = null
    let held = true
    const release = (): void => {
      if (!held) return
      held = false
      entry.users--
      this.#unloadLater(thread, entry)
    }
    try {
      const room = await entry.opening
      if (this.#entries.get(thread) === entry) this.#weigh(thread)
      return { room, release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** The room of a thread if it is open; it is not kept open by this. */
  peek(thread: ThreadId): Room | null {
    return this.#entries.get(thread)?.room ?? null
  }

  /**
   * Calls `changed` with each version of a thread once it is on disk, and `removed` when the thread was deleted: then it
   * is over. Does not keep the room loaded: a room that is not loaded has no changes.
   * @returns how to stop
   */
  watch(thread: ThreadId, changed: (version: number) => void, removed: () => void = () => {}): () => void {
    return this.#watchers.add(thread, { changed, removed })
  }

  #open(thread: ThreadId): Entry {
    const forget = (): void => {
      if (this.#entries.get(thread) !== entry) return
      this.#entries.delete(thread)
      this.#kept.delete(thread)
    }
    const open = async (): Promise<Room> => {
      try {
        entry.room = await this.#load(thread, (error) => {
          if (error instanceof ThreadDamaged) this.#quarantine.add(thread, error)
          if (error instanceof RoomFailed) this.#serverIds.renew()
          forget()
        })
        return entry.room
      } catch (error) {
        forget()
        throw error
      }
    }
    const entry: Entry = { opening: Promise.resolve().then(open), room: null, users: 0, idle: null }
    // Whoever holds the entry hears of it; when all have left, nobody has to.
    entry.opening.catch(() => {})
    this.#entries.set(thread, entry)
    return entry
  }

  /** @throws ThreadDeleted, ThreadUnavailable, ThreadDamaged */
  async #load(thread: ThreadId, onFailed: (error: Error) => void): Promise<Room> {
    this.#quarantine.assertWhole(thread)
    try {
      const [plan, views] = await Promise.all([this.#storage.open(thread), this.#storage.views(thread)])
      const recollection = this.#recollections.take(thread)
      // Put back to an older copy meanwhile: clients have what was written here since under the id.
      if ((recollection?.history.version ?? 0) > (plan?.version ?? 0)) this.#serverIds.renew()
      const options = {
        thread,
        clientId: this.#serverIds.of(thread),
        storage: this.#storage,
        files: this.#files,
        log: this.#log,
        incidents: this.incidents,
        parking: this.#parking,
        turns: this.turns,
        now: this.#now,
        onCommitted: (version: number) => {
          this.#weigh(thread)
          this.#watchers.changed(thread, version)
        },
        onFailed,
      }
      return new Room(options, plan === null ? null : { plan, views }, recollection)
    } catch (error) {
      if (error instanceof ThreadDeleted) throw error
      if (error instanceof ThreadDamaged) {
        this.incidents.note('damaged', error, { thread })
        this.#quarantine.add(thread, error)
        throw error
      }
      this.incidents.note('opening', error, { thread })
      throw new ThreadUnavailable(`The thread ${thread} could not be opened.`, { cause: error })
    }
  }

  #unloadLater(thread: ThreadId, entry: Entry): void {
    if (entry.users > 0 || entry.room === null || this.#entries.get(thread) !== entry) return
    // A thread that never came into being leaves nothing behind, however many are asked for.
    if (entry.room.isBlank) {
      this.#kept.delete(thread)
      return this.#close(thread, entry, entry.room)
    }
    this.#weigh(thread)
    if (this.#entries.get(thread) !== entry) return
    entry.idle = timer(() => this.#unload(thread, entry), this.#idleMs)
    entry.idle.unref()
  }

  #unload(thread: ThreadId, entry: Entry): void {
    const { room } = entry
    if (room === null || entry.users > 0 || this.#entries.get(thread) !== entry) return
    if (!room.isIdle) return this.#unloadLater(thread, entry)
    this.#remember(thread, entry, room)
    this.#weigh(thread)
  }

  /** Unloads a room, and keeps what it knew. */
  #remember(thread: ThreadId, entry: Entry, room: Room): void {
    this.#close(thread, entry, room)
    this.#recollections.keep(thread, room.recollection)
  }

  #close(thread: ThreadId, entry: Entry, room: Room): void {
    if (entry.idle !== null) clearTimeout(entry.idle)
    this.#entries.delete(thread)
    room.close(new RoomFailed('The room was unloaded.'), 1012, 'unloaded')
  }

  /** A thread is used: it is known anew what is kept of it. */
  #weigh(thread: ThreadId): void {
    this.#kept.used(thread, this.#weightOf(thread))
  }

  /** Bytes, about, that are kept of a thread. A plan that is in use does not count: nothing could be done about it. */
  #weightOf(thread: ThreadId): number {
    const entry = this.#entries.get(thread)
    if (entry === undefined) return this.#recollections.weightOf(thread)
    if (entry.room === null) return 0
    return entry.users > 0 ? entry.room.remembered : entry.room.weight
  }

  /** Makes room for what is used more: an idle room is unloaded, one that is unloaded forgotten. @returns what is left */
  #giveUp(thread: ThreadId): number {
    const entry = this.#entries.get(thread)
    const room = entry?.room ?? null
    if (entry === undefined) this.#recollections.forget(thread)
    else if (room !== null && entry.users > 0) room.forgetSome()
    else if (room?.isIdle === true) this.#remember(thread, entry, room)
    return this.#weightOf(thread)
  }

  /**
   * Creates a plan with a title and some steps, once, however many ask at a time.
   * @returns whether this call made it, and how it stands now
   * @throws ThreadDeleted, PlanError, RoomFailed, Draining
   */
  create(
    thread: ThreadId,
    seed: readonly SeedStep[],
    caller: Caller,
    title = '',
  ): Promise<{ created: boolean; snapshot: PlanSnapshot }> {
    const steps = seed.map(({ depth = 0, ...step }): NewStep => ({ id: newStepId(), depth, ...step }))
    const operations: PlanOperation[] = [
      ...(title === '' ? [] : [{ type: 'setTitle', title } as const]),
      ...(steps.length === 0 ? [] : [{ type: 'addSteps', parent: null, steps } as const]),
    ]
    return this.use(thread, async (room) => {
      const created = await room.create(operations, caller)
      return { created, snapshot: await room.snapshot() }
    })
  }

  /**
   * Deletes a thread for good. Its connections are closed with 4404.
   * @returns false if it never was. @throws ThreadDeleted if it was deleted before, Draining, StorageUnwritable, or RoomFailed
   */
  async remove(thread: ThreadId): Promise<boolean> {
    await this.#removing.get(thread)
    this.#assertServing()
    const { unwritable } = this.#storage.condition()
    if (unwritable !== null) throw new StorageUnwritable(unwritable)
    const removal = this.#remove(thread)
    const done = removal.catch(() => {})
    this.#removing.set(thread, done)
    try {
      return await removal
    } finally {
      if (this.#removing.get(thread) === done) this.#removing.delete(thread)
    }
  }

  async #remove(thread: ThreadId): Promise<boolean> {
    const room = await this.#entries.get(thread)?.opening.catch(() => null)
    // What was called before the deletion is answered; what comes after it finds the thread gone.
    await room?.flush().catch(() => {})
    const entry = this.#entries.get(thread)
    const removed = await this.#storage.remove(thread, this.#now()).catch((error: unknown) => {
      if (error instanceof ThreadDeleted) throw error
      this.incidents.note('storage', error, { thread })
      throw new RoomFailed('Whether it was deleted is unknown.', { cause: error })
    })
    if (removed) {
      this.#recollections.forget(thread)
      this.#kept.delete(thread)
      this.#quarantine.forget(thread)
      this.#entries.delete(thread)
      if (entry?.idle) clearTimeout(entry.idle)
      entry?.room?.close(new ThreadDeleted(`The thread ${thread} was deleted.`), 4404, 'the thread was deleted')
      this.#watchers.removed(thread)
    }
    return removed
  }

  #assertServing(): void {
    if (this.#draining) throw new Draining('The server is going down. Try again in a moment.')
  }

  /**
   * Takes no new work, closes connections with 1012, and resolves when all that was called for is on disk and answered.
   * What is not by then hears that its outcome is unknown: it may be on the disk all the same.
   * @param limitMs milliseconds that a disk which does not answer is waited for
   */
  async drain(limitMs = Infinity): Promise<void> {
    this.#draining = true
    const late = lateness(limitMs)
    // What is being deleted is deleted, and its connections are told so; who called is told what came of it.
    await Promise.race([late.passed, Promise.all([...this.#removing.values(), ...this.#calls])])
    const closing = [...this.#entries].map(async ([thread, entry]) => {
      const room = await Promise.race([late.passed, entry.opening.catch(() => null)])
      const flushed = room?.flush().catch(() => {})
      await Promise.race([late.passed, flushed])
      const lost = new RoomFailed('The server went down before the disk had answered.')
      ;(room ?? entry.room)?.close(lost, 1012, 'the server is going down')
      if (entry.idle !== null) clearTimeout(entry.idle)
      this.#entries.delete(thread)
    })
    await Promise.all(closing)
    late.cancel()
  }
}

/** @param milliseconds Infinity: never */
function lateness(milliseconds: number): { readonly passed: Promise<null>; cancel(): void } {
  let pending: NodeJS.Timeout | undefined
  const passed = new Promise<null>((resolve) => {
    if (Number.isFinite(milliseconds)) pending = timer(() => resolve(null), milliseconds)
  })
  return { passed, cancel: () => clearTimeout(pending) }
}
