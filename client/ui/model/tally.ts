import type { GroupId, Plan, Status, StepId } from '../../sdk/index.ts'

/** How far something is: its steps without sub-steps, those that were cancelled left out. */
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
    const below = parents.get(step.id)
    const own = below ?? countOne(step.status)
    if (below === undefined) {
      add(all, own)
      const group = plan.groupOf(step)
      if (group !== null) add(getOrSet(groups, group), own)
    }
    if (step.parent !== null) add(getOrSet(parents, step.parent), own)
  }
  return { plan: all, groups, parents }
}

function countOne(status: Status): Counts {
  const own = nothing()
  if (status === 'cancelled') return own
  own.total = 1
  if (status === 'completed') own.done = 1
  if (status === 'in_progress') own.active = 1
  if (status === 'blocked') own.blocked = 1
  return own
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
