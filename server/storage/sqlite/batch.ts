import Database from 'better-sqlite3'
import { ThreadDamaged } from '../../rooms/errors.ts'
import type { ThreadId } from '../../../shared/schema/ids.ts'
import type { PlanTables } from './database.ts'
import type { RevocationTable } from './revocations.ts'
import type { BatchDone, Failure, Kind, Outcome, Request, Results } from './protocol.ts'
import { toFailure } from './protocol.ts'

const WRITES: ReadonlySet<Kind> = new Set<Kind>([
  'append',
  'create',
  'snapshot',
  'saveView',
  'remove',
  'revoke',
  'revocations',
])

/** All that the worker keeps. */
export type Tables = PlanTables & RevocationTable

/**
 * Runs requests in order as one transaction and reports when it is on disk.
 *
 * A request that fails takes nothing with it but the later appends of its thread: they were given in the belief that it
 * would stand. If the transaction itself fails, so does every request, reads included, for they saw what is not kept.
 * One that comes upon a page that went bad makes SQLite refuse all that follows, the commit too: the others are run again
 * without it.
 * @param assertInPlace throws if what is committed could not be found again
 */
export function runBatch(
  db: Database.Database,
  tables: Tables,
  requests: readonly Request[],
  assertInPlace: () => void,
): BatchDone {
  const writes = !db.readonly && requests.some((request) => WRITES.has(request.kind))
  const refused = new Map<Request, Failure>()
  let sweeps = true
  for (;;) {
    const known = refused.size
    try {
      // IMMEDIATE: a transaction that reads first cannot wait for a foreign writer later on.
      db.exec(writes ? 'BEGIN IMMEDIATE' : 'BEGIN')
      const outcomes = runInOrder(db, tables, requests, refused)
      if (sweeps) dropOldReplies(tables, requests)
      if (writes) assertInPlace()
      db.exec('COMMIT')
      return { kind: 'done', outcomes, committed: writes }
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK')
      if (refused.size > known) continue
      if (!sweeps || !isCorrupt(error)) {
        const failure = toFailure(error)
        return { kind: 'done', outcomes: requests.map(() => ({ ok: false, failure })), committed: false }
      }
      // No request came upon it: then it was the sweep, for which nobody waits.
      sweeps = false
    }
  }
}

/** A page went bad: what will not pass by itself. */
const isCorrupt = (error: unknown): error is Error =>
  error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code)

/** Nobody shall try again what a page that went bad keeps from being done. */
function failureOf(request: Request, error: unknown): Failure {
  if (!isCorrupt(error)) return toFailure(error)
  const what = 'thread' in request ? `What is stored of the thread ${request.thread}` : 'What is stored'
  return toFailure(
    new ThreadDamaged(`${what} cannot be read: ${error.message}. See what can be saved: planroom verify`),
  )
}

/** @param refused those that are not run, each with why; one that comes upon a page that went bad is put in */
function runInOrder(
  db: Database.Database,
  tables: Tables,
  requests: readonly Request[],
  refused: Map<Request, Failure>,
): Outcome[] {
  const broken = new Map<ThreadId, Failure>()
  // Within a transaction this is a savepoint: half an append never stays.
  const whole = db.transaction((request: Request) => run(tables, request))
  const fail = (request: Request, failure: Failure): Outcome => {
    if (request.kind === 'append') broken.set(request.thread, failure)
    return { ok: false, failure }
  }
  return requests.map((request): Outcome => {
    const before = refused.get(request) ?? (request.kind === 'append' ? broken.get(request.thread) : undefined)
    if (before !== undefined) return fail(request, before)
    try {
      return { ok: true, value: WRITES.has(request.kind) ? whole(request) : run(tables, request) }
    } catch (error) {
      const failure = failureOf(request, error)
      if (isCorrupt(error)) refused.set(request, failure)
      // Some faults of the disk end the transaction: then nothing of the batch stands.
      if (isCorrupt(error) || !db.inTransaction) throw error
      return fail(request, failure)
    }
  })
}

function run(tables: Tables, request: Request): Results[Kind] {
  switch (request.kind) {
    case 'open':
      return tables.open(request.thread)
    case 'append':
      return void tables.append(request.thread, request.entry)
    case 'create':
      return tables.create(request.thread, request.at)
    case 'snapshot':
      return void tables.snapshot(request.thread, request.version, request.state)
    case 'saveView':
      return void tables.saveView(request.thread, request.view)
    case 'views':
      return tables.views(request.thread)
    case 'activity':
      return tables.activity(request.thread, request.after, request.limit)
    case 'recall':
      return tables.recall(request.thread, request.actorId, request.key, request.now)
    case 'threads':
      return tables.threads(request.after, request.limit)
    case 'remove':
      return tables.remove(request.thread, request.at)
    case 'revoke':
      return void tables.revoke(request.revocation)
    case 'revocations':
      return tables.revocations(request.now)
    case 'ping':
      return void tables.ping()
  }
}

/**
 * Every batch that adds replies drops up to twice as many expired ones. So the table cannot grow beyond a day's
 * replies, no call ever waits for a long sweep, and it costs no commit of its own.
 * The time is the entries' own, which may be a test's.
 */
function dropOldReplies(tables: Tables, requests: readonly Request[]): void {
  const times = requests.flatMap((request) =>
    request.kind === 'append' && request.entry.idempotency !== undefined ? [request.entry.at] : [],
  )
  // The earliest, so that a record which a request of this batch may still be given stays.
  if (times.length > 0) tables.dropOldReplies(Math.min(...times), times.length * 2)
}
