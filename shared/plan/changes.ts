import type { StepId } from '../schema/ids.ts'
import type { Step } from '../schema/plan.ts'
import type { Plan } from './plan.ts'

/** What became of one step between two plans. Places are 1-based. */
export interface StepChange {
  readonly id: StepId
  readonly before: Step | null
  readonly after: Step | null
  readonly placeBefore: number | null
  readonly placeAfter: number | null
  /** It stands under another parent, or in another order among those that were there before. */
  readonly moved: boolean
}

/** A run of ids that took the place of another in the pre-order. */
export interface OrderSplice {
  readonly at: number
  readonly removed: readonly StepId[]
  readonly added: readonly StepId[]
}

/**
 * What differs between two plans, in the pre-order of the later one, what was removed last. A step that only stands at
 * another place because others came, went or took it along is not listed.
 */
export function changesBetween(before: Plan, after: Plan): StepChange[] {
  if (before === after) return []
  const moved = before.places === after.places ? new Set<StepId>() : movedSteps(before, after)
  const changes: StepChange[] = []
  after.steps.forEach((step, position) => {
    const was = before.places === after.places ? before.steps[position] : before.step(step.id)
    if (was === step || (was !== undefined && !moved.has(step.id) && sameContents(was, step))) return
    changes.push({
      id: step.id,
      before: was ?? null,
      after: step,
      placeBefore: was === undefined ? null : before.placeOf(step.id),
      placeAfter: position + 1,
      moved: moved.has(step.id),
    })
  })
  if (before.places !== after.places)
    before.steps.forEach((step, position) => {
      if (after.step(step.id) !== undefined) return
      changes.push({ id: step.id, before: step, after: null, placeBefore: position + 1, placeAfter: null, moved: false })
    })
  return changes
}

/** Everything but where it stands and who touched it when. */
function sameContents(a: Step, b: Step): boolean {
  return (
    a.text === b.text &&
    a.details === b.details &&
    a.status === b.status &&
    a.group === b.group &&
    a.number === b.number &&
    a.required === b.required &&
    a.alias === b.alias &&
    a.startedBy === b.startedBy &&
    a.claim === b.claim &&
    a.dependencies === b.dependencies
  )
}

/** How the order of ids changed: one run, trimmed at both ends; null if it did not. */
export function orderSplice(before: Plan, after: Plan): OrderSplice | null {
  if (before.places === after.places) return null
  const a = before.steps
  const b = after.steps
  let start = 0
  while (start < a.length && start < b.length && a[start]?.id === b[start]?.id) start++
  let endA = a.length
  let endB = b.length
  while (endA > start && endB > start && a[endA - 1]?.id === b[endB - 1]?.id) {
    endA--
    endB--
  }
  if (endA === start && endB === start) return null
  const ids = (steps: readonly Step[], end: number) => steps.slice(start, end).map((step) => step.id)
  return { at: start, removed: ids(a, endA), added: ids(b, endB) }
}

/** Steps of both plans that have another parent, or left the order; those that only followed a parent are left out. */
function movedSteps(before: Plan, after: Plan): Set<StepId> {
  const moved = new Set<StepId>()
  const splice = orderSplice(before, after)
  if (splice === null) return moved
  const stayed = new Map<StepId, number>()
  splice.removed.forEach((id, position) => {
    if (after.step(id) !== undefined) stayed.set(id, position)
  })
  const common = splice.added.filter((id) => stayed.has(id))
  const kept = longestRising(common.map((id) => stayed.get(id) ?? 0))
  common.forEach((id, i) => {
    if (!kept.has(i)) moved.add(id)
  })
  for (const id of common) if (!climbed(before, after, id)) moved.add(id)
  // Pre-order: a parent comes before its children, so by now it is known whether it moved.
  const followed = common.filter((id) => {
    const parent = after.step(id)?.parent ?? null
    return parent !== null && parent === before.step(id)?.parent && isBelowMoved(after, parent, moved)
  })
  for (const id of followed) moved.delete(id)
  return moved
}

/** Whether a step has the parent it had, or climbed only because that one was removed. */
function climbed(before: Plan, after: Plan, id: StepId): boolean {
  let parent = before.step(id)?.parent ?? null
  while (parent !== null && after.step(parent) === undefined) parent = before.step(parent)?.parent ?? null
  return parent === (after.step(id)?.parent ?? null)
}

function isBelowMoved(plan: Plan, id: StepId, moved: ReadonlySet<StepId>): boolean {
  for (let at: StepId | null = id; at !== null; at = plan.step(at)?.parent ?? null) if (moved.has(at)) return true
  return false
}

/** The positions of a longest rising run among distinct values, by patience sorting. */
function longestRising(values: readonly number[]): Set<number> {
  const piles: number[] = []
  const before: (number | undefined)[] = []
  values.forEach((value, i) => {
    let low = 0
    let high = piles.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[piles[middle] ?? 0] ?? 0) < value) low = middle + 1
      else high = middle
    }
    before[i] = piles[low - 1]
    piles[low] = i
  })
  const rising = new Set<number>()
  for (let at = piles.at(-1); at !== undefined; at = before[at]) rising.add(at)
  return rising
}
