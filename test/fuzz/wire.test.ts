/**
 * Bytes from outside, against a real server: PLANROOM_WIRE_SECONDS says for how long, PLANROOM_WIRE_SEED where chance
 * begins. `npm run test:fuzz:wire` goes on for an hour. Its limits are off, so that nothing keeps the bytes from what they
 * are meant for. PLANROOM_WIRE_RECORD=1 records the corpus anew.
 */
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { readMessage } from '../../server/rooms/wire.ts'
import { randomFrom } from '../helpers/clients.ts'
import { mutate, noise } from '../helpers/mutate.ts'
import { rawFrame, upgradeRequest } from '../helpers/raw-socket.ts'
import { newDataDirectory, startServer } from '../helpers/server-process.ts'
import { bearer, SECRET, tokenOf } from '../helpers/tokens.ts'
import { readCorpus, recordCorpus } from '../helpers/wire-corpus.ts'

const SECONDS = Number(process.env['PLANROOM_WIRE_SECONDS'] ?? 60)
const SEED = Number(process.env['PLANROOM_WIRE_SEED'] ?? Date.now() % 1_000_000)
/** Attackers at a time. */
const WORKERS = 6
/** Milliseconds that an attacker waits for an answer before it goes on with something else. */
const PATIENCE_MS = 500
const MAX_GROWTH_MIB = 400

test.runIf(process.env['PLANROOM_WIRE_RECORD'] === '1')('the corpus is recorded', recordCorpus)

test('the corpus is what clients send', () => {
  const { frames, requests } = readCorpus()
  const types = frames.map((frame) => readMessage(frame).type)
  expect([...new Set(types)].toSorted()).toEqual(['awareness', 'queryAwareness', 'stepOne', 'stepTwo', 'update'])
  for (const request of requests)
    expect(request.toString('latin1')).toMatch(/^(GET|POST|PUT) \/threads\/\S+ HTTP\/1.1\r\n/)
  expect(requests.filter((request) => request.includes('/mcp'))).not.toEqual([])
})

