import { statSync } from 'node:fs'
import { checksum } from '../../../server/storage/sqlite/checksum.ts'
import { databaseIn, removeUnfinished } from '../../../server/storage/sqlite/files.ts'
import { Inspection } from '../../../server/storage/sqlite/inspect.ts'
import { openDatabase } from '../../../server/storage/sqlite/schema.ts'
import { count } from '../../../shared/dialects/lines.ts'
import type { Call } from '../command.ts'
import { databaseOf, dataDirectory, withLock } from '../data/directory.ts'
import { salvage } from '../data/salvage.ts'
import { bytesText } from '../terminal.ts'

const DAY_MS = 86_400_000

export async function run(call: Call): Promise<void> {
  const directory = dataDirectory(call)
  databaseOf(directory)
  const keepDays = call.number('keep-days')
  await withLock(directory, () => {
    removeUnfinished(directory)
    const path = databaseIn(directory)
    const before = sizeOf(path)
    const progress = call.terminal.progress('Compacting', !call.isJson)
    const db = openDatabase(path, 'FULL')
    try {
      const inspection = new Inspection(db)
      const threads = inspection.threads()
      const put = db.prepare<[number, number, Uint8Array, number]>(
        'INSERT OR REPLACE INTO snapshots (thread_id, version, state, crc) VALUES (?, ?, ?, ?)',
      )
      const letGo = db.prepare<[number, number, number]>(
        `UPDATE entries SET bytes = x'', crc = NULL WHERE thread_id = ? AND version <= ? AND at < ? AND length(bytes) > 0`,
      )
      const damaged: string[] = []
      let [snapshots, bytesLetGo] = [0, 0]
      for (const [i, thread] of threads.entries()) {
        const kept = inspection.snapshot(thread)
        const found = salvage(thread.version, kept, inspection.entries(thread))
        if (found.damages.length > 0) damaged.push(thread.thread)
        else if (thread.version > 0) {
          db.transaction(() => {
            if (kept?.version !== thread.version) {
              const state = found.state()
              put.run(thread.id, thread.version, state, checksum(state))
              snapshots += 1
            }
            if (keepDays !== undefined)
              bytesLetGo += letGo.run(thread.id, thread.version, Date.now() - keepDays * DAY_MS).changes
          })()
        }
        progress.update(i + 1, threads.length)
      }
      db.exec('VACUUM')
      db.pragma('wal_checkpoint(TRUNCATE)')
      const after = sizeOf(path)
      progress.end()
      call.show({ directory, plans: threads.length, snapshots, bytesLetGo, damaged, before, after }, () =>
        [
          `${count(threads.length, 'plan')}: ${bytesText(before)} before, ${bytesText(after)} now`,
          ...(keepDays === undefined ? [] : [`The bytes of ${count(bytesLetGo, 'change')} were let go`]),
          ...(damaged.length === 0
            ? []
            : [`Left as they are, for they are damaged: ${damaged.join(', ')}. See: planroom verify`]),
          '',
        ].join('\n'),
      )
    } finally {
      progress.end()
      db.close()
    }
  })
}

/** Of a database with its log. */
function sizeOf(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
}
