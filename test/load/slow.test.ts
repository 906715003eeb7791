import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { callTool, WireClient } from '../helpers/clients.ts'
import type { ServerProcess } from '../helpers/server-process.ts'
import { newDataDirectory, startServer } from '../helpers/server-process.ts'
import { textsIn } from '../helpers/sockets.ts'

const READERS = 200

let server: ServerProcess
let removeData: () => Promise<void>
beforeAll(async () => {
  const { directory, remove } = await newDataDirectory()
  removeData = remove
  server = await startServer(directory)
})
afterAll(async () => {
  await server.kill9()
  await removeData()
})

test(
  `[RL-38] ${READERS} clients that stop reading while 50 MB are pushed: they are cut, memory is bounded, who reads is well, and they catch up`,
  { timeout: 180_000 },
  async () => {
    const connect = (name: string): WireClient => {
      const client = WireClient.connect(server.socketUrl, 'slow', { name })
      onTestFinished(() => client.socket.terminate())
      return client
    }
    const fast = connect('fast')
    await fast.synced
    const slow = Array.from({ length: READERS }, (_, nth) => connect(`slow ${nth}`))
    await Promise.all(slow.map((client) => client.synced))
    const before = server.rss()
    for (const { socket } of slow) socket.pause()
    const steps = Array.from({ length: 500 }, (_, nth) => ({ text: String(nth).padEnd(4_000, 'x') }))
    const indices = steps.map((_, nth) => nth + 1)
    let highest = 0
    for (let round = 0; round < 25; round++) {
      expect((await callTool(server.url, 'slow', 'add_todos', { steps })).success).toBe(true)
      expect((await callTool(server.url, 'beside', 'list_todos', {})).success).toBe(true)
      highest = Math.max(highest, server.rss())
      if (round < 24) expect((await callTool(server.url, 'slow', 'remove_todos', { indices })).success).toBe(true)
    }
    await fast.until((doc) => textsIn(doc).length === 500)
    expect(fast.socket.readyState).toBe(fast.socket.OPEN)
    // Without a limit of all together each could have had 16 MiB: 3.2 GB.
    expect(highest - before).toBeLessThan(600)
    for (const { socket } of slow) socket.resume()
    const ends = await Promise.all(slow.map(({ closed }) => closed))
    // Where there was no room for a close frame the connection was cut; both make a client come back.
    expect(ends.filter(({ code }) => code !== 1013 && code !== 1006)).toEqual([])
    const back = WireClient.connect(server.socketUrl, 'slow', { name: 'back', ...(slow[0] && { doc: slow[0].doc }) })
    onTestFinished(() => back.socket.terminate())
    await back.synced
    expect(textsIn(back.doc)).toEqual(textsIn(fast.doc))
  },
)
