import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { Backlog } from '../../server/transports/limits/backlog.ts'
import { Connection } from '../../server/transports/ws/connection.ts'
import { closeOf } from '../helpers/clients.ts'

/** A real socket, with a clock that the test moves. */
async function connected() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const [socket] = (await once(server, 'connection')) as [WebSocket]
  await once(client, 'open')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => {
    vi.useRealTimers()
    client.terminate()
    server.close()
  })
  return { client, socket, connection: new Connection(socket, new Backlog()) }
}

test('[11-F16] [RL-30] a refusal is told when its connection is two seconds old: who comes back at once comes every two', async () => {
  const { client, socket, connection } = await connected()
  const end = closeOf(client)
  vi.advanceTimersByTime(500)
  connection.close(4404, 'the thread was deleted')
  expect(connection.isOpen).toBe(false)
  vi.advanceTimersByTime(1_499)
  expect([socket.readyState, socket.isPaused]).toEqual([WebSocket.OPEN, true])
  vi.advanceTimersByTime(1)
  expect(socket.readyState).toBe(WebSocket.CLOSING)
  expect(await end).toEqual({ code: 4404, reason: 'the thread was deleted' })
})

test('[11-F16] one that is older than that is told at once, and so is the end of the server', async () => {
  const old = await connected()
  vi.advanceTimersByTime(2_000)
  const end = closeOf(old.client)
  old.connection.close(4500, 'come back')
  expect(old.socket.readyState).toBe(WebSocket.CLOSING)
  expect((await end).code).toBe(4500)
  const young = await connected()
  const ended = closeOf(young.client)
  young.connection.close(1012, 'the server is going down')
  expect((await ended).code).toBe(1012)
})
