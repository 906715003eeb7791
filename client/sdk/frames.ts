/** Records in a file: a header, then for each record a mark, its length, its checksum and its bytes. */

/** Says what the file is, and in which format. */
export const HEADER: Uint8Array = new TextEncoder().encode('planroom\u0001\n')
/** What a record begins with: by it the next one is found behind a damaged one. */
const MARK = Uint8Array.of(0xd1, 0x9a, 0x70, 0xc3)
/** Bytes before a record's own: the mark, its length, its checksum. */
const HEAD = 12

export function frame(record: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEAD + record.length)
  bytes.set(MARK)
  const view = new DataView(bytes.buffer)
  view.setUint32(4, record.length)
  view.setUint32(8, checksum(record))
  bytes.set(record, HEAD)
  return bytes
}

export interface Frames {
  readonly records: readonly Uint8Array[]
  /** Where the last whole record ends; what comes behind was never written whole. 0: it is no such file. */
  readonly end: number
  /** Whether nothing was damaged, but for the end. */
  readonly isWhole: boolean
}

/** Reads all records that are whole, whatever lies between them. */
export function readFrames(bytes: Uint8Array): Frames {
  const begins = HEADER.every((byte, i) => bytes[i] === byte)
  const records: Uint8Array[] = []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = begins ? HEADER.length : 0
  let end = at
  let isWhole = begins || bytes.length < HEADER.length
  while (at + HEAD <= bytes.length) {
    const next = readAt(bytes, view, at)
    if (next === null) {
      at++
      continue
    }
    if (at > end) isWhole = false
    records.push(next)
    at += HEAD + next.length
    end = at
  }
  return { records, end: begins ? end : 0, isWhole }
}

function readAt(bytes: Uint8Array, view: DataView, at: number): Uint8Array | null {
  for (let i = 0; i < MARK.length; i++) if (bytes[at + i] !== MARK[i]) return null
  const length = view.getUint32(at + 4)
  const start = at + HEAD
  if (start + length > bytes.length) return null
  const record = bytes.slice(start, start + length)
  return checksum(record) === view.getUint32(at + 8) ? record : null
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** CRC-32, as in zip and png. */
function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] ?? 0)
  return (value ^ 0xffffffff) >>> 0
}
