/**
 * Many clients of one plan that announce themselves at once, and then say every 15 s that they are still there: how long
 * /healthz waits meanwhile, after how long everybody knows of everybody, and what the renewals cost.
 * `npm run bench:presence [clients...]`; the clients share the machine with the server, in a thread of their own.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import * as decoding from 'lib0/decoding'
import { WebSocket } from 'ws'
import { awarenessMessage, awarenessUpdate } from '../server/rooms/wire.ts'
import { probe, processorTime } from './probe.ts'
import { withDirectory, withServer } from './serve.ts'

const RENEWAL_MS = 15_000
/** Clients look every 3 s whether they have to renew. */
const JITTER_MS = 3_000
const RENEWALS_MS = 45_000
/** Milliseconds after which it is not waited for any more. */
const MOST_MS = 60_000
const AWARENESS = 1

/** The clients: they only count what they are told. */
async function crowd({ url, count }: { url: string; count: number }): Promise<void> {
  let told = 0
  const clients = Array.from({ length: count }, (_, nth) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/sync/crowd?name=${nth}`)
    socket.on('error', () => {})
    socket.on('close', (code) => parentPort?.postMessage({ closed: code }))
    socket.on('message', (data: Buffer) => {
      const from = decoding.createDecoder(data)
      if (decoding.readVarUint(from) !== AWARENESS) return
      decoding.readVarUint(from)
      told += decoding.readVarUint(from)
    })
    return { socket, client: 10_000 + nth, clock: 0 }
  })
  await Promise.all(clients.map(({ socket }) => once(socket, 'open')))
  const announce = (one: (typeof clients)[number]): void => {
    const user = { name: `Client ${one.client}`, color: '#30bced', colorLight: '#30bced33' }
    const state = JSON.stringify({ user, step: null })
    one.socket.send(awarenessMessage(awarenessUpdate([{ client: one.client, clock: ++one.clock, state }])))
  }
  parentPort?.postMessage({ open: true })
  parentPort?.on('message', () => {
    for (const one of clients) {
      announce(one)
      setInterval(() => announce(one), RENEWAL_MS + Math.random() * JITTER_MS)
    }
  })
  setInterval(() => parentPort?.postMessage({ told }), 100)
}

async function measure(count: number): Promise<object> {
  return withDirectory((directory) =>
    withServer(directory, async (url, pid) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: { url, count } })
      let closed = 0
      let whenKnown: () => void = () => {}
      const known = new Promise<void>((resolve) => (whenKnown = resolve))
      worker.on('message', ({ told = 0, closed: code }: { told?: number; closed?: number }) => {
        if (code !== undefined) closed++
        if (told >= count * count) whenKnown()
      })
      await once(worker, 'message')
      const health = async (): Promise<void> => void (await (await fetch(`${url}/healthz`)).text())
      const quiet = probe(health)
      await sleep(2_000)
      const empty = await quiet.stop()
      const announcing = probe(health)
      const began = performance.now()
      worker.postMessage('announce')
      await Promise.race([known, sleep(MOST_MS)])
      const took = (performance.now() - began) / 1_000
      const during = await announcing.stop()
      const renewing = probe(health, 100)
      const [from, at] = [processorTime(pid), performance.now()]
      await sleep(RENEWALS_MS)
      const core = (100 * (processorTime(pid) - from)) / ((performance.now() - at) / 1_000)
      const after = await renewing.stop()
      await worker.terminate()
      return {
        'healthz p99 before': empty.p99,
        'healthz slowest, announcing': during.slowest,
        'everybody known after s': Number(took.toFixed(1)),
        'renewals, % of a core': Number(core.toFixed(1)),
        'healthz slowest, renewing': after.slowest,
        closed,
      }
    }),
  )
}

if (isMainThread) {
  const counts = process.argv.slice(2).map(Number)
  for (const count of counts.length > 0 ? counts : [300, 2_000])
    console.log(`${count} clients:`, JSON.stringify(await measure(count)))
} else await crowd(workerData as { url: string; count: number })
