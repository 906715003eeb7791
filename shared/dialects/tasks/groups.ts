import type { GroupId } from '../../schema/ids.ts'
import type { PlanOperation } from '../../schema/operation.ts'
import type { CallContext } from '../dialect.ts'
import { visible } from '../visible.ts'
import { UNGROUPED } from './shape.ts'

interface NamedGroup {
  readonly id: GroupId
  /** What makes it be there. */
  readonly operations: readonly PlanOperation[]
}

/** Whether a title is one that was given: as it is stored, or as it was shown. */
export const isTitled = ({ title }: { readonly title: string }, given: string): boolean =>
  title === given || visible(title) === given

/** The group with this title, made if it is new; `Ungrouped` takes in the steps that have none. */
export function groupNamed(title: string, { plan, newGroupId }: CallContext): NamedGroup {
  const known = plan.groups.find((group) => isTitled(group, title))
  const id = known?.id ?? newGroupId()
  const made: PlanOperation[] = known === undefined ? [{ type: 'addGroup', id, title }] : []
  if (title !== UNGROUPED) return { id, operations: made }
  const loose = plan.steps.filter((step) => step.parent === null && step.group === null)
  const taken = loose.map((step): PlanOperation => ({ type: 'setStep', id: step.id, fields: { group: id } }))
  return { id, operations: [...made, ...taken] }
}
