import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { WebsocketProvider as Provider31 } from 'y-websocket'
import { WebsocketProvider as Provider30 } from 'y-websocket-3.0'
import * as Y from 'yjs'
import { rootsOf } from '../../shared/plan/document.ts'
import { newStepId } from '../../shared/schema/ids.ts'
import { MAX_SOCKET_PAYLOAD } from '../../shared/schema/limits.ts'
import { callTool, getPlan, WireClient } from '../helpers/clients.ts'
import type { ServerProcess } from '../helpers/server-process.ts'
import { newDataDirectory, startServer } from '../helpers/server-process.ts'
import { readPlan, textsIn, writeStep } from '../helpers/sockets.ts'
import { tcpProxy } from '../helpers/tcp-proxy.ts'
import { newGuardedApp, tokenOf } from '../helpers/tokens.ts'

/** What tests use of a provider, of either version. */
interface Provider {
  readonly awareness: {
    readonly states: ReadonlyMap<number, object>
    setLocalState(state: object | null): void
    setLocalStateField(field: string, value: unknown): void
    on(event: 'change', listener: () => void): void
  }
  readonly synced: boolean
  connect(): void
  disconnect(): void
  destroy(): void
  on(event: 'sync', listener: (isSynced: boolean) => void): void
  on(
    event: 'connection-close',
    listener: (event: { readonly code: number; readonly reason: string } | null) => void,
  ): void
  on(event: 'closed', listener: (event: { readonly code: number; readonly reason: string }) => void): void
}
interface Client {
  readonly doc: Y.Doc
  readonly provider: Provider
  /** The codes with which connections ended; null where the client ended it. */
  readonly closes: (number | null)[]
}

const VERSIONS = [
  ['3.0.0', Provider30],
  ['3.1.0', Provider31],
] as const

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

function open(
  version: string,
  thread: string,
  { doc = new Y.Doc(), connect = true, socketUrl = server.socketUrl, parameters = {} } = {},
): Client {
  const Class = version === '3.0.0' ? Provider30 : Provider31
  // The polyfill is typed as the browser's WebSocket, of which ws has all that the provider uses.
  const WebSocketPolyfill = WebSocket as unknown as typeof globalThis.WebSocket
  const options = { WebSocketPolyfill, disableBc: true, connect, params: { name: version, ...parameters } }
  const provider = new Class(socketUrl, thread, doc, options) as unknown as Provider
  const closes: (number | null)[] = []
  provider.on('connection-close', (event) => void closes.push(event?.code ?? null))
  onTestFinished(() => provider.destroy())
  return { doc, provider, closes }
}

async function synced({ provider }: Client): Promise<void> {
  if (provider.synced) return
  await new Promise<void>((resolve) => {
    provider.on('sync', (isSynced) => {
      if (isSynced) resolve()
    })
  })
}

/** Resolves when the document reads as wanted. */
async function until(doc: Y.Doc, condition: () => boolean): Promise<void> {
  if (condition()) return
  await new Promise<void>((resolve) => {
    doc.on('update', () => {
      if (condition()) resolve()
    })
  })
}

