import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { runBatch } from './batch.ts'
import { Disk } from './disk.ts'
import { databaseIn } from './files.ts'
import { planTables } from './database.ts'
import { openDirectory } from './opening.ts'
import type { BatchDone, FromWorker, ToWorker, WorkerOptions } from './protocol.ts'
import { revocationTable } from './revocations.ts'

/** Milliseconds between two looks at the disk. */
const LOOK_MS = 1_000

/** Serves one data directory. What it throws ends the thread and reaches the other side as its 'error' event. */
function serve(port: MessagePort, { directory, synchronous }: WorkerOptions): void {
  const { db, unlock, unwritable } = openDirectory(directory, synchronous)
  const tables = { ...planTables(db), ...revocationTable(db) }
  const post = (message: FromWorker, moved: ArrayBuffer[] = []): void => port.postMessage(message, moved)
  const disk = new Disk(db, databaseIn(directory), unwritable)
  const look = (isSuspect = false): void => {
    const told = disk.condition
    const condition = disk.look(isSuspect)
    if (condition.unwritable !== told.unwritable || condition.warning !== told.warning)
      post({ kind: 'condition', condition })
  }
  const looking = setInterval(look, LOOK_MS).unref()
  look()
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'close') {
      clearInterval(looking)
      db.close()
      unlock()
      port.close()
      return
    }
    const result = runBatch(db, tables, message.requests, () => disk.assertInPlace())
    // Before the result: who is refused knows why.
    if (result.outcomes.some((outcome) => !outcome.ok && outcome.failure.name === 'Error')) look(true)
    post(result, buffersOf(result))
  })
}

/** The buffers of opened plans, moved rather than copied: a copy would cost the event loop the time. */
function buffersOf({ outcomes }: BatchDone): ArrayBuffer[] {
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
