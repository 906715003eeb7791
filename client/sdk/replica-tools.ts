import type { ToolReply } from '../../shared/dialects/call.ts'
import { ToolDesk } from '../../shared/dialects/desk.ts'
import type { Situation } from '../../shared/dialects/dialect.ts'
import type { NamedTool } from '../../shared/dialects/registry.ts'
import { TOOLS } from '../../shared/dialects/registry.ts'
import { taskName } from '../../shared/plan/task-names.ts'
import type { StepChange } from '../../shared/plan/changes.ts'
import { isEmpty } from '../../shared/plan/check.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import { History } from '../../shared/plan/history.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { Actor } from '../../shared/schema/actor.ts'
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
  /** Who makes the change that is being made. */
  #actor: Actor | null = null

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

  commit(change: PlanChange, actor: Actor, alwaysCounts: boolean): readonly StepChange[] {
    const { plan } = this
    if (isEmpty(change)) {
      if (alwaysCounts) this.#history.record(actor, plan, plan)
      return []
    }
    this.#actor = actor
    try {
      return this.#live.commit(change)
    } finally {
      this.#actor = null
    }
  }

  #hear(event: PlanEvent): void {
    if (event.type === 'change') {
      const actor = event.origin === 'local' ? (this.#actor ?? this.#live.actor) : authorOf(event.changes)
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
  readonly #desk: ToolDesk
  /** Names without a number that were printed, of steps that have none yet. */
  readonly #unnumbered = new Set<string>()

  constructor(live: ToolHost) {
    this.#live = live
    this.#host = new ReplicaHost(live)
    this.#desk = new ToolDesk(this.#host)
  }

  /** @throws Error if there is no such tool */
  call(name: string, args: unknown): ToolReply {
    const found = TOOLS.get(name)
    if (found === undefined) throw new Error(`There is no tool ${name}. There are ${[...TOOLS.keys()].join(', ')}.`)
    const { actor, now } = this.#live
    const numbered = this.#numbered()
    const call = { ...this.#printing(found, numbered), args, actor, at: now() }
    const reply = this.#desk.call(call, (change, _reasoning, finish) => finish(this.#host.commit(change, actor, true)))
    this.#remember(reply.text)
    const notes = [...((reply['notes'] as string[] | undefined) ?? []), ...numbered]
    return { ...reply, version: this.#printed(reply.version), ...(notes.length > 0 ? { notes } : {}) }
  }

  /** A tool and its dialect, with what is told and printed on a copy alone. */
  #printing({ tool, dialect }: NamedTool, numbered: readonly string[]): NamedTool {
    const here = (now: Situation): Situation => {
      return { ...now, version: this.#printed(now.version), notes: [...now.notes, ...numbered] }
    }
    return {
      tool: { ...tool, render: (outcome, now) => tool.render(outcome, here(now)) },
      dialect: { ...dialect, refuse: (message, now) => dialect.refuse(message, here(now)) },
    }
  }

  /** The dialects print it as it is, and null is what they are to print while the server has not told a version. */
  #printed(version: number): number {
    return this.#live.version === null ? (null as unknown as number) : version
  }

  #remember(text: string): void {
    const printed = new Set(text.match(UNNUMBERED))
    if (printed.size === 0) return
    for (const { id, number } of this.#host.plan.steps)
      if (number === null && printed.has(taskName({ id, number }))) this.#unnumbered.add(taskName({ id, number }))
  }

  /** What the server has numbered since: `task-~ab12cd34 is now task-7`. */
  #numbered(): string[] {
    if (this.#unnumbered.size === 0) return []
    return this.#host.plan.steps.flatMap(({ id, number }) => {
      const name = taskName({ id, number: null })
      return number !== null && this.#unnumbered.delete(name) ? [`${name} is now ${taskName({ id, number })}`] : []
    })
  }
}
