import type { Plan } from '../plan/plan.ts'
import type { StepId } from '../schema/ids.ts'
import type { Step } from '../schema/plan.ts'
import type { ListedValues, View } from './dialect.ts'

/**
 * What an actor remembers, written down short: steps by where they stand in the plan of one version, which is found again
 * while the log is read. Agents write on and on without ever listing: in words, what each of them has seen would be as
 * large as the plan, at every call.
 */

/** Steps, in runs: how many from which position on, one after the other; and those that do not stand in the plan. */
export interface PackedSteps {
  readonly runs?: readonly number[]
  readonly ids?: readonly StepId[]
}
/** Steps in an order of their own: runs, and those that do not stand in the plan. */
export type PackedOrder = readonly (StepId | readonly [from: number, count: number])[]
/** Places that were told, in runs: from which position on, the first place, how many; and those of other steps. */
export interface PackedPlaces {
  readonly runs?: readonly number[]
  readonly ids?: readonly (readonly [StepId, number])[]
}
/** Steps as they were seen: those that stand in the plan just so, how others differ from it, and those that are gone. */
export interface PackedSeen extends PackedSteps {
  readonly differ?: readonly (readonly [position: number, fields: Partial<Step>])[]
  readonly gone?: readonly Step[]
}

export interface StoredState {
  readonly told: number
  readonly forgotten?: boolean
  readonly known?: readonly (readonly [from: number, to: number])[]
  readonly overruled?: readonly (readonly [StepId, ListedValues])[]
  /** The version in whose plan positions are meant. */
  readonly at: number
  readonly places?: PackedPlaces
  readonly listed?: PackedSteps
  readonly lastList?: PackedOrder
  readonly unseen?: PackedSteps
  readonly unplaced?: PackedSteps
  readonly folded?: PackedSteps
  readonly later?: PackedSeen
}

export function packSteps(steps: Iterable<StepId>, plan: Plan): PackedSteps {
  const positions: number[] = []
  const ids: StepId[] = []
  for (const id of steps) {
    const position = plan.places.of(id)
    if (position < 0) ids.push(id)
    else positions.push(position)
  }
  return { ...(positions.length > 0 && { runs: runsOf(positions) }), ...(ids.length > 0 && { ids }) }
}

function runsOf(positions: number[]): number[] {
  const runs: number[] = []
  let end = -1
  for (const position of positions.toSorted((a, b) => a - b)) {
    if (position === end) runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1
    else runs.push(position, 1)
    end = position + 1
  }
  return runs
}

export function* unpackSteps({ runs = [], ids = [] }: PackedSteps, plan: Plan): Generator<StepId> {
  for (let at = 0; at < runs.length; at += 2) {
    const [from = 0, count = 0] = runs.slice(at, at + 2)
    for (const { id } of plan.steps.slice(from, from + count)) yield id
  }
  yield* ids
}

export function packOrder(steps: readonly StepId[], plan: Plan): PackedOrder {
  const order: (StepId | [number, number])[] = []
  for (const id of steps) {
    const position = plan.places.of(id)
    const run = order.at(-1)
    if (position < 0) order.push(id)
    else if (typeof run === 'object' && run[0] + run[1] === position) run[1]++
    else order.push([position, 1])
  }
  return order
}

export const unpackOrder = (order: PackedOrder, plan: Plan): StepId[] =>
  order.flatMap((one) =>
    typeof one === 'string' ? [one] : plan.steps.slice(one[0], one[0] + one[1]).map(({ id }) => id),
  )

export function packPlaces(places: ReadonlyMap<StepId, number>, plan: Plan): PackedPlaces {
  const found: [position: number, place: number][] = []
  const ids: (readonly [StepId, number])[] = []
  for (const [id, place] of places) {
    const position = plan.places.of(id)
    if (position < 0) ids.push([id, place])
    else found.push([position, place])
  }
  const runs: number[] = []
  let next = -1
  for (const [position, place] of found.toSorted(([a], [b]) => a - b)) {
    const [first = 0, start = 0, count = 0] = runs.slice(-3)
    if (position === next && place - position === start - first) runs[runs.length - 1] = count + 1
    else runs.push(position, place, 1)
    next = position + 1
  }
  return { ...(runs.length > 0 && { runs }), ...(ids.length > 0 && { ids }) }
}

export function unpackPlaces({ runs = [], ids = [] }: PackedPlaces, plan: Plan): Map<StepId, number> {
  const places = new Map<StepId, number>()
  for (let at = 0; at < runs.length; at += 3) {
    const [from = 0, place = 0, count = 0] = runs.slice(at, at + 3)
    plan.steps.slice(from, from + count).forEach(({ id }, nth) => places.set(id, place + nth))
  }
  for (const [id, place] of ids) places.set(id, place)
  return places
}

export function packSeen(later: View['later'], plan: Plan): PackedSeen {
  const same: StepId[] = []
  const differ: [number, Partial<Step>][] = []
  const gone: Step[] = []
  for (const [id, seen] of later) {
    const now = plan.step(id)
    if (now === undefined) gone.push(seen)
    else {
      const fields = differences(seen, now)
      if (fields === null) same.push(id)
      else differ.push([plan.places.of(id), fields])
    }
  }
  return { ...packSteps(same, plan), ...(differ.length > 0 && { differ }), ...(gone.length > 0 && { gone }) }
}

/** The fields of one step that are not those of another; null if there are none. */
function differences(seen: Step, now: Step): Partial<Step> | null {
  if (seen === now) return null
  const fields = Object.entries(seen).filter(([key, value]) => !isSame(value, now[key as keyof Step]))
  return fields.length === 0 ? null : (Object.fromEntries(fields) as Partial<Step>)
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))

/** What is gone comes first: of two steps that had one number it had it before. */
export function unpackSeen(packed: PackedSeen, plan: Plan): Map<StepId, Step> {
  const later = new Map<StepId, Step>()
  for (const step of packed.gone ?? []) later.set(step.id, step)
  for (const [position, fields] of packed.differ ?? []) {
    const now = plan.steps[position]
    if (now !== undefined) later.set(now.id, { ...now, ...fields })
  }
  for (const id of unpackSteps(packed, plan)) {
    const now = plan.step(id)
    if (now !== undefined) later.set(id, now)
  }
  return later
}
