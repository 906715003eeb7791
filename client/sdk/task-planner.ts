import type { TodoItem, TodoList } from './todo-list.ts'

/** A task to begin with. */
export interface SeedTask {
  readonly title?: string
  readonly content?: string
  /** pending by default. */
  readonly status?: string
}

export interface TaskPlannerOptions {
  readonly todoList?: TodoList
  /** Put into the list at the first question that is asked, if it is empty then. */
  readonly tasks?: readonly SeedTask[]
}

/** Tells an agent before each of its turns how its list stands. */
export class TaskPlanner {
  #list: TodoList | null
  readonly #tasks: readonly SeedTask[]
  #seeded = false

  constructor({ todoList, tasks = [] }: TaskPlannerOptions = {}) {
    this.#list = todoList ?? null
    this.#tasks = tasks
  }

  setTodoList(list: TodoList): void {
    this.#list = list
  }

  /**
   * The block for the prompt, or null if there is no list or nothing in it.
   * @throws PlanError if the tasks to begin with do not fit
   */
  buildPlanningInstruction(_context?: unknown): string | null {
    return this.#ready()?.buildStatusText() ?? null
  }

  /** Whether anything is neither completed nor cancelled. @throws PlanError as above */
  hasPendingTasks(_context?: unknown): boolean {
    return this.#ready()?.hasPending() ?? false
  }

  /** The list, once it was seeded: once, and only if nothing is in it. */
  #ready(): TodoList | null {
    if (this.#list === null || this.#seeded) return this.#list
    this.#seeded = true
    if (this.#tasks.length > 0 && this.#list.todos.length === 0) this.#list.update(this.#tasks.map(seed))
    return this.#list
  }
}

const seed = ({ title, content, status = 'pending' }: SeedTask): TodoItem => ({
  content: title ?? content ?? '',
  status,
})
