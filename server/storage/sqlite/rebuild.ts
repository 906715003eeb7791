import type Database from 'better-sqlite3'
import { checksum } from './checksum.ts'
import type { KeptThread } from './inspect.ts'
import { openDatabase } from './schema.ts'

/** What a thread whose log is damaged goes on from. */
export interface Saved {
  readonly thread: KeptThread
  /** The whole document. */
  readonly state: Uint8Array
  /** Versions whose bytes are not used any more: damaged, missing, or beyond the last one. */
  readonly lost: ReadonlySet<number>
  /** One line for the log. */
  readonly summary: string
}

/** What is copied as it is. The threads come first: the others point to them. */
const TABLES = ['threads', 'deleted', 'revocations', 'replies', 'views', 'snapshots', 'former_texts', 'outlooks']

/**
 * Makes a new database of all rows that can be read. Threads that were saved get a snapshot, and one version more that
 * says so. Which rows could not be read, besides those of saved threads, is returned.
 * @param path of the new database; there must be none
 */
export function rebuild(db: Database.Database, path: string, saved: readonly Saved[], now: number): string[] {
  const problems: string[] = []
  const to = openDatabase(path, 'FULL')
  try {
    const byId = new Map(saved.map((one) => [one.thread.id, one]))
    for (const table of TABLES) copyTable(db, to, table, problems)
    // Of entries that are lost: they would stand in the way of those that come next under their versions.
    to.exec('DELETE FROM former_texts WHERE version > (SELECT version FROM threads WHERE id = thread_id)')
    const threads = to.prepare<[], KeptThread>('SELECT id, thread, version FROM threads').all()
    const copy = entryCopier(db, to)
    for (const thread of threads) {
      const { lost = null } = byId.get(thread.id) ?? {}
      to.transaction(() => {
        for (let version = 1; version <= thread.version; version++) copy(thread, version, lost?.has(version) === true)
      })()
    }
    for (const one of saved) putSaved(to, one, now)
    to.pragma('wal_checkpoint(TRUNCATE)')
    to.pragma('journal_mode = DELETE')
    return problems
  } finally {
    to.close()
  }
}

const columnsOf = (db: Database.Database, table: string): string[] =>
  (db.pragma(`table_info(${table})`) as { readonly name: string }[]).map(({ name }) => name)

/** The columns that both know: a backup of an older server has fewer. */
const sharedColumns = (from: Database.Database, to: Database.Database, table: string): string[] => {
  const known = columnsOf(from, table)
  return columnsOf(to, table).filter((name) => known.includes(name))
}

const inserter = (to: Database.Database, table: string, columns: readonly string[]): Database.Statement =>
  to.prepare(
    `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
  )

function copyTable(from: Database.Database, to: Database.Database, table: string, problems: string[]): void {
  const columns = sharedColumns(from, to, table)
  if (columns.length === 0) return
  const insert = inserter(to, table, columns)
  let count = 0
  to.transaction(() => {
    try {
      for (const row of from.prepare(`SELECT ${columns.join(', ')} FROM ${table}`).iterate()) {
        insert.run(row)
        count += 1
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      problems.push(`Of the ${table}, ${count} could be read, and then no more: ${why}`)
    }
  })()
}

/** Copies one entry; of one that is lost only who did what and when, as far as that can be read. */
function entryCopier(from: Database.Database, to: Database.Database) {
  const columns = sharedColumns(from, to, 'entries')
  const about = columns.filter((name) => !['bytes', 'crc'].includes(name))
  const whole = from.prepare(`SELECT ${columns.join(', ')} FROM entries WHERE thread_id = ? AND version = ?`)
  const words = from.prepare(`SELECT ${about.join(', ')} FROM entries WHERE thread_id = ? AND version = ?`)
  const insert = inserter(to, 'entries', columns)
  const insertWords = to.prepare(
    `INSERT OR IGNORE INTO entries (${about.join(', ')}, bytes) VALUES (${about.map((name) => `@${name}`).join(', ')}, x'')`,
  )
  const placeholder = to.prepare<[number, number]>(
    `INSERT INTO entries (thread_id, version, at, actor_id, actor_name, actor_kind, source, tool, reasoning, summary, bytes)
     VALUES (?, ?, 0, '', '', 'system', 'server', '', '', 'this entry was lost', x'')`,
  )
  const read = (statement: Database.Statement, { id }: KeptThread, version: number): unknown => {
    try {
      return statement.get(id, version)
    } catch {
      return undefined
    }
  }
  return (thread: KeptThread, version: number, isLost: boolean): void => {
    const row = isLost ? undefined : read(whole, thread, version)
    if (row !== undefined) {
      insert.run(row)
      return
    }
    const said = read(words, thread, version)
    if (said === undefined) placeholder.run(thread.id, version)
    else insertWords.run(said)
  }
}

/** The update that changes nothing. */
const NO_CHANGE = Uint8Array.of(0, 0)

function putSaved(to: Database.Database, { thread, state, summary }: Saved, now: number): void {
  const version = thread.version + 1
  to.transaction(() => {
    to.prepare('DELETE FROM entries WHERE thread_id = ? AND version > ?').run(thread.id, thread.version)
    to.prepare(
      `INSERT INTO entries
         (thread_id, version, at, actor_id, actor_name, actor_kind, source, tool, reasoning, summary, bytes, crc)
       VALUES (?, ?, ?, '', 'planroom', 'system', 'server', '', '', ?, ?, ?)`,
    ).run(thread.id, version, now, summary, NO_CHANGE, checksum(NO_CHANGE))
    to.prepare('INSERT OR REPLACE INTO snapshots (thread_id, version, state, crc) VALUES (?, ?, ?, ?)').run(
      thread.id,
      version,
      state,
      checksum(state),
    )
    // It may tell of what is lost. The next change tells it anew.
    to.prepare('DELETE FROM outlooks WHERE thread_id = ?').run(thread.id)
    to.prepare('UPDATE threads SET version = ?, updated_at = ? WHERE id = ?').run(version, now, thread.id)
  })()
}
