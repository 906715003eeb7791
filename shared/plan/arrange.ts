import type { StepId } from '../schema/ids.ts'
import type { StepRecord } from './fold.ts'
import { lives } from './fold.ts'

/** The tree that patches and `outline` amount to, and what had to be decided to get there. */
export interface Arrangement {
  /** The living steps in pre-order. */
  readonly records: readonly StepRecord[]
  /** For each of them the position of its nearest living ancestor, or -1. */
  readonly parents: Int32Array
  readonly depths: Int32Array
  /** Steps that became roots because they stood first in a cycle. */
  readonly cut: readonly StepId[]
  /** Living steps that `outline` does not name; they stand last. */
  readonly missing: readonly StepId[]
  /** `outline` names something living twice, or something removed. */
  readonly untidy: boolean
}

/**
 * Total and deterministic: any state that merges can produce gives one tree, the same on every replica.
 * Iterative throughout, for a plan may be 10,000 levels deep; and over arrays of integers, for it runs at each change.
 * @param all every record, at its index
 */
export function arrange(outline: readonly (StepRecord | null)[], all: readonly StepRecord[]): Arrangement {
  const { living, ranks, missing, untidy } = collect(outline, all)
  const parents = new Int32Array(living.length)
  const climbed = new Map<StepRecord, number>()
  let backwards = false
  living.forEach((record, rank) => {
    const parent = livingParent(record, ranks, climbed)
    parents[rank] = parent
    // Around a cycle the ranks cannot only fall.
    if (parent >= rank) backwards = true
  })
  const cut = backwards ? cutCycles(parents).map((rank) => (living[rank] as StepRecord).id) : []
  return { ...preOrder(living, parents), cut, missing, untidy }
}

/** The living steps in the order of their first place in `outline`, and for each index of a record that rank, or -1. */
function collect(outline: readonly (StepRecord | null)[], all: readonly StepRecord[]) {
  const living: StepRecord[] = []
  const ranks = new Int32Array(all.length).fill(-1)
  let untidy = false
  const add = (record: StepRecord): void => {
    ranks[record.index] = living.length
    living.push(record)
  }
  for (const record of outline) {
    if (record === null) continue
    // What is not known stays: its creation may still be on the way.
    if (isStale(record, ranks[record.index] !== -1)) untidy = true
    else if (lives(record)) add(record)
  }
  const missing = all.filter((record) => ranks[record.index] === -1 && lives(record))
  missing.sort((a, b) => (a.id < b.id ? -1 : 1))
  missing.forEach(add)
  return { living, ranks, missing: missing.map(({ id }) => id), untidy }
}

/** Whether an id in `outline` is of no use any more. */
export const isStale = (record: StepRecord, seen: boolean): boolean =>
  record.fields.removed === true || (seen && lives(record))

/** Children of a removed step climb along the parents that the tombstones name. */
function livingParent(record: StepRecord, ranks: Int32Array, climbed: Map<StepRecord, number>): number {
  let found = -1
  let passed: StepRecord[] | null = null
  for (let at = record.parent; at !== null; at = at.parent) {
    found = ranks[at.index] ?? -1
    if (found >= 0) break
    const known = climbed.get(at)
    if (known !== undefined) {
      found = known
      break
    }
    // A ring of removed steps leads nowhere.
    climbed.set(at, -1)
    ;(passed ??= []).push(at)
  }
  if (passed !== null) for (const at of passed) climbed.set(at, found)
  return found
}

/** Of each cycle, the member that stands first becomes a root. @returns their ranks */
function cutCycles(parents: Int32Array): number[] {
  const cut: number[] = []
  /** By which walk each was reached first; walks have the rank of their start and one. */
  const reached = new Int32Array(parents.length)
  for (let start = 0; start < parents.length; start++) {
    let at = start
    while (at >= 0 && reached[at] === 0) {
      reached[at] = start + 1
      at = parents[at] as number
    }
    if (at < 0 || reached[at] !== start + 1) continue
    let first = at
    for (let member = parents[at] as number; member !== at; member = parents[member] as number)
      first = Math.min(first, member)
    parents[first] = -1
    cut.push(first)
  }
  return cut
}

function preOrder(living: readonly StepRecord[], parentRanks: Int32Array) {
  const size = living.length
  const firstChild = new Int32Array(size).fill(-1)
  const next = new Int32Array(size).fill(-1)
  let firstRoot = -1
  for (let rank = size - 1; rank >= 0; rank--) {
    const parent = parentRanks[rank] as number
    next[rank] = parent < 0 ? firstRoot : (firstChild[parent] as number)
    if (parent < 0) firstRoot = rank
    else firstChild[parent] = rank
  }
  const records: StepRecord[] = []
  const parents = new Int32Array(size)
  const depths = new Int32Array(size)
  const positions = new Int32Array(size)
  for (let at = firstRoot; at >= 0;) {
    const parent = parentRanks[at] as number
    const position = records.length
    positions[at] = position
    parents[position] = parent < 0 ? -1 : (positions[parent] as number)
    depths[position] = parent < 0 ? 0 : (depths[parents[position]] as number) + 1
    records.push(living[at] as StepRecord)
    if (firstChild[at] === -1) {
      while (at >= 0 && next[at] === -1) at = parentRanks[at] as number
      at = at < 0 ? -1 : (next[at] as number)
    } else at = firstChild[at] as number
  }
  return { records, parents, depths }
}
