import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { databaseIn } from './files.ts'
import { lockDirectory, makeDirectory } from './lock.ts'
import type { WorkerOptions } from './protocol.ts'
import { openDatabase, SCHEMA_VERSION } from './schema.ts'

export interface Opened {
  readonly db: Database.Database
  readonly unlock: () => void
  /** Why it can only be read; null where it is as it should be. */
  readonly unwritable: string | null
}

/**
 * Opens a data directory for a server. Where only writing is impossible, plans are still there to be read.
 * @throws Error that says what is wrong, with which file, and what to do
 */
export function openDirectory(directory: string, synchronous: WorkerOptions['synchronous']): Opened {
  const path = databaseIn(directory)
  let unlock: (() => void) | undefined
  try {
    makeDirectory(directory)
    unlock = lockDirectory(directory)
    const db = openDatabase(path, synchronous)
    assertFit(db)
    return { db, unlock, unwritable: null }
  } catch (error) {
    const trouble = troubleOf(error)
    const unwritable = trouble === null ? undefined : UNWRITABLE[trouble]
    const db = unwritable === undefined ? null : openReadable(path)
    if (db !== null) return { db, unlock: unlock ?? (() => {}), unwritable: `${unwritable} ${ANEW}` }
    unlock?.()
    throw trouble === null ? error : new Error(whatToDo(directory, trouble, error), { cause: error })
  }
}

/** @throws SqliteError if its schema cannot be read, or nothing can be written */
function assertFit(db: Database.Database): void {
  try {
    db.prepare('SELECT count(*) FROM threads').get()
    db.exec('BEGIN IMMEDIATE; ROLLBACK')
  } catch (error) {
    // Somebody else writes, such as an administrator: then it can be written.
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return
    db.close()
    throw error
  }
}

type Trouble = 'full' | 'forbidden' | 'damaged' | 'other'

/** The troubles that leave a database to be read. */
const UNWRITABLE: { readonly [trouble in Trouble]?: string } = {
  full: 'The disk was full when the server started.',
  forbidden: 'The data directory could not be written when the server started.',
}
const ANEW = 'The server has to be started anew once that is mended.'

/** @returns null for what says itself what to do */
function troubleOf(error: unknown): Trouble | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  // A table that is missing, or there already: what stands in the schema is not what was written.
  if (/^SQLITE_(?:CORRUPT.*|NOTADB|ERROR)$/.test(code)) return 'damaged'
  // SQLite cannot grow the file that it shares with other processes where there is no space.
  if (/^(?:ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/.test(code)) return 'full'
  if (
    /^(?:EACCES|EPERM|EROFS|SQLITE_(?:READONLY|CANTOPEN|PERM|IOERR_(?:ACCESS|WRITE|SHMOPEN|SHMMAP|DELETE)).*)$/.test(
      code,
    )
  )
    return 'forbidden'
  return code.startsWith('SQLITE_') || /^E[A-Z]+$/.test(code) ? 'other' : null
}

function whatToDo(directory: string, trouble: Trouble, error: unknown): string {
  const path = databaseIn(directory)
  const why = error instanceof Error && 'code' in error ? `${String(error.code)}: ${error.message}` : String(error)
  switch (trouble) {
    case 'damaged':
      return (
        `The database ${path} is damaged (${why}). Save what can be read with "planroom verify --repair --data ` +
        `${directory}", which keeps the old file beside the new one; or put a backup in its place with "planroom restore ` +
        `BACKUP --force --data ${directory}".`
      )
    case 'full':
      return `The disk of the data directory ${directory} is full (${why}). Free some space, then start the server again.`
    case 'forbidden':
      return (
        `The data directory ${directory} cannot be written by the user of this process (${why}). Give that user the ` +
        `directory and the files in it (chown, chmod u+rwX), or name another one with PLANROOM_DATA_DIR.`
      )
    case 'other':
      return `The data directory ${directory} cannot be used (${why}).`
  }
}

/** @returns a database that is only read, or null if that cannot be had either */
function openReadable(path: string): Database.Database | null {
  if (!existsSync(path)) return null
  return openInPlace(path) ?? openCopy(path)
}

/** SQLite reads a database in its place only if the files of its log are there, or can be made. */
function openInPlace(path: string): Database.Database | null {
  let db: Database.Database | undefined
  try {
    db = new Database(path, { readonly: true })
    // Older ones lack what is read.
    if (db.pragma('user_version', { simple: true }) === SCHEMA_VERSION) {
      db.prepare('SELECT count(*) FROM threads').get()
      return db
    }
  } catch {
    // Then a copy is read.
  }
  db?.close()
  return null
}

function openCopy(path: string): Database.Database | null {
  // The second one is in memory, and has space when no disk has.
  for (const place of [tmpdir(), '/dev/shm']) {
    let folder: string | undefined
    try {
      folder = mkdtempSync(join(place, 'planroom-'))
      const copy = join(folder, 'copy.db')
      for (const ending of ['', '-wal']) {
        if (existsSync(path + ending)) copyFileSync(path + ending, copy + ending)
      }
      const db = openDatabase(copy, 'NORMAL')
      db.pragma('journal_mode = DELETE')
      db.close()
      const reading = new Database(copy, { readonly: true })
      reading.prepare('SELECT count(*) FROM threads').get()
      return reading
    } catch {
      // Perhaps elsewhere.
    } finally {
      // What is open stays there until it is closed.
      if (folder !== undefined && process.platform !== 'win32') rmSync(folder, { recursive: true, force: true })
    }
  }
  return null
}
