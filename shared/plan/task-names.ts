import type { StepId } from '../schema/ids.ts'
import type { Dependency, Step } from '../schema/plan.ts'
import { numberName } from './numbers.ts'
import type { Plan } from './plan.ts'

/** Characters of its id that name a step which the server has not numbered yet. */
const SHORT = 8

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
