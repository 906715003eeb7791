import { existsSync, rmSync } from 'node:fs'
import {
  databaseIn,
  removeUnfinished,
  replaceDatabase,
  timeStamp,
  UNFINISHED,
} from '../../../server/storage/sqlite/files.ts'
import { rebuild } from '../../../server/storage/sqlite/rebuild.ts'
import { examine } from '../../../server/storage/sqlite/recovery/examine.ts'
import { count } from '../../../shared/dialects/lines.ts'
import { type Call, CliError, EXIT, usageError } from '../command.ts'
import { databaseOf, dataDirectory, withLock } from '../data/directory.ts'
import { type ThreadReport, type Verdict, verify } from '../data/verify.ts'

export async function run(call: Call): Promise<number> {
  const file = call.place(0)
  if (!call.flag('repair')) {
    const path = file ?? databaseOf(dataDirectory(call))
    if (!existsSync(path)) throw new CliError(`There is no file ${path}.`, EXIT.notFound)
    const verdict = look(call, path)
    const isWhole = isFine(verdict)
    show(call, path, verdict, null)
    return isWhole ? EXIT.ok : EXIT.failed
  }
  if (file !== undefined)
    throw usageError('--repair is for a data directory: restore the backup first, then repair that.')
  const directory = dataDirectory(call)
  databaseOf(directory)
  return withLock(directory, () => {
    removeUnfinished(directory)
    const path = databaseIn(directory)
    const verdict = look(call, path)
    const repair = isFine(verdict) ? null : mend(directory, verdict)
    show(call, path, verdict, repair)
    return EXIT.ok
  })
}

interface Repair {
  /** Where the old database is. */
  readonly aside: string | null
  /** Rows beside those of damaged plans that could not be read. */
  readonly problems: readonly string[]
}

const isFine = ({ database, threads }: Verdict): boolean =>
  database.length === 0 && threads.every(({ damages }) => damages.length === 0)

function look(call: Call, path: string): Verdict {
  const examined = examine(path)
  const progress = call.terminal.progress('Reading', !call.isJson)
  try {
    return verify(examined, progress.update)
  } finally {
    progress.end()
    examined.db.close()
  }
}

function mend(directory: string, { saved }: Verdict): Repair {
  const path = databaseIn(directory)
  const fresh = `${path}${UNFINISHED}-${process.pid}`
  const now = Date.now()
  const { db } = examine(path)
  try {
    const problems = rebuild(db, fresh, saved, now)
    db.close()
    return { problems, aside: replaceDatabase(directory, fresh, `before-repair-${timeStamp(now)}`) }
  } finally {
    db.close()
    for (const ending of ['', '-wal', '-shm']) rmSync(fresh + ending, { force: true })
  }
}

function show(call: Call, path: string, { database, threads }: Verdict, repair: Repair | null): void {
  const damaged = threads.filter(({ damages }) => damages.length > 0)
  const { terminal } = call
  call.show({ path, database, threads: threads.length, damaged, repair }, () => {
    const lines = damaged.flatMap((report) => {
      const { thread, version, opens, steps } = report
      const state = opens ? terminal.paint('yellow', 'whole, though') : terminal.paint('red', 'damaged')
      return [
        `${terminal.paint('bold', thread)}, version ${version}: ${state}`,
        ...damageLines(report),
        `  ${count(steps, 'step')} can be read`,
      ]
    })
    const own = database.map((text) => `${terminal.paint('red', 'database')}: ${text}`)
    const unread = (repair?.problems ?? []).map((text) => `${terminal.paint('red', 'lost')}: ${text}`)
    const verdict =
      damaged.length + database.length === 0
        ? terminal.paint('green', `${count(threads.length, 'plan')}, all whole`)
        : `${count(threads.length, 'plan')}, ${damaged.length} damaged`
    const next =
      repair !== null
        ? [`Repaired. The old database is ${repair.aside}`]
        : damaged.length + database.length > 0
          ? ['"planroom verify --repair" saves what is left; so does restoring a backup.']
          : []
    return `${[...lines, ...own, ...unread, verdict, ...next].join('\n')}\n`
  })
}

const damageLines = ({ damages }: ThreadReport): string[] =>
  damages.map(({ problem, about, isHarmless }) => {
    const cost = isHarmless
      ? 'the plan is whole without it'
      : about === ''
        ? 'what it changed is lost'
        : `lost: ${about}`
    return `  ${problem} (${cost})`
  })
