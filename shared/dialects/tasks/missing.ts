import type { Dependency, Step } from '../../schema/plan.ts'
import type { Plan } from '../../plan/plan.ts'
import type { CallContext, Refusal } from '../dialect.ts'
import { actorName, quoted } from '../lines.ts'
import { seenAmong } from '../seen.ts'
import { dependencyName, taskName } from '../../plan/task-names.ts'
import { isTerminal } from './shape.ts'

/** Whether what a task waits for was removed; a name that fits nothing yet may still come to fit. */
export const isRemoved = (plan: Plan, dependency: Dependency): boolean =>
  'step' in dependency && plan.step(dependency.step) === undefined

/** Whether anybody but the caller has a part in the plan: where nobody has, replies are as published. */
function isShared({ plan, history, actor }: CallContext): boolean {
  const isOthers = (name: string): boolean => name !== '' && name !== actor.name
  return (
    (history.since(history.start) ?? []).some((entry) => entry.actor.id !== actor.id) ||
    plan.steps.some(({ createdBy, updatedBy }) => isOthers(createdBy) || isOthers(updatedBy))
  )
}

/** On a plan of several: which of some tasks wait for what was removed. Who removed it alone was told at once. */
export function missingNags(context: CallContext, tasks: readonly Step[]): string[] {
  const { plan } = context
  const nags = tasks.flatMap((task) =>
    isTerminal(task)
      ? []
      : task.dependencies.flatMap((one) =>
          isRemoved(plan, one)
            ? [`'${taskName(task)}' depends on '${dependencyName(plan, one)}' which no longer exists.`]
            : [],
        ),
  )
  return nags.length > 0 && isShared(context) ? nags : []
}

/** Nobody starts a task without what somebody else has taken away from before it, unless it knows that it is gone. */
export function removedUnseen(task: Step, context: CallContext): Refusal | null {
  const { plan } = context
  const removed = task.dependencies.flatMap((one) => ('step' in one && isRemoved(plan, one) ? [one] : []))
  const steps = seenAmong(
    removed.map(({ step }) => step),
    context,
  )
  for (const one of removed) {
    const seen = steps.get(one.step)
    if (seen === undefined) continue
    const name = `'${dependencyName(plan, one)}' ${quoted(seen.text)}`
    const what = `'${taskName(task)}' depends on ${name}, which ${removerOf(one.step, context)} has removed since you last looked.`
    return {
      refused:
        `${what} Nothing was changed. Make sure that it is done or not needed: List first; Start then goes ahead ` +
        'without it. plan_todo_edit sets what it depends on.',
    }
  }
  return null
}

function removerOf(id: Step['id'], { history, actor }: CallContext): string {
  const removal = history.removals.get(id)
  return removal === undefined || removal.actor.id === actor.id ? 'somebody' : actorName(removal.actor)
}
