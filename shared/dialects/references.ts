import type { Step } from '../schema/plan.ts'
import type { StepId } from '../schema/ids.ts'
import type { HistoryEntry } from '../plan/history.ts'
import type { StepChange } from '../plan/changes.ts'
import type { CallContext, Dialect, Refusal, View } from './dialect.ts'
import { digest, verbs } from './digest.ts'
import { actorName, quoted, some } from './lines.ts'

/** Places told of in one refusal. */
const MOST_TOLD = 3

/** A place that a caller named, and the step it means; without a step where there is none any more, or never was. */
export interface Reference {
  readonly place: number
  readonly step: Step | null
  /** Who took the step away, where one stood there. */
  readonly removal: string | null
}

export interface Resolved {
  readonly references: readonly Reference[]
  /** The places that name no step, and why. */
  readonly notes: readonly string[]
  /** Which places there are, in words. */
  readonly valid: string
}

type Names = Pick<Dialect, 'nameStep' | 'nameRemoved'>

/**
 * Which steps a caller means by places in the pre-order.
 *
 * With `rev` the step that stood there at that version. Without, the step that stands there now, if the caller can have
 * meant it: because it stood there when the caller last looked, because nobody else changed the plan since, or because
 * the caller added it. Better refused than done to the wrong step.
 */
export function resolvePlaces(
  places: readonly number[],
  rev: number | undefined,
  context: CallContext,
  names: Names,
): Resolved | Refusal {
  return rev === undefined ? resolveAsSeen(places, context, names) : resolveAt(places, rev, context)
}

function resolveAt(places: readonly number[], rev: number, context: CallContext): Resolved | Refusal {
  const { plan, version, history } = context
  const remedy = 'Nothing was changed. List first and use the version that is printed.'
  if (rev > version) return { refused: `rev ${rev} is in the future: the plan is at version ${version}. ${remedy}` }
  const ids = history.orderAt(rev, plan)
  if (ids === null) {
    const known = `what stood where is known from version ${history.start} on`
    return { refused: `rev ${rev} is too far back: ${known}. ${remedy}` }
  }
  const valid = rev === version ? range(ids.length) : rangeAt(rev, ids.length)
  return lookUp(places, (place) => ids[place - 1], valid, history.since(rev) ?? [], context)
}

function resolveAsSeen(places: readonly number[], context: CallContext, names: Names): Resolved | Refusal {
  const { plan, view, history, actor } = context
  if (context.forgotten === true && places.length > 0) return { refused: FORGOTTEN }
  const now = (place: number): StepId | undefined => plan.at(place)?.id
  const since = view === null ? [] : history.since(view.version)
  const valid = range(plan.steps.length)
  if (view === null || since?.every((entry) => entry.actor.id === actor.id) === true)
    return lookUp(places, now, valid, since ?? [], context)
  const own = new Set<StepId>()
  for (const entry of since ?? [])
    if (entry.actor.id === actor.id) for (const { id, before } of entry.changes) if (before === null) own.add(id)
  const drifted = places.filter((place) => {
    const seen = view.plan.at(place)
    const present = plan.at(place)
    if (present === undefined) return seen !== undefined && plan.step(seen.id) !== undefined
    return seen?.id !== present.id && !own.has(present.id)
  })
  if (drifted.length > 0) return drift([...new Set(drifted)], view, since, context, names)
  return lookUp(places, (place) => now(place) ?? view.plan.at(place)?.id, valid, since ?? [], context)
}

