import type { GroupId, StepId } from '../schema/ids.ts'
import { PlanError } from '../schema/errors.ts'
import type { Place, Stamp } from '../schema/operation.ts'
import type { Group, Step } from '../schema/plan.ts'
import type { DependencyField, FoldedGroup, FoldedStep, GroupPatch, StepPatch } from './document.ts'
import { dependencyField, isDependencyField } from './document.ts'
import type { Plan } from './plan.ts'
import { changedGroup, isSame, standing } from './standing.ts'

/**
 * One edit of `outline`: ids taken out; or put in, behind `previous` and among their siblings; or, where their parent
 * goes, put in there only if they do not stand there already: it may have been moved away from above them.
 */
export type OutlineEdit =
  | { readonly type: 'take'; readonly ids: ReadonlySet<StepId> }
  | ({ readonly type: 'put' | 'keep'; readonly ids: readonly StepId[] } & Spot)

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
  /** The children of those parents whose children differ from the plan's. */
  readonly #children = new Map<StepId | null, StepId[]>()
  #groupsById: ReadonlyMap<GroupId, Group> | null = null
  /** The groups by their titles as they stand now; worked out when first asked. */
  #titles: Map<string, GroupId> | null = null
  /** The groups that steps name as their own; forgotten when that may have changed. */
  #used: Set<unknown> | null = null
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

  /** How many groups the plan has now. */
  get groupCount(): number {
    let count = this.#plan.groups.length
    if (this.#groups.size === 0) return count
    const known = new Set(this.#plan.groups.map(({ id }) => id))
    for (const id of this.#groups.keys()) count += Number(this.group(id) !== undefined) - Number(known.has(id))
    return count
  }

  group(id: GroupId): FoldedGroup | undefined {
    this.#groupsById ??= new Map(this.#plan.groups.map((one) => [one.id, one]))
    const group = this.#groupsById.get(id)
    const drafted = this.#groups.get(id)
    if ((group === undefined && drafted === undefined) || drafted?.removed === true) return undefined
    return { ...group, ...drafted }
  }

  groupTitled(title: string): GroupId | null {
    if (this.#titles === null) {
      this.#titles = new Map()
      for (const id of [...this.#plan.groups.map((group) => group.id), ...this.#groups.keys()]) this.#enter(id)
    }
    return this.#titles.get(title) ?? null
  }

  #enter(id: GroupId): void {
    const title = this.group(id)?.title
    if (title !== undefined) this.#titles?.set(title, id)
  }

  /** Whether a step that stays names the group as its own. */
  isGroupInUse(id: GroupId): boolean {
    if (this.#used === null) {
      const steps = [...this.#plan.steps.map((step) => step.id), ...this.#added]
      this.#used = new Set(steps.filter((step) => this.has(step)).map((step) => this.field(step, 'group')))
    }
    return this.#used.has(id)
  }

  /** What a field of a step holds now, as a patch would say it. */
  field(id: StepId, key: keyof FoldedStep): unknown {
    const patch = this.#patches.get(id)
    if (patch !== undefined && Object.hasOwn(patch, key)) return patch[key]
    return standing(this.#original(id), key)
  }

  /** The dependencies of a step with their ranks, in order. */
  ranks(id: StepId): Map<DependencyField, number> {
    const ranks = new Map<DependencyField, number>()
    for (const one of this.#original(id)?.dependencies ?? []) ranks.set(dependencyField(one), one.rank)
    for (const [key, rank] of Object.entries(this.#patches.get(id) ?? {})) {
      if (!isDependencyField(key)) continue
      if (typeof rank === 'number') ranks.set(key, rank)
      else ranks.delete(key)
    }
    return new Map([...ranks].sort(([, a], [, b]) => a - b))
  }

  /** The step as it stood before this draft. */
  #original(id: StepId): Step | undefined {
    return this.#added.has(id) ? undefined : this.#plan.step(id)
  }

  set(id: StepId, fields: FoldedStep): void {
    if (Object.keys(fields).length === 0) return
    const stamp = this.#added.has(id) ? {} : { updatedBy: this.#stamp.by, updatedAt: this.#stamp.at }
    this.#patches.set(id, { ...this.#patches.get(id), ...fields, ...stamp })
    if (fields.group !== undefined) this.#used = null
  }

  setGroup(id: GroupId, fields: FoldedGroup): void {
    const title = this.group(id)?.title
    if (title !== undefined) this.#titles?.delete(title)
    this.#groups.set(id, { ...this.#groups.get(id), ...fields })
    this.#enter(id)
  }

  setTitle(title: string): void {
    this.#title = title
  }

  /** Makes a step, not placed yet. */
  add(id: StepId, fields: FoldedStep): void {
    if (this.has(id)) throw new PlanError(`There is a step ${id} already.`)
    if (this.#tombstones.has(id) && fields.removed !== false)
      throw new PlanError(`Step ${id} was removed: it can be restored, but not added.`)
    this.#tombstones.delete(id)
    this.#parents.delete(id)
    this.#added.add(id)
    this.#used = null
    this.#size++
    this.#patches.set(id, { createdBy: this.#stamp.by, createdAt: this.#stamp.at, ...fields })
  }

  /** Makes a step the last child of one that was just added, to be placed with it. */
  nest(id: StepId, parent: StepId): void {
    this.#attach(id, parent)
    this.#list(parent).push(id)
  }

  /**
   * Puts steps under a parent, in the order given; those that stand somewhere are moved, their sub-steps follow.
   * @param run the new steps with all that was nested below them, in pre-order
   * @throws PlanError if the place does not exist or lies below one of the steps
   */
  put(ids: readonly StepId[], { parent, after }: Place, run = ids): void {
    if (parent !== null) this.require(parent)
    const moving = new Set(ids)
    const placed = ids.filter((id) => this.#isPlaced(id))
    // Below a new step there is nothing but what it brings.
    const isBelow = placed.length === 0 ? parent !== null && run.includes(parent) : this.#isBelow(parent, moving)
    if (isBelow) throw new PlanError('A step cannot go below itself.')
    const siblings = this.children(parent)
    const left = leftOf(siblings, parent, after, moving)
    const wanted = siblings.filter((id) => !moving.has(id))
    const position = left === null ? 0 : wanted.indexOf(left) + 1
    wanted.splice(position, 0, ...ids)
    if (wanted.length === siblings.length && wanted.every((id, i) => id === siblings[i])) return
    const right = wanted[position + ids.length] ?? null
    const previous = left === null ? parent : this.#lastBelow(left)
    this.#take(placed)
    for (const id of ids) this.#attach(id, parent)
    this.#children.set(parent, wanted)
    this.#outline.push({ type: 'put', ids: run, parent, left, right, previous })
  }

  #isPlaced(id: StepId): boolean {
    return this.#parents.has(id) || !this.#added.has(id)
  }

  #isBelow(id: StepId | null, above: ReadonlySet<StepId>): boolean {
    for (let at = id; at !== null; at = this.parent(at)) if (above.has(at)) return true
    return false
  }

  #attach(id: StepId, parent: StepId | null): void {
    const before = this.#isPlaced(id) ? this.parent(id) : null
    if (before !== parent) this.set(id, { parent: parent ?? '' })
    this.#parents.set(id, parent)
  }

  #take(ids: readonly StepId[]): void {
    if (ids.length === 0) return
    const gone = new Set(ids)
    for (const parent of new Set(ids.map((id) => this.parent(id))))
      this.#children.set(
        parent,
        this.children(parent).filter((id) => !gone.has(id)),
      )
    this.#outline.push({ type: 'take', ids: gone })
  }

  /** Removes steps; the children of those that stay climb to where it stood. */
  remove(ids: ReadonlySet<StepId>): void {
    const parents = new Set<StepId | null>()
    for (const id of ids) {
      const parent = this.parent(id)
      if (parent === null || !ids.has(parent)) parents.add(parent)
    }
    for (const parent of parents) this.#climb(parent, ids)
    for (const id of ids) this.#bury(id, ids)
    for (const id of ids) this.#added.delete(id)
    this.#used = null
    this.#size -= ids.size
    this.#outline.push({ type: 'take', ids })
  }

  /** Gives a parent the nearest survivors in place of each child that goes. */
  #climb(parent: StepId | null, gone: ReadonlySet<StepId>): void {
    const staying: StepId[] = []
    /** Who climbs, each with the child in whose place. */
    const climbing = new Map<StepId, StepId>()
    for (const child of this.children(parent)) {
      for (const id of gone.has(child) ? this.#survivors(child, gone) : [child]) {
        if (id !== child) climbing.set(id, child)
        staying.push(id)
      }
    }
    for (let start = 0, end = 0; start < staying.length; start = Math.max(end, start + 1)) {
      end = start
      while (climbing.has(staying[end] as StepId)) end++
      const ids = staying.slice(start, end)
      const previous = climbing.get(staying[start] as StepId)
      if (previous === undefined) continue
      for (const id of ids) this.#adopt(id, parent, gone)
      const [left = null, right = null] = [staying[start - 1], staying[end]]
      this.#outline.push({ type: 'keep', ids, parent, left, right, previous })
    }
    this.#children.set(parent, staying)
  }

  /** A step climbs by reading along the tombstones above it; what never was written leaves none. */
  #adopt(id: StepId, parent: StepId | null, gone: ReadonlySet<StepId>): void {
    let isTold = true
    for (let at = this.parent(id); at !== null && gone.has(at); at = this.parent(at)) isTold &&= !this.#added.has(at)
    if (!isTold) this.set(id, { parent: parent ?? '' })
    this.#parents.set(id, parent)
  }

  #bury(id: StepId, gone: ReadonlySet<StepId>): void {
    const known = this.#plan.step(id)
    if (known !== undefined) {
      let parent = this.parent(id)
      while (parent !== null && gone.has(parent) && this.#added.has(parent)) parent = this.parent(parent)
      const number = known.number === null ? {} : { number: known.number }
      const group = known.group === null ? {} : { group: known.group }
      this.#tombstones.set(id, { id, removed: true, parent: parent ?? '', ...group, ...number })
    }
    this.#patches.delete(id)
    this.#children.set(id, [])
  }

  /** The nearest steps below a removed one that stay. */
  #survivors(removed: StepId, ids: ReadonlySet<StepId>): StepId[] {
    const found: StepId[] = []
    const stack = [removed]
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (at !== removed && !ids.has(at)) found.push(at)
      else for (const child of this.children(at).toReversed()) stack.push(child)
    }
    return found
  }

  parent(id: StepId): StepId | null {
    const drafted = this.#parents.get(id)
    return drafted === undefined ? (this.#plan.step(id)?.parent ?? null) : drafted
  }

  children(parent: StepId | null): readonly StepId[] {
    return this.#children.get(parent) ?? this.#plan.children(parent)
  }

  #list(parent: StepId): StepId[] {
    let list = this.#children.get(parent)
    if (list === undefined) this.#children.set(parent, (list = this.#plan.children(parent)))
    return list
  }

  /** A step and all below it, in pre-order. */
  subtree(id: StepId): StepId[] {
    const found: StepId[] = []
    const stack = [id]
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      found.push(at)
      for (const child of this.children(at).toReversed()) stack.push(child)
    }
    return found
  }

  #lastBelow(id: StepId): StepId {
    let at = id
    for (let last = this.children(at).at(-1); last !== undefined; last = this.children(at).at(-1)) at = last
    return at
  }

  finish(): PlanChange {
    const groups = [...this.#groups].map(([id, fields]) => {
      const before = this.#plan.groups.find((one) => one.id === id)
      return { id, ...changedGroup(fields, before) }
    })
    return {
      patches: [...this.#patches].flatMap(([id, fields]) => this.#patch(id, fields)),
      tombstones: [...this.#tombstones.values()],
      outline: this.#isTreeTheSame() ? [] : this.#outline,
      groups: groups.filter((patch) => Object.keys(patch).length > 1),
      title: this.#title === this.#plan.title ? null : this.#title,
    }
  }

  /** What came back to where it was in the course of the draft is not written. */
  #patch(id: StepId, fields: FoldedStep): StepPatch[] {
    const before = this.#original(id)
    if (before === undefined) return [{ id, ...fields }]
    const { updatedBy = '', updatedAt = 0, ...rest } = fields
    const changed = Object.entries(rest).filter(
      ([key, value]) => !isSame(value, standing(before, key as keyof FoldedStep)),
    )
    return changed.length === 0 ? [] : [{ id, ...Object.fromEntries(changed), updatedBy, updatedAt }]
  }

  #isTreeTheSame(): boolean {
    if (this.#added.size + this.#tombstones.size > 0) return false
    for (const [parent, ids] of this.#children) {
      const before = this.#plan.children(parent)
      if (before.length !== ids.length || before.some((id, i) => id !== ids[i])) return false
    }
    return true
  }
}

/** The sibling behind which steps go, or null for the first place. */
function leftOf(
  siblings: readonly StepId[],
  parent: StepId | null,
  after: Place['after'],
  moving: ReadonlySet<StepId>,
) {
  if (after === null) return null
  if (after !== undefined && !siblings.includes(after))
    throw new PlanError(`Step ${after} does not stand ${parent === null ? 'at top level' : `under ${parent}`}.`)
  let at = after === undefined ? siblings.length - 1 : siblings.indexOf(after)
  // A sibling that moves along is no anchor; the nearest before it that stays is.
  while (at >= 0 && moving.has(siblings[at] as StepId)) at--
  return siblings[at] ?? null
}
