import type * as Y from 'yjs'
import type { StepId } from '../schema/ids.ts'
import { isStepId } from '../schema/ids.ts'
import { MAX_NUMBER } from '../schema/limits.ts'
import type { Step } from '../schema/plan.ts'
import { isStale } from './arrange.ts'
import { deletePositions, writeGroups, writeSteps } from './apply.ts'
import type { FoldedStep, GroupPatch, StepPatch } from './document.ts'
import { FORMAT, isDependencyField, rootsOf } from './document.ts'
import type { StepRecord } from './fold.ts'
import { groupNamedBy } from './groups.ts'
import type { Plan } from './plan.ts'
import { isSame } from './standing.ts'
import type { Findings, PlanReader } from './read.ts'
import { namedNumber } from './numbers.ts'

/** The origin of the transactions in which settling writes. */
export const SETTLING = Symbol('settling')

/**
 * Writes down what reading had to decide: doubled and dead ids in `outline`, cycles, doubled groups, numbers, names of
 * dependencies that now fit. Changes nothing that reading showed, but for numbers; is quiet the second time; never
 * deletes what it merely does not know.
 * @param before the plan before somebody else's update: numbers, claims and `startedBy` that the update touched are
 *   put back, and a step that lost its patches gets a tombstone. null after changes that the server made itself.
 * @param maySteer the update is a person's: people say who has a step, also where an agent started it
 */
export function settle(doc: Y.Doc, reader: PlanReader, before: Plan | null, maySteer = false): void {
  const seen = reader.takeFindings()
  if (seen === null) return
  const roots = rootsOf(doc)
  // First, for what was below them climbs along these.
  const lost = lostSteps(before, reader)
  if (lost.length > 0) doc.transact(() => writeSteps(roots, [], lost), SETTLING)
  const findings = reader.takeFindings() ?? seen
  const { plan } = reader
  const patches = new Patches()
  if (before !== plan) putBack(before, plan, patches, maySteer)
  for (const id of findings.arrangement.cut) patches.set(id, { parent: '' })
  for (const record of findings.arrangement.records) {
    const group = record.fields.group === undefined ? groupNamedBy(record) : undefined
    if (group) patches.set(record.id, { group })
  }
  const groups = settleGroups(findings, reader, patches)
  const given = settleNumbers(plan, before, patches)
  bindNames(findings, plan, given, reader, patches)
  const { untidy, missing } = findings.arrangement
  const unmarked = plan.steps.length > 0 && !roots.meta.has('format')
  if (patches.isEmpty && groups.length + missing.length === 0 && !untidy && !unmarked) return
  doc.transact(() => {
    writeSteps(roots, patches.all(), [])
    writeGroups(roots, groups)
    if (untidy) deletePositions(roots.outline, stale(reader))
    if (missing.length > 0) roots.outline.push([...missing])
    if (unmarked) roots.meta.set('format', FORMAT)
  }, SETTLING)
  // The reader has seen its own repairs; there is nothing in them to settle.
  reader.takeFindings()
}

/** One patch a step, and each number a patch of its own: so a concurrent change of another field leaves it alone. */
class Patches {
  readonly #fields = new Map<StepId, FoldedStep>()
  readonly #numbers = new Map<StepId, number>()

