import type { GroupId, StepId } from '../schema/ids.ts'
import type { Group, Step } from '../schema/plan.ts'

/** Where each step stands. Shared by all plans that differ in fields alone. */
export class Places {
  readonly #indices: ReadonlyMap<StepId, number>
  readonly #positions: Int32Array
  readonly #depths: Int32Array
  #ends: Int32Array | null = null

  /**
   * @param indices an index for each id; it may grow later, and may know ids that do not stand anywhere
   * @param positions for each index the 0-based position in the pre-order, or -1
   * @param depths for each position
   */
  constructor(indices: ReadonlyMap<StepId, number>, positions: Int32Array, depths: Int32Array) {
    this.#indices = indices
    this.#positions = positions
    this.#depths = depths
  }

  /** The 0-based position in the pre-order, or -1. */
  of(id: StepId): number {
    return this.#positions[this.#indices.get(id) ?? -1] ?? -1
  }

  /** The position behind the last step below the one at a position. */
  end(position: number): number {
    return (this.#ends ??= endsOf(this.#depths))[position] ?? 0
  }
}

/** Where each sub-tree ends; worked out when first asked, in one pass from behind. */
function endsOf(depths: Int32Array): Int32Array {
  const ends = new Int32Array(depths.length)
  for (let position = depths.length - 1; position >= 0; position--) {
    let end = position + 1
    while (end < depths.length && (depths[end] as number) > (depths[position] as number)) end = ends[end] as number
    ends[position] = end
  }
  return ends
}

const NOTHING = new Int32Array(0)

/** A plan as it stood at one moment: immutable, and sharing all that did not change with the plans before and after. */
export class Plan {
  static readonly empty = new Plan('', [], [], new Map(), new Places(new Map(), NOTHING, NOTHING))

  readonly title: string
  /** In pre-order. */
  readonly steps: readonly Step[]
  readonly groups: readonly Group[]
  /** The numbers of removed steps that a living one still depends on. */
  readonly removedNumbers: ReadonlyMap<StepId, number>
  /** Two plans with the same `places` have the same steps in the same tree. */
  readonly places: Places

  constructor(
    title: string,
    steps: readonly Step[],
    groups: readonly Group[],
    removedNumbers: ReadonlyMap<StepId, number>,
    places: Places,
  ) {
    this.title = title
    this.steps = steps
    this.groups = groups
    this.removedNumbers = removedNumbers
    this.places = places
  }

  step(id: StepId): Step | undefined {
    return this.steps[this.places.of(id)]
  }

  /** The 1-based place of a step in the pre-order, or null. */
  placeOf(id: StepId): number | null {
    const position = this.places.of(id)
    return position < 0 ? null : position + 1
  }

  /** The step at a 1-based place. */
  at(place: number): Step | undefined {
    return this.steps[place - 1]
  }

  /** A step and all below it, in pre-order. */
  subtree(id: StepId): readonly Step[] {
    const start = this.places.of(id)
    return start < 0 ? [] : this.steps.slice(start, this.places.end(start))
  }

  /** The ids of a step's children in order; of the roots for null. */
  children(parent: StepId | null): StepId[] {
    const position = parent === null ? -1 : this.places.of(parent)
    if (parent !== null && position < 0) return []
    const end = parent === null ? this.steps.length : this.places.end(position)
    const ids: StepId[] = []
    for (let at = position + 1; at < end; at = this.places.end(at)) ids.push((this.steps[at] as Step).id)
    return ids
  }

  /** A step's own group, else its nearest ancestor's, else null. */
  groupOf(step: Step): GroupId | null {
    let at: Step | undefined = step
    while (at !== undefined && at.group === null) at = at.parent === null ? undefined : this.step(at.parent)
    return at?.group ?? null
  }
}
