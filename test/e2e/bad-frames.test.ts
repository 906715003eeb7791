import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { WebSocket } from 'ws'
import { MAX_SOCKET_PAYLOAD } from '../../shared/schema/limits.ts'
import type { Closed } from '../helpers/clients.ts'
import { callTool, closeOf, getPlan, openSocket, randomFrom, WireClient } from '../helpers/clients.ts'
import type { ServerProcess } from '../helpers/server-process.ts'
import { newDataDirectory, startServer } from '../helpers/server-process.ts'
import { textsIn, updateFrame } from '../helpers/sockets.ts'

const SEED = Number(process.env['SEED'] ?? 2_026)

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

const open = async (thread: string): Promise<WebSocket> => {
  const socket = await openSocket(`${server.socketUrl}/${thread}`)
  onTestFinished(() => socket.terminate())
  return socket
}
const add = (thread: string, text: string) => callTool(server.url, thread, 'add_todos', { steps: [{ text }] })

/** The other thread goes on: a call every time it is asked, and its watcher hears all of them. */
async function bystander(thread: string) {
  const watcher = WireClient.connect(server.socketUrl, thread, { name: 'bystander' })
  onTestFinished(() => void watcher.socket.terminate())
  await watcher.synced
  let calls = 0
  return {
    call: async (): Promise<void> => {
      await add(thread, `call ${calls++}`)
    },
    expectWell: async (): Promise<void> => {
      await watcher.until((doc) => textsIn(doc).length === calls)
      expect(watcher.socket.readyState).toBe(watcher.socket.OPEN)
      expect((await getPlan(server.url, thread)).steps).toHaveLength(calls)
    },
  }
}

describe('[RL-20] bad frames', () => {
  test('a text frame, noise, truncated and unknown messages are each told what is wrong', async () => {
    const cases: [name: string, frame: string | Uint8Array, code: number, reason: RegExp][] = [
      ['text', 'hello', 4400, /^only binary frames are understood here$/],
      ['an empty frame', new Uint8Array(), 4400, /^not a y-websocket message: /],
      ['an unknown type', Uint8Array.of(9, 1, 2), 4400, /there is no message type 9/],
      ['an unknown sync message', Uint8Array.of(0, 9, 0), 4400, /there is no sync message 9/],
      ['a truncated update', Uint8Array.of(0, 2, 40, 1, 1), 4400, /^not a y-websocket message: /],
      ['an update that is none', updateFrame(Uint8Array.of(1, 2, 3, 4, 5)), 4422, /./],
      ['two messages', Uint8Array.of(0, 0, 1, 0, 3), 4400, /there is something behind the message/],
      ['more than a socket takes', new Uint8Array(MAX_SOCKET_PAYLOAD + 1), 4413, /^a message may have 16777216 bytes$/],
    ]
    const ends = await Promise.all(
      cases.map(async ([, frame], nth): Promise<Closed> => {
        const socket = await open(`bad-${nth}`)
        const end = closeOf(socket)
        socket.send(frame)
        return end
      }),
    )
    for (const [nth, [name, , code, reason]] of cases.entries()) {
      expect(ends[nth]?.code, name).toBe(code)
      expect(ends[nth]?.reason, name).toMatch(reason)
    }
    // Nothing came into being by any of that.
    expect((await fetch(`${server.url}/threads/bad-0`)).status).toBe(404)
  })

  test(
    'thousands of frames of noise over many connections: the server lives, others do not notice, memory stays',
    { timeout: 60_000 },
    async () => {
      const random = randomFrom(SEED)
      const other = await bystander('well')
      for (let nth = 0; nth < 50; nth++) await other.call()
      const before = server.rss()
      const codes = new Map<number, number>()
      try {
        let frames = 0
        for (let wave = 0; wave < 10; wave++) {
          const sockets = await Promise.all(Array.from({ length: 20 }, () => open(`noise-${random(5)}`)))
          const ends = sockets.map(closeOf)
          for (const socket of sockets) {
            for (let nth = 0; nth < 50; nth++) {
              // The first bytes often look right, so that the noise gets further in.
              const bytes = Uint8Array.from({ length: 1 + random(200) }, () => random(256))
              if (random(2) === 0) bytes.set([random(4), random(3), random(128)].slice(0, bytes.length))
              socket.send(bytes)
              frames++
            }
          }
          await other.call()
          for (const socket of sockets) socket.close()
          for (const { code } of await Promise.all(ends)) codes.set(code, (codes.get(code) ?? 0) + 1)
        }
        expect(frames).toBe(10_000)
      } catch (error) {
        throw new Error(`seed ${SEED}`, { cause: error })
      }
      await other.expectWell()
      expect(server.rss() - before).toBeLessThan(100)
      expect([...codes.keys()].filter((code) => ![1005, 1006, 4400, 4413, 4422, 4500].includes(code))).toEqual([])
    },
  )

  test(
    'floods of large frames before and after the plan is open: bounded memory, and the flooded connection alone is closed',
    { timeout: 60_000 },
    async () => {
      const other = await bystander('well-too')
      const before = server.rss()
      // 15 MiB each: below what a socket takes, above what an update may have.
      const large = updateFrame(new Uint8Array(15 * 1024 * 1024))
      for (let round = 0; round < 7; round++) {
        const socket = await open('flood')
        const end = closeOf(socket)
        socket.send(large)
        socket.send(large)
        await other.call()
        // What more is sent after the refusal is thrown away unread; nobody has to wait for its end.
        socket.close()
        expect([4413, 1005]).toContain((await end).code)
      }
      await other.expectWell()
      expect(server.rss() - before).toBeLessThan(200)
    },
  )

  test('awareness made of millions of entries does not hold up the others', { timeout: 60_000 }, async () => {
    const other = await bystander('well-again')
    const count = 3_000_000
    const entry = Uint8Array.of(1, 1, 2, 0x7b, 0x7d)
    const body = Buffer.concat([Uint8Array.of(0xc0, 0x8d, 0xb7, 0x01), Buffer.alloc(count * entry.length, entry)])
    const length = [0, 7, 14, 21].map((shift) => ((body.length >> shift) & 0x7f) | (shift < 21 ? 0x80 : 0))
    const socket = await open('crowd')
    const end = closeOf(socket)
    socket.send(Buffer.concat([Uint8Array.of(1, ...length), body]))
    await other.call()
    expect(await end).toEqual({ code: 4400, reason: 'not a y-websocket message: the awareness is too large' })
    await other.expectWell()
  })
})

