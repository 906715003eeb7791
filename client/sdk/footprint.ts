import type { StepChange } from '../../shared/plan/changes.ts'
import { changesBetween } from '../../shared/plan/changes.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { GroupId, StepId } from '../../shared/schema/ids.ts'
import type { StepFields } from '../../shared/schema/operation.ts'
import type { DependencyTarget, Group, Step } from '../../shared/schema/plan.ts'

/** The fields that whoever changes a step decides; numbers and claims are the server's. */
export const FIELDS = ['text', 'details', 'status', 'startedBy', 'group', 'required', 'alias', 'dependencies'] as const
export type Field = (typeof FIELDS)[number]

/** Where a step stood, in terms that still mean something when others have moved things. */
export interface Whereabouts {
  /** Its parent, that one's parent and so on, as far as is remembered. */
  readonly above: readonly StepId[]
  /** The siblings before it, the nearest first. */
  readonly before: readonly StepId[]
  readonly isLast: boolean
}

/** A step as it was, to be put back. */
export interface StepState {
  readonly fields: StepFields & { readonly text: string }
  readonly createdBy: string
  readonly createdAt: number
}

/** What a change did to one step, so that it can be done again or taken back, field by field. */
export interface StepDelta {
  readonly id: StepId
  /** null: it was not there. */
  readonly before: StepState | null
  /** null: it was not there any more. */
  readonly after: StepState | null
  /** The fields that differ, if it was there before and after. */
  readonly fields: readonly Field[]
  /** Where it stood before and after, if it came, went or was moved. */
  readonly from: Whereabouts | null
  readonly to: Whereabouts | null
}

export interface GroupDelta {
  readonly id: GroupId
  readonly before: Omit<Group, 'id'> | null
  readonly after: Omit<Group, 'id'> | null
}

/** What one change did to a plan. It can be kept as JSON. */
export interface Footprint {
  readonly steps: readonly StepDelta[]
  readonly groups: readonly GroupDelta[]
  readonly title: readonly [before: string, after: string] | null
  /** The titles of all groups that the steps name. */
  readonly groupTitles: Readonly<Record<GroupId, string>>
}

/** Siblings, and steps above, that are remembered as anchors: one of them will still be there. */
const MOST_ANCHORS = 50

/** @param changes those between the two plans */
export function footprint(
  before: Plan,
  after: Plan,
  changes: readonly StepChange[] = changesBetween(before, after),
): Footprint {
  const whereBefore = locate(before)
  const whereAfter = locate(after)
  const steps = new Map<StepId, StepDelta>()
  for (const { id, before: was, after: is, moved } of changes) {
    const isPlaced = moved || was === null || is === null
    steps.set(id, {
      id,
      before: was && stateOf(was),
      after: is && stateOf(is),
      fields: was === null || is === null ? [] : FIELDS.filter((field) => differ(was, is, field)),
      from: isPlaced && was !== null ? whereBefore(was) : null,
      to: isPlaced && is !== null ? whereAfter(is) : null,
    })
  }
  // Those that climbed because their parent went are not among the changes, but belong below it again when it is back.
  for (const { id, after: is } of changes) {
    if (is !== null) continue
    for (const child of before.children(id)) {
      const was = before.step(child)
      const now = after.step(child)
      const delta = steps.get(child)
      if (was === undefined || now === undefined || (delta?.from ?? null) !== null) continue
      const state = { id: child, before: stateOf(was), after: stateOf(now), fields: delta?.fields ?? [] }
      steps.set(child, { ...state, from: whereBefore(was), to: whereAfter(now) })
    }
  }
  const deltas = [...steps.values()].filter(({ fields, from, to }) => fields.length > 0 || from !== null || to !== null)
  const named = new Set(deltas.flatMap((delta) => [delta.before?.fields.group, delta.after?.fields.group]))
  const groups = groupDeltas(before.groups, after.groups)
  for (const { id } of groups) named.add(id)
  const titles = [...before.groups, ...after.groups]
    .filter(({ id }) => named.has(id))
    .map(({ id, title }) => [id, title])
  return {
    steps: deltas,
    groups,
    title: before.title === after.title ? null : [before.title, after.title],
    groupTitles: Object.fromEntries(titles) as Record<GroupId, string>,
  }
}

export const isBlank = ({ steps, groups, title }: Footprint): boolean =>
  steps.length + groups.length === 0 && title === null

/** A field of a step as an operation would say it. */
export function fieldOf(step: Step, field: Field): StepFields[Field] {
  return field === 'dependencies' ? step.dependencies.map(target) : step[field]
}

const target = (one: Step['dependencies'][number]): DependencyTarget =>
  'step' in one ? { step: one.step } : { name: one.name }

export const isSameValue = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

export const differ = (a: Step, b: Step, field: Field): boolean =>
  a[field] !== b[field] && !isSameValue(fieldOf(a, field), fieldOf(b, field))

const stateOf = (step: Step): StepState => ({
  fields: {
    text: step.text,
    details: step.details,
    status: step.status,
    group: step.group,
    required: step.required,
    alias: step.alias,
    startedBy: step.startedBy,
    dependencies: step.dependencies.map(target),
  },
  createdBy: step.createdBy,
  createdAt: step.createdAt,
})

function locate(plan: Plan): (step: Step) => Whereabouts {
  const siblings = new Map<StepId | null, { ids: StepId[]; positions: Map<StepId, number> }>()
  return ({ id, parent }) => {
    const above: StepId[] = []
    for (let at = parent; at !== null && above.length < MOST_ANCHORS; at = plan.step(at)?.parent ?? null) above.push(at)
    let all = siblings.get(parent)
    if (all === undefined) {
      const ids = plan.children(parent)
      siblings.set(parent, (all = { ids, positions: new Map(ids.map((one, i) => [one, i])) }))
    }
    const position = all.positions.get(id) ?? 0
    const anchors = all.ids.slice(Math.max(0, position - MOST_ANCHORS), position).toReversed()
    return { above, before: anchors, isLast: position === all.ids.length - 1 }
  }
}

function groupDeltas(before: readonly Group[], after: readonly Group[]): GroupDelta[] {
  if (before === after) return []
  const was = new Map(before.map(({ id, ...rest }) => [id, rest]))
  const is = new Map(after.map(({ id, ...rest }) => [id, rest]))
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((id) => ({ id, before: was.get(id) ?? null, after: is.get(id) ?? null }))
    .filter((delta) => !isSameValue(delta.before, delta.after))
}
