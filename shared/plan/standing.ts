import type { Group, Step } from '../schema/plan.ts'
import type { FoldedGroup, FoldedStep } from './document.ts'
import { dependencyField, isDependencyField } from './document.ts'

/** What a step reads as where no patch says anything. */
const DEFAULTS: FoldedStep = {
  details: '',
  status: 'pending',
  parent: '',
  group: '',
  required: false,
  alias: '',
  startedBy: '',
  claim: null,
}

/** A field of a step, as a patch would say it. */
export function standing(step: Step | undefined, key: keyof FoldedStep): unknown {
  if (isDependencyField(key)) return step?.dependencies.find((one) => dependencyField(one) === key)?.rank ?? null
  const value: unknown = step === undefined ? undefined : Reflect.get(step, key)
  return value ?? DEFAULTS[key]
}

/** Whether two values of a field are the same; claims are objects. */
export const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))

/** What a group is told that it is not already. */
export function changedGroup(fields: FoldedGroup, before: Group | undefined): FoldedGroup {
  if (fields.removed === true) return before === undefined ? {} : { removed: true }
  if (before === undefined) return fields
  const changed = Object.entries(fields).filter(
    ([key, value]) => key !== 'removed' && Reflect.get(before, key) !== value,
  )
  return Object.fromEntries(changed)
}
