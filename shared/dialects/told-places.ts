import type { StepChange } from '../plan/changes.ts'
import type { Plan } from '../plan/plan.ts'
import type { StepId } from '../schema/ids.ts'
import type { CallContext } from './dialect.ts'

/** Runs of numbers in one reply; of more nothing is told. */
const MAX_RUNS = 40

/** So few moves are told one by one. */
const FEW_MOVES = 8

/** What a reply tells of places: the notes, and all places that the caller was told since its view, by step. */
export interface Telling {
  readonly notes: readonly string[]
  /** null: so much has moved that nothing is told. */
  readonly places: ReadonlyMap<StepId, number> | null
}

/** Numbers that follow each other, all moved by the same distance. */
interface Run {
  readonly first: number
  last: number
  readonly by: number
}

/**
 * The places of the steps that a call added, and of those that the caller knew at another place.
 * Nothing on a plan that the caller alone made: there it knows the places by its own calls.
 * @param called steps that the reply calls by their places anyway
 */
export function tellPlaces(
  changes: readonly StepChange[],
  after: Plan,
  context: CallContext,
  called: readonly StepId[] = [],
): Telling | null {
  const { view, places, history, actor } = context
  if (changes.length === 0 || !history.isShared(actor, after)) return null
  const added = changes.flatMap((change) => (change.before === null && change.placeAfter !== null ? [change] : []))
  const told = new Map<StepId, number>()
  for (const { id } of added) told.set(id, after.placeOf(id) ?? 0)
  for (const id of called) told.set(id, after.placeOf(id) ?? 0)
  const moved: { from: number; to: number }[] = []
  const move = (id: StepId, from: number): void => {
    const to = after.placeOf(id)
    if (to === null || told.has(id)) return
    // A place that was told before is told still: it counts before that of the view.
    if (to !== from || places.has(id)) told.set(id, to)
    if (to !== from) moved.push({ from, to })
  }
  for (const [id, place] of places) move(id, place)
  for (const [position, { id }] of (view?.plan.steps ?? []).entries())
    if (!places.has(id) && view?.unplaced.has(id) !== true) move(id, position + 1)
  const fresh = runsOf(added.map(({ id }) => ({ from: after.placeOf(id) ?? 0, to: after.placeOf(id) ?? 0 })))
  const shifted = runsOf(moved, moved.length <= FEW_MOVES)
  if (fresh.length + shifted.length > MAX_RUNS) return { notes: ['many numbers have moved: list first'], places: null }
  return {
    notes: [
      ...(fresh.length === 0 ? [] : [`${added.length === 1 ? 'it is' : 'they are'} ${fresh.map(span).join(', ')}`]),
      ...(shifted.length === 0 ? [] : [shifted.map(shift).join(', ')]),
    ],
    places: told,
  }
}

const span = ({ first, last }: Run): string => (first === last ? `#${first}` : `#${first} to #${last}`)

const shift = ({ first, last, by }: Run): string =>
  first === last ? `#${first} is now #${first + by}` : `#${first} to #${last} are now #${first + by} to #${last + by}`

function runsOf(moves: readonly { readonly from: number; readonly to: number }[], oneByOne = false): Run[] {
  const runs: Run[] = []
  for (const { from, to } of moves.toSorted((a, b) => a.from - b.from)) {
    const run = runs.at(-1)
    if (!oneByOne && run !== undefined && run.last === from - 1 && run.by === to - from) run.last = from
    else runs.push({ first: from, last: from, by: to - from })
  }
  return runs
}
