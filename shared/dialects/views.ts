import type { History, HistoryEntry } from '../plan/history.ts'
import type { Plan } from '../plan/plan.ts'
import type { Actor } from '../schema/actor.ts'
import type { StepId } from '../schema/ids.ts'
import { MAX_FORGOTTEN, MAX_VIEWS } from '../schema/limits.ts'
import type { Step } from '../schema/plan.ts'
import type { ListedValues, PrintedPart, View, WrittenList } from './dialect.ts'
import { partlySeen, without } from './partly-seen.ts'
import { addWritten, lastSeen } from './seen.ts'
import type { StoredState } from './stored-view.ts'
import {
  packOrder,
  packPlaces,
  packSeen,
  packSteps,
  unpackOrder,
  unpackPlaces,
  unpackSeen,
  unpackSteps,
} from './stored-view.ts'

/** What is remembered of an actor. */
export interface Memory {
  readonly view: View | null
  /** The places that replies told since the view, by step: they count before those of the view. */
  readonly places: ReadonlyMap<StepId, number>
  /** The versions of which this actor knows all places, as ranges `[from, to]`, the earliest first. */
  readonly known: readonly VersionRange[]
  /** The steps that it has had in a whole list of its own. */
  readonly listed: ReadonlySet<StepId>
  /** What it wrote of a step in its last list that did not count. */
  readonly overruled: ReadonlyMap<StepId, ListedValues>
  /** Its last whole list, in its order; null if it has seen the plan's own since, or never wrote one. */
  readonly lastList: readonly StepId[] | null
  /** The version up to which the actor was told what others did. */
  readonly told: number
  /** It has looked, but so long ago that what it saw is not known any more. */
  readonly forgotten: boolean
}

export type VersionRange = readonly [from: number, to: number]

/** A memory as it is kept over restarts: the plan that was seen is found again by its version. */
export interface StoredMemory {
  readonly actorId: string
  /** The version of the view, or -1 for none. */
  readonly version: number
  /** The rest, as JSON. */
  readonly state: string
}

/** Bytes that a memory takes, and in it a step with its place, about. */
const MEMORY_BYTES = 500
const PLACE_BYTES = 30

const NONE: ReadonlySet<StepId> = new Set()
const NOTHING: ReadonlyMap<StepId, Step> = new Map()
const NOWHERE: ReadonlyMap<StepId, number> = new Map()
const NO_VALUES: ReadonlyMap<StepId, ListedValues> = new Map()

/** Ranges of versions that are remembered of an actor; an actor that works alone needs one. */
const MAX_RANGES = 32

/** What is known of an actor that comes for the first time. */
const stranger = (told: number): Memory => ({
  view: null,
  places: NOWHERE,
  known: [],
  listed: NONE,
  overruled: NO_VALUES,
  lastList: null,
  told,
  forgotten: false,
})

/** Some steps as an actor knows them that has changed some since its view. */
function writtenAmong(
  ids: ReadonlySet<StepId>,
  view: View,
  since: readonly HistoryEntry[],
  { id: actorId }: Actor,
): Map<StepId, Step> {
  const seen = new Map<StepId, Step>()
  if (ids.size === 0) return seen
  for (const id of ids) {
    const step = lastSeen(view, id)
    if (step !== undefined) seen.set(id, step)
  }
  addWritten(seen, since, actorId, ids, true)
  return seen
}

function withVersion(known: readonly VersionRange[], version: number): readonly VersionRange[] {
  const last = known.at(-1)
  if (last !== undefined && version <= last[1]) return known
  if (last?.[1] === version - 1) return [...known.slice(0, -1), [last[0], version]]
  return [...known, [version, version] as const].slice(-MAX_RANGES)
}

const viewOf = (
  version: number,
  plan: Plan,
  { unseen = {}, unplaced = unseen, folded = {}, later }: Partial<StoredState>,
  base: Plan,
): View => ({
  version,
  plan,
  unseen: new Set(unpackSteps(unseen, base)),
  unplaced: new Set(unpackSteps(unplaced, base)),
  folded: new Set(unpackSteps(folded, base)),
  later: unpackSeen(later ?? {}, base),
})

/** The versions whose plans are needed to take a stored memory back. Never throws. */
export function versionsIn({ version, state }: StoredMemory): number[] {
  try {
    return [version, (JSON.parse(state) as StoredState).at]
  } catch {
    return [version]
  }
}

/** The list that an actor has in mind once it has changed a part of it: what is new stands at its end. */
const withAdded = (list: readonly StepId[] | null, listed: readonly StepId[]): readonly StepId[] | null =>
  list === null ? null : [...new Set([...list, ...listed])]

/** What the actors of a thread were last shown, and told. The one that was away longest is forgotten first. */
export class Views {
  readonly #memories = new Map<string, Memory>()
  /** Who has looked, but is not remembered any more: what it refers to cannot be known. */
  readonly #forgotten = new Set<string>()
  /** What was last given out to be kept. */
  readonly #kept = new Map<string, Memory>()

