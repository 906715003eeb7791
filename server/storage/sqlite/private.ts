import { chmodSync, closeSync, openSync } from 'node:fs'

/** What only the user of the server may read and write, and what only that user may look into. */
const PRIVATE_FILE = 0o600
export const PRIVATE_DIRECTORY = 0o700

/**
 * Makes a database's file before SQLite does, which would let everybody read it; its logs take the rights of the file
 * beside them. One that is there is never opened: closing it would give away the locks that this process has on it.
 * @throws Error of node:fs
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    hideFromOthers(path)
  }
}

/** A file of an older version, or of another user who lets us write it: theirs to decide. */
export function hideFromOthers(path: string): void {
  try {
    chmodSync(path, PRIVATE_FILE)
  } catch (error) {
    if (!['EPERM', 'EROFS', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
