import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { MAX_SOCKET_PAYLOAD, UPGRADE_REQUESTS } from '../../../shared/schema/limits.ts'
import type { Access } from '../../auth/access.ts'
import { chooseProtocol } from '../../auth/bearer.ts'
import type { Identity } from '../../auth/claims.ts'
import type { Doors } from '../../auth/doors.ts'
import type { Ending } from '../../auth/leases.ts'
import { NotAuthenticated, Revoked } from '../../auth/refusals.ts'
import type { Log } from '../../rooms/log.ts'
import type { Rooms } from '../../rooms/rooms.ts'
import { KEEP_ALIVE } from '../../rooms/wire.ts'
import { overloaded, tooMany } from '../http/limits.ts'
import { PROBLEM_JSON, type ProblemDetails, problemJson } from '../http/problem.ts'
import { Backlog } from '../limits/backlog.ts'
import type { Limits } from '../limits/limits.ts'
import { Meter } from '../limits/meter.ts'
import { Connection } from './connection.ts'
import { serve } from './serve.ts'
import {
  type Address,
  isOwnClient,
  readAddress,
  readVisitor,
  tokenOf,
  type TurnedAway,
  type Visitor,
} from './visitor.ts'
import { PlanWebSocket } from './web-socket.ts'

/** How often the server sends something by itself. */
export interface Pace {
  /** Milliseconds without a message after which one is sent, and between two looks at who is silent. */
  readonly silenceMs: number
  readonly checkMs: number
  /** Milliseconds between two heartbeats. A half-open connection is found after two of them. */
  readonly heartbeatMs: number
}
/** Clients give up on a connection that brings no message for 30 s, and many a proxy does so too. */
const PACE: Pace = { silenceMs: 15_000, checkMs: 5_000, heartbeatMs: 30_000 }

/** How a token's end is told. Both are final: clients must not come back with the same one. */
const ENDINGS: Readonly<Record<Ending, readonly [code: number, reason: string]>> = {
  expired: [4401, 'your token has expired'],
  revoked: [4403, 'your token was revoked'],
}

export interface SyncOptions {
  readonly access: Access
  readonly doors: Doors
  readonly limits: Limits
  readonly log: Log
  readonly pace?: Pace
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
export function attachSync(server: Server, rooms: Rooms, options: SyncOptions): { close(): void } {
  const { access, doors, limits, log, pace = PACE } = options
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: chooseProtocol,
    maxPayload: MAX_SOCKET_PAYLOAD,
    WebSocket: PlanWebSocket,
    perMessageDeflate: false,
  })
  const connections = new Set<Connection>()
  const backlog = new Backlog()
  let isClosed = false

  const receive = async ({ request, stream, head, address, peer }: Attempt): Promise<void> => {
    const wait = await limits.addressRate.take(peer, UPGRADE_REQUESTS)
    if (wait !== null) return refuseUpgrade(stream, tooMany('Your address makes too many requests.', wait).details)
    const known = await identify(access, tokenOf(request, address), log)
    const account = 'code' in known ? peer : (known.actor?.id ?? peer)
    const identity = 'code' in known ? known : ((await turnAway(limits, known, account)) ?? known)
    // While it was found out who it is, the client may have gone, and the server too.
    if (isClosed || stream.destroyed) return void stream.destroy()
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const connection = new Connection(socket, backlog)
      connections.add(connection)
      if (isOwnClient(address)) connection.takesRefusals()
      socket.once('close', () => connections.delete(connection))
      const visitor = 'code' in identity ? identity : readVisitor(address, identity)
      if ('code' in identity || 'code' in visitor) return turn(connection, visitor)
      const seats = takeSeats(limits, visitor.thread, identity.actor === null ? null : visitor.actor.id)
      if ('code' in seats) return turn(connection, seats)
      socket.once('close', seats.leave)
      const meter = new Meter(limits, account, (reason) => connection.close(1013, reason))
      connection.measure(meter)
      const leave = serve(socket, connection, visitor, { rooms, log, meter, early: limits.early })
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
    if (address === null) return refuseUpgrade(stream, notHere)
    if (!doors.allowsHost(host) || !doors.allowsOrigin(origin, host)) return refuseUpgrade(stream, badDoor)
    const peer = limits.addressOf(request.socket.remoteAddress, forwardedFor(request))
    const seat = limits.sockets.take(peer)
    if (seat === 'all') return refuseUpgrade(stream, overloaded('All connections are taken.').details)
    if (seat === 'own') return refuseUpgrade(stream, tooMany('Your address has too many connections.', 5).details)
    stream.once('close', seat)
    receive({ request, stream, head, address, peer }).catch((error: unknown) => {
      log.error({ err: error }, 'a socket could not be opened')
      stream.destroy()
    })
  }
  server.on('upgrade', onUpgrade)

  const keepAlive = setInterval(() => {
    for (const connection of connections) if (connection.silence >= pace.silenceMs) connection.send(KEEP_ALIVE)
  }, pace.checkMs)
  const pings = setInterval(() => {
    for (const connection of connections) connection.ping()
  }, pace.heartbeatMs)

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

/** An upgrade that is asked for. */
interface Attempt {
  readonly request: IncomingMessage
  readonly stream: Duplex
  readonly head: Buffer
  readonly address: Address
  /** Where it comes from, as limits count. */
  readonly peer: string | null
}

const forwardedFor = ({ headers }: IncomingMessage): string | undefined => headers['x-forwarded-for']?.toString()

const turn = (connection: Connection, away: Visitor | TurnedAway): void => {
  if ('code' in away) connection.close(away.code, away.reason)
}

/** @returns why somebody who may come in otherwise has to wait, if so */
async function turnAway(limits: Limits, { actor }: Identity, account: string | null): Promise<TurnedAway | null> {
  const wait = (await limits.work.wait(account)) ?? (await limits.actorRate.take(actor?.id ?? null, UPGRADE_REQUESTS))
  return wait === null ? null : { code: 1013, reason: `you have used up your share: come back in ${wait} s` }
}

/** A place among the connections of the thread and of the actor. @param actor null: nobody in particular */
function takeSeats(limits: Limits, thread: string, actor: string | null): { leave: () => void } | TurnedAway {
  const inThread = limits.threads.take(thread)
  if (typeof inThread === 'string') return { code: 1013, reason: 'this plan has as many connections as it may have' }
  const ofActor = limits.actors.take(actor)
  if (typeof ofActor !== 'string') {
    const leave = (): void => {
      inThread()
      ofActor()
    }
    return { leave }
  }
  inThread()
  return { code: 1013, reason: 'you have as many connections as you may have' }
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

/** An answer at the upgrade: programs can read it, y-websocket only sees that it did not get in. */
function refuseUpgrade(stream: Duplex, problem: ProblemDetails): void {
  const body = problemJson(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    ...Object.entries(problem.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    `Content-Type: ${PROBLEM_JSON}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  stream.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => stream.destroy())
}

const notHere: ProblemDetails = {
  status: 404,
  kind: 'not-found',
  title: 'Not found',
  detail: 'Sockets are served at /sync/<thread>.',
}
const badDoor: ProblemDetails = {
  status: 403,
  kind: 'bad-origin',
  title: 'Not allowed',
  detail: 'This host or this origin is not allowed here.',
}
