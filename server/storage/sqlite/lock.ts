import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { makePrivate, PRIVATE_DIRECTORY } from './private.ts'

/** Makes the directory and its parents if they are missing, durably, for this user alone. @throws Error of node:fs */
export function makeDirectory(directory: string): void {
  const first = mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY })
  if (first === undefined || process.platform === 'win32') return
  // SQLite flushes the directory of its files, but nobody flushes the names of new directories in their parents.
  for (let made = directory; ; made = dirname(made)) {
    const parent = openSync(dirname(made), 'r')
    try {
      fsyncSync(parent)
    } finally {
      closeSync(parent)
    }
    if (made === first) return
  }
}

/**
 * Takes the directory for this process until the returned function is called or the process ends, however it ends.
 *
 * The lock is an exclusive transaction on a database of its own, so that planroom.db stays readable for a backup.
 * POSIX takes a process's locks away when it closes any descriptor of the file: nothing else in this process may open
 * planroom.lock other than through SQLite.
 * @throws Error that says why and what to do, if another server has it
 */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'planroom.lock')
  makePrivate(path)
  const lock = new Database(path, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new Error(
        `Another Planroom server is using the data directory ${directory}: it holds ${path}. ` +
          'Stop that server first, or give this one a data directory of its own. ' +
          `("fuser ${path}" names the process; the lock goes with it, there is no file to delete.)`,
        { cause: error },
      )
    }
    throw error
  }
  return () => lock.close()
}
