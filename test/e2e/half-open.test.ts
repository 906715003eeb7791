import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import * as Y from 'yjs'
import { attachSync } from '../../server/transports/ws/sync.ts'
import { OPEN } from '../helpers/access.ts'
import { WireClient } from '../helpers/clients.ts'
import { addCall, awarenessFrame, readServerMessage, T, testRooms, textsIn } from '../helpers/sockets.ts'
import { tcpProxy } from '../helpers/tcp-proxy.ts'

const HEARTBEAT_MS = 300

/** Real sockets, with a heart that beats faster than in production. */
async function serve() {
  const inside = testRooms(0)
  const server = createServer()
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const pace = { silenceMs: 150, checkMs: 50, heartbeatMs: HEARTBEAT_MS }
  const sync = attachSync(server, inside.rooms, { ...OPEN, log, pace })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(async () => {
    await inside.rooms.drain()
    sync.close()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const connect = (at = port): WireClient => {
    const client = WireClient.connect(`ws://127.0.0.1:${at}/sync`, T, { doc: new Y.Doc() })
    onTestFinished(() => client.socket.terminate())
    return client
  }
  return { ...inside, port, connect }
}

describe('[RL-35] a peer that is gone without a word', () => {
  test('is out after two heartbeats: its presence vanishes, and the plan is unloaded when nobody else is there', async () => {
    const { rooms, port, connect } = await serve()
    const proxy = await tcpProxy(port)
    const lost = connect(proxy.port)
    await lost.synced
    lost.send(awarenessFrame({ client: 7, clock: 1, state: '{}' }))
    const witness = connect()
    await witness.synced
    const vanished = new Promise<void>((resolve) => {
      witness.socket.on('message', (data: Buffer) => {
        if (data.includes('null')) resolve()
      })
    })
    proxy.swallow() // nothing goes through any more, and nobody hears of an end
    await vanished
    expect(lost.socket.readyState).toBe(lost.socket.OPEN)
    await witness.close()
    await vi.waitFor(() => expect(rooms.loaded).toBe(0))
  })
})

test('[RL-18] of three clients one leaves and one is cut: exactly those vanish', async () => {
  const { connect } = await serve()
  const [leaves, cut, stays] = [connect(), connect(), connect()]
  await Promise.all([leaves.synced, cut.synced, stays.synced])
  const there = new Map<number, string>()
  const waiting: (() => void)[] = []
  stays.socket.on('message', (data: Buffer) => {
    const message = readServerMessage(new Uint8Array(data))
    if (message.type === 'awareness') for (const { client, state } of message.states) there.set(client, state)
    waiting.forEach((look) => look())
  })
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(() => {
        if (condition()) resolve()
      })
      if (condition()) resolve()
    })
  for (const [nth, client] of [leaves, cut, stays].entries())
    client.send(awarenessFrame({ client: nth + 1, clock: 1, state: `{"nth":${nth + 1}}` }))
  await until(() => there.size === 3)
  leaves.socket.close()
  cut.socket.terminate()
  await until(() => there.get(1) === 'null' && there.get(2) === 'null')
  expect(there.get(3)).toBe('{"nth":3}')
})

describe('[RL-34] a proxy that ends what is silent', () => {
  test('has nothing to end: a message comes before its patience is over, and pings alone would not do', async () => {
    const { rooms, port, connect } = await serve()
    const proxy = await tcpProxy(port, 400)
    const clients = [connect(proxy.port), connect(proxy.port)]
    await Promise.all(clients.map((client) => client.synced))
    let messages = 0
    const enough = new Promise<void>((resolve) => {
      clients[0]?.socket.on('message', () => {
        if (++messages === 10) resolve()
      })
    })
    await enough // ten messages of a server that has nothing to say take four times the patience of the proxy
    expect(proxy.ended).toBe(0)
    await rooms.use(T, (room) => room.call(addCall('awake')))
    for (const client of clients) {
      await client.until((doc) => textsIn(doc).length === 1)
      expect(client.socket.readyState).toBe(client.socket.OPEN)
    }
  })
})

describe('[RL-31] the end of what idles or takes too long', () => {
  test('is told with a code that makes a client come back, never with a final one', async () => {
    const { rooms, storage, connect } = await serve()
    const isTransient = (code: number): boolean =>
      [1001, 1006, 1011, 1012, 1013].includes(code) || (code >= 4500 && code <= 4599)
    const ends: number[] = []
    // A storage that does not answer in time, and then fails; a disk that is lost; a server that goes down.
    storage.failNextOpen(new Error('disk'))
    ends.push((await connect().closed).code)
    const writer = connect()
    await writer.synced
    storage.failNextAppend(new Error('disk'))
    await rooms.use(T, (room) => room.call(addCall('lost'))).catch(() => {})
    ends.push((await writer.closed).code)
    const last = connect()
    await last.synced
    await rooms.drain()
    ends.push((await last.closed).code)
    ends.push((await connect().closed).code)
    expect(ends).toEqual([4503, 4503, 1012, 1012])
    expect(ends.every(isTransient)).toBe(true)
  })
})
