import type { Plan } from '../../plan/plan.ts'
import type { StepId } from '../../schema/ids.ts'
import type { Step } from '../../schema/plan.ts'
import { MIN_ID_PREFIX } from '../../schema/limits.ts'
import type { CallContext, Refusal } from '../dialect.ts'
import { ambiguous, shownName } from '../references/candidates.ts'
import { stepsAt } from '../references/dotted.ts'
import { formOf } from '../references/form.ts'
import type { CallersList } from './callers-list.ts'
import type { TodoItem } from './read-items.ts'
import { numberedPlace, todoId } from './show.ts'

export interface NamedItems {
  /** Without the ids that name a step in a way of their own: these are no lasting names. */
  readonly items: readonly TodoItem[]
  /** Items by their places in the call that bear an internal id, or the beginning of one. */
  readonly byId: ReadonlyMap<number, StepId>
  readonly byBeginning: ReadonlyMap<number, StepId>
}

const DOTTED = /^\d{1,6}(?:\.\d{1,6})+$/

/** Reads ids that are neither positions nor lasting names: internal ids, and dotted numbers, which count as positions. */
export function namedItems(
  given: readonly TodoItem[],
  rev: number | undefined,
  list: CallersList,
  context: CallContext,
): NamedItems | Refusal {
  const items = given.some(({ id }) => id !== undefined && DOTTED.test(id))
    ? withPlaces(given, planSeen(rev, context))
    : given
  const seen = [...list.seen.values()]
  const aliases = new Set(seen.map(({ alias }) => alias))
  const byId = new Map<number, StepId>()
  const byBeginning = new Map<number, StepId>()
  const read: TodoItem[] = []
  for (const [i, item] of items.entries()) {
    const { id, ...rest } = item
    const meant = id === undefined || aliases.has(id) || numberedPlace(id) !== null ? [] : stepsBeginning(id, seen)
    if (meant.length > 1) {
      const nameOf = (step: Step): string => todoId(step, context.plan.placeOf(step.id))
      return { refused: `${ambiguous(shownName(id ?? ''), meant, nameOf)} Nothing was changed.` }
    }
    const step = meant[0]
    if (step !== undefined) (step.id === id ? byId : byBeginning).set(i, step.id)
    read.push(step === undefined ? item : rest)
  }
  return { items: read, byId, byBeginning }
}

function stepsBeginning(id: string, seen: readonly Step[]): Step[] {
  if (id.length < MIN_ID_PREFIX) return []
  const whole = seen.find((step) => step.id === id)
  return whole === undefined ? seen.filter((step) => step.id.startsWith(id)) : [whole]
}

/** The plan that the caller's numbers were read from, if it is at hand. */
function planSeen(rev: number | undefined, { view, plan, version }: CallContext): Plan | null {
  if (rev === undefined || rev === view?.version) return view?.plan ?? null
  return rev === version ? plan : null
}

/** In a list that numbers `1`, `1.1`, `1.2`, `2`, whole numbers are dotted ones too; what fits no step numbers nothing. */
function withPlaces(items: readonly TodoItem[], plan: Plan | null): TodoItem[] {
  return items.map((item) => {
    const { id, ...rest } = item
    if (id === undefined || !/^[\d.]+$/.test(id)) return item
    const form = formOf(id)
    const dotted = form.kind === 'place' ? { kind: 'dotted' as const, path: [form.place], isCut: false } : form
    const step = plan === null || dotted.kind !== 'dotted' ? undefined : stepsAt(plan, dotted)[0]
    return step === undefined ? rest : { ...rest, id: `#${plan?.placeOf(step.id) ?? 0}` }
  })
}
