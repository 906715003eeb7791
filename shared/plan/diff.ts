import type { StepId } from '../schema/ids.ts'
import type { NewStep, PlanOperation, StepFields } from '../schema/operation.ts'
import type { Step } from '../schema/plan.ts'
import { longestRising } from './changes.ts'
import type { Plan } from './plan.ts'

/** One step of a list that somebody wants a plan to hold; new if the plan has no step of that id. */
export type WantedStep = {
  /** The step that it is to stand below; absent where nothing is said of that. */
  readonly parent?: StepId
} & (
  | { readonly id: StepId; readonly isNew: true; readonly fields: StepFields & { readonly text: string } }
  /** Only what is to change. */
  | { readonly id: StepId; readonly isNew: false; readonly fields: StepFields }
)

/**
 * The operations that bring a list about, as few as possible: each move is a real edit, which others may conflict with.
 *
 * A step of the plan keeps its parent, and is ordered among its siblings as listed. A new one becomes the next sibling
 * of the one before it in the list, or the first at top level. Steps that are not listed stay behind the step that they
 * followed; those in `removed` go, and what stays of their sub-steps climbs, with the group that it inherited.
 * @param wanted each step once, and none of `removed`
 */
export function listOperations(
  plan: Plan,
  wanted: readonly WantedStep[],
  removed: ReadonlySet<StepId>,
): PlanOperation[] {
  const fields = new Map<StepId, StepFields>()
  for (const step of wanted) if (!step.isNew && Object.keys(step.fields).length > 0) fields.set(step.id, step.fields)
  if (removed.size > 0)
    for (const [id, group] of inheritedGroups(plan, removed)) fields.set(id, { ...fields.get(id), group })
  const moved = new Set(wanted.flatMap((step) => (step.isNew || isAtHome(plan, step) ? [] : [step.id])))
  return [
    ...[...fields].map(([id, changed]): PlanOperation => ({ type: 'setStep', id, fields: changed })),
    ...(removed.size > 0 ? [{ type: 'removeSteps', steps: [...removed], subSteps: false } as const] : []),
    ...[...families(plan, wanted, removed)].flatMap(([parent, listed]) =>
      siblingOperations(
        parent,
        stayingChildren(plan, parent, removed).filter((id) => !moved.has(id)),
        listed,
      ),
    ),
  ]
}

/** The operations that change some steps of a plan and add others: new ones at the end, or last below their parent. */
export function partOperations(plan: Plan, wanted: readonly WantedStep[]): PlanOperation[] {
  return wanted.flatMap((step): PlanOperation[] => {
    const parent = step.parent ?? null
    if (step.isNew) return [{ type: 'addSteps', parent, steps: newStep(step) }]
    return [
      ...(Object.keys(step.fields).length > 0 ? [{ type: 'setStep', id: step.id, fields: step.fields } as const] : []),
      ...(isAtHome(plan, step) ? [] : [{ type: 'moveSteps', parent, steps: [step.id] } as const]),
    ]
  })
}

/** Whether a step stands where it is wanted, as far as anything is said of that. */
const isAtHome = (plan: Plan, { id, parent }: WantedStep): boolean =>
  parent === undefined || plan.step(id)?.parent === parent

/** The nearest ancestor that stays. */
function stayingParent(plan: Plan, { parent }: Step, removed: ReadonlySet<StepId>): StepId | null {
  let at = parent
  while (at !== null && removed.has(at)) at = plan.step(at)?.parent ?? null
  return at
}

/** Steps that climb from below a removed one, and so would no longer be in the group that they were in. */
function inheritedGroups(plan: Plan, removed: ReadonlySet<StepId>): Map<StepId, NonNullable<Step['group']>> {
  const groups = new Map<StepId, NonNullable<Step['group']>>()
  for (const id of removed) {
    for (const childId of plan.children(id)) {
      const child = plan.step(childId)
      if (child === undefined || removed.has(childId) || child.group !== null) continue
      const group = plan.groupOf(child)
      if (group === null) continue
      const above = stayingParent(plan, child, removed)
      const parent = above === null ? undefined : plan.step(above)
      if (parent === undefined || plan.groupOf(parent) !== group) groups.set(childId, group)
    }
  }
  return groups
}

