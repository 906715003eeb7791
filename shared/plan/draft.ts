import type { GroupId, StepId } from '../schema/ids.ts'
import { PlanError } from '../schema/errors.ts'
import type { Place, Stamp } from '../schema/operation.ts'
import type { Step } from '../schema/plan.ts'
import type { FoldedGroup, FoldedStep, GroupPatch, StepPatch } from './document.ts'
import type { Plan } from './plan.ts'

/** One edit of `outline`: ids taken out, or put in behind `previous` and among their siblings. */
export type OutlineEdit =
  | { readonly type: 'take'; readonly ids: ReadonlySet<StepId> }
  | ({ readonly type: 'put'; readonly ids: readonly StepId[] } & Spot)

/** Where ids go: after `left` and before `right`, their siblings; best directly behind `previous` in the pre-order. */
export interface Spot {
  readonly parent: StepId | null
  readonly left: StepId | null
  readonly right: StepId | null
  readonly previous: StepId | null
}

/** Checked operations, ready to be written. Writing them cannot fail. */
export interface PlanChange {
  /** One a step; no field repeats what stands already. */
  readonly patches: readonly StepPatch[]
  readonly tombstones: readonly StepPatch[]
  readonly outline: readonly OutlineEdit[]
  readonly groups: readonly GroupPatch[]
  readonly title: string | null
}

/**
 * A plan on which operations are tried, one after the other, before anything is written. It is what makes checking
 * and writing one thing: what was tried is what is written.
 */
export class Draft {
  readonly #plan: Plan
  readonly #stamp: Stamp
  readonly #patches = new Map<StepId, FoldedStep>()
  readonly #added = new Set<StepId>()
  readonly #tombstones = new Map<StepId, StepPatch>()
  readonly #outline: OutlineEdit[] = []
  readonly #groups = new Map<GroupId, FoldedGroup>()
  readonly #parents = new Map<StepId, StepId | null>()
  #children: Map<StepId | null, StepId[]> | null = null
  #title: string | null = null
  #size: number

  constructor(plan: Plan, stamp: Stamp) {
    this.#plan = plan
    this.#stamp = stamp
    this.#size = plan.steps.length
  }

  /** How many steps the plan has now. */
  get size(): number {
    return this.#size
  }

  has(id: StepId): boolean {
    return this.#added.has(id) || (!this.#tombstones.has(id) && this.#plan.step(id) !== undefined)
  }

  /** @throws PlanError if there is no such step */
  require(id: StepId): void {
    if (!this.has(id)) throw new PlanError(`There is no step ${id}.`)
  }

  /** The step as it stood before this draft. */
  original(id: StepId): Step | undefined {
    return this.#added.has(id) ? undefined : this.#plan.step(id)
  }

  group(id: GroupId): FoldedGroup | undefined {
    const group = this.#plan.groups.find((one) => one.id === id)
    const drafted = this.#groups.get(id)
    return group === undefined && drafted === undefined ? undefined : { ...group, ...drafted }
  }

  groupTitled(title: string): GroupId | null {
    for (const { id } of this.#plan.groups) if (this.#isTitled(id, title)) return id
    for (const id of this.#groups.keys()) if (this.#isTitled(id, title)) return id
    return null
  }

  #isTitled(id: GroupId, title: string): boolean {
    const group = this.group(id)
    return group?.title === title && group.removed !== true
  }

  /** Whether a step that stays names the group as its own. */
  isGroupInUse(id: GroupId): boolean {
    const names = (step: StepId, own: GroupId | null): boolean =>
      this.has(step) && (this.#patches.get(step)?.group ?? own ?? '') === id
    return this.#plan.steps.some((step) => names(step.id, step.group)) || [...this.#added].some((step) => names(step, null))
  }

  /** What a field of a step holds now. */
  field<K extends keyof FoldedStep>(id: StepId, key: K): FoldedStep[K] | undefined {
    return this.#patches.get(id)?.[key]
  }

  set(id: StepId, fields: FoldedStep): void {
    if (Object.keys(fields).length === 0) return
    const stamp = this.#added.has(id) ? {} : { updatedBy: this.#stamp.by, updatedAt: this.#stamp.at }
    this.#patches.set(id, { ...this.#patches.get(id), ...fields, ...stamp })
  }

  setGroup(id: GroupId, fields: FoldedGroup): void {
    this.#groups.set(id, { ...this.#groups.get(id), ...fields })
  }

  setTitle(title: string): void {
    this.#title = title
  }

  /** Makes a step, not placed yet. */
  add(id: StepId, fields: FoldedStep): void {
    if (this.has(id)) throw new PlanError(`There is a step ${id} already.`)
    this.#added.add(id)
    this.#size++
    this.#patches.set(id, { createdBy: this.#stamp.by, createdAt: this.#stamp.at, ...fields })
  }

  /** Makes a step the last child of one that was just added, to be placed with it. */
  nest(id: StepId, parent: StepId): void {
    this.#attach(id, parent)
    this.#childMap().set(parent, [...this.children(parent), id])
  }

  /**
   * Puts steps under a parent, in the order given; those that stand somewhere are moved, their sub-steps follow.
   * @param run the new steps with all that was nested below them, in pre-order
   * @throws PlanError if the place does not exist or lies below one of the steps
   */
  put(ids: readonly StepId[], { parent, after }: Place, run = ids): void {
    if (parent !== null) this.require(parent)
    const moving = new Set(ids)
    for (let at = parent; at !== null; at = this.parent(at))
      if (moving.has(at)) throw new PlanError('A step cannot go below itself.')
    const siblings = this.children(parent)
    const left = this.#leftOf(siblings, parent, after, moving)
    const wanted = siblings.filter((id) => !moving.has(id))
    const position = left === null ? 0 : wanted.indexOf(left) + 1
    wanted.splice(position, 0, ...ids)
    if (wanted.length === siblings.length && wanted.every((id, i) => id === siblings[i])) return
    const right = wanted[position + ids.length] ?? null
    const previous = left === null ? parent : this.#lastBelow(left)
    this.#take(ids.filter((id) => this.#parents.has(id) || this.original(id) !== undefined))
    for (const id of ids) this.#attach(id, parent)
    this.#childMap().set(parent, wanted)
    this.#outline.push({ type: 'put', ids: run, parent, left, right, previous })
  }

  #leftOf(siblings: readonly StepId[], parent: StepId | null, after: Place['after'], moving: ReadonlySet<StepId>) {
    if (after === null) return null
    if (after !== undefined && !siblings.includes(after))
      throw new PlanError(`Step ${after} does not stand ${parent === null ? 'at top level' : `under ${parent}`}.`)
    let at = after === undefined ? siblings.length - 1 : siblings.indexOf(after)
    // A sibling that moves along is no anchor; the nearest before it that stays is.
    while (at >= 0 && moving.has(siblings[at] as StepId)) at--
    return siblings[at] ?? null
  }

  #attach(id: StepId, parent: StepId | null): void {
    const before = this.#parents.has(id) || !this.#added.has(id) ? this.parent(id) : null
    if (before !== parent) this.set(id, { parent: parent ?? '' })
    this.#parents.set(id, parent)
  }

