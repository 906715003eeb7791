import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { SCHEMA_VERSION } from './schema.ts'

/** The database in a data directory. */
export const databaseIn = (directory: string): string => join(directory, 'planroom.db')
/** What a file is called while it is made. */
export const UNFINISHED = '.unfinished'

/**
 * Opens a database to read it, whether a server is at it or not.
 * @throws Error that says why it is none, or none of ours
 */
export function openToRead(path: string): Database.Database {
  if (!existsSync(path)) throw new Error(`There is no ${path}.`)
  let db: Database.Database | undefined
  try {
    db = new Database(path, { readonly: true, fileMustExist: true, timeout: 5_000 })
    const schema = Number(db.pragma('user_version', { simple: true }))
    const tables = db.prepare("SELECT count(*) FROM sqlite_schema WHERE name IN ('threads', 'entries')").pluck().get()
    if (tables !== 2) throw new Error('it holds no plans')
    if (schema > SCHEMA_VERSION) throw new Error(`it was written by a newer Planroom (schema ${schema})`)
    return db
  } catch (error) {
    db?.close()
    throw new Error(`${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    })
  }
}

/** Sees to it that a file, or the names in a directory, are on the disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Removes what a run that was killed left unfinished, second names of the database among it: whoever opened one would
 * know nothing of the log beside the first. Only for who holds the lock of the directory.
 */
export function removeUnfinished(directory: string): void {
  const path = databaseIn(directory)
  const { ino = null } = existsSync(path) ? statSync(path) : {}
  for (const name of readdirSync(directory)) {
    const file = join(directory, name)
    if (!name.startsWith('planroom.db.')) continue
    const isSecondName = name.includes('.before-') && process.platform !== 'win32' && statSync(file).ino === ino
    if (name.includes(UNFINISHED) || isSecondName) rmSync(file, { force: true })
  }
}

/**
 * Puts a finished database in the place of the one in a directory, whose lock the caller holds. At every moment the one or
 * the other is there, whole; the old one stays beside it.
 * @param fresh beside the database, so that a rename will do
 * @returns where the old one is now; null if there was none
 */
export function replaceDatabase(directory: string, fresh: string, aside: string): string | null {
  const path = databaseIn(directory)
  flush(fresh)
  const old = existsSync(path) ? join(directory, `planroom.db.${aside}`) : null
  if (old !== null) {
    foldLog(path)
    keep(path, old)
    // A log that could not be folded belongs to the old one, and would spoil the new one.
    if (existsSync(`${path}-wal`)) keep(`${path}-wal`, `${old}-wal`)
    flush(directory)
  }
  for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true })
  renameSync(fresh, path)
  if (process.platform !== 'win32') flush(directory)
  return old
}

/** Brings what stands in the log into the database, and does away with the log. */
function foldLog(path: string): void {
  try {
    const db = new Database(path, { timeout: 5_000 })
    try {
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.pragma('journal_mode = DELETE')
    } finally {
      db.close()
    }
  } catch {
    // Too damaged to be opened: it is kept as it lies.
  }
}

/** A second name for a file, or a copy where the disk knows no second names. */
function keep(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to, constants.COPYFILE_EXCL)
    flush(to)
  }
}

/** A name for what is set aside now: `2026-05-04T10-20-30-123Z`. */
export const timeStamp = (now: number): string => new Date(now).toISOString().replaceAll(/[:.]/g, '-')
