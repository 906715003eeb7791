import type { Place, Plan, PlanOperation, StepId } from '../../sdk/index.ts'
import type { Row } from './rows.ts'

const move = (steps: readonly StepId[], place: Place): PlanOperation => ({ type: 'moveSteps', steps, ...place })

/** Where steps stand that are moved together: they have one parent. */
function standing(
  plan: Plan,
  moved: readonly StepId[],
): { ids: StepId[]; first: number; last: number; parent: StepId | null } | null {
  const parents = new Set(moved.map((id) => plan.step(id)?.parent))
  const [parent] = parents
  if (parents.size !== 1 || parent === undefined) return null
  const ids = plan.children(parent)
  const at = moved.map((id) => ids.indexOf(id))
  return { ids, first: Math.min(...at), last: Math.max(...at), parent }
}

/** Under the sibling before them, as its last. null where there is none. */
export function indent(plan: Plan, moved: readonly StepId[]): PlanOperation | null {
  const among = standing(plan, moved)
  const before = among?.ids[among.first - 1]
  return before === undefined ? null : move(moved, { parent: before })
}

/** Behind their parent. null at top level. */
export function outdent(plan: Plan, moved: readonly StepId[]): PlanOperation | null {
  const above = plan.step(standing(plan, moved)?.parent ?? ('' as StepId))
  return above === undefined ? null : move(moved, { parent: above.parent, after: above.id })
}

export function moveUp(plan: Plan, moved: readonly StepId[]): PlanOperation | null {
  const among = standing(plan, moved)
  if (among === null || among.first <= 0) return null
  return move(moved, { parent: among.parent, after: among.ids[among.first - 2] ?? null })
}

export function moveDown(plan: Plan, moved: readonly StepId[]): PlanOperation | null {
  const among = standing(plan, moved)
  const next = among?.ids[among.last + 1]
  return among === null || next === undefined ? null : move(moved, { parent: among.parent, after: next })
}

export interface Drop {
  readonly parent: StepId | null
  /** null: as the first; absent: as the last. */
  readonly after?: StepId | null
  readonly level: number
}

/**
 * Where a step goes that is dropped between two rows.
 * @param gap how many of the rows stand above it
 * @param level the depth that the pointer asks for; the nearest possible one is taken
 * @returns null if it would stay where it is, or go under itself
 */
export function dropAt(plan: Plan, rows: readonly Row[], id: StepId, gap: number, level: number): Drop | null {
  const own = new Set(plan.subtree(id).map((step) => step.id))
  const isOther = (row: Row): boolean => row.kind === 'step' && !own.has(row.key)
  const above = rows.slice(0, gap).findLast(isOther)
  const below = rows.slice(gap).find(isOther)
  const most = above === undefined ? 1 : above.level + 1
  const least = below === undefined ? 1 : below.level
  const chosen = Math.max(Math.min(level, most), Math.min(least, most))
  if (above?.kind !== 'step') return { parent: null, after: null, level: 1 }
  if (chosen > above.level) {
    const isHidden = above.tally !== null && !above.isExpanded
    return isHidden ? { parent: above.key, level: chosen } : { parent: above.key, after: null, level: chosen }
  }
  let after = plan.step(above.key)
  while (after !== undefined && after.depth + 1 > chosen)
    after = after.parent === null ? undefined : plan.step(after.parent)
  if (after === undefined) return null
  return { parent: after.parent, after: after.id, level: chosen }
}

/** Whether a drop changes anything. */
export function isMove(plan: Plan, id: StepId, drop: Drop): boolean {
  const step = plan.step(id)
  if (step === undefined) return false
  const ids = plan.children(drop.parent).filter((one) => one !== id)
  const was =
    step.parent === drop.parent
      ? (plan.children(step.parent)[plan.children(step.parent).indexOf(id) - 1] ?? null)
      : undefined
  const now = drop.after === undefined ? (ids.at(-1) ?? null) : drop.after
  return was === undefined || was !== now
}
