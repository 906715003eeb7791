import type { StepId } from '../../schema/ids.ts'
import type { Dependency, Step } from '../../schema/plan.ts'
import { namedNumber, numberName } from '../../plan/numbers.ts'
import type { Plan } from '../../plan/plan.ts'
import type { Dialect } from '../dialect.ts'
import { quoted } from '../lines.ts'

/** Characters of its id that name a step which the server has not numbered yet. */
const SHORT = 8
const SHORT_NAME = /^task-~([A-Za-z0-9_-]{8})$/
const LOOSE_NUMBER = /^(?:task[-_ ]?)?([1-9][0-9]{0,6})$/i

const shortName = (id: StepId): string => `task-~${id.slice(0, SHORT)}`

/** `task-7`, or `task-~ab12cd34` for a step without a number. */
export const taskName = ({ id, number }: Pick<Step, 'id' | 'number'>): string =>
  number === null ? shortName(id) : numberName(number)

/** The name of what a step waits for, living, removed or never there. */
export function dependencyName(plan: Plan, dependency: Dependency): string {
  if ('name' in dependency) return dependency.name
  const step = plan.step(dependency.step)
  if (step !== undefined) return taskName(step)
  const number = plan.removedNumbers.get(dependency.step)
  return number === undefined ? shortName(dependency.step) : numberName(number)
}

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
