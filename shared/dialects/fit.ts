import type { Plan } from '../plan/plan.ts'
import type { StepId } from '../schema/ids.ts'
import type { Step } from '../schema/plan.ts'
import type { Dialect } from './dialect.ts'

export interface Block {
  readonly text: string
  /** Steps that are only counted in it. */
  readonly folded: ReadonlySet<StepId>
}

/** Tokens that a text may come to at the most, by a cautious count: no tokenizer is asked. */
export function estimateTokens(text: string): number {
  let wide = 0
  for (const character of text) if (character > '\u007f') wide++
  return Math.ceil((text.length - wide) / 3 + wide * 1.5)
}

/**
 * The block for a prompt, folded until it fits: finished branches first, then open steps from the end of the plan.
 * What is in progress stays longest, and whatever stays has its ancestors with it. Equal plans give equal blocks.
 * @param maxTokens Infinity: everything is printed
 */
export function fitBlock(dialect: Dialect, plan: Plan, version: number, maxTokens = Infinity): Block {
  const print = (folded: ReadonlySet<StepId>): Block => ({ text: dialect.block(plan, version, folded), folded })
  const fits = ({ text }: Block): boolean => estimateTokens(text) <= maxTokens
  const whole = print(new Set())
  if (fits(whole)) return whole
  const finished = finishedBranches(plan)
  const open = plan.steps.filter(({ id }) => !finished.has(id))
  const wanted = [...open.filter(isActive), ...open.filter((step) => !isActive(step))]
  const showing = (count: number): Block => {
    const shown = withAncestors(plan, wanted.slice(0, count))
    return print(new Set(plan.steps.flatMap(({ id }) => (shown.has(id) ? [] : [id]))))
  }
  let least = 0
  let most = wanted.length
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (fits(showing(middle))) least = middle
    else most = middle - 1
  }
  return showing(least)
}

const isActive = ({ status }: Step): boolean => status === 'in_progress'
const isFinished = ({ status }: Step): boolean => status === 'completed' || status === 'cancelled'

/** Steps that are finished with all that is below them. */
function finishedBranches(plan: Plan): Set<StepId> {
  const open = withAncestors(
    plan,
    plan.steps.filter((step) => !isFinished(step)),
  )
  return new Set(plan.steps.flatMap(({ id }) => (open.has(id) ? [] : [id])))
}

function withAncestors(plan: Plan, steps: readonly Step[]): Set<StepId> {
  const found = new Set<StepId>()
  for (const { id, parent } of steps) {
    found.add(id)
    for (let at = parent; at !== null && !found.has(at); at = plan.step(at)?.parent ?? null) found.add(at)
  }
  return found
}

export const isFolded = (step: Step | undefined, folded: ReadonlySet<StepId> | undefined): boolean =>
  step !== undefined && folded?.has(step.id) === true

/** The line that says what was folded, if anything was. */
export function foldedNote(plan: Plan, folded: ReadonlySet<StepId> = new Set()): string[] {
  if (folded.size === 0) return []
  const finished = plan.steps.filter((step) => folded.has(step.id) && isFinished(step)).length
  const counts = [
    ...(finished > 0 ? [`${finished} finished`] : []),
    ...(folded.size > finished ? [`${folded.size - finished} open`] : []),
  ]
  return [`(not shown: ${counts.join(' and ')} ${folded.size === 1 ? 'step' : 'steps'})`]
}
