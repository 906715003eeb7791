import type { Step } from '../schema/plan.ts'
import type { StepId } from '../schema/ids.ts'
import type { HistoryEntry } from '../plan/history.ts'
import type { StepChange } from '../plan/changes.ts'
import type { CallContext, Dialect, Refusal, View } from './dialect.ts'
import { digest, verbs } from './digest.ts'
import { actorName, quoted, some } from './lines.ts'
import { listedOutline } from './listing/outline.ts'

/** Places told of in one refusal. */
const MOST_TOLD = 3
/** Numbers named where a caller never looked. */
const MOST_NAMED = 5

/** A step that a caller named; without a step where there is none any more, or never was. */
export interface Reference {
  /** `#3`: the number that the caller used, or that of the step where it used another name. */
  readonly label: string
  readonly step: Step | null
  /** Who took the step away, where one stood there. */
  readonly removal: string | null
  /** It was named by what means the same at all times, or by a version and what stood where then. */
  readonly isExplicit: boolean
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
 * meant it: because nobody else has changed places since it looked, or because that is the step of which it was last
 * told that it stands there. Better refused than done to the wrong step.
 *
 * A call that was sent before the reply to an earlier one had left is read by what its caller knew then.
 */
export function resolvePlaces(
  places: readonly number[],
  rev: number | undefined,
  context: CallContext,
  names: Names,
): Resolved | Refusal {
  return rev === undefined ? resolveAsKnown(places, context, names) : resolveAt(places, rev, context)
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
  const unknown = unknownVersion(rev, context)
  if (unknown !== null) return unknown
  const valid = rev === version ? range(ids.length) : rangeAt(rev, ids.length)
  const strange = strangeAmong(places, (place) => ids[place - 1], context)
  if (strange !== null) return strange
  return lookUp(places, (place) => ids[place - 1], valid, context, true)
}

/** Why a version says nothing to this caller, or null: the places of that version were never told to it in full. */
export function unknownVersion(rev: number, context: CallContext): Refusal | null {
  const { known, history, plan, actor, version } = context
  if (known.some(([from, to]) => from <= rev && rev <= to) || !history.isShared(actor, plan)) return null
  const last = known.at(-1)?.[1]
  const seen = last === undefined ? 'you have not looked yet' : `you last saw version ${last}`
  const canRepeat = last !== undefined && last >= history.start && last <= version
  const remedy = canRepeat ? `List first, or repeat with rev ${last}.` : 'List first.'
  return { refused: `Version ${rev} was not shown to you: ${seen}. ${remedy}` }
}

function resolveAsKnown(places: readonly number[], context: CallContext, names: Names): Resolved | Refusal {
  const { plan, history, actor, forgotten } = context
  if (forgotten === true && places.length > 0) return { refused: FORGOTTEN }
  const { version, view, places: told } = context.sentWith ?? context
  const order = context.sentWith === undefined ? null : history.orderAt(version, plan)
  const now = (place: number): StepId | undefined => (order === null ? plan.at(place)?.id : order[place - 1])
  const valid = range(order?.length ?? plan.steps.length)
  const since = view === null ? [] : history.since(view.version)
  const meant = new Map([...told].map(([id, place]) => [place, id]))
  if (view === null) {
    const isStrange = (place: number): boolean => now(place) !== undefined && meant.get(place) !== now(place)
    if (history.isShared(actor, plan) && places.some(isStrange))
      return neverLooked(
        places.filter(isStrange).map((place) => `#${place}`),
        plan,
      )
  } else if (since?.every((entry) => entry.version > version || isQuiet(entry, actor.id)) !== true) {
    const known = (place: number): StepId | undefined => meant.get(place) ?? seenAt(view, told, place)
    const drifted = places.filter((place) => {
      const id = known(place)
      const present = now(place)
      if (present === undefined) return id !== undefined && plan.step(id) !== undefined
      return id !== present
    })
    if (drifted.length > 0) return drift([...new Set(drifted)], view, meant, since, context, names)
    return lookUp(places, (place) => now(place) ?? known(place), valid, context)
  } else {
    const strange = strangeAmong(
      places,
      now,
      context.sentWith === undefined ? context : { ...context, view, places: told },
    )
    if (strange !== null) return strange
  }
  return lookUp(places, now, valid, context)
}

/** Whether a change left the places alone, as far as one actor is concerned: its own changes it knows. */
export const isQuiet = ({ actor, splice }: HistoryEntry, reader: string): boolean =>
  actor.id === reader || splice === null

/** On a plan of several nobody names a step by a number that it was not told: a listing may have left that out. */
function strangeAmong(
  places: readonly number[],
  idAt: (place: number) => StepId | undefined,
  context: CallContext,
): Refusal | null {
  const { history, actor, plan } = context
  if (!history.isShared(actor, plan)) return null
  const strange = [...new Set(places)].filter((place) => {
    const id = idAt(place)
    return id !== undefined && plan.step(id) !== undefined && !isPlaceKnown(id, context)
  })
  if (strange.length === 0) return null
  const numbers = some(
    strange.map((place) => `#${place}`),
    MOST_NAMED,
  )
  const what = `${numbers} ${strange.length === 1 ? 'was' : 'were'} left out of what you were shown`
  return {
    refused: `${what}. Nothing was changed. List first: parent, query and cursor show what a listing leaves out.`,
  }
}

/** Whether the caller was told where a step stands, in its view or since. */
export const isPlaceKnown = (id: StepId, { view, places }: Pick<CallContext, 'view' | 'places'>): boolean =>
  places.has(id) || (view !== null && view.plan.placeOf(id) !== null && !view.unplaced.has(id))

/** The step that had a place in the view; undefined where the caller was told since that it stands elsewhere. */
function seenAt({ plan, unplaced }: View, told: ReadonlyMap<StepId, number>, place: number): StepId | undefined {
  const id = plan.at(place)?.id
  return id === undefined || told.has(id) || unplaced.has(id) ? undefined : id
}

/** A caller that never looked knows the numbers that it was told, which are those of its own steps. */
export function neverLooked(labels: readonly string[], plan: CallContext['plan']): Refusal {
  const unknown = [...new Set(labels)]
  const numbers = some(unknown, MOST_NAMED)
  const why = `You have not looked at this plan yet, and it holds steps of others: ${numbers} ${unknown.length === 1 ? 'was' : 'were'} never shown to you.`
  const page = listedOutline(plan, plan.steps, {})
  if ('refused' in page) return page
  const { lines, prints } = page
  return { refused: `${why} Nothing was changed. Here is the plan: list first.\n${lines.join('\n')}`, prints }
}

/** Somebody else has moved the plan under the caller. */
function drift(
  places: readonly number[],
  view: View,
  told: ReadonlyMap<number, StepId>,
  since: readonly HistoryEntry[] | null,
  context: CallContext,
  names: Names,
): Refusal {
  const { plan, actor } = context
  const lines = places.slice(0, MOST_TOLD).map((place) => driftOf(place, view, told.get(place), context))
  if (places.length > lines.length) lines.push(`and so on for ${places.length - lines.length} more`)
  const furthest = Math.max(...places.map((place) => furthestOf(place, view, told.get(place), plan)))
  const why = since === null ? null : digest(since, actor.id, plan, names, whatMovesUpTo(furthest, plan))
  // An earlier version says what was meant only where that is what was last told of the place, and lives.
  const canRepeat =
    since !== null &&
    places.every((place) => {
      const seen = view.plan.at(place)
      return seen === undefined || (!told.has(place) && plan.step(seen.id) !== undefined)
    }) &&
    places.some((place) => view.plan.at(place) !== undefined)
  const remedy = canRepeat ? `Repeat with rev ${view.version} to mean what you saw, or list first.` : 'List first.'
  return { refused: `${lines.join('; ')}: ${why ?? 'the plan has changed since'}. Nothing was changed. ${remedy}` }
}

/** The last place that a number has had, or has: what came or went behind it has not moved it. */
function furthestOf(place: number, view: View, toldId: StepId | undefined, plan: CallContext['plan']): number {
  const seen = view.plan.at(place)
  const places = [seen?.id, toldId].map((id) => (id === undefined ? null : plan.placeOf(id)))
  return Math.max(place, ...places.map((at) => at ?? 0))
}

/** `#4 was "S" (now #5) in version 9 and is now "C"` */
function driftOf(place: number, view: View, toldId: StepId | undefined, { plan, history }: CallContext): string {
  const there = view.plan.at(place)
  const seen = there === undefined || view.unplaced.has(there.id) ? undefined : there
  const present = plan.at(place)
  const is = present === undefined ? `there is no #${place} now` : `is now ${quoted(present.text)}`
  const where = (id: StepId): string => {
    const at = plan.placeOf(id)
    return at === null ? 'removed' : `now #${at}`
  }
  const was: string[] = []
  if (seen !== undefined && seen.id !== toldId)
    was.push(`was ${quoted(seen.text)} (${where(seen.id)}) in version ${view.version}`)
  if (toldId !== undefined) {
    const text = plan.step(toldId)?.text ?? history.removals.get(toldId)?.change.before?.text ?? '?'
    was.push(`was ${quoted(text)} (${where(toldId)}) as you were told`)
  }
  return was.length === 0
    ? `#${place} was ${there === undefined ? 'not there when you last looked' : 'left out of what you were shown'} and ${is}`
    : `#${place} ${[...was, is].join(' and ')}`
}

/** For a caller whose view did not outlive a restart: what its references meant cannot be known. */
export const FORGOTTEN =
  'What you were shown was too long ago to know what your reference meant. Nothing was changed. List first.'

export const whatMovesPlaces = (change: StepChange): string[] =>
  change.before === null || change.after === null || change.moved
    ? verbs(change).filter((verb) => verb === 'added' || verb === 'removed' || verb === 'moved')
    : []

/** The same for what lies at a place or before it: the rest has moved no number up to there. */
const whatMovesUpTo =
  (furthest: number, plan: CallContext['plan']) =>
  (change: StepChange): string[] =>
    Math.min(plan.placeOf(change.id) ?? Infinity, change.placeBefore ?? Infinity) <= furthest
      ? whatMovesPlaces(change)
      : []

/** Looks the steps up, and tells of the places that name none: who removed the step, or what range is valid. */
function lookUp(
  places: readonly number[],
  idAt: (place: number) => StepId | undefined,
  valid: string,
  { plan, history }: CallContext,
  isExplicit = false,
): Resolved {
  const notes = new Set<string>()
  const outside = new Set<string>()
  const references = places.map((place): Reference => {
    const id = idAt(place)
    const step = id === undefined ? undefined : plan.step(id)
    const removal = id !== undefined && step === undefined ? removalOf(place, id, history) : null
    if (id === undefined) outside.add(`#${place}`)
    if (removal !== null) notes.add(removal)
    return { label: `#${place}`, step: step ?? null, removal, isExplicit }
  })
  if (outside.size > 0) notes.add(`skipped ${some([...outside], 20)}: ${valid}`)
  return { references, notes: [...notes], valid }
}

function removalOf(place: number, id: StepId, { removals }: CallContext['history']): string {
  const removal = removals.get(id)
  if (removal === undefined) return `#${place} was removed`
  return `#${place} ${quoted(removal.change.before?.text ?? '')} was removed by ${actorName(removal.actor)}`
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
