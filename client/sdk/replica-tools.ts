import type { ToolReply } from '../../shared/dialects/call.ts'
import { acceptedReply, news, prepareCall, refusedReply } from '../../shared/dialects/call.ts'
import type { CallContext, Situation } from '../../shared/dialects/dialect.ts'
import type { NamedTool } from '../../shared/dialects/registry.ts'
import { TOOLS } from '../../shared/dialects/registry.ts'
import { taskName } from '../../shared/dialects/tasks/names.ts'
import { Views } from '../../shared/dialects/views.ts'
import type { StepChange } from '../../shared/plan/changes.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import { isEmpty } from '../../shared/plan/check.ts'
import { History } from '../../shared/plan/history.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import { newGroupId, newStepId } from '../../shared/schema/ids.ts'
import type { Step } from '../../shared/schema/plan.ts'
import type { PlanEvent } from './events.ts'
import type { PlanTools, ToolHost } from './options.ts'
import type { PlanHost } from './plan-caller.ts'

/** The tools of all dialects, for `connectPlan({ …, tools: planTools })`. */
export const planTools: PlanTools = {
  attach: (host) => {
    const tools = new ReplicaTools(host)
    return (name, args) => tools.call(name, args)
  },
}

/** A live plan as TodoList and TaskPlanner take one. */
export const hostOf = (live: ToolHost): PlanHost => new ReplicaHost(live)

/**
 * A copy's own count of versions: that of the server where it is known, and one more for each change that the server
 * does not have yet. What is counted here only has to be the same as what was printed here.
 */
class ReplicaHost implements PlanHost {
  readonly now: () => number
  readonly #live: ToolHost
  #history: History

  constructor(live: ToolHost) {
    this.#live = live
    this.now = live.now
    this.#history = new History(live.version ?? 0)
    live.subscribe((event) => this.#hear(event))
  }

  get plan(): Plan {
    return this.#live.plan
  }
  get history(): History {
    return this.#history
  }
  get version(): number {
    return this.#history.version
  }

  commit(change: PlanChange, _actor: Actor, alwaysCounts: boolean): readonly StepChange[] {
    const { plan } = this
    if (isEmpty(change) && alwaysCounts) this.#history.record(this.#live.actor, plan, plan)
    return this.#live.commit(change)
  }

  #hear(event: PlanEvent): void {
    if (event.type === 'change') {
      const actor = event.origin === 'local' ? this.#live.actor : authorOf(event.changes)
      this.#history.record(actor, event.before, event.after)
    }
    // Nothing has been counted here that could be mistaken for one of the server's versions.
    if (event.type === 'version' && this.#history.version === 0 && this.#history.start === 0)
      this.#history = new History(event.version)
  }
}

/** Who made a change that came from elsewhere, as far as the steps say: one name if there is but one. */
function authorOf(changes: readonly StepChange[]): Actor {
  const names = new Set(changes.flatMap(({ before, after }) => writerOf(before, after) ?? []))
  const [name = ''] = names.size === 1 ? names : []
  return { id: `elsewhere/${name}`, name: name === '' ? 'somebody' : name, kind: 'human' }
}

/** A removal and a move among siblings leave no name. */
function writerOf(before: Step | null, after: Step | null): string | null {
  if (after === null || after.updatedBy === '') return null
  return before?.updatedBy === after.updatedBy && before.updatedAt === after.updatedAt ? null : after.updatedBy
}

/** A name that was printed for a step which the server had not numbered. */
const UNNUMBERED = /task-~[A-Za-z0-9_-]{8}/g

class ReplicaTools {
  readonly #live: ToolHost
  readonly #host: ReplicaHost
  readonly #views = new Views()
  /** Names without a number that were printed, and not taken back since. */
  readonly #unnumbered = new Set<string>()

  constructor(live: ToolHost) {
    this.#live = live
    this.#host = new ReplicaHost(live)
  }

  /** @throws Error if there is no such tool */
  call(name: string, args: unknown): ToolReply {
    const found = TOOLS.get(name)
    if (found === undefined) throw new Error(`There is no tool ${name}. There are ${[...TOOLS.keys()].join(', ')}.`)
    const reply = this.#run(found, args)
    const printed = new Set(reply.text.match(UNNUMBERED))
    if (printed.size > 0)
      for (const { id, number } of this.#host.plan.steps)
        if (number === null && printed.has(taskName({ id, number }))) this.#unnumbered.add(taskName({ id, number }))
    return reply
  }

  #run({ tool, dialect }: NamedTool, args: unknown): ToolReply {
    const { actor, now } = this.#live
    const { plan, version, history } = this.#host
    const { view, forgotten } = this.#views.of(actor, version)
    const context: CallContext = { actor, plan, version, view, forgotten, history, newStepId, newGroupId }
    const prepared = prepareCall(tool, args, context, { by: actor.name, at: now() })
    const numbered = this.#numbered()
    if (prepared.kind === 'refused') {
      const notes = [...prepared.notes, ...numbered]
      return refusedReply(dialect, prepared.message, { ...this.#situation({ tool, dialect }), notes })
    }
    const changes = this.#host.commit(prepared.change, actor, prepared.alwaysCounts)
    const outcome = prepared.finish(this.#host.plan, changes)
    const told = { ...outcome, notes: [...outcome.notes, ...numbered] }
    const reply = acceptedReply(tool, told, this.#situation({ tool, dialect }))
    this.#answered(prepared.prints)
    return reply
  }

  /** What the server has numbered since: `task-~ab12cd34 is now task-7`. */
  #numbered(): string[] {
    if (this.#unnumbered.size === 0) return []
    return this.#host.plan.steps.flatMap(({ id, number }) => {
      const name = taskName({ id, number: null })
      return number !== null && this.#unnumbered.delete(name) ? [`${name} is now ${taskName({ id, number })}`] : []
    })
  }

  #answered(prints: 'plan' | readonly StepId[]): void {
    const { actor } = this.#live
    const { plan, version, history } = this.#host
    if (prints === 'plan') return this.#views.shown(actor, version, plan)
    this.#views.answered(actor, version, plan, history)
    this.#views.printed(
      actor,
      version,
      prints.flatMap((id) => plan.step(id) ?? []),
    )
  }

  #situation({ tool, dialect }: NamedTool): Omit<Situation, 'notes'> {
    const { plan, version: counted, history } = this.#host
    const { actor } = this.#live
    const { told } = this.#views.of(actor, counted)
    const isSilent = tool.leavesNews === true || told === counted
    const digest = isSilent ? null : news({ actor, history }, told, plan, dialect)
    if (!isSilent) this.#views.told(actor, counted)
    // The dialects print it as it is, and null is what they are to print while the server has not told a version.
    const version = this.#live.version === null ? (null as unknown as number) : counted
    return { plan, version, digest }
  }
}
