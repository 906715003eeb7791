import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { IN_ORDER, type StorageCondition } from '../../rooms/storage.ts'

/** Bytes free on a disk below which a server will not last long. */
export const FEW_FREE_BYTES = 256 * 1024 * 1024

const GONE = 'The data directory was deleted or replaced under the running server, which has to be started anew.'
const FULL = 'The disk is full. Once space is free again, this goes on by itself.'
const READ_ONLY = 'The disk or the data directory can only be read.'

/** Looks whether the disk below a database is fit to be written, and will be for a while. */
export class Disk {
  readonly #db: Database.Database
  readonly #path: string
  readonly #file: string
  readonly #unwritable: string | null
  #condition = IN_ORDER

  /**
   * @param path of the database, which is open
   * @param unwritable why it will never be written
   */
  constructor(db: Database.Database, path: string, unwritable: string | null = null) {
    this.#unwritable = unwritable
    this.#db = db
    this.#path = path
    this.#file = identity(path)
  }

  get condition(): StorageCondition {
    return this.#condition
  }

  /** @throws Error if what is written now would be kept in a file that nobody finds again */
  assertInPlace(): void {
    if (identity(this.#path) !== this.#file) throw new Error(GONE)
  }

  /** Looks anew. @param isSuspect something could not be written just now: then it is tried */
  look(isSuspect = false): StorageCondition {
    const isTried = isSuspect || this.#condition.unwritable !== null
    this.#condition = { unwritable: this.#whyUnwritable(isTried), warning: spaceWarning(dirname(this.#path)) }
    return this.#condition
  }

  #whyUnwritable(isTried: boolean): string | null {
    if (this.#unwritable !== null) return this.#unwritable
    if (identity(this.#path) !== this.#file) return GONE
    if (!isTried) return null
    try {
      // Changes nothing, and is written all the same.
      this.#db.pragma(`user_version = ${Number(this.#db.pragma('user_version', { simple: true }))}`)
      return null
    } catch (error) {
      return whyNot(error)
    }
  }
}

/** Which file has this name. A file that was deleted and made anew is another one. */
function identity(path: string): string {
  const { dev = 0, ino = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return `${dev} ${ino}`
}

function whyNot(error: unknown): string {
  const code = error instanceof Database.SqliteError ? error.code : String(error)
  if (code === 'SQLITE_FULL') return FULL
  if (code.startsWith('SQLITE_READONLY')) return READ_ONLY
  return `The disk cannot be written (${code}).`
}

/** @returns null while there is enough, or where that cannot be known */
function spaceWarning(directory: string): string | null {
  const free = freeBytes(directory)
  if (free === null || free >= FEW_FREE_BYTES) return null
  return `The disk is nearly full: ${Math.floor(free / 1024 / 1024)} MiB are free.`
}

/** Bytes that may still be written to the disk of a directory; null where that cannot be known. */
export function freeBytes(directory: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize
  } catch {
    return null
  }
}
