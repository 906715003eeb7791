import type { ToolReply } from '../../shared/dialects/call.ts'
import type { StepChange } from '../../shared/plan/changes.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { Backoff } from './backoff.ts'
import type { PlanEvent } from './events.ts'
import type { PlanStore } from './store.ts'

export interface ConnectOptions {
  /** Where the server is, such as `http://127.0.0.1:4080`. */
  readonly url: string
  readonly thread: string
  /** Who is there: it is put down with every change. */
  readonly name?: string
  /** Where names may repeat; by default the name. */
  readonly id?: string
  /** By default a person. */
  readonly kind?: 'human' | 'agent'
  /** Asked anew for each attempt to connect. */
  readonly token?: string | (() => string | Promise<string>)
  /** Where the copy is kept while nobody looks; by default nowhere. One for each plan and account. */
  readonly store?: PlanStore
  /** For `call`: `planTools` of planroom/client/tools. */
  readonly tools?: PlanTools
  /** By default the system's; before Node 22 that of the package ws. */
  readonly WebSocket?: typeof WebSocket
  /** Milliseconds to wait after a number of failed attempts; by default 0.2 to 30 s, with jitter. */
  readonly backoff?: Backoff
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** false: stays offline until `goOnline`. */
  readonly connect?: boolean
}

/** What tools need of a live plan; LivePlan is one. */
export interface ToolHost {
  readonly plan: Plan
  /** The server's; null until it has told it. */
  readonly version: number | null
  readonly actor: Actor
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Writes a change that was checked against the plan as it stands. @returns what became of the steps */
  commit(change: PlanChange): readonly StepChange[]
  subscribe(listener: (event: PlanEvent) => void): () => void
}

/** The tools of all dialects, as something that a live plan is given: the plan itself carries none of them. */
export interface PlanTools {
  attach(host: ToolHost): (tool: string, args: unknown) => ToolReply
}
