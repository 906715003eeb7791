import type { StepId } from '../../schema/ids.ts'
import type { Step } from '../../schema/plan.ts'
import type { StepChange } from '../../plan/changes.ts'
import type { History, HistoryEntry } from '../../plan/history.ts'
import { numberName } from '../../plan/numbers.ts'
import type { Plan } from '../../plan/plan.ts'
import type { CallContext, Refusal, View } from '../dialect.ts'
import { digest, verbs } from '../digest.ts'
import { actorName, quoted } from '../lines.ts'
import { resolvePlaces, unknownVersion } from '../references.ts'
import { ambiguous, shownName } from '../references/candidates.ts'
import type { Dotted } from '../references/dotted.ts'
import { resolveDotted, stepsAt, withNought } from '../references/dotted.ts'
import { formOf } from '../references/form.ts'
import { stepOfId } from '../references/ids.ts'
import { taskName } from '../../plan/task-names.ts'
import { names, numberIn, shortIn } from './names.ts'

/** A task that a caller named. */
export interface TaskReference {
  /** As it is printed; as it was given where it names nothing. */
  readonly name: string
  readonly step: Step | null
  /** The step that was meant and is removed by now. */
  readonly gone: StepId | null
  /** Why there is no step, where that is known. */
  readonly note: string | null
}

/** `read` only looks, and may look at what the caller has not seen yet. */
type Purpose = 'change' | 'read'

/**
 * Which task a caller means by a name.
 *
 * With `rev` the step that had the number at that version. Without, the step that has it now, if the caller can have
 * meant it: because it had it when the caller last looked, because nobody else changed the plan since, or because the
 * caller added it. A removed step's number may have been given again: better refused than done to the wrong step.
 * An internal id, or the beginning of one, means the same at all times. `#3` and dotted numbers are places in the outline.
 */
