import { namedNumber } from '../../plan/numbers.ts'
import { taskName } from '../../plan/task-names.ts'
import type { Dialect } from '../dialect.ts'
import { quoted } from '../lines.ts'

const SHORT_NAME = /^task-~([A-Za-z0-9_-]{8})$/
const LOOSE_NUMBER = /^(?:task[-_ ]?)?([1-9][0-9]{0,6})$/i

export const names: Pick<Dialect, 'nameStep' | 'nameRemoved'> = {
  nameStep: (plan, id) => taskName(plan.step(id) ?? { id, number: null }),
  nameRemoved: ({ id, before }) => `${taskName(before ?? { id, number: null })} ${quoted(before?.text ?? '')}`,
}

/** The number that a name can only mean: `task-3`, `Task 3`, `3`; null if it is another name. */
export function numberIn(given: string): number | null {
  const digits = LOOSE_NUMBER.exec(given.trim())?.[1]
  return digits === undefined ? null : namedNumber(`task-${digits}`)
}

/** The beginning of an id in a name `task-~ab12cd34`, or null. */
export const shortIn = (given: string): string | null => SHORT_NAME.exec(given.trim())?.[1] ?? null
