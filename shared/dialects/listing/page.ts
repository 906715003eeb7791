import { MAX_LISTING } from '../../schema/limits.ts'
import type { StepId } from '../../schema/ids.ts'
import type { Step } from '../../schema/plan.ts'
import type { Refusal } from '../dialect.ts'
import { cut, oneLine } from '../lines.ts'
import type { Narrowing } from './narrowing.ts'

/** A part of a listing. */
export interface Page {
  readonly shown: readonly Step[]
  /** How many there are behind it. */
  readonly rest: number
  /** What `cursor` takes for these, or null where there are none. */
  readonly next: string | null
}

const CURSOR = /^(\d{1,6})~([A-Za-z0-9_-]{8,40})$/

/**
 * As many steps as are asked for and as one reply holds, behind the cursor.
 * @param sizeOf characters that a step takes in the reply
 * @returns a refusal for a cursor that no listing gave
 */
export function pageOf(
  steps: readonly Step[],
  { limit = Infinity, cursor }: Pick<Narrowing, 'limit' | 'cursor'>,
  sizeOf: (step: Step) => number,
): Page | Refusal {
  const start = startOf(steps, cursor)
  if (start === null) {
    const given = cut(oneLine(cursor ?? ''), 60)
    return { refused: `cursor is "${given}", which no listing ended with. Leave it out to begin with the first step.` }
  }
  let end = start
  let size = 0
  for (; end < steps.length && end - start < limit; end++) {
    size += sizeOf(steps[end] as Step)
    if (size > MAX_LISTING && end > start) break
  }
  const shown = steps.slice(start, end)
  const last = shown.at(-1)
  const rest = steps.length - end
  return { shown, rest, next: last === undefined || rest === 0 ? null : cursorBehind(end, last.id) }
}

/** The place counts where the step is gone by then. */
const cursorBehind = (place: number, last: StepId): string => `${place}~${last}`

function startOf(steps: readonly Step[], cursor = ''): number | null {
  if (cursor.trim() === '') return 0
  const [, place, last] = CURSOR.exec(cursor.trim()) ?? []
  if (last === undefined) return null
  const at = steps.findIndex(({ id }) => id === last)
  return at >= 0 ? at + 1 : Math.min(Number(place), steps.length)
}
