import type { FormerText } from '../../shared/plan/former-texts.ts'
import type { Progress } from '../../shared/plan/progress.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { ThreadId } from '../../shared/schema/ids.ts'

/** How a change came in. */
export type Source = 'http' | 'mcp' | 'ws' | 'server'

/** The reply kept under an Idempotency-Key. Scope: thread, actor, key. */
export interface IdempotencyRecord {
  readonly actorId: string
  readonly key: string
  /** Hash of the tool and its arguments: the same key with another hash is a conflict. */
  readonly hash: string
  readonly version: number
  /** The reply without the plan, as JSON. */
  readonly reply: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** What a list of plans shows of one. */
export interface Outlook {
  readonly title: string
  readonly progress: Progress
}

/** One accepted change: an entry of the durable log. Its version is the index of the log and starts at 1. */
export interface LogEntry {
  readonly version: number
  /** Milliseconds since 1970, by the server's clock. */
  readonly at: number
  readonly actor: Actor
  readonly source: Source
  /** The tool that was called, or '' for an edit over a socket. */
  readonly tool: string
  /** What the caller said it was doing and why, or ''. */
  readonly reasoning: string
  /** One line that says what changed. */
  readonly summary: string
  /** The Yjs update (V1), merged with its settling. */
  readonly update: Uint8Array
  /** How the plan looks from outside after it; kept in the place of what was kept before. */
  readonly outlook?: Outlook
  /** The words that it replaced, or brought in vain; absent where there are none. */
  readonly formerTexts?: readonly FormerText[]
  /** Kept in the same transaction as the update. */
  readonly idempotency?: Omit<IdempotencyRecord, 'version' | 'at'>
}

/** What a room needs to open: the last snapshot and the updates after it, in order. */
export interface StoredPlan {
  /** 0 for a plan that was created and never changed. */
  readonly version: number
  readonly snapshot: Uint8Array | null
  readonly updates: readonly Uint8Array[]
}

/** What an actor of a thread was last shown, so that it outlives the room. */
export interface StoredView {
  readonly actorId: string
  /** The version of the plan that it was shown. */
  readonly version: number
  /** The rest of it, as JSON that only rooms read. */
  readonly state: string
}

export interface ThreadInfo {
  readonly thread: ThreadId
  readonly version: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  /** As of its last change; absent for a plan that was last changed before this was kept, or never. */
  readonly outlook?: Outlook
}

/** An entry of the log as it is shown: everything but the bytes. */
export type ActivityEntry = Omit<LogEntry, 'update' | 'outlook' | 'idempotency'>

/** How well a storage is, in words for callers and for whoever runs the server. */
export interface StorageCondition {
  /** Why nothing can be written; reading may go on. */
  readonly unwritable: string | null
  /** What will keep it from being written before long. */
  readonly warning: string | null
}

export const IN_ORDER: StorageCondition = { unwritable: null, warning: null }

/** The log holds another version than the writer expected: somebody else appended, or the thread was deleted. */
export class VersionConflict extends Error {
  override readonly name = 'VersionConflict'
}
/** The thread was deleted; its id is never given again. */
export class ThreadDeleted extends Error {
  override readonly name = 'ThreadDeleted'
}

/**
 * Where plans are kept. A promise that resolves means: on disk. Every method may reject with an Error when the disk
 * fails; the outcome of a rejected `append` is then unknown.
 */
export interface Storage {
  /** @returns null for a thread that was never stored. @throws ThreadDeleted */
  open(thread: ThreadId): Promise<StoredPlan | null>
  /**
   * Appends one entry. Entries of one thread must be given in the order of their versions, without waiting in between;
   * they become durable in that order. The first entry of a thread creates it.
   * @throws VersionConflict unless the log ends at `entry.version - 1`, ThreadDeleted
   */
  append(thread: ThreadId, entry: LogEntry): Promise<void>
  /** Stores an empty plan at version 0. @returns false if the thread was there already. @throws ThreadDeleted */
  create(thread: ThreadId, at: number): Promise<boolean>
  /** Keeps the whole document as of `version`; ignored when the log is shorter or a newer snapshot is there. */
  snapshot(thread: ThreadId, version: number, state: Uint8Array): Promise<void>
  /**
   * Keeps what an actor was shown, in the place of what it was shown before; of a thread the 64 that were kept last.
   * Ignored for a thread that is not stored.
   */
  saveView(thread: ThreadId, view: StoredView): Promise<void>
  /** What the actors of a thread were shown, who was shown something last standing last. */
  views(thread: ThreadId): Promise<StoredView[]>
  /** Entries after version `after`, ascending, at most `limit`. Empty for an unknown thread. @throws ThreadDeleted */
  activity(thread: ThreadId, after: number, limit: number): Promise<ActivityEntry[]>
  /** The record under this key if it is younger than 24 hours at `now`. */
  recall(thread: ThreadId, actorId: string, key: string, now: number): Promise<IdempotencyRecord | null>
  /** Stored threads in the order of their names, those after `after`, at most `limit`. Deleted ones are not listed. */
  threads(after: string, limit: number): Promise<ThreadInfo[]>
  /**
   * Deletes everything of a thread and remembers that it was deleted, at `at`.
   * @returns false if it was never stored. @throws ThreadDeleted if it was deleted before
   */
  remove(thread: ThreadId, at: number): Promise<boolean>
  /** Resolves when a trivial read works; rejects when the disk does not answer. */
  ping(): Promise<void>
  /** As last known, at most a second ago. */
  condition(): StorageCondition
  /** Finishes what was given, then releases the files. Further calls reject. */
  close(): Promise<void>
}
