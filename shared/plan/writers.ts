import type * as Y from 'yjs'
import type { StepId } from '../schema/ids.ts'
import type { FoldedStep, StepPatch } from './document.ts'
import { fieldsOf, patchesOf, rootsOf } from './document.ts'

/** Who wrote what a step shows, field by field: `updatedBy` alone says who wrote last, perhaps in another field. */
export type Writers = ReadonlyMap<keyof FoldedStep, string>

/** Reads it off the patches, in one pass for all steps that are asked for; it is not kept. */
export function writersOf(doc: Y.Doc, ids: ReadonlySet<StepId>): ReadonlyMap<StepId, Writers> {
  const found = new Map<StepId, Map<keyof FoldedStep, string>>()
  for (const { patch } of patchesOf<StepPatch, StepId>(rootsOf(doc).steps, ids)) {
    const writers = found.get(patch.id) ?? new Map<keyof FoldedStep, string>()
    found.set(patch.id, writers)
    for (const field of fieldsOf(patch)) writers.set(field, patch.updatedBy ?? patch.createdBy ?? '')
  }
  return found
}
