import type { GroupId, StepId } from '../schema/ids.ts'
import type { Group, Step } from '../schema/plan.ts'

/** Where each step stands. Shared by all plans that differ in fields alone; worked out when first asked. */
export class Places {
  readonly #steps: readonly Step[]
  #byId: Map<StepId, number> | null = null

  constructor(steps: readonly Step[]) {
    this.#steps = steps
  }

  /** The 0-based position in the pre-order, or -1. */
  of(id: StepId): number {
    this.#byId ??= new Map(this.#steps.map((step, position) => [step.id, position]))
    return this.#byId.get(id) ?? -1
  }
}

/** A plan as it stood at one moment: immutable, and sharing all that did not change with the plans before and after. */
export class Plan {
  static readonly empty = new Plan('', [], [], new Map(), new Places([]))

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
    const first = this.steps[start]
    if (first === undefined) return []
    let end = start + 1
    for (let step = this.steps[end]; step !== undefined && step.depth > first.depth; step = this.steps[++end]);
    return this.steps.slice(start, end)
  }

  /** A step's own group, else its nearest ancestor's, else null. */
  groupOf(step: Step): GroupId | null {
    let at: Step | undefined = step
    while (at !== undefined && at.group === null) at = at.parent === null ? undefined : this.step(at.parent)
    return at?.group ?? null
  }
}
