import type { Step } from '../../schema/plan.ts'
import type { CallContext, JsonObject, Refusal } from '../dialect.ts'
import { needs } from './arguments.ts'
import { resolveTask } from './references.ts'

/**
 * The task that a change is about.
 * @param example a call that works, for one that names no task
 */
export function namedTask(
  given: string | undefined,
  example: JsonObject,
  rev: number | undefined,
  context: CallContext,
): Step | Refusal {
  if (given === undefined || given.trim() === '') return needs('The id of the task is missing.', example)
  const reference = resolveTask(given, rev, context, 'change')
  if ('refused' in reference) return reference
  const { step, name, note } = reference
  if (step !== null) return step
  return {
    refused: `Task '${name}' does not exist. Use List to see available tasks.`,
    ...(note === null ? {} : { notes: [note] }),
  }
}