/** Somebody else has moved the plan under the caller. */
function drift(
  places: readonly number[],
  view: View,
  since: readonly HistoryEntry[] | null,
  { plan, actor }: CallContext,
  names: Names,
): Refusal {
  const told = places.slice(0, MOST_TOLD).map((place) => {
    const seen = view.plan.at(place)
    const present = plan.at(place)
    const is = present === undefined ? `there is no #${place} now` : `is now ${quoted(present.text)}`
    if (seen === undefined) return `#${place} was not there when you last looked and ${is}`
    const at = plan.placeOf(seen.id)
    return `#${place} was ${quoted(seen.text)} (${at === null ? 'removed' : `now #${at}`}) and ${is}`
  })
  if (places.length > told.length) told.push(`and so on for ${places.length - told.length} more`)
  const why = since === null ? null : digest(since, actor.id, plan, names, whatMovesPlaces)
  // What was not there cannot be meant by an earlier version, nor what is further back than anybody remembers.
  const canRepeat = since !== null && places.some((place) => view.plan.at(place) !== undefined)
  const remedy = canRepeat ? `Repeat with rev ${view.version} to mean what you saw, or list first.` : 'List first.'
  return { refused: `${told.join('; ')}: ${why ?? 'the plan has changed since'}. Nothing was changed. ${remedy}` }
}

/** For a caller whose view did not outlive a restart: what its references meant cannot be known. */
const FORGOTTEN =
  'What you were shown was too long ago to know what your reference meant. Nothing was changed. List first.'

const whatMovesPlaces = (change: StepChange): string[] =>
  change.before === null || change.after === null || change.moved
    ? verbs(change).filter((verb) => verb === 'added' || verb === 'removed' || verb === 'moved')
    : []

/** Looks the steps up, and tells of the places that name none: who removed the step, or what range is valid. */
function lookUp(
  places: readonly number[],
  idAt: (place: number) => StepId | undefined,
  valid: string,
  since: readonly HistoryEntry[],
  { plan }: CallContext,
): Resolved {
  const notes = new Set<string>()
  const outside = new Set<string>()
  const references = places.map((place): Reference => {
    const id = idAt(place)
    const step = id === undefined ? undefined : plan.step(id)
    const removal = id !== undefined && step === undefined ? removalOf(place, id, since) : null
    if (id === undefined) outside.add(`#${place}`)
    if (removal !== null) notes.add(removal)
    return { place, step: step ?? null, removal }
  })
  if (outside.size > 0) notes.add(`skipped ${some([...outside], 20)}: ${valid}`)
  return { references, notes: [...notes], valid }
}

function removalOf(place: number, id: StepId, since: readonly HistoryEntry[]): string {
  for (const { actor, changes } of since.toReversed())
    for (const { id: changed, before, after } of changes)
      if (changed === id && after === null)
        return `#${place} ${quoted(before?.text ?? '')} was removed by ${actorName(actor)}`
  return `#${place} was removed`
}

/** Which places there are, in words. */
export function range(size: number): string {
  if (size === 0) return 'the plan has no steps'
  return size === 1 ? 'only #1 is valid' : `valid are #1 to #${size}`
}

/** Which places there were at an earlier version. */
function rangeAt(version: number, size: number): string {
  if (size === 0) return `at version ${version} the plan had no steps`
  return size === 1 ? `at version ${version} only #1 was valid` : `at version ${version} valid were #1 to #${size}`
}

/** Which of the numbers that the caller had seen its own call has moved: `#5 is now #4`. */
export function movedPlaces(context: CallContext, after: CallContext['plan']): string | null {
  const { plan, view } = context
  if (view === null || plan.places === after.places) return null
  const shifts: { from: number; to: number }[] = []
  view.plan.steps.forEach(({ id }, position) => {
    const to = after.placeOf(id)
    const was = plan.placeOf(id)
    if (to !== null && was !== null && to !== was && to !== position + 1) shifts.push({ from: position + 1, to })
  })
  if (shifts.length === 0) return null
  if (shifts.length <= 8) return shifts.map(({ from, to }) => `#${from} is now #${to}`).join(', ')
  const runs: { first: number; last: number; by: number }[] = []
  for (const { from, to } of shifts) {
    const run = runs.at(-1)
    if (run !== undefined && run.last === from - 1 && run.by === to - from) run.last = from
    else runs.push({ first: from, last: from, by: to - from })
  }
  const told = runs
    .slice(0, 8)
    .map(({ first, last, by }) =>
      first === last
        ? `#${first} is now #${first + by}`
        : `#${first} to #${last} are now #${first + by} to #${last + by}`,
    )
  return runs.length > 8 ? `${told.join(', ')}, and more: list again` : told.join(', ')
}
