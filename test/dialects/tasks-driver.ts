import type { ToolReply } from '../../shared/dialects/call.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import type { PlanDriver } from '../helpers/plan-driver.ts'
import { openPure } from '../helpers/plan-driver.ts'

/** What the cases of this dialect need of a plan, whatever way leads to it. */
export interface TasksDriver {
  /** @param actor the caller's name; a caller without one where it is left out */
  call(tool: string, args: unknown, actor?: string): Promise<ToolReply>
  /** The block for a prompt of the caller without a name. */
  block(): Promise<string>
}

export const tasksDriver = (plan: PlanDriver): TasksDriver => ({
  call: (tool, args, actor = '') => plan.call(actor, tool, args),
  block: () => plan.block('', 'tasks'),
})

/** The functions alone, on a document that nobody else has. */
export interface PureTasks extends TasksDriver {
  readonly plan: Plan
  readonly version: number
  /** Changes the plan in a way for which there is no tool here. */
  apply(operations: readonly PlanOperation[], actor?: string): void
  /** As an offline copy does it: nobody numbers what is new. */
  settles: boolean
}

export function openTasks(): PureTasks {
  const pure = openPure()
  return {
    ...tasksDriver(pure),
    get plan() {
      return pure.plan
    },
    get version() {
      return pure.version
    },
    get settles() {
      return pure.settles
    },
    set settles(settles) {
      pure.settles = settles
    },
    apply: (operations, who = 'somebody') => pure.apply(operations, who),
  }
}
