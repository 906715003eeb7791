import type { Plan } from '../../plan/plan.ts'
import type { StepId } from '../../schema/ids.ts'
import { MAX_LISTING } from '../../schema/limits.ts'
import type { Step } from '../../schema/plan.ts'
import type { Prints } from '../dialect.ts'
import { pageOf } from '../listing/page.ts'
import { listedTasks, taskJson } from './shape.ts'

/** Characters of a task in a reply. */
export const sizeIn =
  (plan: Plan) =>
  (task: Step): number =>
    JSON.stringify(taskJson(plan, task)).length + 1

/** What the whole list shows where it is longer than one reply. */
interface Excerpt {
  readonly ids: readonly StepId[]
  readonly rest: number
  /** What `cursor` takes for the first that is not shown. */
  readonly next: string
}

/** The first tasks, and those that the reply is about; null where all fit. */
export function excerptOf(plan: Plan, about: readonly StepId[]): Excerpt | null {
  const tasks = listedTasks(plan)
  const page = pageOf(tasks, {}, sizeIn(plan))
  if ('refused' in page || page.next === null) return null
  const ids = [...new Set([...page.shown.map(({ id }) => id), ...about.filter((id) => plan.step(id) !== undefined)])]
  return { ids, rest: tasks.length - ids.length, next: page.next }
}

/** What a reply to a change shows of the plan. */
export function printedAfter(plan: Plan, about: readonly StepId[]): Prints {
  const excerpt = excerptOf(plan, about)
  return excerpt === null ? 'plan' : { printed: excerpt.ids, isListing: false, isWhole: false, places: false }
}

/** How to see what is not shown. */
export const foldedNag = (rest: number, total: number, next: string): string =>
  `Not shown: ${rest} of ${total} tasks. plan_todo_read List with cursor "${next}" goes on; group, status, parent and query narrow it.`

/** Groups without tasks: their titles alone may be more than a reply holds. */
export function fewEmpty<Group extends { readonly title: string; readonly tasks: readonly Step[] }>(
  groups: readonly Group[],
): { groups: readonly Group[]; left: number } {
  let size = 0
  const shown = groups.filter(({ title, tasks }) => tasks.length > 0 || (size += title.length + 40) <= MAX_LISTING)
  return { groups: shown, left: groups.length - shown.length }
}
