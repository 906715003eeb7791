import * as Y from 'yjs'
import { isGroupPatch, isStepPatch, type GroupPatch, type StepPatch } from '../../shared/plan/document.ts'
import { growthOf } from '../../shared/plan/growth.ts'
import type { Plan } from '../../shared/plan/plan.ts'

/** How many bytes larger an update makes a plan, about. @param update one that `validateUpdate` does not refuse */
export function growthByUpdate(doc: Y.Doc, update: Uint8Array, plan: Plan): number {
  const patches: StepPatch[] = []
  const groups: GroupPatch[] = []
  for (const struct of Y.decodeUpdate(update).structs) {
    if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentAny)) continue
    const known = Y.getState(doc.store, struct.id.client) - struct.id.clock
    for (const value of struct.content.arr.slice(Math.max(0, known))) {
      if (isStepPatch(value)) patches.push(value)
      else if (isGroupPatch(value)) groups.push(value)
    }
  }
  return growthOf({ patches, groups, title: null }, plan)
}
