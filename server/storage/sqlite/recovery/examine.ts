import Database from 'better-sqlite3'
import { openToRead } from '../files.ts'
import { Inspection } from '../inspect.ts'
import { recover } from './recover.ts'

export interface Examined {
  /** To be read: the database itself, or all that lies on its pages if it does not hold together. */
  readonly db: Database.Database
  /** What SQLite finds wrong; empty if nothing. */
  readonly problems: readonly string[]
}

const isOfSqlite = (error: Error): boolean =>
  error instanceof Database.SqliteError || error.cause instanceof Database.SqliteError

/**
 * Opens a database to look at its plans, however damaged it is.
 * @throws Error that says why it is none, none of ours, or has no plan in it that can be read
 */
export function examine(path: string): Examined {
  let db: Database.Database | undefined
  let problems: string[]
  let refusal: Error | undefined
  try {
    db = openToRead(path)
    problems = new Inspection(db).problems()
    if (problems.length === 0) return { db, problems }
  } catch (error) {
    // What is no database of ours is left alone; what SQLite cannot read may be one all the same.
    if (!(error instanceof Error) || !isOfSqlite(error)) throw error
    refusal = error
    problems = [error.message]
  }
  db?.close()
  const recovered = recover(path)
  if (recovered.prepare('SELECT 1 FROM threads').get() !== undefined) return { db: recovered, problems }
  recovered.close()
  throw refusal ?? new Error(`No plan in ${path} can be read: ${problems.join('; ')}`)
}
