import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { makePrivate, PRIVATE_DIRECTORY } from './private.ts'

/**
 * Makes the directory and its parents if they are missing, durably, for this user alone. One by one: Node's own way of
 * making several never returns where a name cannot be made, as below /proc.
 * @throws Error of node:fs
 */
export function makeDirectory(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return
  const parent = dirname(directory)
  makeDirectory(parent)
  try {
    mkdirSync(directory, { mode: PRIVATE_DIRECTORY })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
  if (process.platform === 'win32') return
  // SQLite flushes the directory of its files, but nobody flushes the name of a new directory in its parent.
  const file = openSync(parent, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
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
