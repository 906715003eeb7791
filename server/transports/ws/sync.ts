import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import { WebSocketServer } from 'ws'
import type { Actor } from '../../../shared/schema/actor.ts'
import type { ThreadId } from '../../../shared/schema/ids.ts'
import { isThreadId } from '../../../shared/schema/ids.ts'
import { MAX_ACTOR_NAME, MAX_SOCKET_PAYLOAD } from '../../../shared/schema/limits.ts'
import { Draining } from '../../rooms/errors.ts'
import type { Log } from '../../rooms/log.ts'
import type { Room } from '../../rooms/room.ts'
import type { Rooms } from '../../rooms/rooms.ts'
import type { Session } from '../../rooms/session.ts'
import { ThreadDeleted } from '../../rooms/storage.ts'
import { KEEP_ALIVE } from '../../rooms/wire.ts'
import { Connection } from './connection.ts'

const PATH = '/sync/'
/** Clients give up on a connection that brings no message for 30 s. */
const MAX_SILENCE_MS = 15_000
const CHECK_EVERY_MS = 5_000
/** A half-open connection is found after two of these. */
const PING_EVERY_MS = 30_000

/** Who asks for which thread, as the address says. */
interface Visitor {
  readonly thread: ThreadId
  readonly actor: Actor
  readonly wantsVersions: boolean
}

/**
 * Serves y-websocket clients at `/sync/:thread`.
 * Parameters: `name` and `id` of who is there, `kind` (human or agent), `planroom=1` to be told versions.
 * @returns how to stop; connections that are left then are cut
 */
export function attachSync(server: Server, rooms: Rooms, { log }: { log: Log }): { close(): void } {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_SOCKET_PAYLOAD, perMessageDeflate: false })
  const connections = new Set<Connection>()

  const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    stream.on('error', () => stream.destroy())
    const address = readAddress(request)
    if (address === null || !address.path.startsWith(PATH)) return refuseUpgrade(stream)
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const connection = new Connection(socket)
      connections.add(connection)
      socket.once('close', () => connections.delete(connection))
      const visitor = readVisitor(address)
      if (typeof visitor === 'string') connection.close(4400, visitor)
      else serve(socket, connection, visitor, rooms, log)
    })
  }
  server.on('upgrade', onUpgrade)

  const keepAlive = setInterval(() => {
    for (const connection of connections) if (connection.silence >= MAX_SILENCE_MS) connection.send(KEEP_ALIVE)
  }, CHECK_EVERY_MS)
  const pings = setInterval(() => {
    for (const connection of connections) connection.ping()
  }, PING_EVERY_MS)

  return {
    close: () => {
      server.off('upgrade', onUpgrade)
      clearInterval(keepAlive)
      clearInterval(pings)
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}

/** One connection, from its first frame to its last. What comes before the room is open waits for it. */
function serve(socket: WebSocket, connection: Connection, visitor: Visitor, rooms: Rooms, log: Log): void {
  const { thread, actor, wantsVersions } = visitor
  let early: Uint8Array[] = []
  let earlyBytes = 0
  let joined: { room: Room; session: Session; release: () => void } | null = null

  socket.on('message', (data: RawData, isBinary: boolean) => {
    if (!connection.isOpen) return
    if (!isBinary) return connection.close(4400, 'only binary frames are understood here')
    const frame = bytesOf(data)
    if (joined !== null) return joined.room.receive(joined.session, frame)
    early.push(frame)
    earlyBytes += frame.length
    if (earlyBytes > MAX_SOCKET_PAYLOAD) connection.close(1013, 'too much was sent before the plan was open')
  })
  socket.once('close', () => {
    joined?.room.leave(joined.session)
    joined?.release()
    joined = null
  })

  const join = async (): Promise<void> => {
    const { room, release } = await rooms.hold(thread)
    try {
      if (!connection.isOpen) return release()
      const session = room.join(connection, { actor, source: 'ws' }, wantsVersions)
      joined = { room, session, release }
      for (const frame of early) room.receive(session, frame)
      early = []
    } catch (error) {
      release()
      throw error
    }
  }
  join().catch((error: unknown) => {
    if (error instanceof ThreadDeleted) return connection.close(4404, 'the thread was deleted')
    if (error instanceof Draining) return connection.close(1012, 'the server is going down')
    log.error({ thread, error }, 'a thread could not be opened')
    connection.close(4503, 'storage failed')
  })
}

function bytesOf(data: RawData): Uint8Array {
  const buffer = Array.isArray(data) ? Buffer.concat(data) : data
  return buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer)
    : new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)
}

interface Address {
  readonly path: string
  readonly parameters: URLSearchParams
}

/** Read by hand: URL would resolve `..` in the path away. null: not decodable. */
function readAddress({ url = '' }: IncomingMessage): Address | null {
  const [path = '', ...query] = url.split('?')
  try {
    return { path: decodeURIComponent(path), parameters: new URLSearchParams(query.join('?')) }
  } catch {
    return null
  }
}

/** @returns what is wrong with the address, if something is */
function readVisitor({ path, parameters }: Address): Visitor | string {
  const thread = path.slice(PATH.length)
  if (!isThreadId(thread)) return 'a thread id has 1 to 128 characters of A-Z a-z 0-9 . _ ~ - and no dot in front'
  const name = parameters.get('name')?.trim() ?? ''
  const id = parameters.get('id')?.trim() || name
  if (!isName(name) || !isName(id)) return `a name or id has at most ${MAX_ACTOR_NAME} characters, on one line`
  const kind = parameters.get('kind') === 'agent' ? 'agent' : 'human'
  return { thread, actor: { id, name, kind }, wantsVersions: parameters.get('planroom') === '1' }
}

// eslint-disable-next-line no-control-regex
const isName = (name: string): boolean => name.length <= MAX_ACTOR_NAME && !/[\u0000-\u001f\u007f]/.test(name)

function refuseUpgrade(stream: Duplex): void {
  const body = 'Sockets are served at /sync/<thread>.\n'
  stream.end(
    `HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}
