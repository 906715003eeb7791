import * as Y from 'yjs'
import type { StepId } from '../schema/ids.ts'
import type { GroupPatch, Roots, StepPatch } from './document.ts'
import { fieldsOf, groupFieldsOf, patchesOf, rootsOf } from './document.ts'
import type { OutlineEdit, PlanChange } from './draft.ts'

type Placing = Exclude<OutlineEdit, { type: 'take' }>

/** Writes checked operations in one transaction. Cannot fail: all that could was found by checking. */
export function applyChange(doc: Y.Doc, change: PlanChange, origin: unknown): void {
  const roots = rootsOf(doc)
  doc.transact(() => {
    writeSteps(roots, change.patches, change.tombstones)
    editOutline(roots.outline, change.outline)
    writeGroups(roots, change.groups)
    if (change.title !== null) roots.meta.set('title', change.title)
  }, origin)
}

/**
 * Pushes patches, and deletes those of which no field shows any more. A tombstone takes the place of all of its step's
 * patches, and so does what restores the step: its number went with it.
 */
export function writeSteps(roots: Roots, patches: readonly StepPatch[], tombstones: readonly StepPatch[]): void {
  const all = [...tombstones, ...patches]
  const replaced = new Set(all.filter(({ removed }) => removed !== undefined).map(({ id }) => id))
  write<StepPatch>(roots.steps, all, { fieldsOf, isHidden: ({ id }) => replaced.has(id) })
}

/** The same for groups; but the first patch of each stays, for it gives the order. */
export function writeGroups(roots: Roots, patches: readonly GroupPatch[]): void {
  write<GroupPatch>(roots.groups, patches, { fieldsOf: groupFieldsOf, keepsFirst: true })
}

interface Rules<P> {
  readonly fieldsOf: (patch: P) => readonly string[]
  readonly isHidden?: (patch: P) => boolean
  readonly keepsFirst?: boolean
}

function write<P extends StepPatch | GroupPatch>(array: Y.Array<P>, patches: readonly P[], rules: Rules<P>): void {
  if (patches.length === 0) return
  /** For each subject the fields that stand further right. */
  const covered = new Map<P['id'], Set<string>>()
  for (const patch of patches) cover(covered, patch.id, rules.fieldsOf(patch))
  const standing = patchesOf<P, P['id']>(array, covered)
  const first = new Map(
    rules.keepsFirst ? standing.toReversed().map(({ patch, position }) => [patch.id, position]) : [],
  )
  const hidden: number[] = []
  for (const { patch, position } of standing.toReversed()) {
    const fields = covered.get(patch.id)
    // A field that this code does not know is never covered.
    const shows =
      rules.isHidden?.(patch) !== true && Object.keys(patch).some((key) => key !== 'id' && !fields?.has(key))
    if (shows || first.get(patch.id) === position) cover(covered, patch.id, rules.fieldsOf(patch))
    else hidden.push(position)
  }
  array.push([...patches])
  deletePositions(array, hidden)
}

function cover<I>(covered: Map<I, Set<string>>, id: I, keys: readonly string[]): void {
  let fields = covered.get(id)
  if (fields === undefined) covered.set(id, (fields = new Set()))
  for (const key of keys) fields.add(key)
}

/** From so many deletions on they are made in one walk: one by one, each searches its place, and thousands take seconds. */
const MANY = 64

/** Deletes positions that are given in falling order. */
export function deletePositions<T>(array: Y.Array<T>, falling: readonly number[]): void {
  if (falling.length < MANY) for (const position of falling) array.delete(position)
  else if (array.doc !== null) Y.transact(array.doc, (transaction) => walk(array, falling.toReversed(), transaction))
}

/**
 * What `array.delete` does for each position, without searching: it splits the runs that Yjs holds, from the left, for
 * the further right a split is made, the less is moved along; and long runs in pieces, for a split copies what is behind.
 */
function walk<T>(array: Y.Array<T>, rising: readonly number[], transaction: Y.Transaction): void {
  const split = ({ id }: Y.Item, offset: number): void =>
    void Y.getItemCleanStart(transaction, Y.createID(id.client, id.clock + offset))
  let next = 0
  let position = 0
  for (let item = array._start; item !== null && next < rising.length; item = item.right) {
    if (item.deleted || !item.countable) continue
    if (item.length > MANY) split(item, MANY)
    const offset = (rising[next] ?? 0) - position
    if (offset >= item.length) position += item.length
    else if (offset > 0) {
      split(item, offset)
      position += offset
    } else {
      let length = 0
      while (length < item.length && rising[next] === position + length) {
        length++
        next++
      }
      if (length < item.length) split(item, length)
      position += length
      item.delete(transaction)
    }
  }
  // Where positions were found before is not where they are now; as Yjs does it for what comes from others.
  array._searchMarker = []
}

/** What stands in `outline` is read once and edited alongside. */
function editOutline(outline: Y.Array<StepId>, edits: readonly OutlineEdit[]): void {
  if (edits.length === 0) return
  let ids: StepId[] = outline.toArray()
  let places: ReadonlyMap<StepId, number> | null = null
  const take = (gone: ReadonlySet<StepId>): void => {
    const positions: number[] = []
    for (let i = ids.length - 1; i >= 0; i--) if (gone.has(ids[i] as StepId)) positions.push(i)
    if (positions.length === 0) return
    deletePositions(outline, positions)
    ids = ids.filter((id) => !gone.has(id))
    places = null
  }
  for (const edit of edits) {
    if (edit.type === 'take') {
      take(edit.ids)
      continue
    }
    if (edit.type === 'keep') {
      places ??= firstPlaces(ids)
      if (standBetween(places, edit)) continue
      take(new Set(edit.ids))
    }
    const position = spot(ids, edit)
    outline.insert(position, [...edit.ids])
    ids = [...ids.slice(0, position), ...edit.ids, ...ids.slice(position)]
    places = null
  }
}

function firstPlaces(ids: readonly StepId[]): Map<StepId, number> {
  const places = new Map<StepId, number>()
  for (let i = ids.length - 1; i >= 0; i--) places.set(ids[i] as StepId, i)
  return places
}

/** Whether ids stand in their order between the siblings that they are to have. */
function standBetween(places: ReadonlyMap<StepId, number>, { left, ids, right }: Placing): boolean {
  let last = -1
  for (const id of [left, ...ids, right]) {
    if (id === null) continue
    const place = places.get(id) ?? -1
    if (place <= last) return false
    last = place
  }
  return true
}

/**
 * Where in `outline` new ids go. Only the order among siblings counts, and an id may stand far from its parent after
 * moves; but close to where it reads is best, for there it stays if its parent is removed meanwhile.
 */
function spot(ids: readonly StepId[], { parent, left, right, previous }: Placing): number {
  const find = (id: StepId | null, otherwise: number): number => {
    const position = id === null ? -1 : ids.indexOf(id)
    return position < 0 ? otherwise : position
  }
  // What `outline` does not name reads last, so behind it is behind everything.
  const low = left === null ? (right === null ? find(parent, -1) : -1) : find(left, ids.length - 1)
  const high = find(right, ids.length)
  if (low >= high) return high
  const beside = find(previous, low)
  if (beside >= low && beside < high) return beside + 1
  return left === null && right !== null ? high : low + 1
}
