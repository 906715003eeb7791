import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { connectModern } from '../mcp/clients.ts'
import { callTool } from './clients.ts'
import { newApp } from './http.ts'
import { writeStep } from './sockets.ts'
import { tcpProxy } from './tcp-proxy.ts'

const FOLDER = join(process.cwd(), 'test/fuzz/corpus')

/** What real clients sent, one message or request each. */
export interface Corpus {
  /** Messages of y-websocket. */
  readonly frames: readonly Buffer[]
  /** Whole requests over HTTP, and those of MCP among them. */
  readonly requests: readonly Buffer[]
}

export function readCorpus(): Corpus {
  const of = (kind: string): Buffer[] =>
    readdirSync(FOLDER)
      .filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.bin'))
      .toSorted()
      .map((name) => readFileSync(join(FOLDER, name)))
  return { frames: of('frame'), requests: [...of('http'), ...of('mcp')] }
}

/** Lets real clients work on a plan for a moment, and keeps what they send. */
export async function recordCorpus(): Promise<void> {
  const { port, url } = await newApp().listen()
  mkdirSync(FOLDER, { recursive: true })
  const keep = (kind: string, messages: readonly Uint8Array[]): void =>
    messages.forEach((bytes, nth) => writeFileSync(join(FOLDER, `${kind}-${String(nth).padStart(2, '0')}.bin`), bytes))

  const http: Buffer[] = []
  const httpProxy = await tcpProxy(port, Infinity, (part) => http.push(part))
  const address = `http://127.0.0.1:${httpProxy.port}`
  await callTool(
    address,
    'corpus',
    'add_todos',
    { steps: [{ text: 'Write the parser' }, { text: 'Test it', depth: 1 }] },
    { name: 'ada', key: 'k' },
  )
  await callTool(address, 'corpus', 'toggle_todos', { indices: [2] }, { name: 'ada' })
  for (const path of ['', '/plan.md', '/activity?after=0&limit=10', '/context?dialect=outline'])
    await (await fetch(`${address}/threads/corpus${path}`)).text()
  await (await fetch(`${address}/threads/seeded`, { method: 'PUT', body: JSON.stringify({ seed: ['a', 'b'] }) })).text()
  keep('http', requestsIn(http))

  const mcp: Buffer[] = []
  const mcpProxy = await tcpProxy(port, Infinity, (part) => mcp.push(part))
  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    const client = await connectModern({ url: `http://127.0.0.1:${mcpProxy.port}`, thread: 'corpus' }, mode)
    await client.listTools()
    await client.callTool({ name: 'add_todos', arguments: { steps: [{ text: 'over MCP' }] } })
    await client.readResource({ uri: 'plan://corpus' })
  }
  keep('mcp', requestsIn(mcp))

  const frames: Buffer[] = []
  class Recorder extends WebSocket {
    override send(data: Uint8Array): void {
      frames.push(Buffer.from(data))
      super.send(data)
    }
  }
  const doc = new Y.Doc()
  const WebSocketPolyfill = Recorder as unknown as typeof globalThis.WebSocket
  const provider = new WebsocketProvider(`${url.replace('http', 'ws')}/sync`, 'corpus', doc, {
    WebSocketPolyfill,
    disableBc: true,
  })
  onTestFinished(() => provider.destroy())
  await new Promise((resolve) => provider.once('sync', resolve))
  provider.awareness.setLocalStateField('user', { name: 'Ada', colour: '#c00' })
  const id = writeStep(doc, 'by hand')
  doc.getArray('steps').push([{ id, text: 'by hand, mended', status: 'completed' }])
  doc.getArray('outline').delete(0)
  doc.getMap('meta').set('title', 'A plan')
  frames.push(Buffer.from(Uint8Array.of(3)))
  keep('frame', frames)
}

/** The requests in what clients wrote. Who they are in this network is nobody's business. */
function requestsIn(parts: readonly Buffer[]): Buffer[] {
  const text = Buffer.concat(parts)
    .toString('latin1')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1')
  return text.split(/(?=(?:GET|POST|PUT|DELETE) \/)/).map((request) => Buffer.from(request, 'latin1'))
}
