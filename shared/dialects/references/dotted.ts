import type { Plan } from '../../plan/plan.ts'
import type { Step } from '../../schema/plan.ts'
import type { CallContext, Dialect, Refusal, View } from '../dialect.ts'
import { digest } from '../digest.ts'
import { quoted } from '../lines.ts'
import { FORGOTTEN, isQuiet, neverLooked, unknownVersion, whatMovesPlaces } from '../references.ts'
import type { Form } from './form.ts'

export type Dotted = Extract<Form, { readonly kind: 'dotted' }>

/** The steps at a dotted number. A cut one holds the last two parts alone, and may fit several. */
export function stepsAt(plan: Plan, { path, isCut }: Dotted): Step[] {
  const counters: number[] = []
  return plan.steps.filter(({ depth }) => {
    counters.length = Math.min(counters.length, depth + 1)
    while (counters.length <= depth) counters.push(0)
    counters[depth] = (counters[depth] ?? 0) + 1
    if (isCut ? depth + 1 < path.length : depth + 1 !== path.length) return false
    const end = counters.slice(-path.length)
    return end.every((part, i) => part === path[i])
  })
}

/** What a dotted number may have been before it was read as a number: 1.10 for 1.1. */
export const withNought = ({ path, isCut }: Dotted): Dotted => ({
  kind: 'dotted',
  path: [...path.slice(0, -1), (path.at(-1) ?? 0) * 10],
  isCut,
})

/**
 * The steps that a dotted number can mean, by the rules for places: the one that stands there now, if that is the one that
 * the caller saw there. Where it says a version, that is looked up whose plan is still at hand.
 */
export function resolveDotted(
  form: Dotted,
  label: string,
  rev: number | undefined,
  context: CallContext,
  names: Pick<Dialect, 'nameStep' | 'nameRemoved'>,
): { readonly steps: readonly Step[]; readonly gone: Step | null } | Refusal {
  const { plan, version, history, actor, forgotten } = context
  if (rev !== undefined) {
    const unknown = unknownVersion(rev, context)
    if (unknown !== null) return unknown
    const then = planAt(rev, context)
    return then === null ? { refused: unknownThen(label, rev) } : living(stepsAt(then, form), plan)
  }
  if (forgotten === true) return { refused: FORGOTTEN }
  const present = stepsAt(plan, form)
  if (context.sentWith !== undefined && context.sentWith.version !== version) {
    const then = planAt(context.sentWith.version, context)
    return then === null ? { refused: unknownThen(label, context.sentWith.version) } : living(stepsAt(then, form), plan)
  }
  const { view } = context
  if (view === null)
    return history.isShared(actor, plan) && present.length > 0 ? neverLooked([label], plan) : living(present, plan)
  const since = history.since(view.version)
  if (since?.every((entry) => isQuiet(entry, actor.id)) === true) return living(present, plan)
  const seen = stepsAt(view.plan, form)
  if (seen.length === present.length && seen.every(({ id }, i) => id === present[i]?.id)) return living(present, plan)
  if (present.length === 0 && seen.every(({ id }) => plan.step(id) === undefined)) return living(seen, plan)
  const why = since === null ? null : digest(since, actor.id, plan, names, whatMovesPlaces)
  const canRepeat = since !== null && seen.some(({ id }) => plan.step(id) !== undefined)
  const remedy = canRepeat ? `Repeat with rev ${view.version} to mean what you saw, or list first.` : 'List first.'
  const what = `${label} ${drift(seen[0], present[0], view, plan)}`
  return { refused: `${what}: ${why ?? 'the plan has changed since'}. Nothing was changed. ${remedy}` }
}

function planAt(version: number, { plan, version: now, view, sentWith }: CallContext): Plan | null {
  if (version === now) return plan
  return [view, sentWith?.view].find((one) => one?.version === version)?.plan ?? null
}

const unknownThen = (label: string, version: number): string =>
  `Which step was ${label} in version ${version} is not known any more. Nothing was changed. ` +
  'Name it by its # number with that version, or by its id, or list first.'

function living(steps: readonly Step[], plan: Plan) {
  const there = steps.flatMap(({ id }) => plan.step(id) ?? [])
  return { steps: there, gone: there.length === 0 ? (steps[0] ?? null) : null }
}

/** `was "S" (now #5) in version 9 and is now "C"` */
function drift(seen: Step | undefined, present: Step | undefined, view: View, plan: Plan): string {
  const at = seen === undefined ? null : plan.placeOf(seen.id)
  const was =
    seen === undefined
      ? 'was not there when you last looked'
      : `was ${quoted(seen.text)} (${at === null ? 'removed' : `now #${at}`}) in version ${view.version}`
  return `${was} and ${present === undefined ? 'is not there now' : `is now ${quoted(present.text)}`}`
}
