import type { GroupPatch, StepPatch } from './document.ts'
import { fieldsOf, isDependencyField } from './document.ts'
import type { Plan } from './plan.ts'

/** What the document holds of a step or a group besides its texts, about, in bytes. */
const BYTES_BESIDE = 150
const BYTES_OF_DEPENDENCY = 50

/** What is about to be written. */
export interface Writing {
  readonly patches: readonly StepPatch[]
  readonly groups: readonly GroupPatch[]
  readonly title: string | null
}

/**
 * How many bytes larger a plan becomes, about; not above 0 for what takes away, shortens, or only says how a step stands.
 * A plan that is full still takes that.
 */
export function growthOf({ patches, groups, title }: Writing, plan: Plan): number {
  let growth = title === null ? 0 : bytes(title) - bytes(plan.title)
  for (const patch of patches) growth += growthOfStep(patch, plan)
  const titles = new Map(plan.groups.map((group) => [group.id, group.title]))
  for (const group of groups) {
    const before = titles.get(group.id)
    if (group.removed === true) growth -= before === undefined ? 0 : bytes(before)
    else if (before === undefined) growth += BYTES_BESIDE + bytes(group.title)
    else if (group.title !== undefined) growth += bytes(group.title) - bytes(before)
  }
  return growth
}

function growthOfStep(patch: StepPatch, plan: Plan): number {
  const step = plan.step(patch.id)
  if (patch.removed === true) return step === undefined ? 0 : -bytes(step.text) - bytes(step.details) - 1
  let growth = step === undefined ? BYTES_BESIDE : 0
  if (patch.text !== undefined) growth += bytes(patch.text) - bytes(step?.text)
  if (patch.details !== undefined) growth += bytes(patch.details) - bytes(step?.details)
  if (patch.alias !== undefined) growth += bytes(patch.alias) - bytes(step?.alias ?? '')
  for (const field of fieldsOf(patch)) {
    if (isDependencyField(field)) growth += patch[field] === null ? -BYTES_OF_DEPENDENCY : BYTES_OF_DEPENDENCY
  }
  return growth
}

/** Bytes in UTF-8, without making them: this runs in browsers too. */
function bytes(text = ''): number {
  let count = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 0x7f) count += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1
  }
  return count
}
