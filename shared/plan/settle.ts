import type * as Y from 'yjs'
import type { StepId } from '../schema/ids.ts'
import { isStepId } from '../schema/ids.ts'
import { MAX_NUMBER } from '../schema/limits.ts'
import type { Step } from '../schema/plan.ts'
import { deletePositions, writeGroups, writeSteps } from './apply.ts'
import type { FoldedStep, GroupPatch, StepPatch } from './document.ts'
import { isDependencyField, rootsOf } from './document.ts'
import type { Plan } from './plan.ts'
import type { Findings, PlanReader } from './read.ts'
import { namedNumber } from './read.ts'

/** The origin of the transactions in which settling writes. */
export const SETTLING = Symbol('settling')

/**
 * Writes down what reading had to decide: doubled and dead ids in `outline`, cycles, doubled groups, numbers, names of
 * dependencies that now fit. Changes nothing that reading showed, but for numbers; is quiet the second time; never
 * deletes what it merely does not know.
 * @param before the plan before somebody else's update: numbers, claims and `startedBy` that the update touched are
 *   put back, and a step that lost its patches gets a tombstone. null after changes that the server made itself.
 */
export function settle(doc: Y.Doc, reader: PlanReader, before: Plan | null): void {
  const findings = reader.takeFindings()
  if (findings === null) return
  const { plan } = reader
  const patches = new Patches()
  const tombstones: StepPatch[] = []
  if (before !== null && before !== plan) putBack(before, reader, patches, tombstones)
  for (const id of findings.arrangement.cut) patches.set(id, { parent: '' })
  const groups = settleGroups(findings, reader, patches)
  const numbers = settleNumbers(plan, before, patches)
  bindNames(findings, numbers, reader, patches)
  const { untidy, missing } = findings.arrangement
  if (patches.isEmpty && tombstones.length + groups.length + missing.length === 0 && !untidy) return
  const roots = rootsOf(doc)
  doc.transact(() => {
    writeSteps(roots, patches.all(), tombstones)
    writeGroups(roots, groups)
    if (untidy) deletePositions(roots.outline, stale(reader))
    if (missing.length > 0) roots.outline.push([...missing])
  }, SETTLING)
  void reader.plan
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

/** What the server owns it puts back, rather than refusing honest copies that carry it. */
function putBack(before: Plan, reader: PlanReader, patches: Patches, tombstones: StepPatch[]): void {
  const { plan, fold } = reader
  for (const was of before.steps) {
    const now = plan.step(was.id)
    if (now === was) continue
    if (now === undefined) {
      if (fold.records.get(was.id)?.fields.removed !== true) tombstones.push(tombstone(was))
      continue
    }
    if (now.claim !== was.claim && JSON.stringify(now.claim) !== JSON.stringify(was.claim))
      patches.set(was.id, { claim: was.claim })
    if (was.startedBy !== null && now.startedBy !== was.startedBy) patches.set(was.id, { startedBy: was.startedBy })
  }
}

const tombstone = ({ id, parent, number }: Step): StepPatch => ({
  id,
  removed: true,
  parent: parent ?? '',
  ...(number === null ? {} : { number }),
})

/** Steps of a doubled group go to the first one, the double is removed; a removed group that is still named lives. */
function settleGroups(findings: Findings, reader: PlanReader, patches: Patches): GroupPatch[] {
  if (findings.sameGroup.size + findings.revived.length === 0) return []
  for (const { record } of findings.arrangement.nodes) {
    const first = record.fields.group ? findings.sameGroup.get(record.fields.group) : undefined
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
 */
function settleNumbers(plan: Plan, before: Plan | null, patches: Patches): Map<number, StepId> {
  const numbers = new Map<number, StepId>()
  const told = before === null ? [] : before.steps.filter(({ id, number }) => number !== null && plan.step(id) !== undefined)
  for (const { id, number } of told) {
    if (number === null) continue
    numbers.set(number, id)
    if (plan.step(id)?.number !== number) patches.number(id, number)
  }
  const toldSteps = new Set(told.map(({ id }) => id))
  const waiting: StepId[] = []
  for (const { id, number } of plan.steps) {
    if (toldSteps.has(id)) continue
    const brought = before !== null && number !== null && number > MAX_NUMBER
    if (number === null || brought || numbers.has(number)) waiting.push(id)
    else numbers.set(number, id)
  }
  if (waiting.length === 0) return numbers
  const reserved = new Set(plan.removedNumbers.values())
  let next = 0
  for (const number of numbers.keys()) next = Math.max(next, number)
  for (const id of waiting) {
    do next++
    while (reserved.has(next))
    numbers.set(next, id)
    patches.number(id, next)
  }
  return numbers
}

/** A name binds when a step takes that number; from then on the dependency follows the step, not the number. */
function bindNames(findings: Findings, numbers: ReadonlyMap<number, StepId>, reader: PlanReader, patches: Patches): void {
  for (const id of findings.named) {
    const fields = reader.fold.records.get(id)?.fields ?? {}
    for (const key of Object.keys(fields)) {
      if (!isDependencyField(key) || isStepId(key.slice(4))) continue
      const rank = fields[key]
      const step = numbers.get(namedNumber(key.slice(5)) ?? 0)
      if (step === undefined || typeof rank !== 'number') continue
      const bound = fields[`dep:${step}`]
      patches.set(id, { [key]: null, ...(typeof bound === 'number' ? {} : { [`dep:${step}`]: rank }) })
    }
  }
}

/** Positions in `outline`, falling, of ids that stand there a second time or were removed. */
function stale({ fold }: PlanReader): number[] {
  const seen = new Set<StepId>()
  const positions: number[] = []
  fold.outline().forEach((id, position) => {
    if (seen.has(id) || fold.records.get(id)?.fields.removed === true) positions.unshift(position)
    else seen.add(id)
  })
  return positions
}
