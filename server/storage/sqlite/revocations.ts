import type Database from 'better-sqlite3'
import type { Revocation } from '../../auth/revocations.ts'

/** Revocations, synchronous, each call within whatever transaction is open. @see RevocationStore */
export interface RevocationTable {
  revoke(revocation: Revocation): void
  revocations(now: number): Revocation[]
}

export function revocationTable(db: Database.Database): RevocationTable {
  const put = db.prepare<[string, string, number, number]>(
    `INSERT INTO revocations (kind, id, at, until) VALUES (?, ?, ?, ?)
     ON CONFLICT (kind, id) DO UPDATE SET at = max(at, excluded.at), until = max(until, excluded.until)`,
  )
  const drop = db.prepare<[number]>('DELETE FROM revocations WHERE until <= ?')
  const list = db.prepare<[], Revocation>('SELECT kind, id, at, until FROM revocations ORDER BY kind, id')
  return {
    revoke: ({ kind, id, at, until }) => {
      put.run(kind, id, at, until)
    },
    revocations: (now) => {
      if (!db.readonly) drop.run(now)
      return list.all().filter(({ until }) => until > now)
    },
  }
}
