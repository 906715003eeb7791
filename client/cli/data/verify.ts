import { Inspection, type KeptThread } from '../../../server/storage/sqlite/inspect.ts'
import type { Saved } from '../../../server/storage/sqlite/rebuild.ts'
import type { Examined } from '../../../server/storage/sqlite/recovery/examine.ts'
import { type Damage, type Salvage, salvage } from './salvage.ts'

export interface ThreadReport {
  readonly thread: string
  readonly version: number
  /** Of the plan as far as it is there. */
  readonly steps: number
  /** Whether the server opens it as it lies. */
  readonly opens: boolean
  readonly damages: readonly Damage[]
}
export interface Verdict {
  /** What SQLite itself finds wrong. */
  readonly database: readonly string[]
  readonly threads: readonly ThreadReport[]
  /** For a repair: those that are damaged. */
  readonly saved: readonly Saved[]
}

/** Reads every thread of a database that was examined. */
export function verify(
  { db, problems }: Examined,
  onProgress: (done: number, total: number) => void = () => {},
): Verdict {
  const inspection = new Inspection(db)
  const threads = inspection.threads()
  const reports: ThreadReport[] = []
  const saved: Saved[] = []
  for (const [i, { id }] of threads.entries()) {
    // A thread that was deleted meanwhile is no damage.
    const found = inspection.atOnce(() => {
      const thread = inspection.thread(id)
      return thread === null ? null : { thread, result: readThread(inspection, thread) }
    })
    onProgress(i + 1, threads.length)
    if (found === null) continue
    const { thread, result } = found
    const { damages, opens, steps } = result
    reports.push({ thread: thread.thread, version: thread.version, steps, opens, damages })
    if (damages.length > 0) saved.push(savedOf(thread, result))
  }
  return { database: problems, threads: reports, saved }
}

const readThread = (inspection: Inspection, thread: KeptThread): Salvage =>
  salvage(thread.version, inspection.snapshot(thread), inspection.entries(thread))

function savedOf(thread: KeptThread, { damages, state }: Salvage): Saved {
  const lost = damages.filter(({ isHarmless }) => !isHarmless).map(({ version }) => version)
  const told = lost.slice(0, 10).join(', ') + (lost.length > 10 ? ` and ${lost.length - 10} more` : '')
  const summary =
    lost.length === 0 ? 'repaired; nothing was lost' : `repaired; what was changed in version ${told} is lost`
  return { thread, state: state(), lost: new Set(damages.map(({ version }) => version)), summary }
}
