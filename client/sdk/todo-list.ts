import type { ToolReply } from '../../shared/dialects/call.ts'
import { checklist } from '../../shared/dialects/checklist.ts'
import type { Todo } from '../../shared/dialects/checklist/show.ts'
import { statusText, todosOf } from '../../shared/dialects/checklist/show.ts'
import type { Tool } from '../../shared/dialects/dialect.ts'
import { oneLine } from '../../shared/dialects/lines.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import { PlanError } from '../../shared/schema/errors.ts'
import { newStepId } from '../../shared/schema/ids.ts'
import type { Status } from '../../shared/schema/plan.ts'
import { LocalPlan } from './local-plan.ts'
import type { PlanHost } from './plan-caller.ts'
import { PlanCaller } from './plan-caller.ts'

export interface TodoItem {
  readonly content: string
  /** pending, in_progress, completed, blocked or cancelled. */
  readonly status: string
  readonly description?: string
  readonly required?: boolean
  readonly id?: string
}

const ICONS: Readonly<Record<Status, string>> = {
  pending: '○',
  in_progress: '▶',
  completed: '✓',
  cancelled: '✗',
  blocked: '✗',
}
/** The parameter of the escape sequence that sets a colour. */
const COLOURS: Readonly<Record<Status, string>> = {
  pending: '0',
  in_progress: '36',
  completed: '32',
  cancelled: '2',
  blocked: '31',
}

/**
 * A list of todos, on a plan of its own or on one that it shares.
 *
 * A list is one caller: what is written through it replaces what was last seen through it. Who works on one plan side by
 * side takes a list each, `new TodoList(plan)`: then nobody takes away what another put in.
 */
export class TodoList {
  readonly #host: PlanHost
  readonly #caller: PlanCaller
  readonly #id: string = newStepId()

  constructor(plan: PlanHost = new LocalPlan()) {
    this.#host = plan
    this.#caller = new PlanCaller(plan, checklist)
  }

  /** In order, as read_todos shows them. That a program reads them makes nothing seen: no model was shown it. */
  get todos(): Todo[] {
    return todosOf(this.#host.plan)
  }

  /** Grows by one with every accepted change. */
  get version(): number {
    return this.#host.version
  }

  /**
   * Replaces the list.
   * @param actor by whom; nobody if absent
   * @throws PlanError if the items do not fit; then nothing was changed
   */
  update(items: readonly TodoItem[], actor = ''): void {
    const reply = this.call('write_todos', { todos: items }, actor)
    if (!reply.success) throw new PlanError(reply.text.replace(/^Error: /, ''))
  }

  /** Calls write_todos or read_todos, with arguments as a model gives them. @throws Error for any other name */
  call(name: string, args: unknown, actor = ''): ToolReply {
    return this.#caller.call(checklistTool(name), args, this.#as(actor))
  }

  /** Whoever writes through the list, it is one caller. */
  #as(name: string): Actor {
    return { id: this.#id, name, kind: 'agent' }
  }

  /** Whether anything is neither completed nor cancelled. */
  hasPending(): boolean {
    return this.#host.plan.steps.some(({ status }) => status !== 'completed' && status !== 'cancelled')
  }

  /** The content of the first task that is in progress, or null. */
  getActiveTask(): string | null {
    return this.#host.plan.steps.find(({ status }) => status === 'in_progress')?.text ?? null
  }

  /** The block for a prompt; null while the list is empty. Whoever asks for it has seen the list. */
  buildStatusText(): string | null {
    this.#caller.looked(this.#as(''))
    return statusText(this.#host.plan, this.#host.version) || null
  }

  /** The list for a person, a line each; '' while it is empty. @param colour by default on a terminal */
  render({ colour = isTerminal() }: { readonly colour?: boolean } = {}): string {
    const lines = this.#host.plan.steps.map(({ status, text, required }) => {
      const line = `${ICONS[status]} ${oneLine(text)}${required ? ' (required)' : ''}`
      return colour ? `\u001b[${COLOURS[status]}m${line}\u001b[0m` : line
    })
    return lines.join('\n')
  }
}

/** @throws Error if the dialect has no such tool */
export function checklistTool(name: string): Tool {
  const tool = checklist.tools.find((one) => one.name === name)
  if (tool === undefined) throw new Error(`there is no tool ${name}`)
  return tool
}

/** Pages have no process. */
function isTerminal(): boolean {
  const { process: here } = globalThis as { process?: { stdout?: { isTTY?: boolean }; env?: Record<string, string> } }
  return here?.stdout?.isTTY === true && !here.env?.['NO_COLOR']
}
