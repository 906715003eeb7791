import type { ToolReply } from '../../shared/dialects/call.ts'
import { acceptedReply, news, prepareCall, refusedReply } from '../../shared/dialects/call.ts'
import type { CallContext, Dialect, Tool, View } from '../../shared/dialects/dialect.ts'
import type { StepChange } from '../../shared/plan/changes.ts'
import type { History } from '../../shared/plan/history.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import { newGroupId, newStepId } from '../../shared/schema/ids.ts'

/** A plan that tools can be called on; LocalPlan is one. */
export interface PlanHost {
  readonly plan: Plan
  readonly version: number
  readonly history: History
  /** Milliseconds since 1970. */
  readonly now: () => number
  commit(change: PlanChange, actor: Actor, alwaysCounts: boolean): readonly StepChange[]
}

/** One caller of a plan's tools, in one dialect: what it was last shown, and told of. */
export class PlanCaller {
  readonly #host: PlanHost
  readonly #dialect: Dialect
  #view: View | null = null
  #told: number

  constructor(host: PlanHost, dialect: Dialect) {
    this.#host = host
    this.#dialect = dialect
    this.#told = host.version
  }

  /** @param actor whose id stays the same from call to call */
  call(tool: Tool, args: unknown, actor: Actor): ToolReply {
    const { plan, version, history, now } = this.#host
    const context: CallContext = { actor, plan, version, view: this.#view, history, newStepId, newGroupId }
    const prepared = prepareCall(tool, args, context, { by: actor.name, at: now() })
    if (prepared.kind === 'refused')
      return refusedReply(this.#dialect, prepared.message, { ...this.#situation(tool, actor), notes: prepared.notes })
    const changes = this.#host.commit(prepared.change, actor, prepared.alwaysCounts)
    const outcome = prepared.finish(this.#host.plan, changes)
    const reply = acceptedReply(tool, outcome, this.#situation(tool, actor))
    if (tool.printsPlan || this.#knowsAll(actor)) this.looked()
    return reply
  }

  /** The block for a prompt; its reader has looked. */
  block(): string {
    this.looked()
    return this.#dialect.block(this.#host.plan, this.#host.version)
  }

  /** The whole plan was shown to this caller. */
  looked(): void {
    this.#view = { version: this.#host.version, plan: this.#host.plan }
  }

  /** Nobody else changed the plan since the caller looked: what it did itself it has seen. */
  #knowsAll(actor: Actor): boolean {
    const { history } = this.#host
    const since = history.since(this.#view?.version ?? 0)
    return since?.every((entry) => entry.actor.id === actor.id) === true
  }

  #situation(tool: Tool, actor: Actor) {
    const { plan, version, history } = this.#host
    if (tool.leavesNews === true || this.#told === version) return { plan, version, digest: null }
    const digest = news({ actor, history }, this.#told, plan, this.#dialect)
    this.#told = version
    return { plan, version, digest }
  }
}
