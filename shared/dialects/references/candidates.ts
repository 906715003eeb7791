import type { Plan } from '../../plan/plan.ts'
import { MAX_CANDIDATES } from '../../schema/limits.ts'
import type { Step } from '../../schema/plan.ts'
import { cut, oneLine, quoted, some } from '../lines.ts'

/** How a step is called in the dialect of the caller. */
type NameOf = (step: Step) => string

/** `There are #1 "A", #2 "B".`: what a name that fits no step may have been meant for; '' in an empty plan. */
export function closest(given: string, plan: Plan, nameOf: NameOf): string {
  const steps = closestSteps(given, plan).map((step) => `${nameOf(step)} ${quoted(step.text)}`)
  return steps.length === 0 ? '' : `There ${steps.length === 1 ? 'is' : 'are'} ${steps.join(', ')}.`
}

/** A name that fits several steps, with their ids: these are never ambiguous. */
export function ambiguous(label: string, steps: readonly Step[], nameOf: NameOf): string {
  const listed = steps.map((step) => `${nameOf(step)} ${quoted(step.text)} with the id ${step.id}`)
  return `${label} could be ${some(listed, MAX_CANDIDATES)}. Say which by its id.`
}

/** A reference as it was given, for a sentence. */
export const shownName = (given: string | number): string =>
  /^[#\w.…-]{1,40}$/.test(String(given)) ? String(given) : `"${cut(oneLine(String(given)), 60)}"`

/** The likeliest first: by id, by text, by number, then what is open. */
function closestSteps(given: string, plan: Plan): Step[] {
  const wanted = given.trim().toLowerCase()
  const number = /^\D{0,6}(\d{1,9})$/.exec(wanted)?.[1]
  const looks: readonly ((step: Step) => boolean)[] = [
    // One or two characters begin some id by chance.
    ({ id }) => wanted.length > 2 && id.toLowerCase().startsWith(wanted),
    ({ text, alias }) => wanted.length > 1 && `${alias ?? ''} ${text}`.toLowerCase().includes(wanted),
    (step) => number !== undefined && step.number === Number(number),
    ({ status }) => status !== 'completed' && status !== 'cancelled',
    () => true,
  ]
  const found = new Set<Step>()
  for (const look of looks)
    for (const step of plan.steps) {
      if (found.size >= MAX_CANDIDATES) return [...found]
      if (look(step)) found.add(step)
    }
  return [...found]
}
