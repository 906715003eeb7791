import * as Y from 'yjs'
import { MAX_UPDATE_STEPS } from '../../shared/schema/limits.ts'
import type { Place } from './update-structure.ts'

/** A run of elements of one item. Undefined neighbours are those that the document has. */
interface Piece {
  readonly source: Y.Item
  clock: number
  length: number
  origin: Y.ID | null
  left: Piece | null | undefined
  right: Piece | null | undefined
}
interface Row {
  start: Piece | null
  length: number
}

/** Elements that are copied in the time of one step when an item is split. */
const COPIED_PER_STEP = 64

/**
 * Rehearses how Yjs would link the items of an update into its lists (Item.integrate of Yjs 13.6) and counts the work,
 * on pieces that stand for the items: the document is only read. Links are made as they are needed.
 */
export class OrderRehearsal {
  readonly #itemAt: (client: number, clock: number) => Y.Item | null
  readonly #startOf: (place: Place) => Y.Item | null
  readonly #pieces = new Map<Y.Item, Piece[]>()
  readonly #rows = new Map<Place, Row>()
  #steps = 0

  /**
   * @param itemAt the item of the document or the update that holds an element
   * @param startOf an item of the list at a place, as the document has it
   */
  constructor(itemAt: (client: number, clock: number) => Y.Item | null, startOf: (place: Place) => Y.Item | null) {
    this.#itemAt = itemAt
    this.#startOf = startOf
  }

  /** What it would cost so far. */
  get steps(): number {
    return this.#steps
  }
  get tooDear(): boolean {
    return this.#steps > MAX_UPDATE_STEPS
  }

  /** Cuts items where Yjs would cut them to have the origins of an item at an edge; it does so for known ones too. */
  cut({ origin, rightOrigin }: Y.Item): void {
    if (origin !== null) this.#cutBefore(origin.client, origin.clock + 1)
    if (rightOrigin !== null) this.#cutBefore(rightOrigin.client, rightOrigin.clock)
  }

  /** Cuts items at the ends of a deleted range, which the document or the update must hold. */
  cutDeleted(client: number, clock: number, end: number): void {
    for (const at of [clock, end]) {
      const item = this.#itemAt(client, at)
      if (item !== null && !item.deleted && item.content instanceof Y.ContentAny) this.#cutBefore(client, at)
    }
  }

  /** Links an item, of which `known` elements are in the document, into the list at its place. */
  insert(item: Y.Item, place: Place, known: number): void {
    this.cut(item)
    const clock = item.id.clock + known
    const origin = known > 0 ? Y.createID(item.id.client, clock - 1) : item.origin
    const piece: Piece = { source: item, clock, length: item.length - known, origin, left: null, right: null }
    this.#pieces.set(item, [piece])
    const { rightOrigin } = item
    let left = origin === null ? null : this.#pieceAt(origin.client, origin.clock)
    const right = rightOrigin === null ? null : this.#pieceAt(rightOrigin.client, rightOrigin.clock)
    const row = this.#rowOf(place)
    // In a map Yjs looks for the start from the other end.
    if (left === null && place.key !== null) this.#steps += row.length
    const isApart = left === null ? right === null || this.#leftOf(right) !== null : this.#rightOf(left) !== right
    if (isApart) left = this.#pastConflicts(piece, left, right, left === null ? row.start : this.#rightOf(left))
    piece.left = left
    piece.right = left === null ? row.start : this.#rightOf(left)
    if (left === null) row.start = piece
    else left.right = piece
    if (piece.right) piece.right.left = piece
    row.length++
  }

  #pastConflicts(piece: Piece, first: Piece | null, right: Piece | null, from: Piece | null): Piece | null {
    let left = first
    const conflicting = new Set<Piece>()
    const beforeOrigin = new Set<Piece>()
    for (let other = from; other !== null && other !== right && !this.tooDear; other = this.#rightOf(other)) {
      this.#steps++
      beforeOrigin.add(other)
      conflicting.add(other)
      if (Y.compareIDs(piece.origin, other.origin)) {
        if (other.source.id.client < piece.source.id.client) {
          left = other
          conflicting.clear()
        } else if (Y.compareIDs(piece.source.rightOrigin, other.source.rightOrigin)) break
        continue
      }
      const origin = other.origin === null ? null : this.#pieceAt(other.origin.client, other.origin.clock)
      if (origin === null || !beforeOrigin.has(origin)) break
      if (conflicting.has(origin)) continue
      left = other
      conflicting.clear()
    }
    return left
  }

  #rowOf(place: Place): Row {
    let row = this.#rows.get(place)
    if (row !== undefined) return row
    let start = this.#startOf(place)
    let length = 0
    for (; start !== null && start.left !== null; start = start.left) length++
    row = { start: start === null ? null : (this.#piecesOf(start)[0] ?? null), length }
    this.#rows.set(place, row)
    return row
  }

  #piecesOf(item: Y.Item): Piece[] {
    let pieces = this.#pieces.get(item)
    if (pieces === undefined) {
      const { id, length, origin } = item
      pieces = [{ source: item, clock: id.clock, length, origin, left: undefined, right: undefined }]
      this.#pieces.set(item, pieces)
    }
    return pieces
  }

  #leftOf(piece: Piece): Piece | null {
    const { left } = piece.source
    piece.left ??= piece.left === null || left === null ? null : (this.#piecesOf(left).at(-1) ?? null)
    return piece.left
  }

  #rightOf(piece: Piece): Piece | null {
    const { right } = piece.source
    piece.right ??= piece.right === null || right === null ? null : (this.#piecesOf(right)[0] ?? null)
    return piece.right
  }

  #pieceAt(client: number, clock: number): Piece | null {
    const item = this.#itemAt(client, clock)
    if (item === null) return null
    const pieces = this.#piecesOf(item)
    return pieces[indexIn(pieces, clock)] ?? null
  }

  /** Makes a piece begin at this clock, unless one does. */
  #cutBefore(client: number, clock: number): void {
    const item = clock === 0 ? null : this.#itemAt(client, clock - 1)
    if (item === null || this.tooDear || clock === item.id.clock + item.length) return
    const pieces = this.#piecesOf(item)
    const index = indexIn(pieces, clock - 1)
    const head = pieces[index]
    if (head === undefined || head.clock + head.length === clock) return
    this.#steps += 1 + head.length / COPIED_PER_STEP
    const right = this.#rightOf(head)
    const origin = Y.createID(client, clock - 1)
    const tail: Piece = { source: item, clock, length: head.clock + head.length - clock, origin, left: head, right }
    head.length -= tail.length
    head.right = tail
    if (right !== null) right.left = tail
    pieces.splice(index + 1, 0, tail)
  }

  /** The order of the list at a place, as ids: for tests, which compare it with that of Yjs. */
  orderOf(place: Place): string[] {
    const order: string[] = []
    for (let piece = this.#rowOf(place).start; piece !== null; piece = this.#rightOf(piece)) {
      for (let i = 0; i < piece.length; i++) order.push(`${piece.source.id.client}:${piece.clock + i}`)
    }
    return order
  }
}

function indexIn(pieces: readonly Piece[], clock: number): number {
  let low = 0
  let high = pieces.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const piece = pieces[middle]
    if (piece === undefined) return -1
    if (clock < piece.clock) high = middle - 1
    else if (clock >= piece.clock + piece.length) low = middle + 1
    else return middle
  }
  return -1
}
