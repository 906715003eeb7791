import type Database from 'better-sqlite3'
import type {
  ActivityEntry,
  IdempotencyRecord,
  LogEntry,
  Outlook,
  Source,
  StoredPlan,
  StoredView,
  ThreadInfo,
} from '../../rooms/storage.ts'
import { ThreadDamaged } from '../../rooms/errors.ts'
import { ThreadDeleted, VersionConflict } from '../../rooms/storage.ts'
import type { Actor } from '../../../shared/schema/actor.ts'
import type { ThreadId } from '../../../shared/schema/ids.ts'
import { IDEMPOTENCY_MS, MAX_VIEWS } from '../../../shared/schema/limits.ts'
import { checksum, isWhole } from './checksum.ts'

interface ThreadRow {
  readonly id: number
  readonly version: number
}
/** Bytes, and the sum that was kept of them. */
interface SummedBytes {
  readonly version: number
  readonly bytes: Buffer
  readonly crc: number | null
}
interface EntryRow {
  readonly version: number
  readonly at: number
  readonly actorId: string
  readonly actorName: string
  readonly actorKind: Actor['kind']
  readonly source: Source
  readonly tool: string
  readonly reasoning: string
  readonly summary: string
  /** JSON of the former texts, or null. */
  readonly texts: string | null
}

/** The port's methods over an open database, synchronous, each within whatever transaction is open. */
export interface PlanTables {
  open(thread: ThreadId): StoredPlan | null
  append(thread: ThreadId, entry: LogEntry): void
  create(thread: ThreadId, at: number): boolean
  snapshot(thread: ThreadId, version: number, state: Uint8Array): void
  saveView(thread: ThreadId, view: StoredView): void
  views(thread: ThreadId): StoredView[]
  activity(thread: ThreadId, after: number, limit: number): ActivityEntry[]
  recall(thread: ThreadId, actorId: string, key: string, now: number): IdempotencyRecord | null
  threads(after: string, limit: number): ThreadInfo[]
  remove(thread: ThreadId, at: number): boolean
  ping(): void
  /** Drops at most `limit` replies that nobody can recall any more at `now`. */
  dropOldReplies(now: number, limit: number): void
}

