import { MAX_UPDATE_BYTES } from '../../shared/schema/limits.ts'
import type { PlanOperation, RestoredStep } from '../../shared/schema/operation.ts'

/** Characters that operations of one change may have as JSON: with three bytes each there is room for what is around. */
const MOST_CHARACTERS = MAX_UPDATE_BYTES / 4
/** Ids in one removal. */
const MOST_REMOVED = 3_000

/** Operations in parts that each fit into one update, in their order; neighbours that put steps back become one. */
export function inBatches(operations: readonly PlanOperation[]): PlanOperation[][] {
  const batches: PlanOperation[][] = []
  let batch: PlanOperation[] = []
  let restored: RestoredStep[] | null = null
  let size = 0
  const add = (operation: PlanOperation): void => {
    const more = JSON.stringify(operation).length
    if (batch.length > 0 && size + more > MOST_CHARACTERS) {
      batches.push(batch)
      ;[batch, restored, size] = [[], null, 0]
    }
    size += more
    if (operation.type !== 'restoreSteps') {
      restored = null
      batch.push(operation)
    } else if (restored === null) {
      restored = [...operation.steps]
      batch.push({ type: 'restoreSteps', steps: restored })
    } else restored.push(...operation.steps)
  }
  for (const operation of operations) {
    if (operation.type === 'removeSteps' && operation.steps.length > MOST_REMOVED && !operation.subSteps)
      for (let at = 0; at < operation.steps.length; at += MOST_REMOVED)
        add({ ...operation, steps: operation.steps.slice(at, at + MOST_REMOVED) })
    else add(operation)
  }
  return batch.length === 0 ? batches : [...batches, batch]
}
