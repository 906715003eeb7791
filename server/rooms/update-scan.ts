import * as decoding from 'lib0/decoding'
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
const tooManyClients = refused(4422, `The update names too many client ids (at most ${MAX_UPDATE_CLIENTS}).`)
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
 * @throws what lib0 throws at an untimely end or an integer out of range
 */
export function scanUpdate(update: Uint8Array): Refused | null {
  const from = decoding.createDecoder(update)
  return scanStructs(from) ?? scanDeletes(from) ?? (from.pos === update.length ? null : malformed)
}

function scanStructs(from: decoding.Decoder): Refused | null {
  const clients = decoding.readVarUint(from)
  if (clients > MAX_UPDATE_CLIENTS) return tooManyClients
  const seen = new Set<number>()
  let structs = 0
  for (let i = 0; i < clients; i++) {
    const count = decoding.readVarUint(from)
    structs += count
    if (structs > MAX_STRUCTS) return tooManyStructs
    const client = decoding.readVarUint(from)
    if (seen.has(client)) return malformed
    seen.add(client)
    decoding.readVarUint(from) // the clock
    for (let j = 0; j < count; j++) {
      const problem = scanStruct(from)
      if (problem !== null) return problem
    }
  }
  return null
}

function scanStruct(from: decoding.Decoder): Refused | null {
  const info = readByte(from)
  const kind = info & 0b11111
  if (kind === GC || info === SKIP) {
    decoding.readVarUint(from)
    return null
  }
  const hasOrigin = (info & 0b1000_0000) !== 0
  const hasRightOrigin = (info & 0b0100_0000) !== 0
  if (hasOrigin) skipId(from)
  if (hasRightOrigin) skipId(from)
  if (!hasOrigin && !hasRightOrigin) {
    if (decoding.readVarUint(from) !== 1) return parentById
    skipBytes(from)
    if ((info & 0b0010_0000) !== 0) skipBytes(from)
  }
  if (kind === DELETED) {
    decoding.readVarUint(from)
    return null
  }
  if (kind !== ANY) return kind < SKIP ? foreignContent : malformed
  return scanValues(from, decoding.readVarUint(from), 0)
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

function scanDeletes(from: decoding.Decoder): Refused | null {
  const clients = decoding.readVarUint(from)
  if (clients > MAX_UPDATE_CLIENTS) return tooManyClients
  let ranges = 0
  for (let i = 0; i < clients; i++) {
    decoding.readVarUint(from) // the client
    const count = decoding.readVarUint(from)
    ranges += count
    if (ranges > MAX_STRUCTS) return tooManyStructs
    for (let j = 0; j < count; j++) skipId(from) // a clock and a length
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