  set(id: StepId, fields: FoldedStep): void {
    this.#fields.set(id, { ...this.#fields.get(id), ...fields })
  }
  number(id: StepId, number: number): void {
    this.#numbers.set(id, number)
  }
  get isEmpty(): boolean {
    return this.#fields.size + this.#numbers.size === 0
  }
  all(): StepPatch[] {
    return [
      ...[...this.#fields].map(([id, fields]) => ({ id, ...fields })),
      ...[...this.#numbers].map(([id, number]) => ({ id, number })),
    ]
  }
}

/** Tombstones for steps of which an update took the patches away, and left none itself. */
function lostSteps(before: Plan | null, { plan, fold }: PlanReader): StepPatch[] {
  if (before === null || before.places === plan.places) return []
  const lost = before.steps.filter(({ id }) => plan.step(id) === undefined && fold.record(id)?.fields.removed !== true)
  return lost.map(tombstone)
}

/** What the server owns it puts back, rather than refusing honest copies that carry it. */
function putBack(before: Plan | null, plan: Plan, patches: Patches, maySteer: boolean): void {
  for (const was of before?.steps ?? []) {
    const now = plan.step(was.id)
    if (now === was || now === undefined) continue
    if (!isSame(now.claim, was.claim)) patches.set(was.id, { claim: was.claim })
    if (!maySteer && was.startedBy !== null && now.startedBy !== was.startedBy)
      patches.set(was.id, { startedBy: was.startedBy })
  }
}

const tombstone = ({ id, group, number, parent }: Step): StepPatch => ({
  id,
  removed: true,
  parent: parent ?? '',
  ...(group === null ? {} : { group }),
  ...(number === null ? {} : { number }),
})

/** Steps of a doubled group go to the first one, the double is removed; a removed group that is still named lives. */
function settleGroups(findings: Findings, reader: PlanReader, patches: Patches): GroupPatch[] {
  if (findings.sameGroup.size + findings.revived.length === 0) return []
  for (const record of findings.arrangement.records) {
    const group = groupNamedBy(record)
    const first = group ? findings.sameGroup.get(group) : undefined
    if (first !== undefined) patches.set(record.id, { group: first })
  }
  const removed = new Set(reader.fold.groups.filter(({ fields }) => fields.removed === true).map(({ id }) => id))
  const doubles = [...findings.sameGroup.keys()].filter((id) => !removed.has(id)).map((id) => ({ id, removed: true }))
  const revived = findings.revived.filter((id) => !findings.sameGroup.has(id)).map((id) => ({ id, removed: false }))
  return [...doubles, ...revived]
}

/**
 * A number that was told stays. A new step keeps the number it brings if it is free; every other gets the highest in
 * the plan and one, those passed over that a removed step had and somebody still depends on.
 * @returns the numbers that change hands
 */
function settleNumbers(plan: Plan, before: Plan | null, patches: Patches): Map<number, StepId> {
  const given = new Map<number, StepId>()
  const give = (id: StepId, number: number): void => {
    given.set(number, id)
    patches.number(id, number)
  }
  for (const was of before?.steps ?? []) {
    if (was.number === null) continue
    const now = plan.step(was.id)
    if (now !== undefined && now.number !== was.number) give(was.id, was.number)
  }
  const kept = new Set(given.values())
  const isTold = (id: StepId): boolean => (before?.step(id)?.number ?? null) !== null
  const waiting: StepId[] = []
  let highest = Math.max(0, ...given.keys())
  for (const { id, number } of plan.steps) {
    if (kept.has(id)) continue
    const isTooHigh = before !== null && (number ?? 0) > MAX_NUMBER && !isTold(id)
    if (number === null || given.has(number) || isTooHigh) waiting.push(id)
    else if (number > highest) highest = number
  }
  if (waiting.length === 0) return given
  const reserved = new Set(plan.removedNumbers.values())
  for (const id of waiting) {
    do highest++
    while (reserved.has(highest))
    give(id, highest)
  }
  return given
}

/** A name binds when a step takes that number; from then on the dependency follows the step, not the number. */
function bindNames(
  findings: Findings,
  plan: Plan,
  given: ReadonlyMap<number, StepId>,
  { fold }: PlanReader,
  patches: Patches,
): void {
  if (findings.named.length === 0) return
  const moved = new Set(given.values())
  const numbers = new Map(given)
  for (const { id, number } of plan.steps) if (number !== null && !moved.has(id)) numbers.set(number, id)
  for (const id of findings.named) {
    const fields = fold.record(id)?.fields ?? {}
    for (const key of Object.keys(fields)) {
      if (!isDependencyField(key) || isStepId(key.slice(4))) continue
      const rank = fields[key]
      const step = numbers.get(namedNumber(key.slice(5)) ?? 0)
      if (step === undefined || typeof rank !== 'number') continue
      const bound = fields[`dep:${step}`]
      // The earlier of the two ranks is the one that shows.
      const isLater = typeof bound === 'number' && bound <= rank
      patches.set(id, { [key]: null, ...(isLater ? {} : { [`dep:${step}`]: rank }) })
    }
  }
}

/** Positions in `outline`, falling, of ids that stand there a second time or were removed. */
function stale({ fold }: PlanReader): number[] {
  const seen = new Set<StepRecord>()
  const positions: number[] = []
  fold.outline.forEach((record, position) => {
    if (record === null) return
    if (isStale(record, seen.has(record))) positions.push(position)
    else seen.add(record)
  })
  return positions.toReversed()
}
