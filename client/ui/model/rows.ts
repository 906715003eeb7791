import type { Plan, Step, StepId } from '../../sdk/index.ts'
import type { Filter } from './filter.ts'
import { type Tally, talliesOf } from './tally.ts'

export interface StepRow {
  readonly kind: 'step'
  readonly key: StepId
  readonly step: Step
  /** 1 at top level, as aria-level has it. */
  readonly level: number
  readonly isExpanded: boolean
  /** Among its siblings, from 1. */
  readonly position: number
  readonly siblings: number
  /** Of its sub-steps; null without any. */
  readonly tally: Tally | null
  /** It is here only because something below it fits the filter. */
  readonly isContext: boolean
}
/** A step that is being typed and is not in the plan yet. */
export interface DraftRow {
  readonly kind: 'draft'
  readonly key: 'draft'
  readonly level: number
}
export type Row = StepRow | DraftRow

export interface DraftPlace {
  readonly parent: StepId | null
  /** null: as the first. */
  readonly after: StepId | null
}

export interface Outline {
  readonly collapsed: ReadonlySet<StepId>
  readonly filter: Filter
  readonly draft: DraftPlace | null
  /** A step that alone is shown, with all below it. */
  readonly zoom?: StepId | null
  /** A step that must be seen whatever is collapsed or filtered: it is being typed in. */
  readonly keep: StepId | null
}

/** Makes rows, handing out the ones from before where nothing changed. */
export function rowMaker(): (plan: Plan, outline: Outline) => readonly Row[] {
  let former = new Map<StepId, StepRow>()
  return (plan, outline) => {
    const rows = makeRows(plan, outline, former)
    former = new Map(rows.flatMap((row) => (row.kind === 'step' ? [[row.key, row]] : [])))
    return rows
  }
}

function makeRows(plan: Plan, outline: Outline, former: ReadonlyMap<StepId, StepRow>): readonly Row[] {
  const { collapsed, filter, draft, keep, zoom = null } = outline
  const { parents } = talliesOf(plan)
  const shown = filter === null ? null : shownBy(plan, filter, keep)
  const open = ancestorsOf(plan, keep ?? draft?.parent ?? null, keep === null)
  const counts = countSiblings(plan)
  const positions = new Map<StepId | null, number>()
  const rows: Row[] = []
  const from = zoom === null ? 0 : Math.max(0, plan.places.of(zoom))
  const to = zoom === null ? plan.steps.length : plan.places.end(from)
  for (let at = 0; at < to; at++) {
    const step = plan.steps[at] as Step
    const position = (positions.get(step.parent) ?? 0) + 1
    positions.set(step.parent, position)
    if (at < from) continue
    const place = shown?.get(step.id)
    if (shown !== null && place === undefined) continue
    const tally = parents.get(step.id) ?? null
    const isExpanded =
      tally !== null && (shown !== null || open.has(step.id) || step.id === zoom || !collapsed.has(step.id))
    const row: StepRow = {
      kind: 'step',
      key: step.id,
      step,
      level: step.depth + 1,
      isExpanded,
      position,
      siblings: counts.get(step.parent) ?? 1,
      tally,
      isContext: place === 'context',
    }
    const was = former.get(step.id)
    rows.push(was !== undefined && isSame(was, row) ? was : row)
    if (tally !== null && !isExpanded) at = plan.places.end(at) - 1
  }
  if (draft !== null) insertDraft(plan, rows, draft)
  return rows
}

function countSiblings(plan: Plan): Map<StepId | null, number> {
  const counts = new Map<StepId | null, number>()
  for (const { parent } of plan.steps) counts.set(parent, (counts.get(parent) ?? 0) + 1)
  return counts
}

function shownBy(plan: Plan, filter: NonNullable<Filter>, keep: StepId | null): Map<StepId, 'match' | 'context'> {
  const shown = new Map<StepId, 'match' | 'context'>()
  for (const step of plan.steps) {
    if (step.id !== keep && !filter(step)) continue
    for (const id of ancestorsOf(plan, step.parent, true)) if (!shown.has(id)) shown.set(id, 'context')
    shown.set(step.id, 'match')
  }
  return shown
}

/** The steps above one, and itself if wanted. */
function ancestorsOf(plan: Plan, id: StepId | null, isIncluded: boolean): Set<StepId> {
  const found = new Set<StepId>()
  let step = id === null ? undefined : plan.step(id)
  if (!isIncluded && step !== undefined) step = step.parent === null ? undefined : plan.step(step.parent)
  while (step !== undefined) {
    found.add(step.id)
    step = step.parent === null ? undefined : plan.step(step.parent)
  }
  return found
}

/** Where a draft goes if what it stood beside is gone meanwhile. */
export function mendPlace(plan: Plan, { parent, after }: DraftPlace): DraftPlace {
  if (parent !== null && plan.step(parent) === undefined)
    return { parent: null, after: plan.children(null).at(-1) ?? null }
  const beside = after === null ? null : plan.step(after)
  if (beside === null || beside?.parent === parent) return { parent, after }
  return { parent, after: plan.children(parent).at(-1) ?? null }
}

function insertDraft(plan: Plan, rows: Row[], place: DraftPlace): void {
  const { parent, after } = mendPlace(plan, place)
  const level = parent === null ? 1 : (plan.step(parent)?.depth ?? 0) + 2
  const before = after ?? parent
  // Behind the last row that stands no later than the sub-tree it follows.
  const limit =
    before === null ? 0 : after === null ? plan.places.of(before) + 1 : plan.places.end(plan.places.of(before))
  let index = rows.length
  while (index > 0) {
    const row = rows[index - 1]
    if (row?.kind === 'step' && plan.places.of(row.key) < limit) break
    index--
  }
  rows.splice(index, 0, { kind: 'draft', key: 'draft', level })
}

function isSame(a: StepRow, b: StepRow): boolean {
  return (
    a.step === b.step &&
    a.level === b.level &&
    a.isExpanded === b.isExpanded &&
    a.position === b.position &&
    a.siblings === b.siblings &&
    a.isContext === b.isContext &&
    (a.tally === b.tally ||
      (a.tally !== null &&
        b.tally !== null &&
        a.tally.done === b.tally.done &&
        a.tally.active === b.tally.active &&
        a.tally.blocked === b.tally.blocked &&
        a.tally.total === b.tally.total))
  )
}
