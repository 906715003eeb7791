import { createRequire } from 'node:module'
import { resolve as absolute } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { RevocationStore } from '../../auth/revocations.ts'
import type { Log } from '../../rooms/log.ts'
import type { Storage, StorageCondition } from '../../rooms/storage.ts'
import type { WorkerOptions } from './protocol.ts'
import { type QueueCounts, WorkerQueue } from './queue.ts'

/** Milliseconds after which a disk counts as one that does not answer: a probe's own patience is about as long. */
const PING_TIMEOUT_MS = 5_000

export interface SqliteOptions {
  /** The data directory; made if it is missing. One server at a time. */
  readonly directory: string
  /** FULL (the default) flushes every commit to the disk; with NORMAL a power failure may take the last ones. */
  readonly synchronous?: WorkerOptions['synchronous']
  /** Is told when the disk cannot be written, or will not be for long. */
  readonly log?: Log
}

export interface SqliteStorage extends Storage, RevocationStore {
  /** For metrics. */
  counts(): QueueCounts
}

/**
 * Plans in one SQLite database, in a worker thread; the entries of all rooms that wait at one moment share a commit.
 * @throws Error that says what to do if another server has the directory, if it cannot be written, or if its database
 * is of a newer version
 */
export async function openSqliteStorage({
  directory,
  synchronous = 'FULL',
  log,
}: SqliteOptions): Promise<SqliteStorage> {
  const worker = startWorker({ directory: absolute(directory), synchronous })
  return storageOver(worker, log && ((now, before) => tell(log, absolute(directory), now, before)))
}

/** Starts the compiled worker, also when the sources run by themselves, as in tests: a worker cannot load TypeScript. */
export function startWorker(options: WorkerOptions): Worker {
  return new Worker(createRequire(import.meta.url).resolve('#sqlite-worker'), { workerData: options })
}

/** The storage that a worker serves, once it serves it. @throws what the worker fails with at its start */
export async function storageOver(
  worker: Worker,
  onCondition?: (now: StorageCondition, before: StorageCondition) => void,
): Promise<SqliteStorage> {
  const queue = new WorkerQueue(worker, onCondition)
  try {
    await queue.call({ kind: 'ping' })
  } catch (error) {
    // Its files are free when its thread has ended, not before.
    await queue.close()
    throw error
  }
  return {
    open: (thread) => queue.call({ kind: 'open', thread }),
    append: (thread, entry) =>
      queue.call({ kind: 'append', thread, entry: { ...entry, update: ownBytes(entry.update) } }),
    create: (thread, at) => queue.call({ kind: 'create', thread, at }),
    snapshot: (thread, version, state) => queue.call({ kind: 'snapshot', thread, version, state: ownBytes(state) }),
    saveView: (thread, view) => queue.call({ kind: 'saveView', thread, view }),
    views: (thread) => queue.call({ kind: 'views', thread }),
    activity: (thread, after, limit) => queue.call({ kind: 'activity', thread, after, limit }),
    recall: (thread, actorId, key, now) => queue.call({ kind: 'recall', thread, actorId, key, now }),
    threads: (after, limit) => queue.call({ kind: 'threads', after, limit }),
    remove: (thread, at) => queue.call({ kind: 'remove', thread, at }),
    revoke: (revocation) => queue.call({ kind: 'revoke', revocation }),
    revocations: (now) => queue.call({ kind: 'revocations', now }),
    ping: () => within(PING_TIMEOUT_MS, queue.call({ kind: 'ping' })),
    condition: () => queue.condition,
    close: () => queue.close(),
    counts: () => queue.counts(),
  }
}

/** Says once what is the matter, and once that it is over. */
function tell(log: Log, directory: string, now: StorageCondition, before: StorageCondition): void {
  if (now.unwritable !== null && now.unwritable !== before.unwritable)
    log.error({ directory }, `Nothing can be written: ${now.unwritable}`)
  else if (now.unwritable === null && before.unwritable !== null) log.info({ directory }, 'the disk is written again')
  if (now.warning !== null && before.warning === null) log.warn({ directory }, now.warning)
}

/** Bytes that are all of their buffer: sending a view copies the whole buffer behind it, such as a socket's pool. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
}

/** A disk that hangs leaves the worker in a system call for ever. */
function within(milliseconds: number, answer: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`The disk did not answer within ${milliseconds} ms.`))
    }, milliseconds)
    void answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
