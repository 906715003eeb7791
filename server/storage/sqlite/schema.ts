import Database from 'better-sqlite3'
import { hideFromOthers, makePrivate } from './private.ts'

/** Milliseconds to wait for a foreign writer, such as an administrator's sqlite3 shell: no server is in the way. */
const BUSY_TIMEOUT_MS = 5_000
/** Bytes the WAL is cut back to after a checkpoint, if a long backup made it grow. */
const WAL_SIZE_LIMIT = 64 * 1024 * 1024

/**
 * One step each; `user_version` counts those that were taken. Never change a step that was released: add one.
 *
 * entries has a rowid: its rows carry updates of up to 1 MiB, and WITHOUT ROWID would put those into the tree's inner
 * pages. Its bytes come last, so that reading the activity does not touch the pages they overflow into.
 * The id of a view grows with each one that is kept, and so tells which were kept last.
 * outlooks: what a list shows of each plan, as JSON. Each change tells it anew; until then a list shows nothing without it.
 * crc: a page that went bad on the disk may still be read, and its update even be applied. Null: kept before there were
 * sums, or bytes that were let go because a snapshot holds what they did; those are empty.
 */
const MIGRATIONS = [
  `CREATE TABLE threads (
     id INTEGER PRIMARY KEY,
     thread TEXT NOT NULL UNIQUE,
     version INTEGER NOT NULL,
     created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE entries (
     thread_id INTEGER NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
     version INTEGER NOT NULL,
     at INTEGER NOT NULL,
     actor_id TEXT NOT NULL,
     actor_name TEXT NOT NULL,
     actor_kind TEXT NOT NULL,
     source TEXT NOT NULL,
     tool TEXT NOT NULL,
     reasoning TEXT NOT NULL,
     summary TEXT NOT NULL,
     bytes BLOB NOT NULL,
     PRIMARY KEY (thread_id, version)
   ) STRICT;
   CREATE TABLE snapshots (
     thread_id INTEGER PRIMARY KEY REFERENCES threads (id) ON DELETE CASCADE,
     version INTEGER NOT NULL,
     state BLOB NOT NULL
   ) STRICT;
   CREATE TABLE replies (
     thread_id INTEGER NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
     actor_id TEXT NOT NULL,
     key TEXT NOT NULL,
     hash TEXT NOT NULL,
     version INTEGER NOT NULL,
     at INTEGER NOT NULL,
     reply TEXT NOT NULL,
     PRIMARY KEY (thread_id, actor_id, key)
   ) STRICT;
   CREATE INDEX replies_at ON replies (at);
   CREATE TABLE deleted (
     thread TEXT PRIMARY KEY,
     at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE views (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     thread_id INTEGER NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
     actor_id TEXT NOT NULL,
     version INTEGER NOT NULL,
     state TEXT NOT NULL,
     UNIQUE (thread_id, actor_id)
   ) STRICT;`,
  `CREATE TABLE revocations (
     kind TEXT NOT NULL,
     id TEXT NOT NULL,
     at INTEGER NOT NULL,
     until INTEGER NOT NULL,
     PRIMARY KEY (kind, id)
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE entries ADD COLUMN crc INTEGER;
   ALTER TABLE snapshots ADD COLUMN crc INTEGER;`,
  `CREATE TABLE IF NOT EXISTS outlooks (
     thread_id INTEGER PRIMARY KEY REFERENCES threads (id) ON DELETE CASCADE,
     outlook TEXT NOT NULL
   ) STRICT;`,
  `CREATE TABLE former_texts (
     thread_id INTEGER NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
     version INTEGER NOT NULL,
     texts TEXT NOT NULL,
     PRIMARY KEY (thread_id, version)
   ) STRICT;`,
]
/** Of the schema that this code writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/**
 * Opens the database and brings its schema up to date.
 * @throws Error if it was written by a newer Planroom, or if it cannot be read
 */
export function openDatabase(path: string, synchronous: 'FULL' | 'NORMAL'): Database.Database {
  makePrivate(path)
  for (const log of ['-wal', '-shm']) hideFromOthers(path + log)
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    db.pragma('journal_mode = WAL')
    db.pragma(`synchronous = ${synchronous}`)
    // On macOS fsync leaves the data in the drive's cache; elsewhere this changes nothing.
    db.pragma('fullfsync = ON')
    db.pragma('foreign_keys = ON')
    db.pragma(`journal_size_limit = ${WAL_SIZE_LIMIT}`)
    migrate(db, path)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Takes the steps that a schema lacks. @throws Error if it is newer than this code */
export function migrate(db: Database.Database, path: string): void {
  const taken = Number(db.pragma('user_version', { simple: true }))
  if (taken > MIGRATIONS.length) {
    throw new Error(
      `${path} was written by a newer Planroom (its schema is ${taken}, this server knows ${MIGRATIONS.length}). ` +
        'Run that version, or restore a backup.',
    )
  }
  MIGRATIONS.slice(taken).forEach((sql, index) => {
    db.transaction(() => {
      db.exec(sql)
      db.pragma(`user_version = ${taken + index + 1}`)
    })()
  })
}
