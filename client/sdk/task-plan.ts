import { checkOperations } from '../../shared/plan/check.ts'
import { namedNumber } from '../../shared/plan/numbers.ts'
import { tasks } from '../../shared/dialects/tasks.ts'
import type { TaskStatus } from '../../shared/dialects/tasks/shape.ts'
import { groupJson, taskGroups, UNGROUPED } from '../../shared/dialects/tasks/shape.ts'
import { starterOf } from '../../shared/dialects/starter.ts'
import { PlanError } from '../../shared/schema/errors.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { GroupId, StepId } from '../../shared/schema/ids.ts'
import { newGroupId, newStepId } from '../../shared/schema/ids.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import type { Status } from '../../shared/schema/plan.ts'
import { LocalPlan } from './local-plan.ts'
import type { PlanHost } from './plan-caller.ts'
import { PlanCaller } from './plan-caller.ts'

export interface TodoItem {
  /** `task-1`, `task-2`, ... given by the list. */
  readonly id: string
  readonly description: string
  readonly status: TaskStatus
  readonly depends_on: readonly string[]
}
export interface TaskGroup {
  readonly title: string
  readonly items: readonly TodoItem[]
  readonly tests_verified: boolean
}
export interface TodoList {
  readonly groups: readonly TaskGroup[]
}
/** Advice; the change was made. */
export interface Nag {
  readonly message: string
}
export type TodoReadAction =
  | { readonly type: 'List'; readonly group?: string | null; readonly status?: TaskStatus | null }
  | { readonly type: 'Get'; readonly id: string }
export type TodoWriteAction =
  | {
      readonly type: 'Add'
      readonly group: string
      readonly description: string
      readonly depends_on?: readonly string[]
    }
  | { readonly type: 'Start' | 'Remove'; readonly id: string }
  | { readonly type: 'Clean'; readonly keep_pending: boolean }
  | { readonly type: 'VerifyGroup'; readonly group: string }
export interface TodoEdit {
  readonly id: string
  readonly description?: string
  readonly group?: string
  readonly depends_on?: readonly string[]
}
export interface TodoCrossOff {
  readonly type: 'Complete' | 'Cancel'
  readonly id: string
}
export interface TodoReadOutput extends TodoList {
  readonly nags: readonly Nag[]
}
export interface TodoWriteOutput {
  /** The whole list after the change. */
  readonly list: TodoList
  readonly nags: readonly Nag[]
}

const STATUSES: Readonly<Record<TaskStatus, Status>> = {
  Pending: 'pending',
  InProgress: 'in_progress',
  Completed: 'completed',
  Cancelled: 'cancelled',
}

/**
 * Grouped tasks with dependencies, nags and verification, on a plan of its own or on one that it shares. A plan of tasks
 * is one caller: who works side by side takes one each, `new TaskPlan({ plan })`.
 */
export class TaskPlan {
  readonly #host: PlanHost
  readonly #caller: PlanCaller
  readonly #actor = { id: newStepId() as string, name: '', kind: 'agent' } as const

  /**
   * @param options.list what it begins with, on a plan of its own
   * @throws PlanError if the list does not fit: two items of one id, an id that is no `task-<N>`
   */
  constructor({ plan, list }: { readonly plan?: PlanHost; readonly list?: TodoList } = {}) {
    if (plan !== undefined && list !== undefined)
      throw new PlanError('A list begins a plan of its own; give one of both.')
    this.#host = plan ?? planOf(list ?? { groups: [] }, this.#actor)
    this.#caller = new PlanCaller(this.#host, tasks)
  }

  /** All groups as they stand. That a program reads them makes nothing seen. */
  get list(): TodoList {
    const { plan } = this.#host
    return { groups: taskGroups(plan).map((group) => groupJson(plan, group) as unknown as TaskGroup) }
  }

  /** Grows by one with every accepted change. */
  get version(): number {
    return this.#host.version
  }

  /** @throws PlanError with the words for the model */
  read(action: TodoReadAction): TodoReadOutput {
    const { groups = [], nags } = this.#call('plan_todo_read', { action })
    return { groups, nags }
  }

  /** @throws PlanError, and then nothing was changed */
  write(action: TodoWriteAction): TodoWriteOutput {
    return this.#change('plan_todo_write', { action })
  }