describe('addresses', () => {
  /** Upgrades to a path as it is written: WebSocket clients would tidy it up. */
  function upgrade(path: string): Promise<{ code: number; reason: string } | { status: number }> {
    return new Promise((resolve, reject) => {
      const headers = {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'MDEyMzQ1Njc4OTAxMjM0NQ==',
      }
      const { hostname, port } = new URL(server.url)
      const attempt = request({ hostname, port, path, headers })
      attempt.once('error', reject)
      attempt.once('response', (response) => {
        response.resume()
        resolve({ status: response.statusCode ?? 0 })
      })
      attempt.once('upgrade', (_, stream, head) => {
        let bytes = head
        stream.once('error', () => {})
        stream.on('data', (more: Buffer) => {
          bytes = Buffer.concat([bytes, more])
          // A close frame: a byte that says so, the length, the code, the reason.
          if (bytes.length < 4 || bytes.length < 2 + (bytes[1] ?? 0)) return
          stream.destroy()
          if (bytes[0] === 0x88) resolve({ code: bytes.readUInt16BE(2), reason: bytes.subarray(4).toString() })
          else reject(new Error(`a frame of type ${bytes[0]}`))
        })
      })
      attempt.end()
    })
  }

  test('thread ids that are none are refused with 4400', async () => {
    const long = 'x'.repeat(200)
    const paths = [
      '/sync/..',
      '/sync/%2e%2e',
      '/sync/.hidden',
      `/sync/${long}`,
      '/sync/a/b',
      '/sync/a%2Fb',
      '/sync/',
      '/sync/a%00b',
      '/sync/a?name=a%0ab',
      `/sync/a?name=${long}`,
    ]
    // At once, for each is kept waiting for two seconds.
    const answers = await Promise.all(paths.map(upgrade))
    for (const [nth, path] of paths.entries()) {
      const reason: unknown = expect.stringMatching(/^a (thread id|name or id) has /)
      expect(answers[nth], path).toEqual({ code: 4400, reason })
    }
    for (const path of ['/', '/other', '/sync', '/sync/%']) expect(await upgrade(path), path).toEqual({ status: 404 })
    expect((await add('a', 'works')).success).toBe(true)
  })
})

describe('[RL-37] a client that stops reading', () => {
  test(
    'is closed with 1013 while 50 MB are pushed past it; memory is bounded, others are well, and it catches up afterwards',
    { timeout: 60_000 },
    async () => {
      const thread = 'slow'
      const slow = WireClient.connect(server.socketUrl, thread, { name: 'slow' })
      const fast = WireClient.connect(server.socketUrl, thread, { name: 'fast' })
      onTestFinished(() => {
        slow.socket.terminate()
        fast.socket.terminate()
      })
      await Promise.all([slow.synced, fast.synced])
      const other = await bystander('beside')
      const before = server.rss()
      slow.socket.pause()
      const steps = Array.from({ length: 500 }, (_, nth) => ({ text: String(nth).padEnd(4_000, 'x') }))
      const indices = steps.map((_, nth) => nth + 1)
      let highest = 0
      for (let round = 0; round < 25; round++) {
        expect((await callTool(server.url, thread, 'add_todos', { steps })).success).toBe(true)
        await other.call()
        highest = Math.max(highest, server.rss())
        if (round < 24) expect((await callTool(server.url, thread, 'remove_todos', { indices })).success).toBe(true)
      }
      await fast.until((doc) => textsIn(doc).length === 500)
      expect(fast.socket.readyState).toBe(fast.socket.OPEN)
      await other.expectWell()
      // 50 MB of history on its way to the disk, and a buffer of 16 MiB.
      expect(highest - before).toBeLessThan(250)

      slow.socket.resume()
      expect(await slow.closed).toEqual({ code: 1013, reason: 'reading too slowly' })
      const back = WireClient.connect(server.socketUrl, thread, { doc: slow.doc, name: 'slow' })
      onTestFinished(() => back.socket.terminate())
      await back.synced
      expect(textsIn(back.doc)).toEqual(textsIn(fast.doc))
    },
  )
})
