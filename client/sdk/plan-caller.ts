import type { ToolReply } from '../../shared/dialects/call.ts'
import { ToolDesk } from '../../shared/dialects/desk.ts'
import type { Dialect, Tool } from '../../shared/dialects/dialect.ts'
import type { StepChange } from '../../shared/plan/changes.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import type { History } from '../../shared/plan/history.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { Actor } from '../../shared/schema/actor.ts'

/** A plan that tools can be called on; LocalPlan is one. */
export interface PlanHost {
  readonly plan: Plan
  readonly version: number
  readonly history: History
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** @param alwaysCounts makes a version even of a change that changes nothing */
  commit(change: PlanChange, actor: Actor, alwaysCounts: boolean): readonly StepChange[]
}

/** Calls the tools of one dialect on a plan, and remembers what each of its callers was shown. */
export class PlanCaller {
  readonly #host: PlanHost
  readonly #dialect: Dialect
  readonly #desk: ToolDesk

  constructor(host: PlanHost, dialect: Dialect) {
    this.#host = host
    this.#dialect = dialect
    this.#desk = new ToolDesk(host)
  }

  call(tool: Tool, args: unknown, actor: Actor): ToolReply {
    const call = { tool, dialect: this.#dialect, args, actor, at: this.#host.now() }
    return this.#desk.call(call, (change, _reasoning, finish) => finish(this.#host.commit(change, actor, true)))
  }

  /** The block for a prompt; its reader has looked. */
  block(reader: Actor): string {
    return this.#desk.block(this.#dialect, reader)
  }

  /** The whole plan was shown to a caller. */
  looked(reader: Actor): void {
    this.#desk.views.shown(reader, this.#host.version, this.#host.plan)
  }
}
