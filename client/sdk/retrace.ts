import type { Plan } from '../../shared/plan/plan.ts'
import type { GroupId, StepId } from '../../shared/schema/ids.ts'
import type { PlanOperation, StepFields } from '../../shared/schema/operation.ts'
import type { Field, Footprint, GroupDelta, StepDelta, StepState, Whereabouts } from './footprint.ts'
import { fieldOf, isSameValue } from './footprint.ts'

const GUARDED = true

/** Something that was left as it is, and why. */
export interface LeftOut {
  readonly id: StepId | GroupId
  readonly why: string
}

export interface Retraced {
  readonly operations: readonly PlanOperation[]
  readonly leftOut: readonly LeftOut[]
}

/** `field` of a step, or its `place`, that somebody else has changed since. */
export type Void = `${StepId}:${Field | 'place'}`

/**
 * The operations that take a change back: field by field, only where the value is still the one that the change wrote;
 * a creation by a removal, a removal by putting the step back, a move only if nobody moved the step since.
 * @param voids what somebody else has changed since, even if it reads as it did
 */
export function takeBack(change: Footprint, plan: Plan, voids: ReadonlySet<Void>): Retraced {
  return new Retracing(plan, change.groupTitles, GUARDED, (delta, what) =>
    what !== 'existence' && voids.has(`${delta.id}:${what}`) ? 'somebody else has changed it since' : null,
  ).run(reversed(change))
}

/** The operations that make a change once more, on a plan that does not have it: as far as what it speaks of is there. */
export function doAgain(change: Footprint, plan: Plan, isRemoved: (id: StepId) => boolean): Retraced {
  return new Retracing(plan, change.groupTitles, !GUARDED, ({ id }) =>
    isRemoved(id) ? 'somebody else has removed it' : null,
  ).run(change)
}

/** The same change the other way round. */
function reversed({ steps, groups, title, groupTitles }: Footprint): Footprint {
  return {
    steps: steps.map(({ id, before, after, fields, from, to }) => {
      return { id, before: after, after: before, fields, from: to, to: from }
    }),
    groups: groups.map(({ id, before, after }) => ({ id, before: after, after: before })),
    title: title === null ? null : [title[1], title[0]],
    groupTitles,
  }
}

/** Why a part of a change is not to be made, or null. */
type Objection = (delta: StepDelta, what: Field | 'place' | 'existence') => string | null

class Retracing {
  readonly #plan: Plan
  readonly #titles: Footprint['groupTitles']
  /** Whether a value that is not the one from before the change stays as it is. */
  readonly #isGuarded: boolean
  readonly #objection: Objection
  readonly #operations: PlanOperation[] = []
  readonly #leftOut: LeftOut[] = []
  /** The parents of those steps that the operations have placed or taken away so far. */
  readonly #parents = new Map<StepId, StepId | null>()
  readonly #gone = new Set<StepId>()
  readonly #newGroups = new Map<string, GroupId>()

  constructor(plan: Plan, titles: Footprint['groupTitles'], isGuarded: boolean, objection: Objection) {
    this.#plan = plan
    this.#titles = titles
    this.#isGuarded = isGuarded
    this.#objection = objection
  }

