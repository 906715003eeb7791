import type { StepId } from '../../schema/ids.ts'
import type { PlanOperation } from '../../schema/operation.ts'
import type { Status, Step } from '../../schema/plan.ts'
import type { CallContext } from '../dialect.ts'
import { some } from '../lines.ts'
import { starterOf } from '../starter.ts'

/** A step that a call names, and how it is called in the reply. */
interface Target {
  readonly label: string
  readonly step: Step
}

/** A state in the words of this tool set. */
export const wordOf = (status: Status): string => (status === 'completed' ? 'done' : status)

const isClosed = (status: Status): boolean => status === 'completed' || status === 'cancelled'

/**
 * What brings steps to a state that a call names, instead of turning them over. What somebody else has closed meanwhile
 * is not opened by who does not know of it.
 * @param seen the status that the caller last saw
 * @param setters who set the present one
 */
export function statusOperations(
  status: Status,
  targets: readonly Target[],
  seen: (step: Step) => Status,
  setters: ReadonlyMap<StepId, string>,
  { actor }: CallContext,
): { operations: readonly PlanOperation[]; notes: readonly string[]; changed: readonly Target[] } {
  const there = targets.filter(({ step }) => step.status === status)
  const closed = targets.filter(({ step }) => isClosed(step.status) && !isClosed(status) && seen(step) !== step.status)
  const changed = targets.filter((target) => !there.includes(target) && !closed.includes(target))
  const fields = { status, ...(status === 'in_progress' ? { startedBy: starterOf(actor) } : {}) }
  const already = some(
    there.map(({ label }) => label),
    20,
  )
  return {
    operations: changed.map(({ step: { id } }) => ({ type: 'setStep', id, fields })),
    notes: [
      ...(there.length === 0 ? [] : [`${already} ${there.length === 1 ? 'was' : 'were'} ${wordOf(status)} already`]),
      ...closed.map(({ label, step }) => {
        const setter = setters.get(step.id) ?? 'somebody'
        return `${label} stays ${step.status}: ${setter} set that since you looked. List first to open it again`
      }),
    ],
    changed,
  }
}