  /** What is remembered of an actor; one that comes for the first time is told of nothing before `version`. */
  of(actor: Actor, version: number): Memory {
    return this.#update(actor, stranger(version), {})
  }

  /** All of the plan was printed to the actor, with its places. */
  shown(actor: Actor, version: number, plan: Plan): void {
    const before = this.#memories.get(actor.id)?.view ?? null
    const isSame =
      before?.version === version &&
      before.plan === plan &&
      [before.later, before.unseen, before.unplaced, before.folded].every(({ size }) => size === 0)
    const view = isSame ? before : { version, plan, unseen: NONE, unplaced: NONE, folded: NONE, later: NOTHING }
    const known = withVersion(this.of(actor, version).known, version)
    const fresh = { places: NOWHERE, overruled: NO_VALUES, lastList: null, forgotten: false }
    this.#update(actor, stranger(version), { view, known, ...fresh })
  }

  /**
   * A part of the plan was printed to the actor. Of the rest it knows what it knew before: the texts that it saw, and the
   * places that are still as it was told them. A listing leaves the rest out of its sight.
   */
  shownPart(actor: Actor, version: number, plan: Plan, part: PrintedPart): void {
    const memory = this.of(actor, version)
    const known = withVersion(memory.known, version)
    if (memory.view === null || (part.isListing && part.isWhole)) {
      const view = partlySeen(memory, version, plan, part)
      if (view.folded.size === 0) return this.shown(actor, version, plan)
      return this.#set(actor, { view, places: NOWHERE, known, lastList: null, forgotten: false })
    }
    this.printed(
      actor,
      version,
      part.printed.flatMap((id) => plan.step(id) ?? []),
    )
    const { view } = this.of(actor, version)
    if (view === null) return
    const printed = new Set(part.printed)
    const folded = part.isListing ? new Set(plan.steps.map(({ id }) => id)) : view.folded
    const places = new Map(memory.places)
    if (part.places) for (const id of printed) places.set(id, plan.placeOf(id) ?? 0)
    this.#set(actor, {
      view: { ...view, folded: without(folded, printed) },
      ...(part.places ? { places, known } : {}),
      ...(part.isListing ? { lastList: null } : {}),
    })
  }

  /**
   * The actor wrote a whole list. It knows what it listed; what else it had seen it knows as it was; the rest it has not
   * seen, though its reply says that it stays.
   */
  wrote(actor: Actor, version: number, plan: Plan, { listed, seen, overruled, isPart }: WrittenList): void {
    const memory = this.of(actor, version)
    const written = new Set(listed)
    const unseen = new Set<StepId>()
    const later = new Map<StepId, Step>()
    for (const step of plan.steps) {
      const was = seen.get(step.id)
      if (written.has(step.id)) continue
      if (was === undefined) unseen.add(step.id)
      else if (was !== step) later.set(step.id, was)
    }
    const known = unseen.size === 0 ? withVersion(memory.known, version) : memory.known
    const own = [...memory.listed].filter((id) => plan.step(id) !== undefined)
    const folded = without(memory.view?.folded ?? NONE, written)
    this.#set(actor, {
      view: { version, plan, unseen, unplaced: unseen, folded, later },
      places: NOWHERE,
      known,
      listed: new Set(isPart ? own : [...own, ...listed]),
      overruled,
      lastList: isPart ? withAdded(memory.lastList, listed) : listed,
      forgotten: false,
    })
  }

  /**
   * A reply told the actor where steps stand now. Knows it all places of the plan by that, it knows this version.
   * @param places all that was told since its view
   */
  toldPlaces(actor: Actor, version: number, plan: Plan, places: ReadonlyMap<StepId, number>): void {
    const { view, known } = this.of(actor, version)
    const place = ({ id }: Step): number | null =>
      places.get(id) ?? (view?.unplaced.has(id) === true ? null : (view?.plan.placeOf(id) ?? null))
    const knowsAll = plan.steps.every((step, position) => place(step) === position + 1)
    this.#set(actor, { places, ...(knowsAll ? { known: withVersion(known, version) } : {}) })
  }

  /** The texts of some steps were printed to the actor. */
  printed(actor: Actor, version: number, steps: readonly Step[]): void {
    const { view } = this.of(actor, version)
    const news = view === null ? [] : steps.filter((step) => lastSeen(view, step.id) !== step)
    if (view === null || news.length === 0) return
    const isInView = (step: Step): boolean => view.plan.step(step.id) === step
    const later = new Map([...view.later, ...news.map((step) => [step.id, step] as const)])
    for (const step of news) if (isInView(step)) later.delete(step.id)
    const unseen = without(view.unseen, new Set(news.filter(isInView).map(({ id }) => id)))
    this.#set(actor, { view: { ...view, unseen, later } })
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
    if (since?.length === 0) return
    if (since?.every((entry) => entry.actor.id === actor.id) === true) {
      // What it does not know as it is now it knows as it was, with what it wrote of that.
      const asked = new Set([...view.unseen, ...view.later.keys()])
      const old = [...writtenAmong(asked, view, since, actor)]
      const later = new Map(old.filter(([id, step]) => plan.step(id) !== undefined && plan.step(id) !== step))
      const known = withVersion(this.of(actor, version).known, version)
      return this.#set(actor, { view: { ...view, version, plan, later }, places: NOWHERE, known })
    }
    const latest = since?.at(-1)
    if (since === null || latest?.version !== version || latest.actor.id !== actor.id) return
    const ids = new Set(latest.changes.map(({ id }) => id))
    this.printed(actor, version, [...writtenAmong(ids, view, since, actor).values()])
  }

  /** The actor was told what others did, up to `version`. */
  told(actor: Actor, version: number): void {
    this.#update(actor, stranger(version), { told: version })
  }

  /** Nobody has ever looked. */
  get isEmpty(): boolean {
    return this.#memories.size === 0 && this.#forgotten.size === 0
  }

  /** Bytes that it holds, about. */
  get weight(): number {
    let weight = this.#forgotten.size * MEMORY_BYTES
    const plans = new Set<Plan>()
    for (const { view, places, listed } of this.#memories.values()) {
      weight += MEMORY_BYTES + (places.size + listed.size + (view?.later.size ?? 0)) * PLACE_BYTES
      if (view === null || plans.has(view.plan)) continue
      plans.add(view.plan)
      weight += view.plan.steps.length * PLACE_BYTES
    }
    return weight
  }

  /**
   * What is to be kept of an actor over restarts.
   * @param plan the one of `version`
   * @returns null if the same was given out before; but not where actors are many, for then it counts who came last
   */
  store(actor: Actor, version: number, plan: Plan): StoredMemory | null {
    const memory = this.of(actor, version)
    const kept = this.#kept.get(actor.id)
    const { view, told, forgotten, places, known, listed, overruled, lastList } = memory
    const isKept =
      kept?.view === view &&
      kept.told === told &&
      kept.forgotten === forgotten &&
      kept.places === places &&
      kept.known === known
    if (isKept && this.#memories.size < MAX_VIEWS) return null
    this.#kept.set(actor.id, memory)
    const rest: StoredState = {
      told,
      forgotten,
      known,
      ...(overruled.size > 0 && { overruled: [...overruled] }),
      at: version,
      places: packPlaces(places, plan),
      listed: packSteps(listed, plan),
      ...(lastList !== null && { lastList: packOrder(lastList, plan) }),
      unseen: packSteps(view?.unseen ?? NONE, plan),
      unplaced: packSteps(view?.unplaced ?? NONE, plan),
      folded: packSteps(view?.folded ?? NONE, plan),
      later: packSeen(view?.later ?? NOTHING, plan),
    }
    return { actorId: actor.id, version: view?.version ?? -1, state: JSON.stringify(rest) }
  }

  /** Takes back what `store` gave. @param planAt the plan as it stood at a version, if that is known */
  restore({ actorId, version, state }: StoredMemory, planAt: (version: number) => Plan | undefined): void {
    // It was written by `store`, perhaps by an older one, whose views are lost.
    const { told, forgotten = false, at, known = [], overruled = [], ...packed } = JSON.parse(state) as StoredState
    const base = planAt(at)
    const seen = planAt(version)
    const isLost = base === undefined || (version >= 0 && seen === undefined)
    const memory: Memory = isLost
      ? { ...stranger(told), forgotten: forgotten || version >= 0 }
      : {
          view: seen === undefined ? null : viewOf(version, seen, packed, base),
          told,
          forgotten,
          places: unpackPlaces(packed.places ?? {}, base),
          listed: new Set(unpackSteps(packed.listed ?? {}, base)),
          overruled: new Map(overruled),
          lastList: packed.lastList === undefined ? null : unpackOrder(packed.lastList, base),
          known,
        }
    this.#memories.set(actorId, memory)
    this.#kept.set(actorId, memory)
  }

  #set(actor: Actor, change: Partial<Memory>): void {
    const memory = this.#memories.get(actor.id)
    if (memory !== undefined) this.#memories.set(actor.id, { ...memory, ...change })
  }

  #update(actor: Actor, otherwise: Memory, change: Partial<Memory>): Memory {
    const { id } = actor
    const known = this.#memories.get(id) ?? { ...otherwise, forgotten: this.#forgotten.delete(id) }
    const memory = { ...known, ...change }
    this.#memories.delete(id)
    this.#memories.set(id, memory)
    if (this.#memories.size > MAX_VIEWS) this.#forgetOldest()
    return memory
  }

  #forgetOldest(): void {
    const oldest = this.#memories.entries().next()
    if (oldest.done === true) return
    const [id, { view, forgotten }] = oldest.value
    this.#memories.delete(id)
    this.#kept.delete(id)
    if (view === null && !forgotten) return
    this.#forgotten.add(id)
    for (const first of this.#forgotten) if (this.#forgotten.size > MAX_FORGOTTEN) this.#forgotten.delete(first)
  }
}