describe.each(VERSIONS)('y-websocket %s', (version) => {
  test('connects, syncs both ways, and sees who is there', async () => {
    const thread = `sync-${version}`
    const [ada, bob] = [open(version, thread), open(version, thread)]
    await Promise.all([synced(ada), synced(bob)])
    writeStep(ada.doc, 'from ada')
    await until(bob.doc, () => textsIn(bob.doc).length === 1)
    await callTool(server.url, thread, 'add_todos', { steps: [{ text: 'from an agent', depth: 1 }] })
    for (const { doc } of [ada, bob]) await until(doc, () => textsIn(doc).join() === 'from ada,from an agent')
    // Numbers came back to the writer as well.
    expect(readPlan(ada.doc).steps.map(({ number }) => number)).toEqual([1, 2])
    ada.provider.awareness.setLocalStateField('user', { name: 'Ada' })
    await new Promise<void>((resolve) => {
      bob.provider.awareness.on('change', () => {
        if (JSON.stringify([...bob.provider.awareness.states.values()]).includes('Ada')) resolve()
      })
    })
    expect(ada.closes).toEqual([])
  })

  test('edits made offline on both sides merge, each once', async () => {
    const thread = `offline-${version}`
    const [ada, bob] = [open(version, thread), open(version, thread)]
    await Promise.all([synced(ada), synced(bob)])
    writeStep(ada.doc, 'shared')
    await until(bob.doc, () => textsIn(bob.doc).length === 1)
    ada.provider.disconnect()
    for (let nth = 0; nth < 20; nth++) writeStep(ada.doc, `offline ${nth}`)
    writeStep(bob.doc, 'online')
    await callTool(server.url, thread, 'list_todos', {})
    await callTool(server.url, thread, 'toggle_todos', { indices: [1] })
    const back = new Promise<void>((resolve) => ada.provider.on('sync', (isSynced) => isSynced && resolve()))
    ada.provider.connect()
    await back
    for (const { doc } of [ada, bob])
      await until(
        doc,
        () => readPlan(doc).steps.length === 22 && readPlan(doc).steps.every(({ number }) => number !== null),
      )
    const plan = await getPlan(server.url, thread)
    for (const { doc } of [ada, bob])
      expect(readPlan(doc).steps.map(({ id, number, text, status }) => ({ id, number, text, status }))).toEqual(
        plan.steps.map(({ id, number, text, status }) => ({ id, number, text, status })),
      )
    expect(new Set(plan.steps.map(({ number }) => number)).size).toBe(22)
    expect(plan.steps.find(({ text }) => text === 'shared')?.status).toBe('completed')
  })

  test('a plan of 10,000 steps goes up from one client and down to another', { timeout: 60_000 }, async () => {
    const thread = `large-${version}`
    const doc = new Y.Doc()
    const ids = Array.from({ length: 10_000 }, () => newStepId())
    doc.transact(() => {
      const { outline, steps } = rootsOf(doc)
      outline.push(ids)
      steps.push(
        ids.map((id, nth) => ({
          id,
          text: `Step ${nth} of a large plan`,
          status: 'pending',
          parent: '',
          createdAt: 1_700_000_000_000 + nth,
          createdBy: 'ada',
          updatedBy: 'ada',
          updatedAt: 1_700_000_000_000 + nth,
        })),
      )
    })
    const up = open(version, thread, { doc })
    await until(doc, () => readPlan(doc).steps[9_999]?.number === 10_000)
    const down = open(version, thread)
    await synced(down)
    const { steps } = readPlan(down.doc)
    expect(steps.map(({ id }) => id)).toEqual(ids)
    expect(steps.map(({ number }) => number)).toEqual(ids.map((_, nth) => nth + 1))
    expect([...up.closes, ...down.closes]).toEqual([])
  })

  test('a permanent refusal is not asked for again and again', async () => {
    const thread = `deleted-${version}`
    const first = open(version, thread)
    await synced(first)
    writeStep(first.doc, 'one')
    await until(first.doc, () => readPlan(first.doc).steps[0]?.number === 1)
    first.provider.disconnect()
    expect((await fetch(`${server.url}/threads/${thread}`, { method: 'DELETE' })).status).toBe(204)

    const late = open(version, thread, { connect: false })
    const ended = version === '3.1.0' ? new Promise((resolve) => late.provider.on('closed', resolve)) : undefined
    const thrice = new Promise<void>((resolve) => {
      late.provider.on('connection-close', () => late.closes.length === 3 && resolve())
    })
    late.provider.connect()
    if (ended === undefined) {
      // It knows no final code: it comes back for ever, as often as refusals are told (see refusals.test.ts).
      await thrice
      expect(new Set(late.closes)).toEqual(new Set([4404]))
    } else {
      expect(await ended).toEqual({ code: 4404, reason: 'the thread was deleted' })
      expect(late.closes).toEqual([4404])
    }
    late.provider.disconnect()
  })
})

