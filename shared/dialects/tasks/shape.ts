import type { GroupId, StepId } from '../../schema/ids.ts'
import type { Status, Step } from '../../schema/plan.ts'
import type { Plan } from '../../plan/plan.ts'
import type { Json } from '../dialect.ts'
import { dependencyName, taskName } from '../../plan/task-names.ts'

export const TASK_STATUSES = ['Pending', 'InProgress', 'Completed', 'Cancelled'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export const SHOWN: Readonly<Record<Status, TaskStatus>> = {
  pending: 'Pending',
  blocked: 'Pending',
  in_progress: 'InProgress',
  completed: 'Completed',
  cancelled: 'Cancelled',
}

export const taskStatus = ({ status }: Pick<Step, 'status'>): TaskStatus => SHOWN[status]
export const isTerminal = ({ status }: Pick<Step, 'status'>): boolean =>
  status === 'completed' || status === 'cancelled'

/** The title under which steps without a group are listed. */
export const UNGROUPED = 'Ungrouped'

/** A group as this dialect sees it: with the steps that inherit it. */
interface TaskGroup {
  /** null: nobody has made it a group yet. */
  readonly id: GroupId | null
  readonly title: string
  readonly testsVerified: boolean
  /** In plan order. */
  readonly tasks: readonly Step[]
}

/** A step's own group, else its nearest ancestor's, else null; for all steps of a plan. */
export function effectiveGroups(plan: Plan): ReadonlyMap<StepId, GroupId | null> {
  const groups = new Map<StepId, GroupId | null>()
  // In pre-order, so that a parent's is known.
  for (const { id, group, parent } of plan.steps)
    groups.set(id, group ?? (parent === null ? null : (groups.get(parent) ?? null)))
  return groups
}

/** All groups in their order, empty ones too; steps without one last, if there are any and nobody made them a group. */
export function taskGroups(plan: Plan): TaskGroup[] {
  const effective = effectiveGroups(plan)
  const members = new Map<GroupId | null, Step[]>(plan.groups.map(({ id }) => [id, []]))
  const real = plan.groups.find(({ title }) => title === UNGROUPED)?.id ?? null
  const loose: Step[] = []
  for (const step of plan.steps) (members.get(effective.get(step.id) ?? real) ?? loose).push(step)
  const groups = plan.groups.map(({ id, title, testsVerified }): TaskGroup => {
    return { id, title, testsVerified, tasks: members.get(id) ?? [] }
  })
  if (loose.length > 0) groups.push({ id: null, title: UNGROUPED, testsVerified: false, tasks: loose })
  return groups
}

/** All tasks in the order of a listing. */
export const listedTasks = (plan: Plan): Step[] => taskGroups(plan).flatMap(({ tasks }) => tasks)

/** A task as it is printed. */
export const taskJson = (plan: Plan, task: Step) => ({
  id: taskName(task),
  description: task.text,
  status: taskStatus(task),
  depends_on: task.dependencies.map((dependency) => dependencyName(plan, dependency)),
})

/** A group as it is printed. */
export const groupJson = (plan: Plan, { title, testsVerified, tasks }: TaskGroup): Json => ({
  title,
  items: tasks.map((task) => taskJson(plan, task)),
  tests_verified: testsVerified,
})
