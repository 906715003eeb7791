import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { Backlog } from '../../server/transports/limits/backlog.ts'
import { Connection } from '../../server/transports/ws/connection.ts'

/** As much of a socket as a connection needs to be closed. */
function fresh() {
  const close = vi.fn<(code: number, reason: string) => void>()
  const socket = Object.assign(new EventEmitter(), {
    readyState: 1,
    OPEN: 1,
    bufferedAmount: 0,
    close,
    pause: () => {},
    resume: () => {},
    terminate: () => {},
  })
  return { connection: new Connection(socket as unknown as WebSocket, new Backlog()), close }
}

test('[P22] our own clients hear at once what is final, others when they are old enough to take it', () => {
  const own = fresh()
  own.connection.takesRefusals()
  own.connection.close(4401, 'a token is needed')
  expect(own.close.mock.calls).toEqual([[4401, 'a token is needed']])

  const passing = fresh()
  passing.connection.takesRefusals()
  passing.connection.close(1013, 'come back later')
  expect(passing.close.mock.calls).toEqual([])

  const other = fresh()
  other.connection.close(4401, 'a token is needed')
  expect(other.close.mock.calls).toEqual([])
})