  /** Changes only the fields that are given. @throws PlanError, and then nothing was changed */
  edit(edit: TodoEdit): TodoWriteOutput {
    return this.#change('plan_todo_edit', { edit })
  }

  /** @throws PlanError, and then nothing was changed */
  crossOff(action: TodoCrossOff): TodoWriteOutput {
    return this.#change('plan_todo_cross_off', { action })
  }

  /** Replaces the list by one read from Markdown. @throws PlanError, and then nothing was changed */
  loadFromMd(markdown: string): TodoList {
    this.#reply('plan_load_from_md', { markdown })
    return this.list
  }

  /** The block for a prompt; '' where nothing is pending or in progress. Whoever asks for it has seen the list. */
  contextBlock(): string {
    return this.#caller.block(this.#actor)
  }

  #change(name: string, args: object): TodoWriteOutput {
    const { list = { groups: [] }, nags } = this.#call(name, args)
    return { list, nags }
  }

  #call(
    name: string,
    args: object,
  ): Partial<TodoReadOutput> & Partial<TodoWriteOutput> & { readonly nags: readonly Nag[] } {
    const { list, groups, nags } = JSON.parse(this.#reply(name, args)) as Partial<TodoWriteOutput & TodoReadOutput>
    return { ...(list && { list }), ...(groups && { groups }), nags: nags ?? [] }
  }

  #reply(name: string, args: object): string {
    const tool = tasks.tools.find((one) => one.name === name)
    if (tool === undefined) throw new Error(`there is no tool ${name}`)
    const { success, text } = this.#caller.call(tool, args, this.#actor)
    if (!success) throw new PlanError(text)
    return text
  }
}

/** The same on a list that the caller keeps, which is left as it is: what comes back holds the new one. */
export const todoRead = (list: TodoList, action: TodoReadAction): TodoReadOutput => new TaskPlan({ list }).read(action)
export const todoWrite = (list: TodoList, action: TodoWriteAction): TodoWriteOutput =>
  new TaskPlan({ list }).write(action)
export const todoEdit = (list: TodoList, edit: TodoEdit): TodoWriteOutput => new TaskPlan({ list }).edit(edit)
export const todoCrossOff = (list: TodoList, action: TodoCrossOff): TodoWriteOutput =>
  new TaskPlan({ list }).crossOff(action)
/** @throws PlanError */
export const todoLoadFromMd = (markdown: string): TodoList => new TaskPlan().loadFromMd(markdown)

/** A plan that holds a list, each task with the number that its id says. */
function planOf({ groups }: TodoList, actor: Actor): LocalPlan {
  const host = new LocalPlan()
  const items = groups.flatMap(({ items: some }) => some)
  const ids = new Map<string, StepId>()
  const numbers = new Map<StepId, number>()
  for (const { id } of items) {
    const number = namedNumber(id)
    if (number === null) throw new PlanError(`${JSON.stringify(id)} is no id of a task: they are task-1, task-2, ...`)
    if (ids.has(id)) throw new PlanError(`Two tasks have the id ${id}.`)
    const step = newStepId()
    ids.set(id, step)
    numbers.set(step, number)
  }
  const operations: PlanOperation[] = []
  for (const { title, items: some, tests_verified: testsVerified } of groups) {
    const group: GroupId | null = title === UNGROUPED && !testsVerified ? null : newGroupId()
    if (group !== null) operations.push({ type: 'addGroup', id: group, title })
    if (group !== null && testsVerified) operations.push({ type: 'setGroup', id: group, testsVerified })
    const steps = some.map(({ id, description, status, depends_on }) => {
      const dependencies = depends_on.map((name) => {
        const step = ids.get(name)
        return step === undefined ? { name } : { step }
      })
      const started = status === 'InProgress' ? { startedBy: starterOf(actor) } : {}
      const told = { text: description, status: STATUSES[status], group, dependencies }
      return { id: ids.get(id) ?? newStepId(), depth: 0, ...told, ...started }
    })
    if (steps.length > 0) operations.push({ type: 'addSteps', parent: null, steps })
  }
  const change = checkOperations(host.plan, operations, { by: '', at: host.now() })
  const numbered = (id: StepId) => {
    const number = numbers.get(id)
    return number === undefined ? {} : { number }
  }
  const patches = change.patches.map((patch) => ({ ...patch, ...numbered(patch.id) }))
  host.commit({ ...change, patches }, actor)
  return host
}
