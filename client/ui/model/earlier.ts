import type { Plan, PlanOperation, Step, StepId } from '../../sdk/index.ts'
import type { VersionChange } from './api.ts'
import { targetsOf } from './waits.ts'

/** What people look at in a step, and what a look back can bring back. */
const FIELDS = ['text', 'details', 'status', 'group', 'required'] as const
type Field = (typeof FIELDS)[number]

/** The fields that a change gave another value. */
export const changedFields = ({ before, after }: VersionChange): Field[] =>
  before === null || after === null ? [] : FIELDS.filter((field) => before[field] !== after[field])

/**
 * What brings a step back to what it was before a change; null if there is nothing to bring back, or it is so already.
 * @param all of the version: what was removed together comes back together
 */
export function restoring(plan: Plan, change: VersionChange, all: readonly VersionChange[]): PlanOperation[] | null {
  const { id, before, after } = change
  if (before === null) return null
  if (after === null) return plan.step(id) === undefined ? [restoreRemoved(plan, before, all)] : null
  const now = plan.step(id)
  if (now === undefined) return null
  const fields = Object.fromEntries(
    changedFields(change)
      .filter((field) => now[field] !== before[field] && (field !== 'group' || isThere(plan, before)))
      .map((field) => [field, before[field]]),
  )
  return Object.keys(fields).length === 0 ? null : [{ type: 'setStep', id, fields }]
}

const isThere = (plan: Plan, { group }: Step): boolean => group === null || plan.groups.some(({ id }) => id === group)

/** The step and all that was removed below it, in the order in which they stood. */
function restoreRemoved(plan: Plan, root: Step, all: readonly VersionChange[]): PlanOperation {
  const back = new Set<StepId>([root.id])
  const steps = all.flatMap(({ before, after }) => (before !== null && after === null ? [before] : []))
  for (const step of steps) if (step.parent !== null && back.has(step.parent)) back.add(step.id)
  return {
    type: 'restoreSteps',
    steps: steps
      .filter(({ id }) => back.has(id) && plan.step(id) === undefined)
      .map((step) => {
        const { id, text, details, status, required, alias, startedBy, createdBy, createdAt } = step
        const dependencies = targetsOf(step.dependencies)
        const group = isThere(plan, step) ? step.group : null
        const isPlaced = step.parent !== null && (back.has(step.parent) || plan.step(step.parent) !== undefined)
        const fields = { text, details, status, required, alias, startedBy, dependencies, group }
        return { id, parent: isPlaced ? step.parent : null, fields, createdBy, createdAt }
      }),
  }
}
