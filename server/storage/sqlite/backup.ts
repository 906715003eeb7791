import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { databaseIn, flush, openToRead, removeUnfinished, replaceDatabase, timeStamp, UNFINISHED } from './files.ts'
import { lockDirectory, makeDirectory } from './lock.ts'
import { makePrivate } from './private.ts'

/** Pages copied between two looks at the rest of the world. */
const PAGES_A_STEP = 256

/** Called with parts done of parts to do. */
export type OnProgress = (done: number, total: number) => void

export interface Held {
  readonly bytes: number
  readonly threads: number
  readonly versions: number
}

/**
 * Copies a database into one file, as it stands at this moment; a server that is at it goes on meanwhile. The file is
 * there when it is whole and on the disk, not before.
 * @throws Error if the target is there, or what is copied does not hold together
 */
export async function backUp(database: string, target: string, onProgress: OnProgress = () => {}): Promise<Held> {
  const path = resolve(target)
  if (existsSync(path)) throw new Error(`${target} is there already.`)
  const unfinished = join(dirname(path), `${basename(path)}${UNFINISHED}-${process.pid}`)
  makeDirectory(dirname(path))
  const source = openToRead(database)
  try {
    // In a transaction that reads, what others write meanwhile is not seen, and the copy need not begin anew.
    source.exec('BEGIN')
    source.prepare('SELECT count(*) FROM threads').get()
    makePrivate(unfinished)
    await source.backup(unfinished, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages - remainingPages, totalPages)
        return PAGES_A_STEP
      },
    })
    const held = finish(unfinished)
    flush(unfinished)
    renameSync(unfinished, path)
    if (process.platform !== 'win32') flush(dirname(path))
    return held
  } finally {
    source.close()
    for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(unfinished + ending, { force: true })
  }
}

/** Makes one file of a copy, and looks whether it holds together. @throws Error if it does not */
function finish(path: string): Held {
  const db = new Database(path)
  try {
    db.pragma('journal_mode = DELETE')
    const verdict = db.pragma('quick_check(1)', { simple: true })
    if (verdict !== 'ok') throw new Error(`The copy does not hold together: ${String(verdict)}.`)
    return { ...contents(db), bytes: statSync(path).size }
  } finally {
    db.close()
  }
}

function contents(db: Database.Database): Pick<Held, 'threads' | 'versions'> {
  const threads = db.prepare<[], number>('SELECT count(*) FROM threads').pluck().get() ?? 0
  const versions = db.prepare<[], number>('SELECT total(version) FROM threads').pluck().get() ?? 0
  return { threads, versions }
}

/** The directory has plans, and nobody said that they may go. */
export class WouldOverwrite extends Error {
  override readonly name = 'WouldOverwrite'
}

/**
 * Puts a backup into a data directory. Killed at any moment it leaves the old plans or the new ones, whole.
 * @param force puts it in the place of plans that are there; those are kept aside
 * @returns what it holds, and where the old plans are; null if there were none
 * @throws WouldOverwrite; Error if a server has the directory, or the backup is none
 */
export async function restore(
  backup: string,
  directory: string,
  { force, now, onProgress = () => {} }: { force: boolean; now: number; onProgress?: OnProgress },
): Promise<Held & { aside: string | null }> {
  openToRead(backup).close()
  makeDirectory(directory)
  const unlock = lockDirectory(directory)
  try {
    const path = databaseIn(directory)
    if (resolve(backup) === resolve(path)) throw new Error('The backup is the database of the directory itself.')
    if (existsSync(path) && !force) throw new WouldOverwrite(`There are plans in ${directory} already.`)
    removeUnfinished(directory)
    const fresh = `${path}${UNFINISHED}-${process.pid}`
    const held = await backUp(backup, fresh, onProgress)
    return { ...held, aside: replaceDatabase(directory, fresh, `before-restore-${timeStamp(now)}`) }
  } finally {
    unlock()
  }
}
