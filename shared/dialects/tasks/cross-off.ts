import { z } from 'zod'
import { defineTool } from '../dialect.ts'
import { reasoning, rev } from '../parameters.ts'
import { kindOf } from '../reading/names.ts'
import type { Reading } from '../reading/reading.ts'
import { stateIn } from '../reading/state.ts'
import { rewrap, taskId } from './arguments.ts'
import { crossedOffNags } from './nags.ts'
import { taskName } from '../../plan/task-names.ts'
import { namedTask } from './named-task.ts'
import type { Answer } from './reply.ts'
import { changed, render } from './reply.ts'

const TYPES = ['Complete', 'Cancel'] as const
const EXAMPLE = { action: { type: 'Complete', id: 'task-1' } }

/** A state that is sent says what the type says. */
function typeOfState(fields: Record<string, unknown>, reading: Reading): void {
  const status = stateIn(fields, 'action', reading)
  for (const key of Object.keys(fields))
    if (['word', 'flag'].includes(kindOf(key) ?? '')) Reflect.deleteProperty(fields, key)
  if (status === undefined) return
  const said = status === 'completed' ? 'Complete' : status === 'cancelled' ? 'Cancel' : null
  if (said === null)
    reading.problems.push('a task is only completed or cancelled here; Start of plan_todo_write opens it')
  else if (fields['type'] !== undefined && fields['type'] !== said)
    reading.problems.push(`the type and the state of action contradict each other: the state says ${said}`)
  else fields['type'] = said
}

export const crossOff = defineTool({
  name: 'plan_todo_cross_off',
  title: 'Complete or cancel a task',
  description:
    'Crosses a task off: Complete when it is done, Cancel when it will not be done. It may be pending or in progress; what ' +
    'is completed or cancelled already is refused. The reply holds the whole list and advice (nags) on what depends on it.',
  parameters: z.object({
    action: z
      .object({
        type: z.enum(TYPES).describe('How it ended.'),
        id: taskId.optional().describe('The id of the task, such as task-3.'),
      })
      .describe('The action.'),
    rev,
    action_and_reasoning: reasoning,
  }),
  example: EXAMPLE,
  effects: { readOnly: false, destructive: false, idempotent: false },
  printsPlan: true,
  reshape: rewrap({
    field: 'action',
    types: {
      names: TYPES,
      synonyms: { completed: 'Complete', done: 'Complete', cancelled: 'Cancel', canceled: 'Cancel' },
    },
    inside: typeOfState,
  }),
  decide: ({ action: { type, id: given }, rev: at }, context): Answer => {
    const task = namedTask(given, EXAMPLE, at, context)
    if ('refused' in task) return task
    const { id, status } = task
    if (status === 'completed' || status === 'cancelled')
      return { refused: `Task '${taskName(task)}' is already ${status}.` }
    const after = type === 'Complete' ? 'completed' : 'cancelled'
    return changed(context, [{ type: 'setStep', id, fields: { status: after } }], [], (plan) =>
      crossedOffNags(plan, id),
    )
  },
  render,
})