/** Prepares the statements. @see Storage for what each method promises and throws */
export function planTables(db: Database.Database): PlanTables {
  const findThread = db.prepare<[ThreadId], ThreadRow>('SELECT id, version FROM threads WHERE thread = ?')
  const findDeleted = db.prepare<[ThreadId], number>('SELECT 1 FROM deleted WHERE thread = ?').pluck()
  const insertThread = db
    .prepare<[ThreadId, number, number, number], number>(
      'INSERT INTO threads (thread, version, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING id',
    )
    .pluck()
  const advance = db
    .prepare<[number, number, ThreadId, number], number>(
      'UPDATE threads SET version = ?, updated_at = ? WHERE thread = ? AND version = ? RETURNING id',
    )
    .pluck()
  const insertEntry = db.prepare<[number, ...(string | number)[], Uint8Array, number]>(
    `INSERT INTO entries
       (thread_id, version, at, actor_id, actor_name, actor_kind, source, tool, reasoning, summary, bytes, crc)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertFormerTexts = db.prepare<[number, number, string]>(
    'INSERT INTO former_texts (thread_id, version, texts) VALUES (?, ?, ?)',
  )
  // A key may come again once its reply has expired.
  const putReply = db.prepare<[number, string, string, string, number, number, string]>(
    'INSERT OR REPLACE INTO replies (thread_id, actor_id, key, hash, version, at, reply) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const findSnapshot = db.prepare<[number], SummedBytes>(
    'SELECT version, state AS bytes, crc FROM snapshots WHERE thread_id = ?',
  )
  const findUpdates = db.prepare<[number, number], SummedBytes>(
    'SELECT version, bytes, crc FROM entries WHERE thread_id = ? AND version > ? ORDER BY version',
  )
  // One statement puts the new snapshot in the place of the old one: no moment is without one.
  const putSnapshot = db.prepare<[number, Uint8Array, number, ThreadId, number]>(
    `INSERT INTO snapshots (thread_id, version, state, crc) SELECT id, ?, ?, ? FROM threads
     WHERE thread = ? AND version >= ?
     ON CONFLICT (thread_id) DO UPDATE SET version = excluded.version, state = excluded.state, crc = excluded.crc
     WHERE excluded.version >= snapshots.version`,
  )
  const putView = db.prepare<[string, number, string, ThreadId]>(
    'INSERT OR REPLACE INTO views (thread_id, actor_id, version, state) SELECT id, ?, ?, ? FROM threads WHERE thread = ?',
  )
  const dropViews = db.prepare<[ThreadId, number]>(
    `DELETE FROM views WHERE id IN (
       SELECT v.id FROM views v JOIN threads t ON t.id = v.thread_id WHERE t.thread = ? ORDER BY v.id DESC LIMIT -1 OFFSET ?
     )`,
  )
  const listViews = db.prepare<[ThreadId], StoredView>(
    `SELECT v.actor_id AS actorId, v.version, v.state
     FROM views v JOIN threads t ON t.id = v.thread_id WHERE t.thread = ? ORDER BY v.id`,
  )
  const listEntries = db.prepare<[number, number, number], EntryRow>(
    `SELECT version, at, actor_id AS actorId, actor_name AS actorName, actor_kind AS actorKind, source, tool,
            reasoning, summary, texts
     FROM entries LEFT JOIN former_texts USING (thread_id, version)
     WHERE thread_id = ? AND version > ? ORDER BY version LIMIT ?`,
  )
  const findReply = db.prepare<[ThreadId, string, string, number], IdempotencyRecord>(
    `SELECT r.actor_id AS actorId, r.key, r.hash, r.version, r.reply, r.at
     FROM replies r JOIN threads t ON t.id = r.thread_id
     WHERE t.thread = ? AND r.actor_id = ? AND r.key = ? AND r.at > ?`,
  )
  const listThreads = db.prepare<[string, number], Omit<ThreadInfo, 'outlook'> & { readonly outlook: string | null }>(
    `SELECT t.thread, t.version, t.created_at AS createdAt, t.updated_at AS updatedAt, o.outlook
     FROM threads t LEFT JOIN outlooks o ON o.thread_id = t.id WHERE t.thread > ? ORDER BY t.thread LIMIT ?`,
  )
  const putOutlook = db.prepare<[number, string]>('INSERT OR REPLACE INTO outlooks (thread_id, outlook) VALUES (?, ?)')
  // Its entries, snapshot and replies go with it.
  const deleteThread = db.prepare<[ThreadId]>('DELETE FROM threads WHERE thread = ?')
  const insertDeleted = db.prepare<[ThreadId, number]>('INSERT INTO deleted (thread, at) VALUES (?, ?)')
  const deleteReplies = db.prepare<[number, number]>(
    'DELETE FROM replies WHERE rowid IN (SELECT rowid FROM replies WHERE at <= ? ORDER BY at LIMIT ?)',
  )
  const touch = db.prepare('SELECT version FROM threads LIMIT 1')

  const refuseDeleted = (thread: ThreadId): void => {
    if (findDeleted.get(thread) !== undefined) throw new ThreadDeleted(`The thread ${thread} was deleted.`)
  }
  /** The row of a thread, or undefined if it was never stored. A row means that it was not deleted. */
  const find = (thread: ThreadId): ThreadRow | undefined => {
    const row = findThread.get(thread)
    if (row === undefined) refuseDeleted(thread)
    return row
  }
  const insert = (thread: ThreadId, version: number, at: number): number => {
    const id = insertThread.get(thread, version, at, at)
    if (id === undefined) throw new Error(`The thread ${thread} was not stored.`)
    return id
  }
  /** The row of the thread, moved from the version before the entry's to the entry's. */
  const claim = (thread: ThreadId, { version, at }: LogEntry): number => {
    const id = advance.get(version, at, thread, version - 1)
    if (id !== undefined) return id
    const row = find(thread)
    if (row === undefined && version === 1) return insert(thread, 1, at)
    throw new VersionConflict(`The thread ${thread} is at version ${row?.version ?? 0}, not at ${version - 1}.`)
  }

  return {
    open: (thread) => {
      const row = find(thread)
      if (row === undefined) return null
      const kept = findSnapshot.get(row.id)
      // Without its snapshot a log still says all, as long as it is there from the beginning.
      const snapshot = kept !== undefined && isWhole(kept) ? kept : undefined
      const from = snapshot?.version ?? 0
      const entries = findUpdates.all(row.id, from)
      const bad = entries.find((entry) => !isWhole(entry))
      // A plan with a hole would look like a plan in which people deleted things: better none at all.
      if (bad !== undefined || entries.length !== row.version - from) {
        const what =
          bad === undefined
            ? `version ${row.version}, snapshot at ${snapshot?.version ?? 'none'}, but ${entries.length} updates after it`
            : `the bytes of version ${bad.version} are not those that were kept`
        throw new ThreadDamaged(
          `The log of the thread ${thread} is damaged: ${what}. ` +
            'Restore a backup, or stop the server and save what is left: planroom verify --repair',
        )
      }
      const updates = entries.map(({ bytes }) => plainBytes(bytes))
      return { version: row.version, snapshot: snapshot === undefined ? null : plainBytes(snapshot.bytes), updates }
    },
    append: (thread, entry) => {
      const { version, at, actor, source, tool, reasoning, summary, update, outlook, formerTexts, idempotency } = entry
      const id = claim(thread, entry)
      const about = [actor.id, actor.name, actor.kind, source, tool, reasoning, summary]
      insertEntry.run(id, version, at, ...about, update, checksum(update))
      if (outlook !== undefined) putOutlook.run(id, JSON.stringify(outlook))
      if (formerTexts !== undefined) insertFormerTexts.run(id, version, JSON.stringify(formerTexts))
      if (idempotency === undefined) return
      const { actorId, key, hash, reply } = idempotency
      putReply.run(id, actorId, key, hash, version, at, reply)
    },
    create: (thread, at) => {
      if (find(thread) !== undefined) return false
      insert(thread, 0, at)
      return true
    },
    snapshot: (thread, version, state) => {
      putSnapshot.run(version, state, checksum(state), thread, version)
    },
    saveView: (thread, { actorId, version, state }) => {
      putView.run(actorId, version, state, thread)
      dropViews.run(thread, MAX_VIEWS)
    },
    views: (thread) => listViews.all(thread),
    activity: (thread, after, limit) => {
      const row = find(thread)
      // SQLite reads a negative limit as none.
      return row === undefined ? [] : listEntries.all(row.id, after, Math.max(0, limit)).map(asActivity)
    },
    recall: (thread, actorId, key, now) => findReply.get(thread, actorId, key, now - IDEMPOTENCY_MS) ?? null,
    threads: (after, limit) =>
      listThreads
        .all(after, Math.max(0, limit))
        .map(({ outlook, ...info }) => (outlook === null ? info : { ...info, outlook: readOutlook(outlook) })),
    remove: (thread, at) => {
      if (find(thread) === undefined) return false
      deleteThread.run(thread)
      insertDeleted.run(thread, at)
      return true
    },
    ping: () => {
      touch.get()
    },
    dropOldReplies: (now, limit) => {
      deleteReplies.run(now - IDEMPOTENCY_MS, limit)
    },
  }
}

/** A copy with a buffer of its own, which can be handed to another thread; a Buffer may share a pool. */
function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer)
}

const readOutlook = (text: string): Outlook => JSON.parse(text) as Outlook

function asActivity(row: EntryRow): ActivityEntry {
  const { actorId, actorName, actorKind, texts, ...rest } = row
  return {
    ...rest,
    actor: { id: actorId, name: actorName, kind: actorKind },
    // Written by `append`.
    ...(texts === null ? {} : { formerTexts: JSON.parse(texts) as NonNullable<ActivityEntry['formerTexts']> }),
  }
}
