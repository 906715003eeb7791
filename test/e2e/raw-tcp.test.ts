import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createHttpServer } from '../../server/transports/http/server.ts'
import { MAX_SOCKET_PAYLOAD } from '../../shared/schema/limits.ts'
import { callTool, randomFrom } from '../helpers/clients.ts'
import { openRaw, rawFrame, upgradeRequest } from '../helpers/raw-socket.ts'
import type { ServerProcess } from '../helpers/server-process.ts'
import { newDataDirectory, startServer } from '../helpers/server-process.ts'
import { SECRET, tokenOf } from '../helpers/tokens.ts'

const MIB = 1024 * 1024
const SEED = Number(process.env['SEED'] ?? 190)

let open: ServerProcess
let guarded: ServerProcess
const removals: (() => Promise<void>)[] = []
beforeAll(async () => {
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> => {
    const { directory, remove } = await newDataDirectory()
    removals.push(remove)
    return startServer(directory, env)
  }
  ;[open, guarded] = await Promise.all([start(), start({ PLANROOM_SECRET: SECRET })])
})
afterAll(async () => {
  await Promise.all([open.kill9(), guarded.kill9()])
  await Promise.all(removals.map((remove) => remove()))
})
const portOf = ({ url }: ServerProcess): number => Number(new URL(url).port)
const isWell = async (): Promise<void> => {
  expect((await callTool(open.url, 'well', 'list_todos', {})).success).toBe(true)
  expect((await fetch(`${guarded.url}/healthz`)).status).toBe(200)
}

