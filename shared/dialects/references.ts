import type { Step } from '../schema/plan.ts'
import type { StepId } from '../schema/ids.ts'
import type { HistoryEntry } from '../plan/history.ts'
import type { CallContext, Dialect, Refusal } from './dialect.ts'
import { digest } from './digest.ts'
import { actorName, listed, quoted, some } from './lines.ts'

/** A place that a caller named, and the step it means; without a step where there is none any more, or never was. */
export interface Reference {
  readonly place: number
  readonly step: Step | null
}

export interface Resolved {
  readonly references: readonly Reference[]
  readonly notes: readonly string[]
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
  if (rev > version) return { refused: `rev ${rev} is in the future: the plan is at version ${version}. List first and use the version that is printed.` }
  const ids = history.orderAt(rev, plan)
  if (ids === null) return { refused: `rev ${rev} is too far back: what stood where is known from version ${history.start} on. List first and use the version that is printed.` }
  const since = history.since(rev) ?? []
  return missing(places, (place) => ids[place - 1], ids.length, since, context)
}

function resolveAsSeen(places: readonly number[], context: CallContext, names: Names): Resolved | Refusal {
  const { plan, view, history, actor } = context
  const now = (place: number): StepId | undefined => plan.at(place)?.id
  const since = view === null ? [] : history.since(view.version)
  const size = plan.steps.length
  if (view === null || since?.every((entry) => entry.actor.id === actor.id) === true)
    return missing(places, now, size, since ?? [], context)
  const own = new Set<StepId>()
  for (const entry of since ?? [])
    if (entry.actor.id === actor.id) for (const change of entry.changes) if (change.before === null) own.add(change.id)
  const drifted = places.filter((place) => {
    const seen = view.plan.at(place)
    const present = plan.at(place)
    if (seen?.id === present?.id || (present !== undefined && own.has(present.id))) return false
    return present !== undefined || (seen !== undefined && plan.step(seen.id) !== undefined)
  })
  if (drifted.length > 0) return drift(drifted, view.version, since, context, names)
  return missing(places, (place) => now(place) ?? view.plan.at(place)?.id, size, since ?? [], context)
}

/** Somebody else has moved the plan under the caller. */
function drift(
  places: readonly number[],
  rev: number,
  since: readonly HistoryEntry[] | null,
  { plan, view, actor }: CallContext,
  names: Names,
): Refusal {
  const told = places.slice(0, 3).map((place) => {
    const seen = view?.plan.at(place)
    const present = plan.at(place)
    const is = present === undefined ? 'is gone' : `is now ${quoted(present.text)}`
    if (seen === undefined) return `#${place} was not there when you last looked and ${is}`
    const at = plan.placeOf(seen.id)
    return `#${place} was ${quoted(seen.text)} (${at === null ? 'removed' : `now #${at}`}) and ${is}`
  })
  const why = (since === null ? null : digest(since, actor.id, plan, names)) ?? 'the plan has changed since'
  return {
    refused: `${told.join('; ')}: ${why}. Nothing was changed. Repeat with rev ${rev} to mean what you saw, or list first.`,
  }
}

/** Looks the steps up, and tells of the places that name none: who removed the step, or what range is valid. */
function missing(
  places: readonly number[],
  idAt: (place: number) => StepId | undefined,
  size: number,
  since: readonly HistoryEntry[],
  { plan }: CallContext,
): Resolved {
  const notes: string[] = []
  const outside: number[] = []
  const references = places.map((place): Reference => {
    const id = idAt(place)
    const step = id === undefined ? undefined : plan.step(id)
    if (id === undefined) outside.push(place)
    else if (step === undefined) notes.push(removalNote(place, id, since))
    return { place, step: step ?? null }
  })
  if (outside.length > 0) notes.push(`skipped ${some([...new Set(outside)].map((place) => `#${place}`), 20)}: ${range(size)}`)
  return { references, notes: [...new Set(notes)] }
}

function removalNote(place: number, id: StepId, since: readonly HistoryEntry[]): string {
  for (const { actor, changes } of since.toReversed())
    for (const { id: changed, before, after } of changes)
      if (changed === id && after === null) return `#${place} ${quoted(before?.text ?? '')} was removed by ${actorName(actor)}`
  return `#${place} was removed`
}

/** Which places there are, in words. */
export const range = (size: number): string =>
  size === 0 ? 'the plan has no steps' : `valid are #1 to #${size}`

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
  const told = runs.slice(0, 8).map(({ first, last, by }) =>
    first === last ? `#${first} is now #${first + by}` : `#${first} to #${last} are now #${first + by} to #${last + by}`,
  )
  return runs.length > 8 ? `${told.join(', ')}, and more: list again` : told.join(', ')
}

/** Names for a sentence. */
export const placesList = (places: readonly number[]): string => listed(places.map((place) => `#${place}`))
