import * as decoding from 'lib0/decoding'
import type * as Y from 'yjs'
import { MAX_STRUCTS, MAX_UPDATE_CLIENTS } from '../../shared/schema/limits.ts'

/** Why an update is not let in. The reason goes into a close frame: at most 123 bytes, written for a person. */
export interface Refused {
  readonly kind: 'refused'
  readonly code: 4413 | 4422 | 4500
  readonly reason: string
}
export const refused = (code: Refused['code'], reason: string): Refused => ({ kind: 'refused', code, reason })
export const malformed: Refused = refused(
  4422,
  'The update is malformed: it does not follow the Yjs update format (V1).',
)
export const foreignContent: Refused = refused(4422, 'The update brings a kind of content that a plan does not hold.')
export const parentById: Refused = refused(
  4422,
  'The update puts something inside another value; a plan nests nothing.',
)
const tooManyClients = refused(4422, `The update names too many new client ids (at most ${MAX_UPDATE_CLIENTS}).`)
const tooManyStructs = refused(4413, `The update holds too many parts (at most ${MAX_STRUCTS}).`)
const protoKey = refused(4422, 'The update holds a patch with the key __proto__.')
const tooDeep = refused(4422, 'The update holds a value that is nested too deeply.')

/** The deepest honest value is a patch with a claim: two levels. Beyond this, reading it could exhaust the stack. */
const MAX_DEPTH = 4
const PROTO = new TextEncoder().encode('__proto__')

/** What the five low bits of a struct's first byte say; see contentRefs of Yjs. */
const GC = 0
const DELETED = 1
const ANY = 8
const SKIP = 10

/**
 * Walks over the bytes of an update (V1) without building anything, so that what would be dear or unsafe to decode is
 * refused before it is decoded: counts that are forged, deep nesting, content that no plan holds (its decoding parses
 * JSON and makes documents). It also sees what decoding hides: a key `__proto__` (lib0 assigns it, which drops a
 * primitive and swaps the prototype for an object), a client that is listed twice (only its last list would be
 * applied), and bytes behind the end.
 *
 * What is counted is what the document lacks: a long-lived plan has more client ids than any update may bring, and an
 * honest copy of it names them all.
 * @throws what lib0 throws at an untimely end or an integer out of range
 */
export function scanUpdate(update: Uint8Array, known: Known): Refused | null {
  const from = decoding.createDecoder(update)
  return scanStructs(from, known) ?? scanDeletes(from, known) ?? (from.pos === update.length ? null : malformed)
}

/** What a document has. */
export interface Known {
  /** The next clock of a client, or 0 for one that it never heard of. */
  readonly stateOf: (client: number) => number
  readonly clients: number
}

export function knownTo({ store }: Y.Doc): Known {
  return {
    stateOf: (client) => {
      const last = store.clients.get(client)?.at(-1)
      return last === undefined ? 0 : last.id.clock + last.length
    },
    clients: store.clients.size,
  }
}

/** Counts client ids: those that are new, and all that are named, which may be named once. */
class ClientCount {
  readonly #known: Known
  readonly #named: number
  #strangers = 0

  constructor(known: Known, named: number) {
    this.#known = known
    this.#named = named
  }

  get isTooHigh(): boolean {
    return this.#strangers > MAX_UPDATE_CLIENTS || this.#named > MAX_UPDATE_CLIENTS + this.#known.clients
  }

  /** @returns what is known of it */
  add(client: number): number {
    const state = this.#known.stateOf(client)
    if (state === 0) this.#strangers++
    return state
  }
}

/** Counts parts: a document has no more of them than one update may bring, and so has every copy of it. */
class PartCount {
  #known = 0
  #new = 0

  get isTooHigh(): boolean {
    return this.#known > MAX_STRUCTS || this.#new > MAX_STRUCTS
  }

  add(end: number, state: number): void {
    if (end > state) this.#new++
    else this.#known++
  }
}