test.each(VERSIONS)(
  '[11-F15] [12-11] a message above the limit ends y-websocket %s with 4413, for good',
  async (version) => {
    const doc = new Y.Doc()
    // Not a plan at all: what counts is that it does not fit one message.
    doc.getText('large').insert(0, 'x'.repeat(MAX_SOCKET_PAYLOAD + 1))
    const client = open(version, `oversized-${version}`, { doc, connect: false })
    const ended = new Promise<unknown>((resolve) => {
      if (version === '3.1.0') client.provider.on('closed', resolve)
      else client.provider.on('connection-close', resolve)
    })
    client.provider.connect()
    expect(await ended).toMatchObject({ code: 4413, reason: 'a message may have 16777216 bytes' })
    client.provider.disconnect()
    expect(client.closes).toEqual([4413])
  },
)

test.each(VERSIONS)('a transient refusal makes y-websocket %s come back until it gets in', async (version) => {
  const thread = `transient-${version}`
  const doc = new Y.Doc()
  // Somebody else is there under the id with which this client writes.
  const other = WireClient.connect(server.socketUrl, thread, { name: 'somebody else' })
  onTestFinished(() => other.socket.terminate())
  await other.synced
  const id = other.doc.clientID
  writeStep(other.doc, 'one')
  await other.acknowledged()
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(other.doc))
  doc.clientID = id
  writeStep(doc, 'two')
  const client = open(version, thread, { doc, connect: false })
  const thrice = new Promise<void>((resolve) => {
    client.provider.on('connection-close', () => client.closes.length === 3 && resolve())
  })
  client.provider.connect()
  await thrice
  expect(client.closes).toEqual([4500, 4500, 4500])
  // And once the other is gone it gets in.
  await other.close()
  await until(doc, () => readPlan(doc).steps[1]?.number === 2)
})

test('3.0.0 and 3.1.0 share a plan', async () => {
  const [old, recent] = [open('3.0.0', 'mixed'), open('3.1.0', 'mixed')]
  await Promise.all([synced(old), synced(recent)])
  writeStep(old.doc, 'old')
  await until(recent.doc, () => textsIn(recent.doc).length === 1)
  writeStep(recent.doc, 'recent')
  await until(old.doc, () => textsIn(old.doc).length === 2)
})

/**
 * The one wait in real time, shared by every case that needs it: the clients' own watchdogs count real seconds, and
 * give up on a connection that brought no message for 30 s. 70 s are two of their spans.
 */
test(
  '[RL-33] [RL-34] silent clients of all kinds, readers and those behind a proxy with 30 s of patience stay connected for 70 s',
  { timeout: 90_000 },
  async () => {
    const guarded = await newGuardedApp()
    const readers = await tokenOf({ role: 'viewer' })
    const proxy = await tcpProxy(Number(new URL(server.url).port), 30_000)
    const quiet = VERSIONS.flatMap(([version]) => {
      const plain = open(version, `idle-${version}`)
      const unannounced = open(version, `idle-null-${version}`, { connect: false })
      // Without a state it sends nothing at all, and nothing of its own comes back to it.
      unannounced.provider.awareness.setLocalState(null)
      unannounced.provider.connect()
      const reader = open(version, 'idle-reader', { socketUrl: guarded.socketUrl, parameters: { token: readers } })
      const behind = open(version, `idle-proxy-${version}`, { socketUrl: `ws://127.0.0.1:${proxy.port}/sync` })
      return [plain, unannounced, reader, behind]
    })
    await Promise.all(quiet.map(synced))
    await wait(70_000)
    expect(proxy.ended).toBe(0)
    for (const { provider, closes } of quiet) {
      expect(closes).toEqual([])
      expect(provider.synced).toBe(true)
    }
    // And they still hear what happens.
    for (const [version] of VERSIONS)
      await callTool(server.url, `idle-null-${version}`, 'add_todos', { steps: [{ text: 'awake' }] })
    for (const { doc } of [quiet[1], quiet[5]].filter((client) => client !== undefined))
      await until(doc, () => textsIn(doc).length === 1)
  },
)
