import type {
  ActivityEntry,
  IdempotencyRecord,
  LogEntry,
  StorageCondition,
  StoredPlan,
  StoredView,
  ThreadInfo,
} from '../../rooms/storage.ts'
import type { Revocation } from '../../auth/revocations.ts'
import { ThreadDamaged } from '../../rooms/errors.ts'
import { ThreadDeleted, VersionConflict } from '../../rooms/storage.ts'
import type { ThreadId } from '../../../shared/schema/ids.ts'

/** What the worker is started with. */
export interface WorkerOptions {
  /** An absolute path; made if it is missing. */
  readonly directory: string
  /** FULL: every commit is flushed to the disk. NORMAL: a power failure may take the last commits, a crash does not. */
  readonly synchronous: 'FULL' | 'NORMAL'
}

/** One call of the port, as it crosses to the worker. */
export type Request =
  | { readonly kind: 'open'; readonly thread: ThreadId }
  | { readonly kind: 'append'; readonly thread: ThreadId; readonly entry: LogEntry }
  | { readonly kind: 'create'; readonly thread: ThreadId; readonly at: number }
  | { readonly kind: 'snapshot'; readonly thread: ThreadId; readonly version: number; readonly state: Uint8Array }
  | { readonly kind: 'saveView'; readonly thread: ThreadId; readonly view: StoredView }
  | { readonly kind: 'views'; readonly thread: ThreadId }
  | { readonly kind: 'activity'; readonly thread: ThreadId; readonly after: number; readonly limit: number }
  | {
      readonly kind: 'recall'
      readonly thread: ThreadId
      readonly actorId: string
      readonly key: string
      readonly now: number
    }
  | { readonly kind: 'threads'; readonly after: string; readonly limit: number }
  | { readonly kind: 'remove'; readonly thread: ThreadId; readonly at: number }
  | { readonly kind: 'revoke'; readonly revocation: Revocation }
  | { readonly kind: 'revocations'; readonly now: number }
  | { readonly kind: 'ping' }

/** What each call gives back. */
export interface Results {
  open: StoredPlan | null
  append: undefined
  create: boolean
  snapshot: undefined
  saveView: undefined
  views: StoredView[]
  activity: ActivityEntry[]
  recall: IdempotencyRecord | null
  threads: ThreadInfo[]
  remove: boolean
  revoke: undefined
  revocations: Revocation[]
  ping: undefined
}
export type Kind = keyof Results
export type RequestOf<K extends Kind> = Extract<Request, { kind: K }>

/** An error in transit: structured cloning would lose its class. */
export interface Failure {
  readonly name: 'VersionConflict' | 'ThreadDeleted' | 'ThreadDamaged' | 'Error'
  readonly message: string
}
export type Outcome =
  | { readonly ok: true; readonly value: Results[Kind] }
  | { readonly ok: false; readonly failure: Failure }

export type ToWorker = { readonly kind: 'batch'; readonly requests: readonly Request[] } | { readonly kind: 'close' }
export type FromWorker = BatchDone | ConditionNews
/** The outcomes of one batch, in the order of its requests. `committed`: a transaction that wrote went to disk. */
export interface BatchDone {
  readonly kind: 'done'
  readonly outcomes: readonly Outcome[]
  readonly committed: boolean
}

/** How the disk is, whenever that changed. */
export interface ConditionNews {
  readonly kind: 'condition'
  readonly condition: StorageCondition
}

export function toFailure(error: unknown): Failure {
  if (error instanceof VersionConflict || error instanceof ThreadDeleted || error instanceof ThreadDamaged) {
    return { name: error.name, message: error.message }
  }
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  // SQLite's own words ("disk I/O error") say less than its code (SQLITE_IOERR_FSYNC).
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : ''
  return { name: 'Error', message: code + error.message }
}

export function toError(failure: Failure): Error {
  switch (failure.name) {
    case 'VersionConflict':
      return new VersionConflict(failure.message)
    case 'ThreadDeleted':
      return new ThreadDeleted(failure.message)
    case 'ThreadDamaged':
      return new ThreadDamaged(failure.message)
    case 'Error':
      return new Error(failure.message)
  }
}
