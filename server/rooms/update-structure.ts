import * as Y from 'yjs'
import { ROOT_KINDS } from '../../shared/plan/document.ts'

export type Struct = Y.Item | Y.GC | Y.Skip
export const endOf = (struct: Struct): number => struct.id.clock + struct.length

/** Where an item stands: a root, and a key of it if the root is a map. Interned, so that two can be compared by `===`. */
export interface Place {
  readonly root: string
  readonly kind: NonNullable<ReturnType<typeof ROOT_KINDS.get>>
  readonly key: string | null
}

/** The structs of one client in an update, and how far they got in the rehearsal. */
export interface Section {
  readonly client: number
  /** What the document has of this client: clocks below it are known. */
  readonly known: number
  readonly structs: Struct[]
  /** The place of each struct that is new and was rehearsed, by its index. */
  readonly places: (Place | undefined)[]
  /** Index of the struct that comes next. */
  next: number
  /** The client's state after what was rehearsed. */
  end: number
  /** Whether a struct of this client waits for another client's, further up on the stack. */
  waits: boolean
}

/** What an update would look like inside a document: looks things up in both, and changes neither. */
export class IncomingStructs {
  readonly sections: ReadonlyMap<number, Section>
  /** The first element that the rehearsal found nowhere. */
  missing: Y.ID | null = null
  readonly #store: Y.Doc['store']
  readonly #share: Y.Doc['share']
  readonly #rootNames = new Map<unknown, string>()
  readonly #places = new Map<string, Place>()

  constructor(doc: Y.Doc, structs: readonly Struct[]) {
    this.#store = doc.store
    this.#share = doc.share
    for (const name of ROOT_KINDS.keys()) {
      const root = doc.share.get(name) // not doc.get(name), which would create it
      if (root !== undefined) this.#rootNames.set(root, name)
    }
    this.sections = this.#group(structs)
  }

  /** The next clock of a client, after what was rehearsed. */
  endOf(client: number): number {
    return this.sections.get(client)?.end ?? Y.getState(this.#store, client)
  }

  /** Where the element with this id stands. Null if there is none yet, or if it stands in nothing that a plan has. */
  placeOf(client: number, clock: number): Place | null {
    const section = this.sections.get(client)
    const known = section?.known ?? Y.getState(this.#store, client)
    if (clock < known) return this.#storedPlace(Y.getItem(this.#store, Y.createID(client, clock)))
    return section?.places[indexAt(section.structs, clock)] ?? null
  }

  /** The item of the document, else of the update, that holds an element. */
  itemAt(client: number, clock: number): Y.Item | null {
    const section = this.sections.get(client)
    const known = section?.known ?? Y.getState(this.#store, client)
    const isKnown = clock < known
    const struct = isKnown
      ? Y.getItem(this.#store, Y.createID(client, clock))
      : section?.structs[indexAt(section.structs, clock)]
    return struct instanceof Y.Item ? struct : null
  }

  /** An item of the document's list at a place: the first of an array, the current one of a map. */
  startOf({ root, key }: Place): Y.Item | null {
    const type = this.#share.get(root)
    return (key === null ? type?._start : type?._map.get(key)) ?? null
  }

  /** The place under a root's name. Null for a name that a plan does not have, an array's key or a map without one. */
  placeNamed(root: string, key: string | null): Place | null {
    const kind = ROOT_KINDS.get(root)
    if (kind === undefined || (kind === 'values') !== (key !== null)) return null
    const name = key === null ? root : `${root}\0${key}`
    const place = this.#places.get(name) ?? { root, kind, key }
    this.#places.set(name, place)
    return place
  }

  /**
   * Goes through the structs in the order in which Yjs integrates them, each after its origins and after the
   * client's earlier ones: linear, and without recursion, however they lean on each other.
   * @param visit called for every item when all that it leans on was visited; what it returns ends the walk
   * @returns what `visit` returned; 'circular' if structs wait for each other; else whether all of them have what they need
   */
  rehearse<T>(
    visit: (item: Y.Item, section: Section, index: number) => T | null,
  ): T | 'circular' | 'missing' | 'complete' {
    let missing = false
    for (const first of [...this.sections.values()].toSorted((a, b) => b.client - a.client)) {
      const stack = [{ section: first, until: Number.POSITIVE_INFINITY }]
      for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
        const { section, until } = top
        const struct = section.structs[section.next]
        if (struct === undefined || section.end > until) {
          section.waits = false
          stack.pop()
          continue
        }
        const unmet = struct instanceof Y.Item ? this.#unmetOf(struct) : null
        if (!(struct instanceof Y.Skip) && (struct.id.clock > section.end || unmet !== null)) {
          const needed = unmet === null || struct.id.clock > section.end ? undefined : this.sections.get(unmet.client)
          if (needed?.waits === true) return 'circular'
          if (needed !== undefined && needed.next < needed.structs.length) {
            section.waits = true
            stack.push({ section: needed, until: unmet?.clock ?? 0 })
          } else {
            missing = true
            this.missing ??= unmet ?? Y.createID(section.client, struct.id.clock - 1)
            section.next = section.structs.length
          }
          continue
        }
        if (struct instanceof Y.Item) {
          const stop = visit(struct, section, section.next)
          if (stop !== null) return stop
        }
        if (!(struct instanceof Y.Skip)) section.end = Math.max(section.end, endOf(struct))
        section.next++
      }
    }
    return missing ? 'missing' : 'complete'
  }

  #group(structs: readonly Struct[]): Map<number, Section> {
    const sections = new Map<number, Section>()
    for (const struct of structs) {
      const { client } = struct.id
      let section = sections.get(client)
      if (section === undefined) {
        const known = Y.getState(this.#store, client)
        section = { client, known, structs: [], places: [], next: 0, end: known, waits: false }
        sections.set(client, section)
      }
      section.structs.push(struct)
    }
    return sections
  }

  /** Yjs asks this of known structs too, and keeps the whole update waiting for what such a one claims to need. */
  #unmetOf({ id, origin, rightOrigin }: Y.Item): Y.ID | null {
    if (origin !== null && origin.client !== id.client && origin.clock >= this.endOf(origin.client)) return origin
    if (rightOrigin === null || rightOrigin.client === id.client) return null
    return rightOrigin.clock >= this.endOf(rightOrigin.client) ? rightOrigin : null
  }

  #storedPlace(stored: Y.Item | Y.GC): Place | null {
    if (!(stored instanceof Y.Item)) return null
    const root = this.#rootNames.get(stored.parent)
    return root === undefined ? null : this.placeNamed(root, stored.parentSub)
  }
}

/** The index of the struct that holds this clock, or -1. */
function indexAt(structs: readonly Struct[], clock: number): number {
  let low = 0
  let high = structs.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const struct = structs[middle]
    if (struct === undefined) return -1
    if (clock < struct.id.clock) high = middle - 1
    else if (clock >= endOf(struct)) low = middle + 1
    else return middle
  }
  return -1
}
