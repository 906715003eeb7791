import { equalityDeep } from 'lib0/function'
import * as Y from 'yjs'

/** Whether a document has all of an update already. @param update one that `validateUpdate` does not refuse */
export function bringsNothing(doc: Y.Doc, update: Uint8Array): boolean {
  const { structs, ds } = Y.decodeUpdate(update)
  const isNew = structs.some(
    (struct) =>
      !(struct instanceof Y.Skip) && struct.id.clock + struct.length > Y.getState(doc.store, struct.id.client),
  )
  if (isNew) return false
  const deleted = Y.createDeleteSetFromStructStore(doc.store)
  for (const [client, ranges] of ds.clients) {
    const known = deleted.clients.get(client) ?? []
    for (const { clock, len } of ranges) {
      // The store's ranges are merged: what is deleted in full lies in one of them.
      if (!known.some((range) => range.clock <= clock && clock + len <= range.clock + range.len)) return false
    }
  }
  return true
}

/** The client ids under which an update brings something new. */
export function newClients(doc: Y.Doc, update: Uint8Array): ReadonlySet<number> {
  const clients = new Set<number>()
  for (const struct of Y.decodeUpdate(update).structs) {
    const { client, clock } = struct.id
    if (!(struct instanceof Y.Skip) && clock + struct.length > Y.getState(doc.store, client)) clients.add(client)
  }
  return clients
}

/**
 * Whether an update says something else of what a document has than the document does: then two documents write under
 * one client id, and Yjs would pass over what the later one says.
 */
export function contradicts(doc: Y.Doc, update: Uint8Array): boolean {
  return Y.decodeUpdate(update).structs.some((struct) => {
    if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentAny)) return false
    const { client, clock } = struct.id
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
