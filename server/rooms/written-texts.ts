import * as Y from 'yjs'
import { patchedStep } from '../../shared/plan/document.ts'
import type { WrittenTexts } from '../../shared/plan/former-texts.ts'
import type { StepId } from '../../shared/schema/ids.ts'

/**
 * The texts of steps that an update brings and a document lacks, by step; of several of one step the one written last.
 * What was brought so may never show: somebody else's, written at the same time, may stand further right.
 * @param update one that `validateUpdate` lets in
 */
export function writtenTexts(doc: Y.Doc, update: Uint8Array): WrittenTexts {
  const texts = new Map<StepId, { text?: string; details?: string }>()
  for (const struct of Y.decodeUpdate(update).structs) {
    if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentAny)) continue
    const known = Y.getState(doc.store, struct.id.client) - struct.id.clock
    for (const value of struct.content.arr.slice(Math.max(0, known)) as readonly Readonly<Record<string, unknown>>[]) {
      const id = patchedStep(value)
      if (id === null) continue
      const { text, details } = value
      const fields = { ...(typeof text === 'string' && { text }), ...(typeof details === 'string' && { details }) }
      if (Object.keys(fields).length > 0) texts.set(id, { ...texts.get(id), ...fields })
    }
  }
  return texts
}
