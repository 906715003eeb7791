import type { Pages } from './pages.ts'

export type Value = number | string | Buffer | null

/** One row as it lies on a page. */
export interface Cell {
  /** Null for an entry of an index. */
  readonly rowid: number | null
  readonly values: readonly Value[]
}

const TABLE_LEAF = 13
const INDEX_LEAF = 10
const INDEX_INTERIOR = 2

/** All rows on a page that can be read, and no others: a page that holds none, or is spoilt, has none. */
export function cellsOf(pages: Pages, nth: number): Cell[] {
  const page = pages.page(nth)
  if (page === null) return []
  const start = nth === 1 ? 100 : 0
  const kind = page.readUInt8(start)
  if (kind !== TABLE_LEAF && kind !== INDEX_LEAF && kind !== INDEX_INTERIOR) return []
  const pointers = start + (kind === INDEX_INTERIOR ? 12 : 8)
  const count = page.readUInt16BE(start + 3)
  if (pointers + count * 2 > pages.size) return []
  const cells: Cell[] = []
  for (let i = 0; i < count; i++) {
    try {
      cells.push(readCell(pages, page, page.readUInt16BE(pointers + 2 * i), kind))
    } catch {
      // Spoilt: it costs this row.
    }
  }
  return cells
}

/** @throws RangeError at what is no row */
function readCell(pages: Pages, page: Buffer, at: number, kind: number): Cell {
  const isTable = kind === TABLE_LEAF
  const cursor = { at: kind === INDEX_INTERIOR ? at + 4 : at }
  const length = readVarint(page, cursor)
  const rowid = isTable ? readVarint(page, cursor) : null
  return { rowid, values: readRecord(readPayload(pages, page, cursor.at, length, isTable)) }
}

/** What does not fit on the page goes on elsewhere. */
function readPayload(pages: Pages, page: Buffer, at: number, length: number, isTable: boolean): Buffer {
  const { usable } = pages
  if (length < 1 || length > pages.count * usable) throw new RangeError('no length')
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const kept = least + ((length - least) % (usable - 4))
  const local = length <= most ? length : kept <= most ? kept : least
  if (at + local > usable) throw new RangeError('beyond the page')
  const parts = [page.subarray(at, at + local)]
  let next = length > local ? page.readUInt32BE(at + local) : 0
  for (let missing = length - local; missing > 0; missing -= usable - 4) {
    const overflow = pages.page(next)
    if (overflow === null) throw new RangeError('a part is missing')
    parts.push(overflow.subarray(4, 4 + Math.min(missing, usable - 4)))
    next = overflow.readUInt32BE(0)
  }
  return Buffer.concat(parts)
}

function readRecord(record: Buffer): Value[] {
  const cursor = { at: 0 }
  const end = readVarint(record, cursor)
  if (end > record.length) throw new RangeError('no record')
  const types: number[] = []
  while (cursor.at < end) types.push(readVarint(record, cursor))
  let at = end
  const values = types.map((type) => {
    const size = sizeOf(type)
    if (at + size > record.length) throw new RangeError('no record')
    const value = readValue(record, at, type, size)
    at += size
    return value
  })
  if (at !== record.length) throw new RangeError('no record')
  return values
}

const sizeOf = (type: number): number =>
  type >= 12 ? Math.floor((type - 12) / 2) : ([0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type] ?? NaN)

function readValue(record: Buffer, at: number, type: number, size: number): Value {
  if (type === 0) return null
  if (type === 8 || type === 9) return type - 8
  if (type === 6) return Number(record.readBigInt64BE(at))
  if (type === 7) return record.readDoubleBE(at)
  if (type < 6) return record.readIntBE(at, size)
  if (type < 12) throw new RangeError('no type')
  const bytes = record.subarray(at, at + size)
  return type % 2 === 0 ? bytes : bytes.toString('utf8')
}

function readVarint(bytes: Buffer, cursor: { at: number }): number {
  let value = 0n
  for (let i = 0; i < 8; i++) {
    const byte = bytes.readUInt8(cursor.at++)
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) return Number(value)
  }
  return Number(BigInt.asIntN(64, (value << 8n) | BigInt(bytes.readUInt8(cursor.at++))))
}
