import type { History } from '../plan/history.ts'
import type { Plan } from '../plan/plan.ts'
import type { Actor } from '../schema/actor.ts'
import type { StepId } from '../schema/ids.ts'
import { MAX_VIEWS } from '../schema/limits.ts'
import type { Step } from '../schema/plan.ts'
import type { View } from './dialect.ts'
import { lastSeen, withWritten } from './seen.ts'

/** What is remembered of an actor. */
export interface Memory {
  readonly view: View | null
  /** The version up to which the actor was told what others did. */
  readonly told: number
  /** It has looked, but so long ago that what it saw is not known any more. */
  readonly forgotten: boolean
}

/** A memory as it is kept over restarts: the plan that was seen is found again by its version. */
export interface StoredMemory {
  readonly actorId: string
  /** The version of the view, or -1 for none. */
  readonly version: number
  /** The rest, as JSON. */
  readonly state: string
}

const NONE: ReadonlySet<StepId> = new Set()
const NOTHING: ReadonlyMap<StepId, Step> = new Map()

/** What the actors of a thread were last shown, and told. The one that was away longest is forgotten first. */
export class Views {
  readonly #memories = new Map<string, Memory>()

  /** What is remembered of an actor; one that comes for the first time is told of nothing before `version`. */
  of(actor: Actor, version: number): Memory {
    return this.#update(actor, { view: null, told: version, forgotten: false }, {})
  }

  /** All places of the plan were printed to the actor, and the texts of all steps but the unseen ones. */
  shown(actor: Actor, version: number, plan: Plan, unseen = NONE): void {
    const view = { version, plan, unseen, later: NOTHING }
    this.#update(actor, { view, told: version, forgotten: false }, { view, forgotten: false })
  }

  /** The texts of some steps were printed to the actor. */
  printed(actor: Actor, version: number, steps: readonly Step[]): void {
    const { view } = this.of(actor, version)
    if (view === null || steps.length === 0) return
    const later = new Map([...view.later, ...steps.map((step) => [step.id, step] as const)])
    this.#set(actor, { view: { ...view, later } })
  }

  /**
   * The actor got another reply to its own call: it has seen what it did itself, and its view moves along if nobody else
   * changed the plan since.
   */
  answered(actor: Actor, version: number, plan: Plan, history: History): void {
    const { view, forgotten } = this.of(actor, version)
    if (view === null) {
      // Who never looked, but made every change that there is, knows the plan as well.
      const all = history.start === 0 && !forgotten ? history.since(0) : null
      if (all !== null && all.length > 0 && all.every((entry) => entry.actor.id === actor.id))
        this.shown(actor, version, plan)
      return
    }
    const since = history.since(view.version)
    const written = new Map<StepId, Step>()
    for (const entry of since ?? []) {
      if (entry.actor.id !== actor.id) continue
      for (const { id, before, after } of entry.changes)
        if (after !== null && (before?.text !== after.text || lastSeen(view, id) !== undefined))
          written.set(id, withWritten(written.get(id) ?? lastSeen(view, id), before, after))
    }
    if (since?.every((entry) => entry.actor.id === actor.id) === true) {
      const unseen =
        view.unseen.size === 0
          ? NONE
          : new Set([...view.unseen].filter((id) => !written.has(id) && !view.later.has(id)))
      return this.#set(actor, { view: { version, plan, unseen, later: NOTHING } })
    }
    const latest = since?.at(-1)
    if (latest?.version !== version || latest.actor.id !== actor.id) return
    const own = latest.changes.flatMap(({ id }) => written.get(id) ?? [])
    this.printed(actor, version, own)
  }

  /** The actor was told what others did, up to `version`. */
  told(actor: Actor, version: number): void {
    this.#update(actor, { view: null, told: version, forgotten: false }, { told: version })
  }

  /** How many steps the views hold at the most, for what may be kept in memory. */
  get weight(): number {
    let weight = 1
    for (const { view } of this.#memories.values()) weight = Math.max(weight, view?.plan.steps.length ?? 0)
    return weight
  }

  /** What is to be kept of an actor over restarts. */
  store(actor: Actor, version: number): StoredMemory {
    const { view, told } = this.of(actor, version)
    const rest = { told, unseen: [...(view?.unseen ?? NONE)], later: [...(view?.later.values() ?? [])] }
    return { actorId: actor.id, version: view?.version ?? -1, state: JSON.stringify(rest) }
  }

  /** Takes back what `store` gave. @param planAt the plan as it stood at a version, if that is known */
  restore({ actorId, version, state }: StoredMemory, planAt: (version: number) => Plan | undefined): void {
    // It was written by `store`, perhaps by an older one.
    const { told, unseen = [], later = [] } = JSON.parse(state) as { told: number; unseen?: StepId[]; later?: Step[] }
    const plan = planAt(version)
    const view =
      plan === undefined
        ? null
        : { version, plan, unseen: new Set(unseen), later: new Map(later.map((step) => [step.id, step])) }
    this.#memories.set(actorId, { view, told, forgotten: version >= 0 && view === null })
  }

  #set(actor: Actor, change: Partial<Memory>): void {
    const memory = this.#memories.get(actor.id)
    if (memory !== undefined) this.#memories.set(actor.id, { ...memory, ...change })
  }

  #update(actor: Actor, otherwise: Memory, change: Partial<Memory>): Memory {
    const memory = { ...(this.#memories.get(actor.id) ?? otherwise), ...change }
    this.#memories.delete(actor.id)
    this.#memories.set(actor.id, memory)
    const oldest = this.#memories.keys().next()
    if (this.#memories.size > MAX_VIEWS && oldest.done !== true) this.#memories.delete(oldest.value)
    return memory
  }
}