export function resolveTask(
  given: string | number,
  rev: number | undefined,
  context: CallContext,
  purpose: Purpose,
): TaskReference | Refusal {
  const wrongRev = rev === undefined ? null : (checkRev(rev, context) ?? unknownVersion(rev, context))
  if (wrongRev !== null) return wrongRev
  const text = String(given).trim()
  const number = numberIn(text)
  if (number !== null)
    return rev === undefined ? resolveAsSeen(number, context, purpose) : resolveAt(number, rev, context)
  const form = shortIn(text) === null ? formOf(text) : null
  if (form?.kind === 'place' && /^[#t]/i.test(text)) return resolvePlace(form.place, text, rev, context, purpose)
  return form?.kind === 'dotted' ? resolveDottedTask(form, given, rev, context) : resolveId(text, context)
}

/** Whether a name means one task now and may mean another later: a number, a place. */
export const isPositional = (given: string): boolean =>
  numberIn(given.trim()) !== null || (shortIn(given) === null && formOf(given).kind !== 'id')

/** `#3` may be the third task or task-3: it is taken where both are one, or where there is only one of them. */
function resolvePlace(
  place: number,
  given: string,
  rev: number | undefined,
  context: CallContext,
  purpose: Purpose,
): TaskReference | Refusal {
  const numbered = resolveTask(numberName(place), rev, context, purpose)
  if (!('refused' in numbered) && numbered.step !== null && numbered.step === context.plan.at(place)) return numbered
  const placed = resolvePlaces([place], rev, context, names)
  if ('refused' in placed) return placed
  if ('refused' in numbered) return numbered
  const third = placed.references[0]?.step ?? null
  if (third === null || third === numbered.step)
    return { ...numbered, name: numbered.step === null ? given : numbered.name }
  if (numbered.step === null) return asItStands(taskName(third), third)
  return { refused: `${ambiguous(given, [third, numbered.step], taskName)} Nothing was changed.` }
}

function resolveDottedTask(
  form: Dotted,
  given: string | number,
  rev: number | undefined,
  context: CallContext,
): TaskReference | Refusal {
  const name = String(given).trim()
  const dotted = resolveDotted(form, name, rev, context, names)
  if ('refused' in dotted) return dotted
  // What came as a number may have lost a nought: 1.1 may have been 1.10.
  const steps = [...dotted.steps, ...(typeof given === 'number' ? stepsAt(context.plan, withNought(form)) : [])]
  if (steps.length > 1) return { refused: `${ambiguous(name, steps, taskName)} Nothing was changed.` }
  const step = dotted.steps[0]
  if (step !== undefined) return asItStands(taskName(step), step)
  return missing(name, dotted.gone === null ? null : `${name} ${quoted(dotted.gone.text)} was removed`)
}

/** @returns a refusal if what stood at that version is not known */
export function checkRev(rev: number, { version, history }: CallContext): Refusal | null {
  const remedy = 'Nothing was changed. List first and use the version that is printed.'
  if (rev > version) return { refused: `rev ${rev} is in the future: the plan is at version ${version}. ${remedy}` }
  if (history.since(rev) !== null) return null
  const known = `which task had which number is known from version ${history.start} on`
  return { refused: `rev ${rev} is too far back: ${known}. ${remedy}` }
}

/**
 * The step that had a number at a version. A number that was told stays with its step while that lives, so it is the
 * one that the first change since tells of, or, where none does, the one that has it now.
 * @returns null if none had; undefined if it is not known
 */
export function numberedAt(history: History, now: Plan, version: number, number: number): StepId | null | undefined {
  const numbers = history.numbersAt(version)
  if (numbers === null) return undefined
  const holder = numbers.get(number)
  if (holder !== undefined) return holder
  return numberedIn(now, number)?.id ?? null
}

const numberedIn = (plan: Plan, number: number): Step | undefined => plan.steps.find((step) => step.number === number)

function resolveAt(number: number, rev: number, context: CallContext): TaskReference {
  const { plan, history } = context
  const name = numberName(number)
  const id = numberedAt(history, plan, rev, number) ?? null
  if (id === null) return missing(name, `${name} was not there at version ${rev}`)
  return found(name, id, context)
}

function resolveAsSeen(number: number, context: CallContext, purpose: Purpose): TaskReference | Refusal {
  const { plan, history, actor, sentWith } = context
  const { view } = sentWith ?? context
  const name = numberName(number)
  // A call that was sent before an earlier one was answered means the task that had the number then.
  const then = sentWith === undefined ? undefined : numberedAt(history, plan, sentWith.version, number)
  if (then !== undefined && then !== null) return found(name, then, context)
  const present = numberedIn(plan, number)
  if (context.forgotten === true && purpose === 'change') return { refused: LONG_AGO }
  if (view === null) return asItStands(name, present)
  const seen = numberSeen(view, number)
  if (present !== undefined && purpose === 'change' && isStrange(present, view, context)) {
    const what = `${name} ${quoted(present.text)} was left out of what you were shown.`
    return { refused: `${what} Nothing was changed. Get shows it, and List with a cursor.` }
  }
  if (seen?.id === present?.id) return asItStands(name, present)
  const since = history.since(view.version)
  if (since?.every((entry) => entry.actor.id === actor.id) === true) return asItStands(name, present)
  if (present === undefined) {
    // Nobody took the number: it names what the caller saw, or nothing.
    if (seen === undefined || plan.step(seen.id) === undefined) return found(name, seen?.id, context)
  } else if (isAddedBy(actor.id, present.id, view.version, history) || (purpose === 'read' && seen === undefined)) {
    return asItStands(name, present)
  }
  return drift(name, seen, present, view, since, context)
}

const LONG_AGO =
  'It is too long ago that you looked: which task had which number then is not known any more. ' +
  'Nothing was changed. List first.'

/** On a plan of several: a task that a listing of the caller left out, and that it has not seen otherwise. */
const isStrange = ({ id }: Step, { unseen, later }: View, { history, actor, plan }: CallContext): boolean =>
  unseen.has(id) && !later.has(id) && history.isShared(actor, plan)

/** The step that has a number in the caller's view; what was printed alone since counts where nothing else had it. */
const numberSeen = ({ plan, later, unseen }: View, number: number): Step | undefined =>
  plan.steps.find((step) => step.number === number && !unseen.has(step.id)) ??
  [...later.values()].findLast((step) => step.number === number)

const asItStands = (name: string, step: Step | undefined): TaskReference =>
  step === undefined ? missing(name, null) : { name, step, gone: null, note: null }

const missing = (name: string, note: string | null): TaskReference => ({ name, step: null, gone: null, note })

function found(name: string, id: StepId | undefined, { plan, history }: CallContext): TaskReference {
  const step = id === undefined ? undefined : plan.step(id)
  if (id === undefined || step !== undefined) return asItStands(name, step)
  const removal = history.removals.get(id)
  const note = removal && `${names.nameRemoved(removal.change)} was removed by ${actorName(removal.actor)}`
  return { name, step: null, gone: id, note: note ?? `${name} was removed` }
}

function isAddedBy(actor: string, id: StepId, after: number, history: History): boolean {
  const added = history.additionOf(id)
  return added !== undefined && added.version > after && added.actor.id === actor
}

function resolveId(given: string, context: CallContext): TaskReference | Refusal {
  const { step, gone, several } = stepOfId(given, context, shortIn(given))
  if (step !== null) return asItStands(taskName(step), step)
  if (several.length > 0) return { refused: `${ambiguous(shownName(given), several, taskName)} Nothing was changed.` }
  if (gone === null) return missing(given, null)
  const name = taskName(gone.step)
  const what = gone.by === null ? `${name} was removed` : `${name} ${quoted(gone.step.text)} was removed by ${gone.by}`
  return { name, step: null, gone: gone.step.id, note: what }
}

/** Somebody else has given the number to another step. */
function drift(
  name: string,
  seen: Step | undefined,
  present: Step | undefined,
  view: View,
  since: readonly HistoryEntry[] | null,
  { plan, actor }: CallContext,
): Refusal {
  const is = present === undefined ? 'is gone' : `is now ${quoted(present.text)}`
  const why = since === null ? null : digest(since, actor.id, plan, names, whatMovesNumbers)
  // What was not there cannot be meant by an earlier version, nor what is further back than anybody remembers.
  const canRepeat = since !== null && seen !== undefined
  const remedy = canRepeat ? `Repeat with rev ${view.version} to mean what you saw, or list first.` : 'List first.'
  return {
    refused: `${name} ${was(seen, plan)} and ${is}: ${why ?? 'the plan has changed since'}. Nothing was changed. ${remedy}`,
  }
}

function was(seen: Step | undefined, plan: Plan): string {
  if (seen === undefined) return 'was not there when you last looked'
  const now = plan.step(seen.id)
  return `was ${quoted(seen.text)} (${now === undefined ? 'removed' : `now ${taskName(now)}`})`
}

const whatMovesNumbers = (change: StepChange): readonly string[] =>
  change.before === null || change.after === null ? verbs(change) : []