/** The children that a parent has once steps are removed, in order. */
function stayingChildren(plan: Plan, parent: StepId | null, removed: ReadonlySet<StepId>): StepId[] {
  const children = plan.children(parent)
  if (removed.size === 0) return children
  const found: StepId[] = []
  const stack = children.toReversed()
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (removed.has(at)) for (const child of plan.children(at).toReversed()) stack.push(child)
    else found.push(at)
  }
  return found
}

/** The wanted steps by the parent under which each stands in the end, in the order of the list. */
function families(
  plan: Plan,
  wanted: readonly WantedStep[],
  removed: ReadonlySet<StepId>,
): Map<StepId | null, WantedStep[]> {
  const byParent = new Map<StepId | null, WantedStep[]>()
  let parent: StepId | null = null
  for (const step of wanted) {
    const known = step.isNew ? undefined : plan.step(step.id)
    if (step.parent === undefined && known !== undefined) parent = stayingParent(plan, known, removed)
    const at = step.parent ?? parent
    const family = byParent.get(at)
    if (family === undefined) byParent.set(at, [step])
    else family.push(step)
  }
  return byParent
}

/** Orders the children of one parent, then adds the new ones among them. */
function siblingOperations(
  parent: StepId | null,
  present: readonly StepId[],
  listed: readonly WantedStep[],
): PlanOperation[] {
  const target = targetOrder(present, listed)
  const positions = new Map(present.map((id, position) => [id, position]))
  const old = target.filter((step) => !step.isNew)
  const here = old.filter(({ id }) => positions.has(id))
  const rising = longestRising(here.map(({ id }) => positions.get(id) ?? 0))
  const staying = new Set(here.flatMap(({ id }, i) => (rising.has(i) ? [id] : [])))
  const operations: PlanOperation[] = []
  for (const { run, after } of runs(old, ({ id }) => !staying.has(id)))
    operations.push({ type: 'moveSteps', parent, after, steps: run.map(({ id }) => id) })
  for (const { run, after } of runs(target, (step) => step.isNew))
    operations.push({ type: 'addSteps', parent, after, steps: run.flatMap(newStep) })
  return operations
}

type Target = WantedStep | { readonly id: StepId; readonly isNew: false }

const newStep = (step: Target): NewStep[] => (step.isNew ? [{ id: step.id, depth: 0, ...step.fields }] : [])

/** Neighbours that are alike, with the one that they stand behind. */
function runs(
  steps: readonly Target[],
  belongs: (step: Target, i: number) => boolean,
): { run: Target[]; after: StepId | null }[] {
  const found: { run: Target[]; after: StepId | null }[] = []
  let open: Target[] | null = null
  for (const [i, step] of steps.entries()) {
    if (!belongs(step, i)) open = null
    else if (open !== null) open.push(step)
    else found.push({ run: (open = [step]), after: steps[i - 1]?.id ?? null })
  }
  return found
}

/** Listed steps in their order; each that is kept behind the listed one that it follows now, or first as it was. */
function targetOrder(present: readonly StepId[], listed: readonly WantedStep[]): Target[] {
  const isListed = new Set(listed.map((step) => step.id))
  const following = new Map<StepId | null, Target[]>()
  let followed: StepId | null = null
  for (const id of present) {
    if (isListed.has(id)) followed = id
    else {
      const kept = following.get(followed)
      if (kept === undefined) following.set(followed, [{ id, isNew: false }])
      else kept.push({ id, isNew: false })
    }
  }
  const order: Target[] = []
  // New steps come directly behind the one before them in the list, so those that are kept wait for the next old one.
  let waiting = following.get(null) ?? []
  for (const step of listed) {
    if (!step.isNew) {
      order.push(...waiting)
      waiting = following.get(step.id) ?? []
    }
    order.push(step)
  }
  return [...order, ...waiting]
}
