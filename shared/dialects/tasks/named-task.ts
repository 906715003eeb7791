import type { Plan } from '../../plan/plan.ts'
import type { Step } from '../../schema/plan.ts'
import type { CallContext, JsonObject, Refusal } from '../dialect.ts'
import { closest } from '../references/candidates.ts'
import { needs } from './arguments.ts'
import { taskName } from '../../plan/task-names.ts'
import type { TaskReference } from './references.ts'
import { resolveTask } from './references.ts'

/**
 * The task that a change is about.
 * @param example a call that works, for one that names no task
 */
export function namedTask(
  given: string | number | undefined,
  example: JsonObject,
  rev: number | undefined,
  context: CallContext,
): Step | Refusal {
  if (given === undefined || String(given).trim() === '') return needs('The id of the task is missing.', example)
  const reference = resolveTask(given, rev, context, 'change')
  if ('refused' in reference) return reference
  const { step, name } = reference
  if (step !== null) return step
  return {
    refused: `Task '${name}' does not exist. Use List to see available tasks.`,
    notes: notesOnUnknown(reference, context.plan),
  }
}

/** What is known of a name that fits no task: that it was removed, or else which there are. */
export function notesOnUnknown({ name, note }: TaskReference, plan: Plan): string[] {
  const told = note ?? closest(name, plan, taskName)
  return told === '' ? [] : [told]
}
