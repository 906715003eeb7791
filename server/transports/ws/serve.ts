import type { RawData, WebSocket } from 'ws'
import { MAX_SOCKET_PAYLOAD } from '../../../shared/schema/limits.ts'
import type { Allowance } from '../../rooms/allowance.ts'
import { Draining, ThreadDamaged, ThreadUnavailable } from '../../rooms/errors.ts'
import type { Log } from '../../rooms/log.ts'
import type { Room } from '../../rooms/room.ts'
import type { Rooms } from '../../rooms/rooms.ts'
import type { Session } from '../../rooms/session.ts'
import { ThreadDeleted } from '../../rooms/storage.ts'
import type { Meter } from '../limits/meter.ts'
import type { Connection } from './connection.ts'
import { Inbox } from './inbox.ts'
import type { Visitor } from './visitor.ts'

export interface ServeOptions {
  readonly rooms: Rooms
  readonly log: Log
  readonly meter: Meter
  /** Bytes of frames, of all connections, that wait for their threads to be opened. */
  readonly early: Allowance
}

/**
 * One connection, from its first frame to its last. What comes before the room is open waits for it.
 * @returns how to take it out of the room before it is closed
 */
export function serve(
  socket: WebSocket,
  connection: Connection,
  visitor: Visitor,
  { rooms, log, meter, early }: ServeOptions,
): () => void {
  const { thread, actor, wantsVersions, mayWrite } = visitor
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let joined: { room: Room; session: Session; release: () => void } | null = null

  const receive = (data: RawData, isBinary: boolean): void => {
    if (!connection.isOpen || !meter.frame()) return
    if (!isBinary) return connection.close(4400, 'only binary frames are understood here')
    const frame = bytesOf(data)
    if (joined !== null) return inbox.push(frame)
    if (waitingBytes + frame.length > MAX_SOCKET_PAYLOAD || !early.take(frame.length)) {
      return connection.close(1013, 'too much was sent before the plan was open')
    }
    waiting.push(frame)
    waitingBytes += frame.length
  }
  /** A mistake of ours costs one connection, and not the process. */
  const safely = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      rooms.incidents.note('callback', error, { thread })
      connection.close(1011, 'internal error')
    }
  }
  const inbox = new Inbox({
    connection,
    meter,
    turns: rooms.turns,
    thread,
    line: actor.id === '' ? connection : actor.id,
    receive: (frame) => safely(() => joined?.room.receive(joined.session, frame)),
  })
  socket.on('message', (data: RawData, isBinary: boolean) => safely(() => receive(data, isBinary)))
  const forget = (): void => {
    early.give(waitingBytes)
    waiting = []
    waitingBytes = 0
  }
  const leave = (): void => {
    forget()
    inbox.clear()
    joined?.room.leave(joined.session)
    joined?.release()
    joined = null
  }
  // Who sends something and goes has sent it.
  socket.once('close', () => inbox.whenEmpty(leave))

  const join = async (): Promise<void> => {
    const { room, release } = await rooms.hold(thread)
    try {
      if (!connection.isOpen) return release()
      const session = room.join(connection, { actor, source: 'ws' }, wantsVersions, mayWrite)
      joined = { room, session, release }
      for (const frame of waiting) inbox.push(frame)
      forget()
    } catch (error) {
      release()
      throw error
    }
  }
  join().catch((error: unknown) => {
    if (error instanceof ThreadDeleted) return connection.close(4404, 'the thread was deleted')
    if (error instanceof Draining) return connection.close(1012, 'the server is going down')
    if (error instanceof ThreadDamaged) return connection.close(4503, 'what is stored of this plan is damaged')
    // What could not be opened was noted by the rooms already.
    if (!(error instanceof ThreadUnavailable))
      log.error({ thread, err: error }, 'a connection could not join its thread')
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
