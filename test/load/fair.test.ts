import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import * as Y from 'yjs'
import type { Turns } from '../../server/rooms/turns.ts'
import { Backlog } from '../../server/transports/limits/backlog.ts'
import { createLimits } from '../../server/transports/limits/limits.ts'
import { Meter } from '../../server/transports/limits/meter.ts'
import { Connection } from '../../server/transports/ws/connection.ts'
import { Inbox } from '../../server/transports/ws/inbox.ts'
import { MAX_SLOWED_MS, MAX_WAITING_FRAMES, WORK_BURST_MS } from '../../shared/schema/limits.ts'
import { callTool, closeOf, getPlan, WireClient } from '../helpers/clients.ts'
import { newApp } from '../helpers/http.ts'
import { T, updateFrame, writeStep } from '../helpers/sockets.ts'

const FLOOD = 800

/** So many updates of one client, each of a step. */
function updates(count: number): Uint8Array[] {
  const doc = new Y.Doc()
  const frames: Uint8Array[] = []
  doc.on('update', (update: Uint8Array) => frames.push(updateFrame(update)))
  for (let nth = 0; nth < count; nth++) writeStep(doc, `step ${nth}`)
  return frames
}

describe('[11-F3] nobody takes the event loop for themselves', () => {
  test(
    'a flood of updates over one socket: other plans, other clients of the plan and probes are served amid it',
    { timeout: 120_000 },
    async () => {
      const { url } = await newApp().listen()
      const socketUrl = `${url.replace('http', 'ws')}/sync`
      await callTool(url, 'to-delete', 'add_todos', { steps: [{ text: 'one' }] })
      const calm = WireClient.connect(socketUrl, 'flooded', { name: 'calm' })
      const mad = WireClient.connect(socketUrl, 'flooded', { name: 'mad' })
      await Promise.all([calm.synced, mad.synced])
      /** How much of the flood has come back, each time that somebody else was served. */
      const served = new Map<string, number>()
      const note = (what: string) => (): void => void served.set(what, mad.versions.length)
      for (const frame of updates(FLOOD)) mad.send(frame)
      await Promise.all([
        fetch(`${url}/healthz`).then(note('probe')),
        callTool(url, 'other', 'add_todos', { steps: [{ text: 'one' }] }).then(note('other plan')),
        callTool(url, 'flooded', 'add_todos', { steps: [{ text: 'by an agent' }] }, { name: 'agent' }).then(
          note('agent'),
        ),
        fetch(`${url}/threads/to-delete`, { method: 'DELETE' }).then(note('deletion')),
        calm.write((doc) => writeStep(doc, 'calm')).then(note('other client')),
      ])
      for (const [what, echoes] of served) expect(echoes, what).toBeLessThan(FLOOD / 2)
      // And the flood is worked off, to its last step.
      await calm.until((doc) => doc.getArray('outline').length === FLOOD + 2)
      expect((await getPlan(url, 'flooded')).steps).toHaveLength(FLOOD + 2)
      expect(mad.socket.readyState).toBe(WebSocket.OPEN)
      await Promise.all([calm.close(), mad.close()])
    },
  )

  test('who sends and goes at once has sent it', async () => {
    const { url } = await newApp().listen()
    const client = WireClient.connect(`${url.replace('http', 'ws')}/sync`, 'plan')
    await client.synced
    for (const frame of updates(300)) client.send(frame)
    await client.close()
    const reader = WireClient.connect(`${url.replace('http', 'ws')}/sync`, 'plan')
    await reader.until((doc) => doc.getArray('outline').length === 300)
    await reader.close()
  })
})

describe('[11-F3] what one connection sends', () => {
  /** A real socket whose frames wait for turns that the test gives. */
  async function waiting(receive: (meter: Meter) => void = () => {}) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
    onTestFinished(() => {
      client.terminate()
      server.close()
    })
    const [socket] = (await once(server, 'connection')) as [WebSocket]
    await once(client, 'open')
    const works: (() => void)[] = []
    const turns: Turns = { post: (_thread, _line, work) => void works.push(work) }
    const connection = new Connection(socket, new Backlog())
    const meter = new Meter(createLimits(), null, () => {})
    connection.measure(meter)
    const inbox = new Inbox({ connection, meter, turns, thread: T, line: 'a', receive: () => receive(meter) })
    socket.on('message', (data: Buffer) => inbox.push(data))
    const give = (): void => works.shift()?.()
    const sent = async (count: number): Promise<void> => {
      for (let nth = 0; nth < count; nth++) {
        const arrived = once(socket, 'message')
        client.send('x')
        await arrived
      }
    }
    return { client, socket, connection, works, give, sent }
  }

  test('is a sign of life: its pong may stand behind much that is not read yet', async () => {
    const { client, socket, connection, sent } = await waiting()
    client.pong = () => {}
    connection.ping()
    await sent(1)
    connection.ping()
    expect(socket.readyState).toBe(WebSocket.OPEN)
    const end = closeOf(client)
    connection.ping()
    expect((await end).code).toBe(1006)
  })

  test('stays with it while much of it waits, and is read again when there is room', async () => {
    const { socket, works, give, sent } = await waiting()
    await sent(MAX_WAITING_FRAMES - 1)
    expect(socket.isPaused).toBe(false)
    await sent(1)
    expect(socket.isPaused).toBe(true)
    // It has one place in its line, however much it has sent.
    expect(works).toHaveLength(1)
    for (let nth = 0; nth < MAX_WAITING_FRAMES / 2; nth++) give()
    expect(socket.isPaused).toBe(false)
  })

  test('waits between its frames once it has used half of its share, and is told with 1013 if it never lets up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { client, works, give, sent } = await waiting((meter) => meter.work(WORK_BURST_MS / 20))
    await sent(60)
    // Up to the half it goes on at once.
    for (let nth = 0; nth < 10; nth++) give()
    expect(works).toHaveLength(1)
    give()
    expect(works).toHaveLength(0)
    vi.advanceTimersByTime(WORK_BURST_MS / 20)
    expect(works).toHaveLength(1)
    const end = closeOf(client)
    for (let waited = 0; waited <= MAX_SLOWED_MS; waited += WORK_BURST_MS / 20) {
      give()
      vi.advanceTimersByTime(WORK_BURST_MS / 20)
    }
    vi.useRealTimers()
    expect(await end).toEqual({ code: 1013, reason: 'you send more than can be worked on: come back in a while' })
  })
})
