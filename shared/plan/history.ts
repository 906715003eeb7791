import type { Actor } from '../schema/actor.ts'
import type { StepId } from '../schema/ids.ts'
import { MAX_HISTORY, MAX_HISTORY_BYTES } from '../schema/limits.ts'
import type { OrderSplice, StepChange } from './changes.ts'
import { changesBetween, orderSplice } from './changes.ts'
import type { FormerText } from './former-texts.ts'
import type { Plan } from './plan.ts'

/** Bytes that an entry, a change in it and an id take, about. */
const ENTRY_BYTES = 200
const CHANGE_BYTES = 300
const ID_BYTES = 10
/** A history that holds less is not made shorter: there is little to gain, and numbers would lose their meaning. */
const LEAST_BYTES = 16 * 1024

/** One version: who made it and what it changed. */
export interface HistoryEntry {
  readonly version: number
  readonly actor: Actor
  readonly changes: readonly StepChange[]
  readonly splice: OrderSplice | null
  /** What it brought and what gave way to others' words. */
  readonly outrun: readonly FormerText[]
}

const NONE: readonly FormerText[] = []

/** The version that took a step away, or brought one, last. */
export interface Deed {
  readonly version: number
  readonly actor: Actor
  readonly change: StepChange
}

/** The last versions of a plan as they were lived through, for what was where, and who did what since. */
export class History {
  readonly #entries: HistoryEntry[] = []
  readonly #actors = new Set<string>()
  /** Looked up by many references of one call, and so kept rather than looked for. What was last stands last. */
  readonly #removals = new Map<StepId, Deed>()
  readonly #additions = new Map<StepId, Deed>()
  #numbers: {
    readonly from: number
    readonly to: number
    readonly holders: ReadonlyMap<number, StepId | null>
  } | null = null
  #weight = 0
  /** The version it reaches back to: what stood there then is known. */
  #start: number

  constructor(start: number) {
    this.#start = start
  }

  /** The last version it knows of. */
  get version(): number {
    return this.#start + this.#entries.length
  }

  /** The earliest version it can tell of. */
  get start(): number {
    return this.#start
  }

  /** Bytes that it holds, about. */
  get weight(): number {
    return this.#weight
  }

  record(actor: Actor, before: Plan, after: Plan, outrun = NONE): HistoryEntry {
    const splice = orderSplice(before, after)
    const entry = { version: this.version + 1, actor, changes: changesBetween(before, after), splice, outrun }
    this.#entries.push(entry)
    this.#actors.add(actor.id)
    for (const change of entry.changes) {
      const deeds = change.after === null ? this.#removals : change.before === null ? this.#additions : null
      if (deeds?.delete(change.id) !== undefined) deeds.set(change.id, { version: entry.version, actor, change })
    }
    this.#weight += size(entry)
    this.#shorten(MAX_HISTORY, MAX_HISTORY_BYTES)
    return entry
  }

  /** Gives up what is the furthest back, about half of what it holds. @returns whether there was something to give up */
  halve(): boolean {
    if (this.#weight <= LEAST_BYTES) return false
    this.#shorten(MAX_HISTORY, this.#weight / 2)
    return true
  }

  #shorten(entries: number, weight: number): void {
    let count = 0
    while (this.#entries.length - count > entries || this.#weight > weight) {
      const oldest = this.#entries[count]
      if (oldest === undefined) break
      this.#weight -= size(oldest)
      this.#start = oldest.version
      for (const { id } of oldest.changes)
        for (const deeds of [this.#removals, this.#additions])
          if (deeds.get(id)?.version === oldest.version) deeds.delete(id)
      count++
    }
    this.#entries.splice(0, count)
  }

  /**
   * Whether somebody else has a part in the plan as it stands: by a change since it is known, or by a step that was
   * made or touched before that. An actor is known by its id, or for what is older by its name.
   */
  isShared(actor: Actor, now: Plan): boolean {
    for (const id of this.#actors) if (id !== actor.id) return true
    const isOwn = (name: string): boolean => name === '' || name === actor.name
    return this.#start > 0 && !now.steps.every((step) => isOwn(step.createdBy) && isOwn(step.updatedBy))
  }

  /** All entries after a version, or null where it does not reach. */
  since(version: number): readonly HistoryEntry[] | null {
    if (version < this.#start || version > this.version) return null
    return this.#entries.slice(version - this.#start)
  }

  /** Who removed which step last, the latest last. */
  get removals(): ReadonlyMap<StepId, Deed> {
    return this.#removals
  }

  /** Who added, or brought back, a step last. */
  additionOf(id: StepId): Deed | undefined {
    return this.#additions.get(id)
  }

  /**
   * Who had the numbers at a version of which the changes since tell: null for one that nobody had. Made in one pass, and
   * kept until the next change: a call may ask for hundreds.
   * @returns null where it does not reach
   */
  numbersAt(version: number): ReadonlyMap<number, StepId | null> | null {
    const entries = this.since(version)
    if (entries === null) return null
    if (this.#numbers?.from !== version || this.#numbers.to !== this.version) {
      const holders = new Map<number, StepId | null>()
      for (const { changes } of entries) {
        // Within a version the one that had a number counts before the one that has it then.
        for (const side of ['before', 'after'] as const)
          for (const change of changes) {
            const number = change[side]?.number ?? null
            if (number !== null && !holders.has(number)) holders.set(number, side === 'before' ? change.id : null)
          }
      }
      this.#numbers = { from: version, to: this.version, holders }
    }
    return this.#numbers.holders
  }

  /** The ids in pre-order as they stood at a version, or null where it does not reach. */
  orderAt(version: number, now: Plan): readonly StepId[] | null {
    const entries = this.since(version)
    if (entries === null) return null
    let ids = now.steps.map((step) => step.id)
    for (const { splice } of entries.toReversed()) {
      if (splice === null) continue
      const { at, added, removed } = splice
      ids = ids.slice(0, at).concat(removed, ids.slice(at + added.length))
    }
    return ids
  }
}

/** What later entries share with it, or the plan, is not counted: texts that are still there. */
function size({ splice, changes, outrun }: HistoryEntry): number {
  let bytes = ENTRY_BYTES + changes.length * CHANGE_BYTES
  for (const { text } of outrun) bytes += text.length
  for (const { before, after } of changes) {
    if (before === null) continue
    if (before.text !== after?.text) bytes += before.text.length
    if (before.details !== after?.details) bytes += before.details?.length ?? 0
  }
  return bytes + (splice === null ? 0 : (splice.added.length + splice.removed.length) * ID_BYTES)
}