  #take(ids: readonly StepId[]): void {
    if (ids.length === 0) return
    for (const id of ids) {
      const siblings = this.children(this.parent(id))
      this.#childMap().set(this.parent(id), siblings.filter((one) => one !== id))
    }
    this.#outline.push({ type: 'take', ids: new Set(ids) })
  }

  /** Removes steps; the children of those that stay climb to where it stood. */
  remove(ids: ReadonlySet<StepId>): void {
    const parents = new Set<StepId | null>()
    for (const id of ids) {
      const parent = this.parent(id)
      if (parent === null || !ids.has(parent)) parents.add(parent)
      const number = this.original(id)?.number
      this.#tombstones.set(id, { id, removed: true, parent: parent ?? '', ...(number ? { number } : {}) })
    }
    for (const parent of parents) {
      const staying = this.children(parent).flatMap((child) => (ids.has(child) ? this.#survivors(child, ids) : [child]))
      for (const child of staying) if (this.parent(child) !== parent) this.#parents.set(child, parent)
      this.#childMap().set(parent, staying)
    }
    for (const id of ids) {
      this.#patches.delete(id)
      if (this.#added.delete(id)) this.#tombstones.delete(id)
    }
    this.#size -= ids.size
    this.#outline.push({ type: 'take', ids })
  }

  /** The nearest steps below a removed one that stay. */
  #survivors(removed: StepId, ids: ReadonlySet<StepId>): StepId[] {
    const found: StepId[] = []
    const stack = this.children(removed).toReversed()
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (ids.has(at)) stack.push(...this.children(at).toReversed())
      else found.push(at)
    }
    return found
  }

  parent(id: StepId): StepId | null {
    const drafted = this.#parents.get(id)
    return drafted === undefined ? (this.#plan.step(id)?.parent ?? null) : drafted
  }

  children(parent: StepId | null): readonly StepId[] {
    return this.#childMap().get(parent) ?? []
  }

  /** A step and all below it, in pre-order. */
  subtree(id: StepId): StepId[] {
    const found: StepId[] = []
    const stack = [id]
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      found.push(at)
      stack.push(...this.children(at).toReversed())
    }
    return found
  }

  #lastBelow(id: StepId): StepId {
    let at = id
    for (let last = this.children(at).at(-1); last !== undefined; last = this.children(at).at(-1)) at = last
    return at
  }

  #childMap(): Map<StepId | null, StepId[]> {
    if (this.#children === null) {
      this.#children = new Map()
      for (const { id, parent } of this.#plan.steps) {
        const siblings = this.#children.get(parent)
        if (siblings === undefined) this.#children.set(parent, [id])
        else siblings.push(id)
      }
    }
    return this.#children
  }

  finish(): PlanChange {
    return {
      patches: [...this.#patches].map(([id, fields]) => ({ id, ...fields })),
      tombstones: [...this.#tombstones.values()],
      outline: this.#outline,
      groups: [...this.#groups].map(([id, fields]) => ({ id, ...fields })),
      title: this.#title,
    }
  }
}
