import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as Y from 'yjs'
import { attachSync } from '../../server/transports/ws/sync.ts'
import { OPEN } from '../helpers/access.ts'
import { WireClient } from '../helpers/clients.ts'
import { addCall, T, testRooms, textsIn, textsOf, writeStep } from '../helpers/sockets.ts'

/** Real sockets before rooms whose storage the test commands. */
async function serve() {
  const inside = testRooms()
  const server = createServer()
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const sync = attachSync(server, inside.rooms, { ...OPEN, log })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(async () => {
    await inside.rooms.drain()
    sync.close()
    server.close()
  })
  const socketUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/sync`
  return { ...inside, connect: (doc = new Y.Doc()) => WireClient.connect(socketUrl, T, { doc }) }
}
const opened = (client: WireClient): Promise<void> =>
  new Promise((resolve) => {
    client.socket.once('open', () => resolve())
  })

describe('[RL-8] a thread that opens slowly', () => {
  test('ten connections wait for one load; what they send meanwhile is kept, in order', async () => {
    const { rooms, storage, connect } = await serve()
    storage.hold('open')
    const clients = Array.from({ length: 10 }, () => connect())
    await Promise.all(clients.map(opened))
    const written = clients.map((client, nth) =>
      client.write((doc) => [0, 1, 2].map((part) => writeStep(doc, `${nth}.${part}`))),
    )
    await storage.called('open', 1)
    storage.release('open')
    await Promise.all([...written, ...clients.map((client) => client.synced)])
    expect(storage.calls.open).toBe(1)
    const texts = await rooms.use(T, textsOf)
    expect(texts).toHaveLength(30)
    for (const [nth] of clients.entries())
      expect(texts.filter((text) => text.startsWith(`${nth}.`))).toEqual([0, 1, 2].map((part) => `${nth}.${part}`))
    for (const client of clients) {
      await client.until((doc) => textsIn(doc).length === 30)
      expect(textsIn(client.doc)).toEqual(texts)
    }
  })

  test('[RL-7] and cannot be opened: all are closed with 4503, nothing is written, and the next connection gets in', async () => {
    const { rooms, storage, memory, connect } = await serve()
    storage.hold('open')
    storage.failNextOpen(new Error('disk'))
    const clients = Array.from({ length: 5 }, () => connect())
    await Promise.all(clients.map(opened))
    for (const { doc } of clients) writeStep(doc, 'kept by its client')
    await storage.called('open', 1)
    storage.release('open')
    const ends = await Promise.all(clients.map((client) => client.closed))
    expect(new Set(ends.map(({ code, reason }) => `${code} ${reason}`))).toEqual(new Set(['4503 storage failed']))
    expect(await memory.open(T)).toBeNull()
    const back = connect(clients[0]?.doc)
    await back.synced
    await back.acknowledged()
    expect(await rooms.use(T, textsOf)).toEqual(['kept by its client'])
  })

  test('a client that is gone before the thread is open holds nothing', async () => {
    const { rooms, storage, connect } = await serve()
    storage.hold('open')
    const client = connect()
    await opened(client)
    await storage.called('open', 1)
    await client.close()
    storage.release('open')
    const room = await rooms.hold(T)
    expect(room.room.isIdle).toBe(true)
  })

  test('a room that fails closes its connections with 4503, and with what they hold it comes back', async () => {
    const { rooms, storage, connect } = await serve()
    const client = connect()
    await client.synced
    storage.failNextAppend(new Error('disk'))
    await expect(client.write((doc) => writeStep(doc, 'unsure'))).rejects.toThrow('closed with 4503 storage failed')
    const back = connect(client.doc)
    await back.synced
    await back.acknowledged()
    expect(await rooms.use(T, textsOf)).toEqual(['unsure'])
    await rooms.use(T, (room) => room.call(addCall('and on')))
    await back.until((doc) => textsIn(doc).length === 2)
  })
})
