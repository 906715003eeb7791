import { equalityDeep } from 'lib0/function'
import * as Y from 'yjs'

/**
 * Whether an update says something else of what a document has than the document does: then two documents write under
 * one client id, and Yjs would pass over what the later one says.
 * @param only the client id that is looked at; by default all
 */
export function contradicts(doc: Y.Doc, update: Uint8Array, only?: number): boolean {
  return Y.decodeUpdate(update).structs.some((struct) => {
    if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentAny)) return false
    const { client, clock } = struct.id
    if (only !== undefined && client !== only) return false
    const end = Math.min(clock + struct.length, Y.getState(doc.store, client))
    for (let at = clock; at < end;) {
      const known = Y.getItem(doc.store, Y.createID(client, at))
      const offset = at - known.id.clock
      const length = Math.min(known.length - offset, end - at)
      // What was deleted is no longer known.
      if (known instanceof Y.Item && known.content instanceof Y.ContentAny) {
        const here = known.content.arr.slice(offset, offset + length)
        if (!equalityDeep(here, struct.content.arr.slice(at - clock, at - clock + length))) return true
      }
      at += length
    }
    return false
  })
}