/** A TCP connection, and when the server ended it. */
async function dial(server: ServerProcess): Promise<{ socket: Socket; ended: Promise<string> }> {
  const socket = connect(portOf(server), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  const ended = new Promise<string>((resolve) => {
    socket.on('data', (part: Buffer) => {
      if (text.length < 10_000) text += part.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
  })
  await once(socket, 'connect')
  return { socket, ended }
}

/** However it ends: a reset is an end too. */
const closeOfTcp = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('close', () => resolve())
  })

/** Writes until so much is written or the other side has had enough. @returns bytes that were taken */
async function flood(socket: Socket, part: Uint8Array, size: number): Promise<number> {
  let sent = 0
  let goOn = (): void => {}
  socket.on('drain', () => goOn())
  socket.on('close', () => goOn())
  while (sent < size && socket.writable) {
    sent += part.length
    const drained = new Promise<void>((resolve) => {
      goOn = resolve
    })
    if (!socket.write(part) && socket.writable) await drained
  }
  return sent
}

describe('[RL-19] frames that no client sends', () => {
  const text = new TextEncoder()
  const cases: [name: string, bytes: Buffer, codes: readonly number[]][] = [
    ['a bit for an extension (RSV1)', rawFrame({ rsv: 4, payload: Uint8Array.of(0, 0, 1, 0) }), [1002]],
    ['RSV2 and RSV3', rawFrame({ rsv: 3 }), [1002]],
    ['one that is not masked', rawFrame({ masked: false, payload: Uint8Array.of(0, 0, 1, 0) }), [1002]],
    ['a close code that is none', rawFrame({ opcode: 8, payload: Uint8Array.of(0x00, 0x01) }), [1002]],
    ['a close code that is reserved', rawFrame({ opcode: 8, payload: Uint8Array.of(0x03, 0xed) }), [1002]],
    ['a close frame of one byte', rawFrame({ opcode: 8, payload: Uint8Array.of(3) }), [1002]],
    ['a reason that is no text', rawFrame({ opcode: 8, payload: Uint8Array.of(0x03, 0xe8, 0xff, 0xfe) }), [1007]],
    ['more than a socket takes', rawFrame({ length: BigInt(MAX_SOCKET_PAYLOAD + 1) }), [4413]],
    ['a length beyond all numbers', rawFrame({ length: 2n ** 62n }), [4413]],
    ['an opcode that is reserved', rawFrame({ opcode: 3 }), [1002]],
    ['a ping in parts', rawFrame({ opcode: 9, fin: false }), [1002]],
    ['a ping that is too long', rawFrame({ opcode: 9, payload: new Uint8Array(200) }), [1002]],
    ['the rest of nothing', rawFrame({ opcode: 0 }), [1002]],
    ['text that is no text', rawFrame({ opcode: 1, payload: Uint8Array.of(0xff, 0xfe) }), [1007]],
    ['text', rawFrame({ opcode: 1, payload: text.encode('hello') }), [4400]],
  ]

  test('end their connection with the code that says why, and nothing else', async () => {
    const ends = await Promise.all(
      cases.map(async ([, bytes]) => {
        const { socket, closed } = await openRaw(portOf(open), '/sync/raw')
        socket.write(bytes)
        return closed
      }),
    )
    for (const [nth, [name, , codes]] of cases.entries()) expect(codes, name).toContain(ends[nth])
    await isWell()
  })

  test(
    'noise below the frames: thousands of broken ones over hundreds of connections',
    { timeout: 60_000 },
    async () => {
      const random = randomFrom(SEED)
      const noise = (): Buffer => Buffer.from(Array.from({ length: 1 + random(300) }, () => random(256)))
      const before = open.rss()
      for (let wave = 0; wave < 10; wave++) {
        await Promise.all(
          Array.from({ length: 30 }, async () => {
            const { socket, closed } = await openRaw(portOf(open), `/sync/noise-${random(5)}`)
            for (let nth = 0; nth < 10 && socket.writable; nth++) {
              const payload = noise()
              socket.write(
                random(3) === 0
                  ? payload
                  : rawFrame({ rsv: random(2) * 4, opcode: random(16), fin: random(4) > 0, payload }),
              )
            }
            socket.end()
            await closed
            socket.destroy()
          }),
        )
        await isWell()
      }
      expect(open.rss() - before, `seed ${SEED}`).toBeLessThan(150)
    },
  )
})

describe('[RL-20] raw TCP against the upgrade', () => {
  test(
    'garbage, half requests and upgrades that are none are refused, and cost nothing',
    { timeout: 60_000 },
    async () => {
      const random = randomFrom(SEED + 1)
      const whole = upgradeRequest('/sync/plan')
      const attempts = Array.from({ length: 300 }, (_, nth): Buffer => {
        if (nth % 3 === 0) return Buffer.from(Array.from({ length: 1 + random(500) }, () => random(256)))
        if (nth % 3 === 1) return Buffer.from(whole.slice(0, random(whole.length)))
        const bytes = Buffer.from(whole)
        for (let change = 1 + random(5); change > 0; change--) bytes[random(bytes.length)] = random(256)
        return bytes
      })
      const before = open.rss()
      for (const server of [open, guarded]) {
        await Promise.all(
          attempts.map(async (bytes) => {
            const { socket, ended } = await dial(server)
            socket.end(bytes)
            // What got in by chance stays until it is ended from here.
            const patience = setTimeout(() => socket.destroy(), 5_000)
            await ended
            clearTimeout(patience)
          }),
        )
      }
      await isWell()
      expect(open.rss() - before, `seed ${SEED + 1}`).toBeLessThan(150)
    },
  )

  test('100 MB before anybody said who they are: bounded memory, and an end', { timeout: 90_000 }, async () => {
    const before = guarded.rss()
    const part = Buffer.alloc(64 * 1024, 'a')
    let highest = 0
    const watch = setInterval(() => {
      highest = Math.max(highest, guarded.rss())
    }, 50)
    onTestFinished(() => clearInterval(watch))
    // Headers without end, a body nobody asked for, frames behind an upgrade without a token, frames in pieces.
    const attempts = [
      async () => (await dial(guarded)).socket,
      async () => {
        const { socket } = await dial(guarded)
        socket.write(
          'POST /threads/plan/tools/add_todos HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1073741824\r\n\r\n',
        )
        return socket
      },
      async () => (await openRaw(portOf(guarded), '/sync/plan')).socket,
      async () => (await openRaw(portOf(guarded), '/sync/plan?token=nonsense')).socket,
    ]
    const sockets = await Promise.all(attempts.map((attempt) => attempt()))
    const frame = rawFrame({ payload: Buffer.alloc(64 * 1024 - 1) })
    const ends = sockets.map(closeOfTcp)
    await Promise.all(sockets.map((socket, nth) => flood(socket, nth < 2 ? part : frame, 100 * MIB)))
    // None of them is listened to for ever.
    await Promise.all(ends)
    clearInterval(watch)
    expect(highest - before).toBeLessThan(150)
    await isWell()
  })

  test(
    'a flood behind the upgrade of somebody who is let in is answered with 1013 or a refusal, not with memory',
    { timeout: 60_000 },
    async () => {
      const before = guarded.rss()
      const { socket, closed } = await openRaw(portOf(guarded), `/sync/plan?token=${await tokenOf()}`)
      // One message in pieces that never ends.
      socket.write(rawFrame({ fin: false, payload: Uint8Array.of(0) }))
      const sent = flood(socket, rawFrame({ fin: false, opcode: 0, payload: Buffer.alloc(MIB) }), 100 * MIB)
      expect(await closed).toBe(4413)
      await sent
      expect(guarded.rss() - before).toBeLessThan(150)
      await isWell()
    },
  )

  test('who says half a request and waits is not waited for', async () => {
    const patience = { headersMs: 300, requestMs: 600, checkMs: 50 }
    const server = createHttpServer(() => new Response('ok'), { patience })
    const port = await server.listen(0, '127.0.0.1')
    onTestFinished(async () => {
      server.destroy()
      await server.close()
    })
    const ends = ['GET / HTTP/1.1\r\nHost: a\r\nX-Slow:', upgradeRequest('/sync/plan').slice(0, 60)].map(
      async (text) => {
        const socket = connect(port, '127.0.0.1')
        onTestFinished(() => void socket.destroy())
        let answer = ''
        socket.on('data', (part: Buffer) => (answer += part.toString()))
        socket.on('error', () => {})
        socket.write(text)
        // A byte every now and then does not help.
        const drip = setInterval(() => socket.write('a'), 50)
        await closeOfTcp(socket)
        clearInterval(drip)
        return answer
      },
    )
    for (const answer of await Promise.all(ends)) expect(answer).toMatch(/^HTTP\/1.1 408 /)
  })
})
