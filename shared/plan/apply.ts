import type * as Y from 'yjs'
import type { GroupId, StepId } from '../schema/ids.ts'
import type { GroupPatch, Roots, StepPatch } from './document.ts'
import { patchesOf, rootsOf } from './document.ts'
import type { OutlineEdit, PlanChange } from './draft.ts'

/** Writes checked operations in one transaction. Cannot fail: all that could was found by checking. */
export function applyChange(doc: Y.Doc, change: PlanChange, origin: unknown): void {
  const roots = rootsOf(doc)
  doc.transact(() => {
    writeSteps(roots, change.patches, change.tombstones)
    for (const edit of change.outline) editOutline(roots.outline, edit)
    writeGroups(roots, change.groups)
    if (change.title !== null) roots.meta.set('title', change.title)
  }, origin)
}

/** Pushes patches, and deletes those of which no field shows any more; a tombstone takes the place of all of its step's. */
export function writeSteps(roots: Roots, patches: readonly StepPatch[], tombstones: readonly StepPatch[]): void {
  const dead = new Set(tombstones.map(({ id }) => id))
  write<StepPatch, StepId>(roots.steps, [...tombstones, ...patches], dead)
}

export function writeGroups(roots: Roots, patches: readonly GroupPatch[]): void {
  write<GroupPatch, GroupId>(roots.groups, patches, new Set())
}

function write<P extends { readonly id: I }, I>(
  array: Y.Array<P>,
  patches: readonly P[],
  dead: ReadonlySet<I>,
): void {
  if (patches.length === 0) return
  /** For each subject the fields that stand further right. */
  const covered = new Map<I, Set<string>>()
  for (const patch of patches) cover(covered, patch.id, Object.keys(patch))
  const hidden: number[] = []
  for (const { patch, position } of patchesOf<P, I>(array, covered).toReversed()) {
    const keys = Object.keys(patch)
    const fields = covered.get(patch.id)
    if (dead.has(patch.id) || keys.every((key) => fields?.has(key))) hidden.push(position)
    else cover(covered, patch.id, keys)
  }
  array.push([...patches])
  deletePositions(array, hidden)
}

function cover<I>(covered: Map<I, Set<string>>, id: I, keys: readonly string[]): void {
  let fields = covered.get(id)
  if (fields === undefined) covered.set(id, (fields = new Set()))
  for (const key of keys) fields.add(key)
}

/** Deletes positions that are given in falling order, neighbours at once. */
export function deletePositions<T>(array: Y.Array<T>, falling: readonly number[]): void {
  for (let i = 0; i < falling.length; ) {
    const last = falling[i] ?? 0
    let length = 1
    while (falling[i + length] === last - length) length++
    array.delete(last - length + 1, length)
    i += length
  }
}

function editOutline(outline: Y.Array<StepId>, edit: OutlineEdit): void {
  const ids = outline.toArray()
  if (edit.type === 'take') {
    const positions: number[] = []
    for (let i = ids.length - 1; i >= 0; i--) if (edit.ids.has(ids[i] as StepId)) positions.push(i)
    deletePositions(outline, positions)
  } else outline.insert(spot(ids, edit), [...edit.ids])
}

/**
 * Where in `outline` new ids go. Only the order among siblings counts, and an id may stand far from its parent after
 * moves; but close to where it reads is best, for there it stays if its parent is removed meanwhile.
 */
function spot(ids: readonly StepId[], { parent, left, right, previous }: Extract<OutlineEdit, { type: 'put' }>): number {
  const find = (id: StepId | null, otherwise: number): number => {
    const position = id === null ? -1 : ids.indexOf(id)
    return position < 0 ? otherwise : position
  }
  const low = left === null ? (right === null ? find(parent, -1) : -1) : find(left, -1)
  const high = find(right, ids.length)
  if (low >= high) return high
  const beside = find(previous, low)
  if (beside >= low && beside < high) return beside + 1
  return left === null && right !== null ? high : low + 1
}