test(
  `[RL-20] [RL-21] bytes from outside for ${SECONDS} s, before access and after it: the server lives, memory is bounded, other threads do not notice`,
  { timeout: (SECONDS + 120) * 1_000 },
  async () => {
    process.stdout.write(`PLANROOM_WIRE_SEED=${SEED}\n`)
    const { directory, remove } = await newDataDirectory()
    const server = await startServer(directory, { PLANROOM_SECRET: SECRET, PLANROOM_LIMITS: 'off' })
    onTestFinished(async () => {
      await server.kill9()
      await remove()
    })
    const corpus = readCorpus()
    const port = Number(new URL(server.url).port)
    const token = await tokenOf({ exp: Math.floor(Date.now() / 1_000) + SECONDS + 600 })
    // For how long the bytes come. The clock ends the test, and no result is compared with it.
    const deadline = performance.now() + SECONDS * 1_000
    const counts = new Map<string, number>()
    const count = (what: string, by = 1): void => void counts.set(what, (counts.get(what) ?? 0) + by)

    /** Resolves when the other side has answered or ended, or when it takes too long to wait for. */
    const settled = (socket: Socket): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, PATIENCE_MS)
        const done = (): void => {
          clearTimeout(timer)
          resolve()
        }
        socket.once('data', done)
        socket.once('close', done)
      })
    const dial = async (bytes: Buffer): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(bytes)
      await settled(socket)
      return socket
    }
    const frameOf = (random: (below: number) => number): Buffer => {
      const { frames } = corpus
      if (random(5) === 0) return noise(1 + random(200), random)
      const frame = frames[random(frames.length)] ?? Buffer.alloc(1)
      return random(6) === 0 ? frame : mutate(frame, frames, random)
    }
    const attacks: ((random: (below: number) => number) => Promise<void>)[] = [
      // Messages, by whoever is let in and by whoever is not.
      async (random) => {
        const isLetIn = random(4) > 0
        const socket = new WebSocket(`${server.socketUrl}/fuzz-${random(4)}${isLetIn ? `?token=${token}` : ''}`)
        socket.on('error', () => {})
        await new Promise((resolve) => {
          socket.once(isLetIn ? 'message' : 'open', resolve)
          socket.once('close', resolve)
        })
        for (let nth = 0; nth < 20 && socket.readyState === WebSocket.OPEN; nth++) {
          const frame = frameOf(random)
          await new Promise((resolve) => socket.send(frame, { binary: random(30) > 0 }, resolve))
          count(isLetIn ? 'messages after access' : 'messages before access')
        }
        socket.terminate()
      },
      // Frames below the messages.
      async (random) => {
        const headers = random(4) > 0 ? [`Authorization: Bearer ${token}`] : []
        const socket = await dial(Buffer.from(upgradeRequest(`/sync/fuzz-${random(4)}`, headers)))
        for (let nth = 0; nth < 10 && socket.writable; nth++) {
          const frame = rawFrame({
            fin: random(4) > 0,
            rsv: random(8) === 0 ? 4 : 0,
            opcode: random(3) > 0 ? 2 : random(16),
            payload: frameOf(random),
          })
          socket.write(random(3) === 0 ? mutate(frame, corpus.frames, random) : frame)
          count('raw frames')
        }
        await settled(socket)
        socket.destroy()
      },
      // The request of an upgrade.
      async (random) => {
        const upgrade = Buffer.from(upgradeRequest(`/sync/fuzz-${random(4)}`))
        const socket = await dial(mutate(upgrade, corpus.requests, random))
        count('upgrades')
        socket.destroy()
      },
      // Requests, MCP's among them: anything changed, or the body alone, of the length that it says.
      async (random) => {
        const request = (corpus.requests[random(corpus.requests.length)] ?? Buffer.alloc(0)).toString('latin1')
        const [head = '', body = ''] = request.split(/(?<=\r\n\r\n)/s)
        const withToken = random(4) > 0 ? head.replace('\r\n', `\r\nAuthorization: Bearer ${token}\r\n`) : head
        let bytes: Buffer
        if (random(2) === 0) bytes = mutate(Buffer.from(withToken + body, 'latin1'), corpus.requests, random)
        else {
          const changed = mutate(Buffer.from(body, 'latin1'), corpus.requests, random)
          const length = `content-length: ${changed.length}\r\n`
          bytes = Buffer.concat([Buffer.from(withToken.replace(/content-length: \d+\r\n/i, length), 'latin1'), changed])
        }
        const socket = await dial(bytes)
        count(request.includes('/mcp') ? 'MCP requests' : 'HTTP requests')
        socket.destroy()
      },
    ]
    const attack = async (worker: number): Promise<void> => {
      const random = randomFrom(SEED * 100 + worker)
      while (performance.now() < deadline) await attacks[random(attacks.length)]?.(random)
    }

    let answers = 0
    const sizes: number[] = []
    const canary = async (): Promise<void> => {
      const headers = { ...bearer(token), 'Content-Type': 'application/json' }
      while (performance.now() < deadline) {
        const tool = answers % 50 === 0 ? 'add_todos' : 'list_todos'
        const body = JSON.stringify(tool === 'add_todos' ? { steps: [{ text: 'alive' }] } : {})
        const response = await fetch(`${server.url}/threads/canary/tools/${tool}`, { method: 'POST', headers, body })
        expect([response.status, await response.json()]).toMatchObject([200, { success: true }])
        if (++answers % 20 !== 0) continue
        sizes.push(server.rss())
        // No room was lost to a mistake of ours, and no request ended in one.
        expect(server.output().match(/.*(?:made a mistake|a request failed|"level":60).*/)?.[0]).toBe(undefined)
      }
    }
    try {
      await Promise.all([canary(), ...Array.from({ length: WORKERS }, (_, worker) => attack(worker))])
    } catch (error) {
      throw new Error(`PLANROOM_WIRE_SEED=${SEED}: ${server.output().slice(-2_000)}`, { cause: error })
    }
    const grown = Math.round(Math.max(...sizes) - (sizes[0] ?? 0))
    process.stdout.write(`${JSON.stringify({ ...Object.fromEntries(counts), answers, grown })}\n`)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    // How fast it answers is bench/'s to measure.
    expect(answers).toBeGreaterThan(0)
    expect(grown).toBeLessThan(MAX_GROWTH_MIB)
    for (const what of [
      'messages after access',
      'messages before access',
      'raw frames',
      'upgrades',
      'MCP requests',
      'HTTP requests',
    ])
      expect(counts.get(what), what).toBeGreaterThan(0)
  },
)
