import type Database from 'better-sqlite3'
import { checksum } from './checksum.ts'

/** One kept thing, and what is wrong with it. */
export interface KeptBytes {
  readonly version: number
  /** Null if they cannot be read, or are not those that were kept. */
  readonly bytes: Uint8Array | null
  /** Were let go, since a snapshot holds what they did. */
  readonly isLetGo: boolean
  readonly problem: string | null
  /** One line that says what it changed, and who did; '' for a snapshot. */
  readonly about: string
}
export interface KeptThread {
  readonly id: number
  readonly thread: string
  readonly version: number
}

interface Row {
  readonly version: number
  readonly bytes: Buffer
  readonly crc: number | null
  readonly actor?: string
  readonly summary?: string
}

/** Reads a database row by row: one that cannot be read costs that row. Each thread is read as it stands at one moment. */
export class Inspection {
  readonly #db: Database.Database
  readonly #versions: Database.Statement<[number], number>
  readonly #snapshot: Database.Statement<[number], Row>
  readonly #entry: Database.Statement<[number, number], Row>

  constructor(db: Database.Database) {
    this.#db = db
    const columns = (table: string): string[] =>
      (db.pragma(`table_info(${table})`) as { readonly name: string }[]).map(({ name }) => name)
    // A backup of an older server has no sums.
    const crc = (table: string): string => (columns(table).includes('crc') ? 'crc' : 'NULL AS crc')
    this.#versions = db
      .prepare<[number], number>('SELECT version FROM entries WHERE thread_id = ? ORDER BY version')
      .pluck()
    this.#snapshot = db.prepare(
      `SELECT version, state AS bytes, ${crc('snapshots')} FROM snapshots WHERE thread_id = ?`,
    )
    this.#entry = db.prepare(
      `SELECT version, bytes, ${crc('entries')}, actor_name AS actor, summary FROM entries
       WHERE thread_id = ? AND version = ?`,
    )
  }

  /** What SQLite itself finds wrong, at most ten lines; empty if nothing. */
  problems(): string[] {
    try {
      const found = this.#db.pragma('quick_check(10)') as { readonly quick_check: string }[]
      return found.map(({ quick_check: text }) => text).filter((text) => text !== 'ok')
    } catch (error) {
      return [said(error)]
    }
  }

  threads(): KeptThread[] {
    return this.#db.prepare<[], KeptThread>('SELECT id, thread, version FROM threads ORDER BY thread').all()
  }

  /** A thread as it stands now; null if it is gone. */
  thread(id: number): KeptThread | null {
    return (
      this.#db.prepare<[number], KeptThread>('SELECT id, thread, version FROM threads WHERE id = ?').get(id) ?? null
    )
  }

  /** Runs `work` on one state of the database, however much is written meanwhile. */
  atOnce<T>(work: () => T): T {
    this.#db.exec('BEGIN')
    try {
      return work()
    } finally {
      // Nothing was written, so that whatever ends it will do; where a page is bad, a commit fails.
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK')
    }
  }

  snapshot(thread: KeptThread): KeptBytes | null {
    return this.#read('The snapshot', 0, () => this.#snapshot.get(thread.id))
  }

  /** Every version that there should be, and those that there should not. */
  *entries(thread: KeptThread, from = 1): Generator<KeptBytes> {
    let known: number[] = []
    try {
      known = this.#versions.all(thread.id)
    } catch {
      // Then each is asked for by itself.
    }
    for (let version = from; version <= thread.version; version++) {
      const found = this.#read(`Version ${version}`, version, () => this.#entry.get(thread.id, version))
      yield found ?? { version, bytes: null, isLetGo: false, problem: `Version ${version} is missing`, about: '' }
    }
    for (const version of known) {
      if (version <= thread.version) continue
      const problem = `Version ${version} is beyond the last one, ${thread.version}`
      yield { version, bytes: null, isLetGo: false, problem, about: '' }
    }
  }

  #read(what: string, version: number, read: () => Row | undefined): KeptBytes | null {
    try {
      const row = read()
      if (row === undefined) return null
      const { bytes, crc, actor = '', summary = '' } = row
      const about = summary === '' ? '' : `${actor || 'somebody'} ${summary}`
      const isLetGo = bytes.length === 0 && crc === null
      const isWrong = crc !== null && checksum(bytes) !== crc
      const problem = isWrong ? `${what} holds other bytes than were kept` : null
      return { version: row.version, bytes: isWrong || isLetGo ? null : new Uint8Array(bytes), isLetGo, problem, about }
    } catch (error) {
      return { version, bytes: null, isLetGo: false, problem: `${what} cannot be read: ${said(error)}`, about: '' }
    }
  }
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error))
