import type { DependencyTarget } from '../../../shared/schema/plan.ts'
import type { Plan, PlanOperation, Step, StepId } from '../../sdk/index.ts'

/** Scripts that put no blanks between words. */
const WITHOUT_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Two texts as one: Enter took the blank between them away. */
export function joinTexts(first: string, second: string): string {
  const [a, b] = [first.trimEnd(), second.trimStart()]
  const isTight = a === '' || b === '' || WITHOUT_BLANKS.test(a.slice(-1)) || WITHOUT_BLANKS.test(b.slice(0, 1))
  return isTight ? a + b : `${a} ${b}`
}

/** Why a step cannot go into another one: there would be something of it that the other has no place for. */
export function whyNotMerged({ dependencies, claim, alias }: Step): string | null {
  if (dependencies.length > 0) return 'It waits for others, which would be lost. Nothing was merged.'
  if (claim !== null) return `${claim.holder} has claimed it. Nothing was merged.`
  return alias === null ? null : `An agent calls it “${alias}”. Nothing was merged.`
}

/** All but the text of what makes one step of two: what is below goes along, and what waits for it waits for the other. */
export function mergeSteps(plan: Plan, keep: Step, gone: Step): PlanOperation[] {
  const operations: PlanOperation[] = []
  if (gone.details !== '') {
    const details = keep.details === '' ? gone.details : `${keep.details}\n${gone.details}`
    operations.push({ type: 'setStep', id: keep.id, fields: { details } })
  }
  const children = plan.children(gone.id)
  if (children.length > 0) {
    const isBelow = gone.parent === keep.id
    // What was below a sub-step takes its place.
    const place = isBelow ? { parent: keep.id, after: before(plan, gone) } : { parent: keep.id }
    operations.push({ type: 'moveSteps', steps: children, ...place })
  }
  for (const { id, dependencies } of plan.steps) {
    if (!dependencies.some((one) => 'step' in one && one.step === gone.id)) continue
    const targets = dependencies.flatMap((one): DependencyTarget[] => {
      if ('name' in one) return [{ name: one.name }]
      if (one.step !== gone.id) return [{ step: one.step }]
      return id === keep.id ? [] : [{ step: keep.id }]
    })
    operations.push({ type: 'setStep', id, fields: { dependencies: targets } })
  }
  operations.push({ type: 'removeSteps', steps: [gone.id], subSteps: false })
  return operations
}

/** The sibling before a step. */
export function before(plan: Plan, { id, parent }: Step): StepId | null {
  const siblings = plan.children(parent)
  return siblings[siblings.indexOf(id) - 1] ?? null
}
