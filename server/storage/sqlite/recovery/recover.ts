import Database from 'better-sqlite3'
import { migrate } from '../schema.ts'
import { Pages } from './pages.ts'
import { type Cell, cellsOf, type Value } from './records.ts'

/** Milliseconds since 1970 are above, ids of threads below. */
const NO_ID = 100_000_000_000

interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** What stands in each column: Integer, Text, Blob; or null for the rowid, which is kept apart. */
  readonly shape: string
  /** Columns at the end that older rows lack. */
  readonly optional?: number
  /** Of two rows with one key the later one counts, by this column. */
  readonly latest?: string
}
/** No two tables have rows of one shape: so each row says by itself where it belongs, whatever became of the schema. */
const TABLES: readonly Table[] = [
  {
    name: 'threads',
    columns: ['id', 'thread', 'version', 'created_at', 'updated_at'],
    shape: '-TIII',
    latest: 'version',
  },
  {
    name: 'entries',
    columns: 'thread_id version at actor_id actor_name actor_kind source tool reasoning summary bytes crc'.split(' '),
    shape: 'IIITTTTTTTBI',
    optional: 1,
  },
  {
    name: 'snapshots',
    columns: ['thread_id', 'version', 'state', 'crc'],
    shape: '-IBI',
    optional: 1,
    latest: 'version',
  },
  { name: 'former_texts', columns: ['thread_id', 'version', 'texts'], shape: 'IIT' },
  { name: 'replies', columns: ['thread_id', 'actor_id', 'key', 'hash', 'version', 'at', 'reply'], shape: 'ITTTIIT' },
  { name: 'views', columns: ['id', 'thread_id', 'actor_id', 'version', 'state'], shape: '-ITIT', latest: 'id' },
  { name: 'outlooks', columns: ['thread_id', 'outlook'], shape: '-T' },
]
const REVOCATION = 'TTII'
const NAME_AND_NUMBER = 'TI'

/**
 * Makes a new database, which goes when it is closed, of all rows that lie on the pages of a file, in the way of SQLite's
 * `.recover`: neither the schema nor the trees have to be whole.
 */
export function recover(path: string): Database.Database {
  const to = new Database('')
  const pages = new Pages(path)
  try {
    // What belongs together comes in no order.
    to.pragma('foreign_keys = OFF')
    migrate(to, path)
    const names = new Map<number, string>()
    const insert = inserter(to, names)
    const free = pages.free()
    to.transaction(() => {
      for (let nth = 1; nth <= pages.count; nth++)
        if (!free.has(nth)) for (const cell of cellsOf(pages, nth)) insert(cell)
      nameThreads(to, names)
    })()
    return to
  } catch (error) {
    to.close()
    throw error
  } finally {
    pages.close()
  }
}

/** @param names is given what an index says of the names of threads */
function inserter(to: Database.Database, names: Map<number, string>): (cell: Cell) => void {
  const tables = TABLES.map((table) => {
    const { name, columns, latest } = table
    const updates = columns.map((column) => `${column} = excluded.${column}`).join(', ')
    const rule = latest === undefined ? 'NOTHING' : `UPDATE SET ${updates} WHERE excluded.${latest} > ${name}.${latest}`
    const values = columns.map(() => '?').join(', ')
    return {
      table,
      put: to.prepare(`INSERT INTO ${name} (${columns.join(', ')}) VALUES (${values}) ON CONFLICT DO ${rule}`),
    }
  })
  const putDeleted = to.prepare('INSERT OR IGNORE INTO deleted (thread, at) VALUES (?, ?)')
  const putRevocation = to.prepare('INSERT OR IGNORE INTO revocations (kind, id, at, until) VALUES (?, ?, ?, ?)')
  return ({ rowid, values }) => {
    try {
      if (rowid !== null) {
        const found = tables.find(({ table }) => fits(table, values))
        if (found === undefined) return
        const { columns, shape } = found.table
        found.put.run(columns.map((_, i) => (shape[i] === '-' ? rowid : (values[i] ?? null))))
        return
      }
      const [first, second] = values
      if (isOfShape(values, REVOCATION)) putRevocation.run(values)
      else if (!isOfShape(values, NAME_AND_NUMBER) || typeof first !== 'string' || typeof second !== 'number') return
      else if (second >= NO_ID) putDeleted.run(first, second)
      else names.set(second, first)
    } catch {
      // A row that the tables do not take was none of theirs.
    }
  }
}

function fits({ shape, optional = 0 }: Table, values: readonly Value[]): boolean {
  return values.length <= shape.length && values.length >= shape.length - optional && isOfShape(values, shape)
}

function isOfShape(values: readonly Value[], shape: string): boolean {
  return (
    values.length <= shape.length &&
    values.every((value, i) => {
      if (value === null) return shape[i] === '-' || i === shape.length - 1
      return shape[i] === (typeof value === 'number' ? 'I' : typeof value === 'string' ? 'T' : 'B')
    })
  )
}

/** Threads whose row is lost, while their log is there, by the name that an index has of them, or by a new one. */
function nameThreads(to: Database.Database, names: ReadonlyMap<number, string>): void {
  const lost = to
    .prepare<[], { id: number; version: number; first: number; last: number }>(
      `SELECT thread_id AS id, max(version) AS version, min(at) AS first, max(at) AS last FROM entries
       WHERE thread_id NOT IN (SELECT id FROM threads) GROUP BY thread_id`,
    )
    .all()
  const put = to.prepare(
    'INSERT OR IGNORE INTO threads (id, thread, version, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  )
  for (const { id, version, first, last } of lost) put.run(id, names.get(id) ?? `recovered-${id}`, version, first, last)
  for (const { name } of TABLES)
    if (name !== 'threads') to.exec(`DELETE FROM ${name} WHERE thread_id NOT IN (SELECT id FROM threads)`)
}
