import { z } from 'zod'
import { MAX_DETAILS } from '../../schema/limits.ts'
import type { PlanOperation } from '../../schema/operation.ts'
import type { Step } from '../../schema/plan.ts'
import type { CallContext, Refusal } from '../dialect.ts'
import { defineTool } from '../dialect.ts'
import { isBlank } from '../lines.ts'
import { hasLooked, seenStep, statusSetter, unseenRemoval } from '../seen.ts'
import { starterOf } from '../starter.ts'
import { leniently, reasoning, rev, saidStatus } from '../parameters.ts'
import type { AddFields } from './added.ts'
import { addedSteps, refuseBeside, subtasks } from './added.ts'
import {
  BLANK_DESCRIPTION,
  dependsOnList,
  description,
  dropUnused,
  groupTitle,
  needs,
  renameText,
  rewrap,
  taskId,
} from './arguments.ts'
import { clean } from './clean.ts'
import { addedNags, readDependencies } from './dependencies.ts'
import { groupNamed, isTitled } from './groups.ts'
import { alongNags, danglingNags, quotedList, waitingNags } from './nags.ts'
import { removedUnseen } from './missing.ts'
import { taskName } from '../../plan/task-names.ts'
import { namedTask } from './named-task.ts'
import { checkRev, isPositional } from './references.ts'
import type { Answer } from './reply.ts'
import { changed, render } from './reply.ts'
import { isTerminal, listedTasks, taskGroups, taskStatus } from './shape.ts'

const TYPES = ['Add', 'Start', 'Remove', 'Clean', 'VerifyGroup'] as const
/** The fields that each action but Add needs. */
const USED = { Start: ['id'], Remove: ['id'], Clean: ['keep_pending'], VerifyGroup: ['group'] }
const ADD = { action: { type: 'Add', group: 'backend', description: 'Write the parser' } }

export const write = defineTool({
  name: 'plan_todo_write',
  title: 'Change the tasks',
  description:
    'Changes the list of tasks, one action a call; every reply holds the whole list and advice (nags). ' +
    'Add: a new pending task with a description, at the end of a group; the group is made if it is new, and the task gets the next ' +
    'free id, task-<N>. Start: sets a task in progress; you can have one at a time, so complete or cancel the other one first. ' +
    'Remove: takes a task away for good, with ALL of its sub-steps, also those made by other tools, which are not shown apart; ' +
    'it is refused if you have not seen one of them. What depends on it keeps naming it. ' +
    'Clean: takes completed and cancelled tasks away, then empty groups; keep_pending says whether pending tasks stay, and ' +
    'the one in progress always does. VerifyGroup: records that the tests of a group passed.',
  parameters: z.object({
    action: z
      .object({
        type: z.enum(TYPES).describe('What to do.'),
        group: groupTitle.optional().describe('Add, VerifyGroup: the title of the group, exactly as it is listed.'),
        description: leniently(description.optional().describe('Add: what is to be done. Not blank.'), {
          holdsNothing: true,
        }),
        depends_on: dependsOnList
          .optional()
          .describe('Add: the ids of the tasks that have to be completed before, such as task-1.'),
        id: taskId.optional().describe('Start, Remove: the id of the task, such as task-3.'),
        keep_pending: z
          .boolean()
          .optional()
          .describe('Clean, and required there: true keeps pending tasks, false takes them away as well.'),
        details: leniently(z.string().max(MAX_DETAILS).optional(), { hidden: true }),
        parent: leniently(taskId.optional(), { hidden: true }),
        subtasks,
        status: saidStatus,
      })
      .describe('The action, with the fields that it needs.'),
    rev,
    action_and_reasoning: reasoning,
  }),
  example: ADD,
  effects: { readOnly: false, destructive: true, idempotent: false },
  printsPlan: true,
  reshape: rewrap({
    field: 'action',
    types: { names: TYPES, synonyms: { verify: 'VerifyGroup', delete: 'Remove', create: 'Add' } },
    inside: (fields, reading) => {
      if (fields['type'] === 'Add') renameText(fields, false, reading)
      else dropUnused(fields, USED, reading)
    },
  }),
  decide: ({ action, rev: at }, context): Answer => {
    const wrongRev = at === undefined ? null : checkRev(at, context)
    if (wrongRev !== null) return wrongRev
    const beside = refuseBeside(action)
    if (beside !== null) return beside
    switch (action.type) {
      case 'Add':
        return add(action, at, context)
      case 'Start':
        return start(action.id, at, context)
      case 'Remove':
        return remove(action.id, at, context)
      case 'Clean':
        if (action.keep_pending === undefined)
          return needs('Clean needs keep_pending: true keeps pending tasks, false removes them as well.', {
            action: { type: 'Clean', keep_pending: true },
          })
        return clean(action.keep_pending, context)
      case 'VerifyGroup':
        return verifyGroup(action.group, context)
    }
  },
  render,
})