function scanStructs(from: decoding.Decoder, known: Known): Refused | null {
  const clients = decoding.readVarUint(from)
  const count = new ClientCount(known, clients)
  if (count.isTooHigh) return tooManyClients
  const seen = new Set<number>()
  const parts = new PartCount()
  for (let i = 0; i < clients; i++) {
    const structs = decoding.readVarUint(from)
    if (structs > 2 * MAX_STRUCTS) return tooManyStructs
    const client = decoding.readVarUint(from)
    if (seen.has(client)) return malformed
    seen.add(client)
    const state = count.add(client)
    if (count.isTooHigh) return tooManyClients
    let clock = decoding.readVarUint(from)
    for (let j = 0; j < structs; j++) {
      const length = scanStruct(from)
      if (typeof length !== 'number') return length
      clock += length
      parts.add(clock, state)
      if (parts.isTooHigh) return tooManyStructs
    }
  }
  return null
}

/** @returns its length */
function scanStruct(from: decoding.Decoder): number | Refused {
  const info = readByte(from)
  const kind = info & 0b11111
  if (kind === GC || info === SKIP) return decoding.readVarUint(from)
  const hasOrigin = (info & 0b1000_0000) !== 0
  const hasRightOrigin = (info & 0b0100_0000) !== 0
  if (hasOrigin) skipId(from)
  if (hasRightOrigin) skipId(from)
  if (!hasOrigin && !hasRightOrigin) {
    if (decoding.readVarUint(from) !== 1) return parentById
    skipBytes(from)
    if ((info & 0b0010_0000) !== 0) skipBytes(from)
  }
  if (kind === DELETED) return decoding.readVarUint(from)
  if (kind !== ANY) return kind < SKIP ? foreignContent : malformed
  const length = decoding.readVarUint(from)
  return scanValues(from, length, 0) ?? length
}

function scanValues(from: decoding.Decoder, count: number, depth: number): Refused | null {
  for (let i = 0; i < count; i++) {
    const problem = scanValue(from, depth)
    if (problem !== null) return problem
  }
  return null
}

/** Steps over one value as lib0's readAny would read it. */
function scanValue(from: decoding.Decoder, depth: number): Refused | null {
  switch (readByte(from)) {
    case 127: // undefined
    case 126: // null
    case 121: // false
    case 120: // true
      return null
    case 125: // integer
      while (readByte(from) >= 0b1000_0000);
      return null
    case 124: // float32
      skip(from, 4)
      return null
    case 123: // float64
    case 122: // bigint
      skip(from, 8)
      return null
    case 119: // string
    case 116: // bytes
      skipBytes(from)
      return null
    case 118: // object
      return depth === MAX_DEPTH ? tooDeep : scanObject(from, decoding.readVarUint(from), depth + 1)
    case 117: // array
      return depth === MAX_DEPTH ? tooDeep : scanValues(from, decoding.readVarUint(from), depth + 1)
    default:
      return malformed
  }
}

function scanObject(from: decoding.Decoder, keys: number, depth: number): Refused | null {
  for (let i = 0; i < keys; i++) {
    const length = decoding.readVarUint(from)
    const start = from.pos
    skip(from, length)
    if (length === PROTO.length && PROTO.every((byte, at) => from.arr[start + at] === byte)) return protoKey
    const problem = scanValue(from, depth)
    if (problem !== null) return problem
  }
  return null
}

function scanDeletes(from: decoding.Decoder, known: Known): Refused | null {
  const clients = decoding.readVarUint(from)
  const count = new ClientCount(known, clients)
  if (count.isTooHigh) return tooManyClients
  const parts = new PartCount()
  for (let i = 0; i < clients; i++) {
    const state = count.add(decoding.readVarUint(from))
    if (count.isTooHigh) return tooManyClients
    const ranges = decoding.readVarUint(from)
    for (let j = 0; j < ranges; j++) {
      const clock = decoding.readVarUint(from)
      parts.add(clock + decoding.readVarUint(from), state)
      if (parts.isTooHigh) return tooManyStructs
    }
  }
  return null
}

function readByte(from: decoding.Decoder): number {
  const byte = from.arr[from.pos++]
  if (byte === undefined) throw new RangeError('Unexpected end of update')
  return byte
}

function skip(from: decoding.Decoder, bytes: number): void {
  from.pos += bytes
  if (from.pos > from.arr.length) throw new RangeError('Unexpected end of update')
}

const skipBytes = (from: decoding.Decoder): void => skip(from, decoding.readVarUint(from))

function skipId(from: decoding.Decoder): void {
  decoding.readVarUint(from)
  decoding.readVarUint(from)
}
