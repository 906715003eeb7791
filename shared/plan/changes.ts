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
  /**
   * It is in another group than before, by its title. That it now names the group which it had from its parent, or one
   * of two groups that became one, is no such change.
   */
  readonly regrouped: boolean
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
  const run = changedRun(before, after)
  const moved = movedSteps(before, after, run)
  const changes: StepChange[] = []
  after.steps.forEach((step, position) => {
    const positionBefore = formerPosition(before, run, step.id, position)
    const was = before.steps[positionBefore]
    const isMoved = moved.has(step.id)
    if (!isMoved && was !== undefined && sameContents(was, step)) return
    changes.push({
      id: step.id,
      before: was ?? null,
      after: step,
      placeBefore: was === undefined ? null : positionBefore + 1,
      placeAfter: position + 1,
      moved: isMoved,
      regrouped: was !== undefined && was.group !== step.group && groupTitle(before, was) !== groupTitle(after, step),
    })
  })
  for (let position = run.start; position < run.endBefore; position++) {
    const step = before.steps[position]
    if (step === undefined || after.step(step.id) !== undefined) continue
    changes.push({
      id: step.id,
      before: step,
      after: null,
      placeBefore: position + 1,
      placeAfter: null,
      moved: false,
      regrouped: false,
    })
  }
  return changes
}

function groupTitle(plan: Plan, step: Step): string | null {
  const group = plan.groupOf(step)
  return group === null ? null : (plan.groups.find(({ id }) => id === group)?.title ?? null)
}

/** Everything but where it stands and who touched it when. */
function sameContents(a: Step, b: Step): boolean {
  if (a === b) return true
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
  const { start, endBefore, endAfter } = changedRun(before, after)
  if (endBefore === start && endAfter === start) return null
  const ids = (steps: readonly Step[], end: number) => steps.slice(start, end).map((step) => step.id)
  return { at: start, removed: ids(before.steps, endBefore), added: ids(after.steps, endAfter) }
}

/** The positions, in both plans, outside of which the same ids stand in the same order. */
interface Run {
  readonly start: number
  readonly endBefore: number
  readonly endAfter: number
}

function changedRun(before: Plan, after: Plan): Run {
  if (before.places === after.places) return { start: 0, endBefore: 0, endAfter: 0 }
  const a = before.steps
  const b = after.steps
  let start = 0
  while (start < a.length && start < b.length && a[start]?.id === b[start]?.id) start++
  let endBefore = a.length
  let endAfter = b.length
  while (endBefore > start && endAfter > start && a[endBefore - 1]?.id === b[endAfter - 1]?.id) {
    endBefore--
    endAfter--
  }
  return { start, endBefore, endAfter }
}

/** Where a step of the later plan stood in the earlier one, or -1. */
function formerPosition(before: Plan, { start, endBefore, endAfter }: Run, id: StepId, position: number): number {
  if (position < start) return position
  return position < endAfter ? before.places.of(id) : position - endAfter + endBefore
}

/** Steps of both plans that have another parent, or left their order among the siblings that were there before. */
function movedSteps(before: Plan, after: Plan, run: Run): Set<StepId> {
  const moved = new Set<StepId>()
  if (before.places === after.places) return moved
  /** Those with their former parent, and where they stood. Outside of the run all stand as they did. */
  const stayed = new Map<StepId | null, { ids: StepId[]; positions: number[] }>()
  after.steps.forEach((step, position) => {
    const positionBefore = formerPosition(before, run, step.id, position)
    const was = before.steps[positionBefore]
    if (was === undefined) return
    if (was !== step && !hasItsParent(before, after, was, step)) moved.add(step.id)
    else if (position >= run.start && position < run.endAfter) {
      let siblings = stayed.get(step.parent)
      if (siblings === undefined) stayed.set(step.parent, (siblings = { ids: [], positions: [] }))
      siblings.ids.push(step.id)
      siblings.positions.push(positionBefore)
    }
  })
  for (const { ids, positions } of stayed.values()) {
    if (positions.every((one, i) => i === 0 || one > (positions[i - 1] as number))) continue
    const kept = longestRising(positions)
    ids.forEach((id, i) => {
      if (!kept.has(i)) moved.add(id)
    })
  }
  return moved
}

/** Whether a step has the parent it had, or climbed only because that one was removed. */
function hasItsParent(before: Plan, after: Plan, was: Step, step: Step): boolean {
  let { parent } = was
  while (parent !== step.parent && parent !== null && after.step(parent) === undefined)
    parent = before.step(parent)?.parent ?? null
  return parent === step.parent
}

/** The positions of a longest rising run among distinct values, by patience sorting. */
export function longestRising(values: readonly number[]): Set<number> {
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
