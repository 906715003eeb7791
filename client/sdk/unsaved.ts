import * as Y from 'yjs'

/** From one clock to behind another. */
interface Range {
  from: number
  to: number
}

/** What an update wrote: for each client up to which clock, and what it deleted. */
interface Marks {
  readonly inserts: Map<number, number>
  readonly deletes: Map<number, Range[]>
}

/** The id under which that is counted which this copy has and the server has lost. */
const LOST = 'lost'

/**
 * What the server has not made durable yet. All that the server sends is on its disk: its state vector (step 1), what
 * it deleted (step 2 tells all of it), and every update. A local update is safe once those hold all that it wrote.
 */
export class Unsaved {
  readonly #updates = new Map<string, Marks>()
  /** What the server has of each client; null before it has said. */
  #server: Map<number, number> | null = null

  /** How many updates. */
  get size(): number {
    return this.#updates.size
  }

  ids(): string[] {
    return [...this.#updates.keys()].filter((id) => id !== LOST)
  }

  add(id: string, update: Uint8Array): void {
    this.#updates.set(id, marksOf(update))
  }

  /**
   * The server says what it has. What this copy has beyond that, and beyond what waits anyway, the server lost: it was
   * put back to an earlier state. It is on its way there, as the answer to this.
   * @returns the ids of those that are safe now
   */
  heardState(doc: Y.Doc, stateVector: Uint8Array): string[] {
    this.#server = new Map(Y.decodeStateVector(stateVector))
    this.#updates.delete(LOST)
    const waiting = new Map<number, number>()
    for (const { inserts } of this.#updates.values())
      for (const [client, end] of inserts) waiting.set(client, Math.max(end, waiting.get(client) ?? 0))
    const lost = new Map<number, number>()
    for (const [client, end] of Y.decodeStateVector(Y.encodeStateVector(doc)))
      if (end > (this.#server.get(client) ?? 0) && end > (waiting.get(client) ?? 0)) lost.set(client, end)
    if (lost.size > 0) this.#updates.set(LOST, { inserts: lost, deletes: new Map() })
    return this.#settled()
  }

  /** The server sent an update. @returns the ids of those that are safe now */
  heard(update: Uint8Array): string[] {
    if (this.#updates.size === 0) return []
    const { inserts, deletes } = marksOf(update)
    this.#server ??= new Map()
    for (const [client, end] of inserts) if (end > (this.#server.get(client) ?? 0)) this.#server.set(client, end)
    for (const marks of this.#updates.values()) subtract(marks.deletes, deletes)
    return this.#settled()
  }

  /** The server has answered with all that it has, and so with all that it deleted. @returns as `heard` */
  heardAll(doc: Y.Doc, update: Uint8Array): string[] {
    const safe = this.heard(update)
    const missing = rangesOf(Y.createDeleteSetFromStructStore(doc.store).clients)
    subtract(missing, rangesOf(Y.decodeUpdate(update).ds.clients))
    for (const { deletes } of this.#updates.values()) subtract(missing, deletes)
    if (missing.size === 0) return safe
    const lost = this.#updates.get(LOST)
    this.#updates.set(LOST, { inserts: lost?.inserts ?? new Map<number, number>(), deletes: missing })
    return safe
  }

  #settled(): string[] {
    const safe: string[] = []
    for (const [id, { inserts, deletes }] of this.#updates) {
      const stands = [...inserts].every(([client, end]) => (this.#server?.get(client) ?? 0) >= end)
      if (!stands || deletes.size > 0) continue
      this.#updates.delete(id)
      if (id !== LOST) safe.push(id)
    }
    return safe
  }
}

function marksOf(update: Uint8Array): Marks {
  const { structs, ds } = Y.decodeUpdate(update)
  const inserts = new Map<number, number>()
  for (const struct of structs) {
    if (struct instanceof Y.Skip) continue
    const { client, clock } = struct.id
    inserts.set(client, Math.max(clock + struct.length, inserts.get(client) ?? 0))
  }
  return { inserts, deletes: rangesOf(ds.clients) }
}

type YRanges = ReadonlyMap<number, readonly { readonly clock: number; readonly len: number }[]>

const rangesOf = (clients: YRanges): Map<number, Range[]> =>
  new Map(
    [...clients].map(([client, ranges]) => [
      client,
      ranges.map(({ clock, len }) => ({ from: clock, to: clock + len })),
    ]),
  )

/** Takes ranges out of others. */
function subtract(from: Map<number, Range[]>, gone: ReadonlyMap<number, readonly Range[]>): void {
  for (const [client, ranges] of from) {
    let left = ranges
    for (const cut of gone.get(client) ?? []) {
      if (!left.some((range) => range.from < cut.to && cut.from < range.to)) continue
      left = left.flatMap((range) =>
        [
          { from: range.from, to: Math.min(range.to, cut.from) },
          { from: Math.max(range.from, cut.to), to: range.to },
        ].filter(({ from: start, to }) => start < to),
      )
    }
    if (left.length === 0) from.delete(client)
    else from.set(client, left)
  }
}
