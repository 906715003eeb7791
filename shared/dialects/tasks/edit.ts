import { z } from 'zod'
import type { PlanOperation } from '../../schema/operation.ts'
import { defineTool } from '../dialect.ts'
import { isBlank } from '../lines.ts'
import { leniently, reasoning, rev, saidStatus } from '../parameters.ts'
import {
  BLANK_DESCRIPTION,
  dependsOnList,
  description,
  groupTitle,
  needs,
  renameText,
  rewrap,
  taskId,
} from './arguments.ts'
import { editedNags, readDependencies } from './dependencies.ts'
import { groupNamed, isTitled } from './groups.ts'
import { namedTask } from './named-task.ts'
import { taskName } from '../../plan/task-names.ts'
import type { Answer } from './reply.ts'
import { changed, render } from './reply.ts'
import { SHOWN, taskGroups, taskStatus } from './shape.ts'

const STATE = 'plan_todo_cross_off completes or cancels a task, Start of plan_todo_write opens it'
const EXAMPLE = { edit: { id: 'task-1', description: 'Write the parser for dates' } }

export const edit = defineTool({
  name: 'plan_todo_edit',
  title: 'Edit a task',
  description:
    'Changes a task: only the fields that are given; its status and its id stay. A new group moves it to the end of that ' +
    'group, which is made if it is new. depends_on replaces the whole list; an empty list clears it. ' +
    'The reply holds the whole list and advice (nags).',
  parameters: z.object({
    edit: leniently(
      z
        .object({
          id: taskId.describe('The id of the task, such as task-3.'),
          description: leniently(description.optional().describe('What is to be done, in new words. Not blank.'), {
            holdsNothing: true,
          }),
          group: groupTitle.optional().describe('The title of the group to move it to.'),
          depends_on: leniently(
            dependsOnList.optional().describe('The ids of all tasks that have to be completed before it.'),
            { holdsNothing: true },
          ),
          status: saidStatus,
        })
        .describe('The task and its new fields.'),
      {
        changes: {
          fields: ['description', 'group', 'depends_on'],
          state: STATE,
          structure: 'no tool of this set puts a task below another',
        },
      },
    ),
    rev,
    action_and_reasoning: reasoning,
  }),
  example: EXAMPLE,
  effects: { readOnly: false, destructive: false, idempotent: true },
  printsPlan: true,
  reshape: rewrap({ field: 'edit', inside: (fields, reading) => renameText(fields, true, reading) }),
  decide: ({ edit: { id: given, description: text, group, depends_on, status }, rev: at }, context): Answer => {
    const task = namedTask(given, EXAMPLE, at, context)
    if ('refused' in task) return task
    if (text !== undefined && isBlank(text)) return { refused: BLANK_DESCRIPTION }
    if (status !== undefined && SHOWN[status] !== taskStatus(task))
      return {
        refused: `'${taskName(task)}' is ${taskStatus(task)}, and an edit does not change that: ${STATE}. Nothing was changed.`,
      }
    if (group !== undefined && isBlank(group))
      return needs('The title of a group is not blank; leave group out to keep the task where it is.', EXAMPLE)
    const dependencies = depends_on === undefined ? null : readDependencies(depends_on, at, context)
    if (dependencies !== null && 'refused' in dependencies) return dependencies
    const { id } = task
    const operations: PlanOperation[] = []
    if (text !== undefined) operations.push({ type: 'setStep', id, fields: { text } })
    if (dependencies !== null) {
      const targets = dependencies.list.map(({ target }) => target)
      operations.push({ type: 'setStep', id, fields: { dependencies: targets } })
    }
    if (group !== undefined) {
      const present = taskGroups(context.plan).find(({ tasks }) => tasks.includes(task))
      const target = groupNamed(group, context)
      operations.push(...target.operations)
      if (present === undefined || !isTitled(present, group))
        operations.push(
          { type: 'setStep', id, fields: { group: target.id } },
          { type: 'moveSteps', steps: [id], parent: null },
        )
    }
    const nags = dependencies === null ? [] : editedNags(dependencies.list, task, context.plan)
    return changed(context, operations, dependencies?.notes ?? [], () => nags)
  },
  render,
})
