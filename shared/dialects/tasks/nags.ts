import type { StepId } from '../../schema/ids.ts'
import type { Step } from '../../schema/plan.ts'
import type { Plan } from '../../plan/plan.ts'
import { count, listed, quoted, some } from '../lines.ts'
import { toldSteps } from '../seen.ts'
import { dependencyName, taskName } from '../../plan/task-names.ts'
import { isTerminal, listedTasks, taskGroups, taskStatus, UNGROUPED } from './shape.ts'

/** Sub-steps named in one nag; the rest is counted. */
const MOST_NAMED = 10

/** `'a'`, `'a' and 'b'`, `'a', 'b', and 'c'`. */
export const quotedList = (tasks: readonly Step[]): string => listed(tasks.map((task) => `'${taskName(task)}'`))

/** What a task that was just started still waits for. */
export function waitingNags(plan: Plan, id: StepId): string[] {
  const task = plan.step(id)
  if (task === undefined) return []
  return task.dependencies.flatMap((dependency) => {
    const lead = `'${taskName(task)}' depends on '${dependencyName(plan, dependency)}' which`
    const target = 'step' in dependency ? plan.step(dependency.step) : undefined
    if (target === undefined) return [`${lead} no longer exists.`]
    return target.status === 'completed' ? [] : [`${lead} is still ${taskStatus(target)}.`]
  })
}

const dependsOn = (task: Step, id: StepId): boolean =>
  task.dependencies.some((dependency) => 'step' in dependency && dependency.step === id)

/** Which tasks still name one that was just removed. */
export function danglingNags(after: Plan, removed: readonly Step[]): string[] {
  const dependents = new Map<StepId, Step[]>(removed.map(({ id }) => [id, []]))
  for (const task of listedTasks(after))
    for (const dependency of task.dependencies) if ('step' in dependency) dependents.get(dependency.step)?.push(task)
  return removed.flatMap((gone) => {
    const tasks = dependents.get(gone.id) ?? []
    const lead = `'${taskName(gone)}' was removed but is still referenced as a dependency by`
    return tasks.length === 0 ? [] : [`${lead} ${quotedList(tasks)}.`]
  })
}

/** What was taken along with a task. */
export function alongNags(task: Step, subSteps: readonly Step[]): string[] {
  if (subSteps.length === 0) return []
  const told = some(
    subSteps.map((step) => `${taskName(step)} ${quoted(step.text)}`),
    MOST_NAMED,
  )
  return [`'${taskName(task)}' had ${count(subSteps.length, 'sub-step')}, removed with it: ${told}.`]
}

/** What was cleaned away, and what was not. */
export function cleanNags(tasks: number, groups: number, unseen: readonly Step[]): string[] {
  return [
    ...(tasks > 0 ? [`Removed ${tasks} completed or cancelled tasks.`] : []),
    ...(groups > 0 ? [`Removed ${count(groups, 'empty group')}.`] : []),
    ...(unseen.length > 0
      ? [`Kept ${count(unseen.length, 'task')} that you had not seen: ${toldSteps(unseen, taskName)}.`]
      : []),
  ]
}

/** Who waited for a task that was just crossed off. */
export function crossedOffNags(after: Plan, id: StepId): string[] {
  const task = after.step(id)
  if (task === undefined) return []
  return listedTasks(after)
    .filter((other) => !isTerminal(other) && dependsOn(other, id))
    .map((other) => `'${taskName(other)}' depends on '${taskName(task)}' which is now ${taskStatus(task)}.`)
}

/** What a listing advises, on the whole plan. */
export function listNags(plan: Plan): string[] {
  const groups = taskGroups(plan)
  const complete = groups.filter(
    ({ title, tasks, testsVerified }) =>
      title !== UNGROUPED && !testsVerified && tasks.length > 0 && tasks.every(isTerminal),
  )
  return [
    ...complete.map(
      ({ title }) =>
        `Group '${title}' is complete but tests have not been confirmed. Use VerifyGroup to confirm tests passed.`,
    ),
    ...groups
      .flatMap(({ tasks }) => tasks)
      .filter(({ status }) => status === 'blocked')
      .map((task) => `Task '${taskName(task)}' is marked blocked.`),
  ]
}
