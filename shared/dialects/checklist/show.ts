import type { StepId } from '../../schema/ids.ts'
import type { Status, Step } from '../../schema/plan.ts'
import type { Plan } from '../../plan/plan.ts'
import { progressOf } from '../../plan/progress.ts'
import { foldedNote, isFolded } from '../fit.ts'
import { oneLine } from '../lines.ts'

/** A step as read_todos shows it. Its keys stand in this order. */
export type Todo = {
  readonly content: string
  readonly status: Status
  readonly description?: string
  readonly id: string
  readonly required: boolean
  readonly updated_by?: string
  /** ISO 8601, UTC. */
  readonly updated_at: string
}

const NUMBERED = /^(?:t|task-|#)?(\d+)$/

/** The place that an id numbers, or null for a lasting name. */
export function numberedPlace(id: string): number | null {
  const digits = NUMBERED.exec(id)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** `t` and the place in the pre-order, unless a caller gave a lasting name. */
export const todoId = ({ alias }: Step, place: number | null): string =>
  alias === null || numberedPlace(alias) !== null ? `t${place ?? '?'}` : alias

export const todoOf = (step: Step, place: number): Todo => ({
  content: step.text,
  status: step.status,
  ...(step.details === '' ? {} : { description: step.details }),
  id: todoId(step, place),
  required: step.required,
  ...(step.updatedBy === '' ? {} : { updated_by: step.updatedBy }),
  updated_at: isoTime(step.updatedAt),
})

export const todosOf = (plan: Plan): Todo[] => plan.steps.map((step, i) => todoOf(step, i + 1))

/** Some of them, in the order in which they are named. */
export const todosAmong = (plan: Plan, ids: readonly StepId[]): Todo[] =>
  ids.flatMap((id) => {
    const step = plan.step(id)
    return step === undefined ? [] : [todoOf(step, plan.placeOf(id) ?? 0)]
  })

/** The time is the writer's claim, so it may be anything. */
function isoTime(at: number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString()
}

export const versionName = (version: number | null): string => `v${version ?? '?'}`

/** The block for a prompt; '' for an empty plan. */
export function statusText(plan: Plan, version: number | null, folded?: ReadonlySet<StepId>): string {
  if (plan.steps.length === 0) return ''
  const { completed, total, blocked } = progressOf(plan.steps)
  const lines = plan.steps.flatMap((step, i) => {
    if (isFolded(step, folded)) return []
    const mark = step.status === 'completed' ? 'done' : step.status
    const required = step.required ? ' (required)' : ''
    const details = step.details === '' ? '' : ` — ${oneLine(step.details)}`
    const by = step.updatedBy === '' ? '' : ` @${oneLine(step.updatedBy)}`
    return [`  ${oneLine(todoId(step, i + 1))} [${mark}] ${oneLine(step.text)}${required}${details}${by}`]
  })
  const end = `Progress: ${completed}/${total} completed${blocked > 0 ? `, ${blocked} blocked` : ''}.`
  return [
    `Current tasks (${versionName(version)}):`,
    ...lines,
    ...foldedNote(plan, folded).map((note) => `  ${note}`),
    '',
    end,
  ].join('\n')
}

/** Lines for steps that stay; the rest is counted. */
const MOST_KEPT = 20
const KEPT = 'Kept, as you never listed them. List a step once to take it over; left out after that, it is removed.'

/**
 * What a write did, a line a step.
 * @param kept steps that stay although the list does not hold them
 * @param isStrange whether the caller never had a step in a list of its own
 */
export function changeLines(
  before: Plan,
  after: Plan,
  kept: ReadonlySet<StepId>,
  isStrange: (id: StepId) => boolean,
): string[] {
  const { former, gone } = pairUp(before, after)
  const lines: string[] = []
  for (const step of after.steps) {
    const was = former.get(step.id)
    if (was === undefined) lines.push(`  + ${oneLine(step.text)} [${step.status}]`)
    else if (was.status !== step.status) lines.push(`  ~ ${oneLine(step.text)} [${was.status} -> ${step.status}]`)
  }
  for (const step of gone) lines.push(`  - ${oneLine(step.text)}`)
  const stays = after.steps.filter(({ id }) => kept.has(id))
  for (const step of stays.slice(0, MOST_KEPT)) lines.push(`  = ${oneLine(step.text)} [${step.status}]`)
  if (stays.length > MOST_KEPT) lines.push(`  = and ${stays.length - MOST_KEPT} more: read_todos shows them`)
  if (stays.some(({ id }) => isStrange(id))) lines.push(KEPT)
  return lines
}

/** Pairs steps of equal content: the same step where there is one, else the first of those that are left. */
function pairUp(before: Plan, after: Plan): { former: Map<StepId, Step>; gone: Iterable<Step> } {
  const former = new Map<StepId, Step>()
  const left = new Set<Step>()
  for (const step of before.steps) {
    if (after.step(step.id)?.text === step.text) former.set(step.id, step)
    else left.add(step)
  }
  const byContent = new Map<string, Step[]>()
  for (const step of left) {
    const equals = byContent.get(step.text)
    if (equals === undefined) byContent.set(step.text, [step])
    else equals.push(step)
  }
  for (const step of after.steps) {
    const was = former.has(step.id) ? undefined : byContent.get(step.text)?.shift()
    if (was === undefined) continue
    former.set(step.id, was)
    left.delete(was)
  }
  return { former, gone: left }
}

const VERIFIES = /verify|test|check/

/** Whether everything is done and nothing in the list speaks of checking it. */
export function needsVerifying(plan: Plan): boolean {
  const { completed, total } = progressOf(plan.steps)
  return total > 0 && completed === total && !plan.steps.some((step) => VERIFIES.test(step.text.toLowerCase()))
}
