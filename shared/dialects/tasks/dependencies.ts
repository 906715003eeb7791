import type { StepId } from '../../schema/ids.ts'
import type { DependencyTarget, Step } from '../../schema/plan.ts'
import { numberName } from '../../plan/numbers.ts'
import type { Plan } from '../../plan/plan.ts'
import { dependentsOf } from '../../plan/waiting.ts'
import type { CallContext, Refusal } from '../dialect.ts'
import { quoted } from '../lines.ts'
import { taskName } from '../../plan/task-names.ts'
import { numberIn } from './names.ts'
import { resolveTask } from './references.ts'

/** What a task is to wait for, as it was given and as it is stored. */
interface GivenDependency {
  /** As it is printed. */
  readonly name: string
  readonly target: DependencyTarget
}

interface GivenDependencies {
  readonly list: readonly GivenDependency[]
  readonly notes: readonly string[]
}

/** Reads a list of names. What does not exist is kept by its name; what was removed meanwhile is kept as that step. */
export function readDependencies(
  given: readonly string[],
  rev: number | undefined,
  context: CallContext,
): GivenDependencies | Refusal {
  const byKey = new Map<string, GivenDependency>()
  const notes: string[] = []
  for (const name of given.flatMap(splitNames)) {
    if (name === '') {
      notes.push('depends_on: a blank name was left out')
      continue
    }
    const reference = resolveTask(name, rev, context, 'change')
    if ('refused' in reference) return reference
    const { step, gone, note } = reference
    if (note !== null) notes.push(note)
    const id = step?.id ?? gone ?? removedNamed(reference.name, context.plan)
    const target = id === null ? { name: reference.name } : { step: id }
    const key = id ?? `=${reference.name}`
    const taken = id === null ? numberTakenBy(reference.name, context.plan) : undefined
    if (taken !== undefined)
      return {
        refused: `${note ?? `${reference.name} was not there`} and is now ${quoted(taken.text)}. Nothing was changed. List first.`,
      }
    if (!byKey.has(key)) byKey.set(key, { name: reference.name, target })
  }
  return { list: [...byKey.values()], notes: [...new Set(notes)] }
}

/** `task-1, task-2` in one string are two names; anything else may be a name as it is. */
function splitNames(given: string): string[] {
  const parts = given.split(',').map((part) => part.trim())
  return parts.length > 1 && parts.every((part) => numberIn(part) !== null) ? parts : [given.trim()]
}

/** The removed step that others still depend on by this name: its number is not given again. */
function removedNamed(name: string, { removedNumbers }: Plan): StepId | null {
  for (const [id, number] of removedNumbers) if (numberName(number) === name) return id
  return null
}

/** A name would bind to whoever has that number, though the caller cannot have meant it. */
const numberTakenBy = (name: string, plan: Plan): Step | undefined =>
  plan.steps.find((step) => step.number !== null && taskName(step) === name)

const selfReference = (name: string): string => `Dependency '${name}' is a self-reference.`
const doesNotExist = (name: string): string => `Dependency '${name}' does not exist in the task list.`
const wouldCircle = (name: string): string => `Dependency '${name}' would create a circular dependency chain.`

/** Nags on the dependencies of a task that was just added. Its own number is only known now. */
export function addedNags(dependencies: readonly GivenDependency[], id: StepId, after: Plan): string[] {
  const task = after.step(id)
  return dependencies.flatMap(({ name, target }) => {
    if (task !== undefined && taskName(task) === name) return [selfReference(name)]
    return 'step' in target && after.step(target.step) !== undefined ? [] : [doesNotExist(name)]
  })
}

/** Nags on dependencies that a task is given; cycles are looked for in the plan as it was. */
export function editedNags(dependencies: readonly GivenDependency[], task: Step, before: Plan): string[] {
  const waiting = dependentsOf(task.id, before)
  return dependencies.flatMap(({ name, target }) => {
    if (!('step' in target) || before.step(target.step) === undefined) return [doesNotExist(name)]
    if (target.step === task.id) return [selfReference(name)]
    return waiting.has(target.step) ? [wouldCircle(name)] : []
  })
}
