import type { StepId } from '../schema/ids.ts'
import type { Fold, StepRecord } from './fold.ts'
import { lives } from './fold.ts'

/** A living step in the tree. */
export interface Node {
  readonly record: StepRecord
  /** The nearest living ancestor. */
  parent: Node | null
  depth: number
  children: Node[]
}

/** The tree that patches and `outline` amount to, and what had to be decided to get there. */
export interface Arrangement {
  /** In pre-order. */
  readonly nodes: readonly Node[]
  /** Steps that became roots because they stood first in a cycle. */
  readonly cut: readonly StepId[]
  /** Living steps that `outline` does not name; they stand last. */
  readonly missing: readonly StepId[]
  /** `outline` names something twice, or something removed. */
  readonly untidy: boolean
}

/**
 * Total and deterministic: any state that merges can produce gives one tree, the same on every replica.
 * Iterative throughout, for a plan may be 10,000 levels deep.
 */
export function arrange(fold: Fold): Arrangement {
  const { nodes, missing, untidy } = collect(fold)
  for (const node of nodes.values()) node.parent = livingParent(node.record, nodes, fold)
  const cut = cutCycles(nodes)
  const roots: Node[] = []
  for (const node of nodes.values()) (node.parent?.children ?? roots).push(node)
  return { nodes: preOrder(roots), cut, missing, untidy }
}

/** The living steps in the order of their first place in `outline`. */
function collect(fold: Fold) {
  const nodes = new Map<StepId, Node>()
  let untidy = false
  const add = (record: StepRecord) => nodes.set(record.id, { record, parent: null, depth: 0, children: [] })
  for (const id of fold.outline()) {
    const record = fold.records.get(id)
    // What is not known stays: its creation may still be on the way.
    if (record === undefined) continue
    if (nodes.has(id) || record.fields.removed === true) untidy = true
    else if (lives(record)) add(record)
  }
  const missing: StepId[] = []
  for (const record of fold.records.values()) if (lives(record) && !nodes.has(record.id)) missing.push(record.id)
  missing.sort()
  for (const id of missing) {
    const record = fold.records.get(id)
    if (record !== undefined) add(record)
  }
  return { nodes, missing, untidy }
}

/** Children of a removed step climb along the parents that the tombstones name. */
function livingParent(record: StepRecord, nodes: ReadonlyMap<StepId, Node>, fold: Fold): Node | null {
  let id = record.fields.parent ?? ''
  let hops: Set<StepId> | undefined
  while (id !== '') {
    const node = nodes.get(id)
    if (node !== undefined) return node
    if ((hops ??= new Set()).has(id)) return null
    hops.add(id)
    id = fold.records.get(id)?.fields.parent ?? ''
  }
  return null
}

/** Of each cycle, the member that stands first in `outline` becomes a root. */
function cutCycles(nodes: ReadonlyMap<StepId, Node>): StepId[] {
  const cut: StepId[] = []
  const done = new Set<Node>()
  // Nodes come in the order of `outline`, so the first member met of a cycle is not always where the walk closes it.
  const order = new Map([...nodes.values()].map((node, position) => [node, position]))
  for (const start of nodes.values()) {
    if (done.has(start)) continue
    const path = new Set<Node>()
    let node: Node | null = start
    while (node !== null && !done.has(node) && !path.has(node)) {
      path.add(node)
      node = node.parent
    }
    if (node !== null && path.has(node)) {
      const cycle: Node[] = []
      for (let at: Node = node; ; at = at.parent ?? at) {
        cycle.push(at)
        if (at.parent === node || at.parent === null) break
      }
      const first = cycle.reduce((a, b) => ((order.get(b) ?? 0) < (order.get(a) ?? 0) ? b : a))
      first.parent = null
      cut.push(first.record.id)
    }
    for (const at of path) done.add(at)
  }
  return cut
}

function preOrder(roots: readonly Node[]): Node[] {
  const nodes: Node[] = []
  const stack = roots.toReversed()
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    nodes.push(node)
    for (let i = node.children.length - 1; i >= 0; i--) {
      const child = node.children[i]
      if (child === undefined) continue
      child.depth = node.depth + 1
      stack.push(child)
    }
  }
  return nodes
}
