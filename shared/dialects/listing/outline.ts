import type { Plan } from '../../plan/plan.ts'
import type { Step } from '../../schema/plan.ts'
import type { Prints, Refusal } from '../dialect.ts'
import { count, outlineLines } from '../lines.ts'
import type { Narrowing } from './narrowing.ts'
import { isFirstPage, isNarrowed } from './narrowing.ts'
import { pageOf } from './page.ts'

interface Listed {
  readonly lines: readonly string[]
  readonly prints: Prints
  /** What `cursor` takes to go on, or null at the end. */
  readonly next: string | null
}

/** Lines of an outline, and one at the end that says what is not shown and how to see it. */
export function listedOutline(plan: Plan, steps: readonly Step[], given: Narrowing): Listed | Refusal {
  const all = outlineLines(plan)
  const lineOf = ({ id }: Step): string => all[(plan.placeOf(id) ?? 0) - 1] ?? ''
  const page = pageOf(steps, given, (step) => lineOf(step).length + 1)
  if ('refused' in page) return page
  const { shown, rest, next } = page
  const lines = shown.map(lineOf)
  const isPart = isNarrowed(given)
  if (next !== null)
    lines.push(
      `(not shown: ${count(rest, 'more step')}; list_todos with cursor "${next}" goes on; parent, status and query narrow it)`,
    )
  else if (isPart && plan.steps.length > 0)
    lines.push(`(shown: ${shown.length} of ${count(plan.steps.length, 'step')})`)
  const prints: Prints =
    shown.length === plan.steps.length
      ? 'plan'
      : { printed: shown.map(({ id }) => id), isListing: isFirstPage(given), isWhole: !isPart, places: true }
  return { lines, prints, next }
}