  run({ steps, groups, title }: Footprint): Retraced {
    for (const group of groups) if (group.after !== null) this.#group(group)
    // What is put back has its parents before it; those that went come from behind, as they stood.
    for (const delta of inOrder(steps.filter(({ before }) => before === null))) this.#putBack(delta)
    for (const delta of steps) if (delta.before !== null && delta.after !== null) this.#change(delta)
    this.#remove(steps.filter(({ after }) => after === null))
    if (title !== null && (!this.#isGuarded || this.#plan.title === title[0]))
      this.#operations.push({ type: 'setTitle', title: title[1] })
    for (const { id, after } of groups) if (after === null) this.#removeGroup(id)
    return { operations: this.#operations, leftOut: this.#leftOut }
  }

  #putBack(delta: StepDelta): void {
    const { id, after, to } = delta
    if (after === null || to === null || this.#plan.step(id) !== undefined) return
    const why = this.#objection(delta, 'existence')
    if (why !== null) return void this.#leftOut.push({ id, why })
    const { fields, createdBy, createdAt } = after
    const place = this.#place(to)
    const grouped = { ...fields, group: this.#groupFor(fields.group ?? null) }
    this.#operations.push({ type: 'restoreSteps', steps: [{ id, ...place, fields: grouped, createdBy, createdAt }] })
    this.#parents.set(id, place.parent)
  }

  #change(delta: StepDelta): void {
    const { id, before, after } = delta
    const now = this.#plan.step(id)
    if (before === null || after === null) return
    if (now === undefined) return void this.#leftOut.push({ id, why: 'it is not there any more' })
    const fields: Partial<Record<Field, unknown>> = {}
    for (const field of delta.fields) {
      const stands = !this.#isGuarded || isSameValue(fieldOf(now, field), valueOf(before, field))
      const why = stands ? this.#objection(delta, field) : 'somebody else has changed it since'
      if (why !== null) this.#leftOut.push({ id, why: `${field}: ${why}` })
      else fields[field] = field === 'group' ? this.#groupFor(after.fields.group ?? null) : valueOf(after, field)
    }
    if (Object.keys(fields).length > 0) this.#operations.push({ type: 'setStep', id, fields: fields as StepFields })
    if (delta.from !== null && delta.to !== null) this.#move(delta, delta.from, delta.to)
  }

  #move(delta: StepDelta, from: Whereabouts, to: Whereabouts): void {
    const { id } = delta
    // Who climbed only because its parent goes will do so again.
    if (!this.#isGuarded && from.above[0] !== undefined && !this.#isThere(from.above[0])) return
    const stands = !this.#isGuarded || this.#parent(id) === (from.above[0] ?? null)
    const why = stands ? this.#objection(delta, 'place') : 'somebody else has moved it since'
    const place = this.#place(to, id)
    if (why !== null) return void this.#leftOut.push({ id, why: `place: ${why}` })
    for (let at = place.parent; at !== null; at = this.#parent(at))
      if (at === id) return void this.#leftOut.push({ id, why: 'place: it would go below itself' })
    this.#operations.push({ type: 'moveSteps', steps: [id], ...place })
    this.#parents.set(id, place.parent)
  }

  #remove(steps: readonly StepDelta[]): void {
    const ids = steps.map(({ id }) => id).filter((id) => this.#isThere(id))
    if (ids.length === 0) return
    this.#operations.push({ type: 'removeSteps', steps: ids, subSteps: false })
    for (const id of ids) this.#gone.add(id)
  }

  #isThere(id: StepId): boolean {
    return !this.#gone.has(id) && (this.#parents.has(id) || this.#plan.step(id) !== undefined)
  }

  #parent(id: StepId): StepId | null {
    const placed = this.#parents.get(id)
    return placed === undefined ? (this.#plan.step(id)?.parent ?? null) : placed
  }

  /** Under the nearest of those above that is there, behind the nearest of those before that stands there. */
  #place({ above, before, isLast }: Whereabouts, moving?: StepId): { parent: StepId | null; after?: StepId | null } {
    const parent = above.find((id) => id !== moving && this.#isThere(id)) ?? null
    // What was put at the end goes there once more, whatever has come meanwhile.
    if (parent !== (above[0] ?? null) || (isLast && !this.#isGuarded)) return { parent }
    const after = before.find((id) => id !== moving && this.#isThere(id) && this.#parent(id) === parent)
    return { parent, after: after ?? null }
  }

  #group({ id, before, after }: GroupDelta): void {
    const now = this.#plan.groups.find((group) => group.id === id)
    if (after === null) return
    if (now === undefined) {
      if (before === null) void this.#groupFor(id)
      return
    }
    if (before === null) return
    const isFree = !this.#plan.groups.some(({ title }) => title === after.title)
    const takes = (field: 'title' | 'testsVerified'): boolean =>
      before[field] !== after[field] && (!this.#isGuarded || now[field] === before[field])
    this.#operations.push({
      type: 'setGroup',
      id,
      ...(takes('title') && isFree ? { title: after.title } : {}),
      ...(takes('testsVerified') ? { testsVerified: after.testsVerified } : {}),
    })
  }

  /** A group that is there: this one, one of the same title, or this one made once more. */
  #groupFor(id: GroupId | null): GroupId | null {
    if (id === null || this.#plan.groups.some((group) => group.id === id)) return id
    const title = this.#titles[id]
    if (title === undefined) return null
    const same = this.#plan.groups.find((group) => group.title === title)?.id ?? this.#newGroups.get(title)
    if (same !== undefined) return same
    this.#operations.push({ type: 'addGroup', id, title })
    this.#newGroups.set(title, id)
    return id
  }

  /** Only if nobody's step names it: another's may do so by now. */
  #removeGroup(id: GroupId): void {
    if (!this.#plan.groups.some((group) => group.id === id)) return
    const leaving = new Set(
      this.#operations.flatMap((one) => (one.type === 'setStep' && 'group' in one.fields ? [one.id] : [])),
    )
    const isUsed = this.#plan.steps.some(
      (step) => step.group === id && !this.#gone.has(step.id) && !leaving.has(step.id),
    )
    if (!isUsed) this.#operations.push({ type: 'removeGroup', id })
  }
}

const valueOf = ({ fields }: StepState, field: Field): unknown => fields[field]

/** Parents first, and siblings in the order in which they stood. */
function inOrder(steps: readonly StepDelta[]): readonly StepDelta[] {
  const byId = new Map(steps.map((delta) => [delta.id, delta]))
  const sorted = new Set<StepDelta>()
  const visit = (delta: StepDelta): void => {
    if (sorted.has(delta)) return
    const { above = [], before = [] } = delta.to ?? {}
    for (const id of [...above.toReversed(), ...before.toReversed()]) {
      const other = byId.get(id)
      if (other !== undefined && other !== delta && !sorted.has(other)) visit(other)
    }
    sorted.add(delta)
  }
  for (const delta of steps) visit(delta)
  return [...sorted]
}