function add({ group, description: text, ...more }: AddFields, at: number | undefined, context: CallContext): Answer {
  if (text !== undefined && isBlank(text)) return { refused: BLANK_DESCRIPTION }
  if (text === undefined) return needs('Add needs a description: what is to be done.', ADD)
  if (group === undefined || isBlank(group))
    return needs('Add needs a group: the title of a known group, or of a new one.', ADD)
  const dependencies = readDependencies(more.depends_on ?? [], at, context)
  if ('refused' in dependencies) return dependencies
  const parent = more.parent === undefined ? null : namedTask(more.parent, ADD, at, context)
  if (parent !== null && 'refused' in parent) return parent
  const { id: groupId, operations } = groupNamed(group, context)
  const targets = dependencies.list.map(({ target }) => target)
  const steps = addedSteps({ ...more, description: text }, groupId, targets, at, context)
  if ('refused' in steps) return steps
  const [{ id }] = steps
  return changed(
    context,
    [...operations, { type: 'addSteps', parent: parent?.id ?? null, steps }],
    dependencies.notes,
    (after) => addedNags(dependencies.list, id, after),
  )
}

function start(given: string | number | undefined, at: number | undefined, context: CallContext): Answer {
  const found = namedTask(given, { action: { type: 'Start', id: 'task-1' } }, at, context)
  if ('refused' in found) return found
  const { id, status, startedBy } = found
  const unknown = closedUnseen(found, context) ?? removedUnseen(found, context)
  if (unknown !== null) return unknown
  const starter = starterOf(context.actor)
  const others = listedTasks(context.plan).filter(
    (task) => task.status === 'in_progress' && task.startedBy === starter && task.id !== id,
  )
  if (others.length > 0) {
    const first = `Complete or cancel ${quotedList(others)} first before starting '${taskName(found)}'.`
    return { refused: `Only one task at a time can be InProgress. ${first}` }
  }
  const nags = (after: CallContext['plan']): string[] => waitingNags(after, id)
  if (status !== 'in_progress')
    return changed(context, [{ type: 'setStep', id, fields: { status: 'in_progress', startedBy: starter } }], [], nags)
  const isOthers = startedBy !== null && startedBy !== starter
  const notes = isOthers ? [`'${taskName(found)}' is InProgress already: somebody else has started it`] : []
  return changed(context, [], notes, nags)
}

/** A task that somebody else has closed meanwhile is not opened again by who does not know of it. */
function closedUnseen(task: Step, context: CallContext): Refusal | null {
  if (!isTerminal(task) || !hasLooked(context)) return null
  if (seenStep(task.id, context)?.status === task.status) return null
  const who = statusSetter(task.id, context)
  const what = `Task '${taskName(task)}' is ${taskStatus(task)}: ${who} set that since you last looked.`
  return { refused: `${what} Nothing was changed. List first; Start then opens it again.` }
}

function remove(given: string | number | undefined, at: number | undefined, context: CallContext): Answer {
  const task = namedTask(given, { action: { type: 'Remove', id: 'task-1' } }, at, context)
  if ('refused' in task) return task
  const isExplicit = at !== undefined || !isPositional(String(given ?? ''))
  const unseen = unseenRemoval([task.id], isExplicit ? [task.id] : [], context, taskName)
  if (unseen !== null) return { refused: unseen }
  const gone = context.plan.subtree(task.id)
  const operations: PlanOperation[] = [{ type: 'removeSteps', steps: [task.id], subSteps: true }]
  return changed(context, operations, [], (after) => [...danglingNags(after, gone), ...alongNags(task, gone.slice(1))])
}

function verifyGroup(title: string | undefined, context: CallContext): Answer {
  if (title === undefined)
    return needs('VerifyGroup needs a group: its title.', { action: { type: 'VerifyGroup', group: 'backend' } })
  if (!taskGroups(context.plan).some((group) => isTitled(group, title)))
    return { refused: `Group '${title}' does not exist.` }
  const { id, operations } = groupNamed(title, context)
  return changed(context, [...operations, { type: 'setGroup', id, testsVerified: true }], [], (after) => {
    const tasks = taskGroups(after).find((group) => group.id === id)?.tasks ?? []
    const isOpen = tasks.some((task) => ['Pending', 'InProgress'].includes(taskStatus(task)))
    return isOpen ? [`Group '${title}' still has pending or in-progress tasks.`] : []
  })
}
