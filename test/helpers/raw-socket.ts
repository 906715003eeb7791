import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A WebSocket by hand, for frames that no client would send. */
export interface RawSocket {
  readonly socket: Socket
  /** Resolves with the code of the close frame, or null if the connection ended without one. */
  readonly closed: Promise<number | null>
}

/** How a frame is written; by default as a client writes it: one binary message, masked. */
export interface RawFrame {
  readonly fin?: boolean
  /** 1 to 3: what no extension was agreed on for. */
  readonly rsv?: number
  readonly opcode?: number
  readonly masked?: boolean
  readonly payload?: Uint8Array
  /** What the header says of the length, whatever follows. */
  readonly length?: bigint
}

export function rawFrame(frame: RawFrame = {}): Buffer {
  const { fin = true, rsv = 0, opcode = 2, masked = true, payload = new Uint8Array(), length } = frame
  const said = length ?? BigInt(payload.length)
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode
  const mask = masked ? 0x80 : 0
  const head =
    said < 126n
      ? Buffer.of(first, mask | Number(said))
      : said < 65_536n
        ? Buffer.of(first, mask | 126, Number(said >> 8n), Number(said & 0xffn))
        : Buffer.concat([Buffer.of(first, mask | 127), bigEndian(said)])
  if (!masked) return Buffer.concat([head, payload])
  const key = Buffer.of(1, 2, 3, 4)
  return Buffer.concat([head, key, Buffer.from(payload).map((byte, at) => byte ^ (key[at % 4] ?? 0))])
}

function bigEndian(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value))
  return bytes
}

/** The request of an upgrade, as text. */
export const upgradeRequest = (path: string, headers: readonly string[] = []): string =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ...headers,
    '',
    '',
  ].join('\r\n')

/** Opens one, and resolves when the server has accepted it. @throws Error if it does not */
export async function openRaw(port: number, path: string, headers: readonly string[] = []): Promise<RawSocket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  let bytes = Buffer.alloc(0)
  let isOpen = false
  const closed = new Promise<number | null>((resolve) => {
    socket.on('data', (more: Buffer) => {
      bytes = Buffer.concat([bytes, more])
      if (!isOpen) {
        const end = bytes.indexOf('\r\n\r\n')
        if (end < 0 || !bytes.toString('latin1').startsWith('HTTP/1.1 101')) return
        isOpen = true
        bytes = bytes.subarray(end + 4)
      }
      const code = closeCodeIn(bytes)
      if (code !== undefined) resolve(code)
    })
    socket.once('close', () => resolve(null))
  })
  socket.write(upgradeRequest(path, headers))
  // The listener above runs first: it notes that the socket is open.
  await new Promise<void>((resolve, reject) => {
    const look = (): void => {
      if (isOpen) resolve()
    }
    socket.on('data', look)
    socket.once('close', () => reject(new Error(`refused: ${bytes.toString('latin1').slice(0, 200)}`)))
  })
  return { socket, closed }
}

/** The code of a close frame among whole frames of a server, which are not masked. */
function closeCodeIn(bytes: Buffer): number | null | undefined {
  for (let at = 0; at + 2 <= bytes.length;) {
    const short = (bytes[at + 1] ?? 0) & 0x7f
    const long = short === 126 ? 2 : short === 127 ? 8 : 0
    if (at + 2 + long > bytes.length) return undefined
    const length =
      short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short
    const start = at + 2 + long
    if (start + length > bytes.length) return undefined
    if (((bytes[at] ?? 0) & 0x0f) === 8) return length >= 2 ? bytes.readUInt16BE(start) : null
    at = start + length
  }
  return undefined
}
