import type { View } from '../../shared/dialects/dialect.ts'
import type { History } from '../../shared/plan/history.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import { MAX_VIEWS } from '../../shared/schema/limits.ts'

/** What a room remembers of an actor. */
interface Memory {
  view: View | null
  /** The version up to which the actor was told what others did. */
  told: number
}

/** What the actors of a thread were last shown, and told. The one that was away longest is forgotten first. */
export class Views {
  readonly #memories = new Map<string, Memory>()

  /** The view of an actor; one that comes for the first time has none, and is told of nothing before `version`. */
  of(actor: Actor, version: number): Readonly<Memory> {
    return this.#touch(actor, version)
  }

  /** The whole plan was printed to the actor. */
  shown(actor: Actor, version: number, plan: Plan): void {
    this.#touch(actor, version).view = { version, plan }
  }

  /**
   * The actor got another reply to its own call: it has seen what it did itself, so its view moves along, if nobody else
   * changed the plan since.
   */
  answered(actor: Actor, version: number, plan: Plan, history: History): void {
    const memory = this.#touch(actor, version)
    // Who never looked, but made every change that there is, knows the plan as well.
    const since =
      memory.view === null ? (history.start === 0 ? history.since(0) : null) : history.since(memory.view.version)
    if (since?.every((entry) => entry.actor.id === actor.id) === true) memory.view = { version, plan }
  }

  /** The actor was told what others did, up to `version`. */
  told(actor: Actor, version: number): void {
    this.#touch(actor, version).told = version
  }

  /** How many steps the views hold at the most, for what may be kept in memory. */
  get weight(): number {
    let weight = 1
    for (const { view } of this.#memories.values()) weight = Math.max(weight, view?.plan.steps.length ?? 0)
    return weight
  }

  #touch(actor: Actor, version: number): Memory {
    const memory = this.#memories.get(actor.id) ?? { view: null, told: version }
    this.#memories.delete(actor.id)
    this.#memories.set(actor.id, memory)
    if (this.#memories.size > MAX_VIEWS)
      for (const oldest of this.#memories.keys()) {
        this.#memories.delete(oldest)
        break
      }
    return memory
  }
}
