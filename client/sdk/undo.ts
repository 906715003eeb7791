import type { StepChange } from '../../shared/plan/changes.ts'
import { changesBetween } from '../../shared/plan/changes.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import { PlanError } from '../../shared/schema/errors.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import { inBatches } from './batches.ts'
import type { Footprint } from './footprint.ts'
import { differ, FIELDS, footprint, isBlank } from './footprint.ts'
import type { LeftOut, Void } from './retrace.ts'
import { takeBack } from './retrace.ts'

/** Changes that can be undone: more than anybody goes back by hand. */
const MOST_KEPT = 200

/** A change of one's own that can be taken back by itself. */
export interface Deed {
  readonly footprint: Footprint
  readonly ids: ReadonlySet<StepId>
  readonly voids: Set<Void>
}

/** What came of an undo or a redo. */
export interface Undone {
  readonly changes: readonly StepChange[]
  /** What was left as it is, since somebody else has changed it meanwhile. */
  readonly leftOut: readonly LeftOut[]
}

/** What a change wrote. */
export interface Written {
  readonly changes: readonly StepChange[]
  readonly footprint: Footprint
}
export const NOTHING_WRITTEN: Written = {
  changes: [],
  footprint: { steps: [], groups: [], title: null, groupTitles: {} },
}

/** Writes operations. @throws PlanError */
type Write = (operations: readonly PlanOperation[]) => Written

/** One's own changes, and how they are taken back: by operations, since others go on working on the same plan. */
export class UndoStack {
  readonly #done: Deed[] = []
  readonly #undone: Deed[] = []

  get canUndo(): boolean {
    return this.#done.length > 0
  }
  get canRedo(): boolean {
    return this.#undone.length > 0
  }

  record(did: Footprint): void {
    this.#done.push(entryOf(did))
    if (this.#done.length > MOST_KEPT) this.#done.shift()
    this.#undone.length = 0
  }

  /** Somebody else changed steps: those fields are theirs now, even if they come to read as before. */
  changedElsewhere(changes: readonly StepChange[]): void {
    for (const { id, before, after, moved } of changes) {
      if (before === null || after === null) continue
      const entries = [...this.#done, ...this.#undone].filter(({ ids }) => ids.has(id))
      if (entries.length === 0) continue
      const fields = FIELDS.filter((field) => differ(before, after, field))
      for (const { voids } of entries) {
        for (const field of fields) voids.add(`${id}:${field}`)
        if (moved) voids.add(`${id}:place`)
      }
    }
  }

  /**
   * @param deed that one, whatever came after it
   * @returns null if there is nothing to undo, or it was undone already
   */
  undo(plan: () => Plan, write: Write, deed?: Deed): Undone | null {
    if (deed !== undefined) {
      const at = this.#done.indexOf(deed)
      return step(at < 0 ? [] : this.#done.splice(at, 1), this.#undone, plan, write)
    }
    return step(this.#done, this.#undone, plan, write)
  }

  /** The change that was made last. */
  get last(): Deed | null {
    return this.#done.at(-1) ?? null
  }

  /** @returns null if there is nothing to do again */
  redo(plan: () => Plan, write: Write): Undone | null {
    return step(this.#undone, this.#done, plan, write)
  }
}

/** Takes back the last change of which there is anything left. If all of that is somebody else's by now, that is told. */
function step(from: Deed[], to: Deed[], plan: () => Plan, write: Write): Undone | null {
  if (from.length === 0) return null
  for (let entry = from.pop(); entry !== undefined; entry = from.pop()) {
    const { operations, leftOut } = takeBack(entry.footprint, plan(), entry.voids)
    if (operations.length === 0 && leftOut.length === 0) continue
    const { changes, footprint: did, problem } = writeAll(operations, plan, write)
    if (!isBlank(did)) to.push(entryOf(did))
    if (problem === null) return { changes, leftOut }
    // The rest can be taken back once there is room for it.
    from.push(entry)
    const back = new Set(changes.map(({ id }) => id))
    const rest = [...entry.ids].filter((id) => !back.has(id)).map((id) => ({ id, why: problem }))
    return { changes, leftOut: [...leftOut, ...rest] }
  }
  return { changes: [], leftOut: [] }
}

/** Writes operations in as many updates as they need. @returns what all of them did, and what kept the rest from it */
function writeAll(operations: readonly PlanOperation[], plan: () => Plan, write: Write) {
  const before = plan()
  const batches = inBatches(operations)
  let written: Written = NOTHING_WRITTEN
  let problem: string | null = null
  try {
    for (const batch of batches) written = write(batch)
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    problem = error.message
  }
  if (batches.length === 1) return { ...written, problem }
  const changes = changesBetween(before, plan())
  return { changes, footprint: footprint(before, plan(), changes), problem }
}

const entryOf = (made: Footprint): Deed => ({
  footprint: made,
  ids: new Set(made.steps.map(({ id }) => id)),
  voids: new Set(),
})
