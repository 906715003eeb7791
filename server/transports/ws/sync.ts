import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import { WebSocketServer } from 'ws'
import { MAX_SOCKET_PAYLOAD } from '../../../shared/schema/limits.ts'
import type { Access } from '../../auth/access.ts'
import { chooseProtocol } from '../../auth/bearer.ts'
import type { Identity } from '../../auth/claims.ts'
import type { Doors } from '../../auth/doors.ts'
import type { Ending } from '../../auth/leases.ts'
import { NotAuthenticated, Revoked } from '../../auth/refusals.ts'
import { Draining } from '../../rooms/errors.ts'
import type { Log } from '../../rooms/log.ts'
import type { Room } from '../../rooms/room.ts'
import type { Rooms } from '../../rooms/rooms.ts'
import type { Session } from '../../rooms/session.ts'
import { ThreadDeleted } from '../../rooms/storage.ts'
import { KEEP_ALIVE } from '../../rooms/wire.ts'
import { Connection } from './connection.ts'
import { type Address, readAddress, readVisitor, tokenOf, type TurnedAway, type Visitor } from './visitor.ts'

/** Clients give up on a connection that brings no message for 30 s. */
const MAX_SILENCE_MS = 15_000
const CHECK_EVERY_MS = 5_000
/** A half-open connection is found after two of these. */
const PING_EVERY_MS = 30_000

/** How a token's end is told. Both are final: clients must not come back with the same one. */
const ENDINGS: Readonly<Record<Ending, readonly [code: number, reason: string]>> = {
  expired: [4401, 'your token has expired'],
  revoked: [4403, 'your token was revoked'],
}

export interface SyncOptions {
  readonly access: Access
  readonly doors: Doors
  readonly log: Log
}

/**
 * Serves y-websocket clients at `/sync/:thread`.
 * Parameters: `token`, unless a header or a subprotocol brings it; `planroom=1` to be told versions; in the open mode also
 * `name` and `id` of who is there, and `kind` (human or agent).
 *
 * Pages of others are refused at the upgrade. Clients are let in to be told in a close frame why they cannot stay: they
 * see nothing of an answer at the upgrade, and would try for ever.
 * @returns how to stop; connections that are left then are cut
 */
export function attachSync(server: Server, rooms: Rooms, { access, doors, log }: SyncOptions): { close(): void } {
  const handleProtocols = chooseProtocol
  const limits = { maxPayload: MAX_SOCKET_PAYLOAD, perMessageDeflate: false }
  const sockets = new WebSocketServer({ noServer: true, handleProtocols, ...limits })
  const connections = new Set<Connection>()
  let isClosed = false

  const receive = async (request: IncomingMessage, stream: Duplex, head: Buffer, address: Address): Promise<void> => {
    const identity = await identify(access, tokenOf(request, address), log)
    if (isClosed) return void stream.destroy()
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const connection = new Connection(socket)
      connections.add(connection)
      socket.once('close', () => connections.delete(connection))
      const visitor = 'code' in identity ? identity : readVisitor(address, identity)
      if ('code' in visitor) return connection.close(visitor.code, visitor.reason)
      const leave = serve(socket, connection, visitor, rooms, log)
      if ('code' in identity) return
      const release = access.hold(identity, (ending) => {
        connection.end(...ENDINGS[ending])
        leave()
      })
      socket.once('close', release)
    })
  }
  const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    stream.on('error', () => stream.destroy())
    const address = readAddress(request)
    const { host, origin } = request.headers
    if (address === null) return refuseUpgrade(stream, '404 Not Found', 'Sockets are served at /sync/<thread>.')
    if (!doors.allowsHost(host) || !doors.allowsOrigin(origin, host)) {
      return refuseUpgrade(stream, '403 Forbidden', 'This host or this origin is not allowed here.')
    }
    receive(request, stream, head, address).catch((error: unknown) => {
      log.error({ err: error }, 'a socket could not be opened')
      stream.destroy()
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
      isClosed = true
      server.off('upgrade', onUpgrade)
      clearInterval(keepAlive)
      clearInterval(pings)
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}

/** @returns who it is, or why it is nobody, as a close frame says it */
async function identify(access: Access, token: string | null, log: Log): Promise<Identity | TurnedAway> {
  try {
    return await access.identify(token)
  } catch (error) {
    if (error instanceof Revoked) return { code: 4403, reason: error.message }
    if (error instanceof NotAuthenticated) return { code: 4401, reason: error.message }
    log.warn({ err: error }, 'tokens cannot be checked')
    return { code: 1013, reason: 'tokens cannot be checked just now' }
  }
}

/**
 * One connection, from its first frame to its last. What comes before the room is open waits for it.
 * @returns how to take it out of the room before it is closed
 */
function serve(socket: WebSocket, connection: Connection, visitor: Visitor, rooms: Rooms, log: Log): () => void {
  const { thread, actor, wantsVersions, mayWrite } = visitor
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
  const leave = (): void => {
    joined?.room.leave(joined.session)
    joined?.release()
    joined = null
  }
  socket.once('close', leave)

  const join = async (): Promise<void> => {
    const { room, release } = await rooms.hold(thread)
    try {
      if (!connection.isOpen) return release()
      const session = room.join(connection, { actor, source: 'ws' }, wantsVersions, mayWrite)
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
  return leave
}

function bytesOf(data: RawData): Uint8Array {
  const buffer = Array.isArray(data) ? Buffer.concat(data) : data
  return buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer)
    : new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)
}

function refuseUpgrade(stream: Duplex, status: string, reason: string): void {
  const body = `${reason}\n`
  stream.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}
