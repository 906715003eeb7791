import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'

/** What SQLite takes unless it is told otherwise. */
const USUAL_PAGE_SIZE = 4_096
const WAL_HEADER = 32
const FRAME_HEADER = 24

/**
 * The pages of a database file, whatever state it is in, with those over them that its log holds and that were committed.
 * @see https://sqlite.org/fileformat2.html
 */
export class Pages {
  readonly size: number
  /** Bytes of a page that SQLite uses. */
  readonly usable: number
  readonly count: number
  readonly #file: number
  readonly #logged: ReadonlyMap<number, Buffer>

  /** @throws Error of node:fs */
  constructor(path: string) {
    this.#file = openSync(path, 'r')
    const log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0)
    const header = Buffer.alloc(100)
    readSync(this.#file, header, 0, header.length, 0)
    this.size =
      pageSize(header.readUInt16BE(16)) ??
      pageSize(log.length >= WAL_HEADER ? log.readUInt32BE(8) : 0) ??
      USUAL_PAGE_SIZE
    const reserved = header.toString('latin1', 0, 15) === 'SQLite format 3' ? header.readUInt8(20) : 0
    this.usable = this.size - (reserved < 64 ? reserved : 0)
    this.#logged = committedPages(log, this.size)
    this.count = Math.max(Math.floor(statSync(path).size / this.size), ...this.#logged.keys())
  }

  /** @param nth from 1. @returns null for one that is not there */
  page(nth: number): Buffer | null {
    const logged = this.#logged.get(nth)
    if (logged !== undefined) return logged
    const page = Buffer.alloc(this.size)
    return nth >= 1 && readSync(this.#file, page, 0, this.size, (nth - 1) * this.size) === this.size ? page : null
  }

  /** Pages that hold only what was deleted, as far as that can be told. */
  free(): Set<number> {
    const free = new Set<number>()
    const first = this.page(1)
    let trunk = first?.toString('latin1', 0, 15) === 'SQLite format 3' ? first.readUInt32BE(32) : 0
    while (trunk !== 0 && !free.has(trunk)) {
      free.add(trunk)
      const page = this.page(trunk)
      if (page === null) break
      const leaves = Math.min(page.readUInt32BE(4), this.usable / 4 - 2)
      for (let i = 0; i < leaves; i++) free.add(page.readUInt32BE(8 + 4 * i))
      trunk = page.readUInt32BE(0)
    }
    return free
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** @returns null for what is no size of a page */
function pageSize(stored: number): number | null {
  const size = stored === 1 ? 65_536 : stored
  return size >= 512 && size <= 65_536 && (size & (size - 1)) === 0 ? size : null
}

/** The last committed state of each page in a log. What comes after a frame that is not whole was never committed. */
function committedPages(log: Buffer, size: number): Map<number, Buffer> {
  const committed = new Map<number, Buffer>()
  if (log.length < WAL_HEADER || log.readUInt32BE(0) >>> 1 !== 0x377f0682 >>> 1 || log.readUInt32BE(8) !== size)
    return committed
  const isBigEndian = (log.readUInt32BE(0) & 1) === 1
  const salt = log.subarray(16, 24)
  let sum = checksum(log.subarray(0, 24), [0, 0], isBigEndian)
  let pending = new Map<number, Buffer>()
  for (let at = WAL_HEADER; at + FRAME_HEADER + size <= log.length; at += FRAME_HEADER + size) {
    const page = log.subarray(at + FRAME_HEADER, at + FRAME_HEADER + size)
    sum = checksum(page, checksum(log.subarray(at, at + 8), sum, isBigEndian), isBigEndian)
    const isWhole = sum[0] === log.readUInt32BE(at + 16) && sum[1] === log.readUInt32BE(at + 20)
    if (!isWhole || !salt.equals(log.subarray(at + 8, at + 16))) break
    pending.set(log.readUInt32BE(at), page)
    if (log.readUInt32BE(at + 4) === 0) continue
    for (const [nth, one] of pending) committed.set(nth, one)
    pending = new Map()
  }
  return committed
}

function checksum(bytes: Buffer, [first, second]: readonly [number, number], isBigEndian: boolean): [number, number] {
  const read = (at: number): number => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at))
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + read(at) + second) >>> 0
    second = (second + read(at + 4) + first) >>> 0
  }
  return [first, second]
}
