import { join } from 'node:path'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { runBatch } from './batch.ts'
import { planTables } from './database.ts'
import { lockDirectory, makeDirectory } from './lock.ts'
import { type FromWorker, type ToWorker, type WorkerOptions, toFailure } from './protocol.ts'
import { revocationTable } from './revocations.ts'
import { openDatabase } from './schema.ts'

/** Serves one data directory. What it throws ends the thread and reaches the other side as its 'error' event. */
function serve(port: MessagePort, { directory, synchronous }: WorkerOptions): void {
  const { db, unlock } = openDirectory(directory, synchronous)
  const tables = { ...planTables(db), ...revocationTable(db) }
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'close') {
      db.close()
      unlock()
      port.close()
      return
    }
    const result = runBatch(db, tables, message.requests)
    port.postMessage(result, buffersOf(result))
  })
}

function openDirectory(directory: string, synchronous: WorkerOptions['synchronous']) {
  try {
    makeDirectory(directory)
    const unlock = lockDirectory(directory)
    return { db: openDatabase(join(directory, 'planroom.db'), synchronous), unlock }
  } catch (error) {
    // SQLite says "unable to open database file", but not which.
    if (!(error instanceof Database.SqliteError)) throw error
    throw new Error(`Cannot use the data directory ${directory}: ${toFailure(error).message}`, { cause: error })
  }
}

/** The buffers of opened plans, moved rather than copied: a copy would cost the event loop the time. */
function buffersOf({ outcomes }: FromWorker): ArrayBuffer[] {
  return outcomes.flatMap((outcome) => {
    if (!outcome.ok || typeof outcome.value !== 'object' || outcome.value === null) return []
    if (!('updates' in outcome.value)) return []
    const { snapshot, updates } = outcome.value
    return (snapshot === null ? updates : [snapshot, ...updates]).flatMap(({ buffer }) =>
      buffer instanceof ArrayBuffer ? [buffer] : [],
    )
  })
}

if (parentPort === null) throw new Error('worker.ts runs as a worker of storage.ts.')
serve(parentPort, workerData as WorkerOptions)
