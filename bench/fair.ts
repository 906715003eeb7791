/**
 * Whether anybody can take the event loop for themselves: /healthz and calls to another plan, while connections and callers
 * load some plans as fast as they may, against a route that does nothing under the same load. `npm run bench:fair [numbers of loads]`.
 * The load comes from a thread of this process: what it sends is the same for both servers.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { WebSocket, WebSocketServer } from 'ws'
import * as Y from 'yjs'
import { updateMessage } from '../server/rooms/wire.ts'
import { rootsOf } from '../shared/plan/document.ts'
import { newStepId } from '../shared/schema/ids.ts'
import { probe } from './probe.ts'
import { withDirectory, withServer } from './serve.ts'

const SECONDS = 10
/** Milliseconds between two bursts of a client. */
const TICK_MS = 10

interface Load {
  readonly what: string
  readonly sockets: number
  readonly plans: number
  /** Updates a second of each socket. */
  readonly rate: number
  /** Callers over HTTP, on the first plan, one call after the other. */
  readonly callers: number
  /** A plan is deleted meanwhile. */
  readonly deletes?: boolean
}
const LOADS: readonly Load[] = [
  { what: 'nothing', sockets: 0, plans: 1, rate: 0, callers: 0 },
  { what: '1 socket, 500/s', sockets: 1, plans: 1, rate: 500, callers: 0, deletes: true },
  { what: '1 socket, 900/s', sockets: 1, plans: 1, rate: 900, callers: 0 },
  { what: '3 sockets, 70/s, and 4 callers', sockets: 3, plans: 1, rate: 70, callers: 4 },
  { what: '10 sockets on 3 plans, 70/s', sockets: 10, plans: 3, rate: 70, callers: 0 },
]
interface Task extends Load {
  readonly url: string
}

async function callTool(url: string, thread: string, text: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-agent-name': 'bench' }
  const body = JSON.stringify({ steps: [{ text }] })
  await (await fetch(`${url}/threads/${thread}/tools/add_todos`, { method: 'POST', headers, body })).text()
}

/** The load, until the thread is ended. */
async function load({ url, sockets, plans, rate, callers }: Task): Promise<void> {
  let sent = 0
  let echoes = 0
  let closed = ''
  /** The longest that a client waited for one more message while it was sending. */
  let silence = 0
  const clients = Array.from({ length: sockets }, (_, nth) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/sync/load-${nth % plans}?name=client-${nth}`)
    let heardAt = performance.now()
    socket.on('error', () => {})
    socket.on('message', () => {
      echoes++
      silence = Math.max(silence, performance.now() - heardAt)
      heardAt = performance.now()
    })
    socket.on('close', (code, reason) => (closed = `${code} ${reason.toString()}`))
    const doc = new Y.Doc()
    doc.on('update', (update: Uint8Array) => socket.send(updateMessage(update)))
    return { socket, doc, owed: 0 }
  })
  await Promise.all(clients.map(({ socket }) => once(socket, 'open')))
  const write = (doc: Y.Doc): void => {
    const { outline, steps } = rootsOf(doc)
    const id = newStepId()
    doc.transact(() => {
      outline.push([id])
      steps.push([{ id, text: `Step ${sent++}`, status: 'pending', parent: '', createdAt: 1 }])
    })
  }
  let last = performance.now()
  setInterval(() => {
    const now = performance.now()
    for (const client of clients) {
      client.owed += ((now - last) * rate) / 1_000
      for (; client.owed >= 1; client.owed--) if (client.socket.readyState === WebSocket.OPEN) write(client.doc)
    }
    last = now
  }, TICK_MS)
  for (let caller = 0; caller < callers; caller++)
    void (async () => {
      for (;;) await callTool(url, 'load-0', `of caller ${caller}`)
    })()
  setInterval(() => parentPort?.postMessage({ sent, echoes, closed, silence: Math.round(silence) }), 100)
}

async function measure(url: string, one: Load): Promise<object> {
  await callTool(url, 'other', 'one')
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, ...one } })
  let figures: object = {}
  worker.on('message', (message: object) => (figures = message))
  await once(worker, 'message')
  const health = probe(async () => (await fetch(`${url}/healthz`)).text())
  const other = probe(() => callTool(url, 'other', 'one more'), 50)
  let deleted: object = {}
  if (one.deletes === true) {
    await callTool(url, 'to-delete', 'one')
    await sleep((SECONDS * 1_000) / 2)
    const began = performance.now()
    await (await fetch(`${url}/threads/to-delete`, { method: 'DELETE' })).text()
    deleted = { 'deletion ms': Math.round(performance.now() - began) }
    await sleep((SECONDS * 1_000) / 2)
  } else await sleep(SECONDS * 1_000)
  const [healthz, calls] = [await health.stop(), await other.stop()]
  await worker.terminate()
  return { 'healthz p99': healthz.p99, 'other plan p99': calls.p99, slowest: calls.slowest, ...deleted, ...figures }
}

/** A server that answers and echoes, and does nothing else. */
async function withEmptyServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((_request, response) => response.end('{}'))
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(data)))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
    server.close()
  }
}

if (isMainThread) {
  const chosen = process.argv.slice(2).map(Number)
  for (const one of LOADS.filter((_, nth) => chosen.length === 0 || chosen.includes(nth))) {
    const empty = await withEmptyServer((url) => measure(url, one))
    console.log(`${one.what}; empty route:`, JSON.stringify(empty))
    const ours = await withDirectory((directory) => withServer(directory, (url) => measure(url, one)))
    console.log(`${one.what}; planroom:   `, JSON.stringify(ours))
  }
} else await load(workerData as Task)
