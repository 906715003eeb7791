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
