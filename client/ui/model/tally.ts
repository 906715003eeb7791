import { progressOf } from '../../../shared/plan/progress.ts'
import type { GroupId, Plan, Step, StepId } from '../../sdk/index.ts'

/** How far something is, as `progressOf` of shared/plan defines it; a parent's is that of all steps below it. */
export interface Tally {
  readonly done: number
  readonly active: number
  readonly blocked: number
  readonly total: number
}

export interface Tallies {
  readonly plan: Tally
  readonly groups: ReadonlyMap<GroupId, Tally>
  /** Of steps that have sub-steps. */
  readonly parents: ReadonlyMap<StepId, Tally>
}

type Counts = { -readonly [Key in keyof Tally]: Tally[Key] }
const nothing = (): Counts => ({ done: 0, active: 0, blocked: 0, total: 0 })
const known = new WeakMap<Plan, Tallies>()

export function talliesOf(plan: Plan): Tallies {
  let tallies = known.get(plan)
  if (tallies === undefined) known.set(plan, (tallies = count(plan)))
  return tallies
}

function count(plan: Plan): Tallies {
  const parents = new Map<StepId, Counts>()
  const groups = new Map<GroupId, Counts>()
  const all = nothing()
  // From behind: the sub-steps of a step are counted before it is reached.
  for (let at = plan.steps.length - 1; at >= 0; at--) {
    const step = plan.steps[at]
    if (step === undefined) continue
    const own = countOne(step)
    add(all, own)
    const group = plan.groupOf(step)
    if (group !== null) add(getOrSet(groups, group), own)
    if (step.parent === null) continue
    const above = getOrSet(parents, step.parent)
    add(above, own)
    const below = parents.get(step.id)
    if (below !== undefined) add(above, below)
  }
  return { plan: all, groups, parents }
}

function countOne(step: Step): Tally {
  const { completed: done, ...rest } = progressOf([step])
  return { done, ...rest }
}

function add(to: Counts, more: Tally): void {
  to.done += more.done
  to.active += more.active
  to.blocked += more.blocked
  to.total += more.total
}

function getOrSet<K>(map: Map<K, Counts>, key: K): Counts {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = nothing()))
  return value
}
