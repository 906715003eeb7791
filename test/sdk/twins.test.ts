import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import type { LivePlan } from '../../client/sdk/live-plan.ts'
import { connectPlan } from '../../client/sdk/live-plan.ts'
import { memoryStore } from '../../client/sdk/store.ts'
import { defaultWebSocket } from '../../client/sdk/web-socket.ts'
import { textsIn, writeStep } from '../helpers/sockets.ts'
import { add, agreeing, live, next, onServer, serve, texts, until } from './live.ts'

const idOf = (plan: LivePlan): number => plan.presence.find(({ isSelf }) => isSelf)?.client ?? 0

/** Another client, whose document has the client id of this one. */
async function twinOf(plan: LivePlan, url: string) {
  const doc = new Y.Doc()
  doc.clientID = idOf(plan)
  const provider = new WebsocketProvider(`${url.replace('http', 'ws')}/sync`, 'holiday', doc, {
    disableBc: true,
    params: { name: plan.actor.name },
    WebSocketPolyfill: defaultWebSocket(),
  })
  onTestFinished(() => {
    provider.destroy()
    doc.destroy()
  })
  await new Promise<void>((resolve) => provider.once('sync', () => resolve()))
  return { doc, provider }
}

describe('[11-F4] another document with the client id of a live plan', () => {
  test.each(['Ann', ''])(
    'that writes at the same moment: the live plan (of %j) takes a new id and brings its change again',
    async (name) => {
      const server = await serve()
      const plan = live(server.url, { name, store: memoryStore() })
      await plan.whenSynced()
      const id = idOf(plan)
      const { doc, provider } = await twinOf(plan, server.url)
      const setAside = vi.fn<() => void>()
      plan.subscribe((event) => {
        if (event.type === 'setAside') setAside()
      })
      writeStep(doc, 'twin')
      add(plan, 'mine')
      // The twin is served first, so that this one's change says something else under one id and clock.
      await until(plan, () => idOf(plan) !== id && plan.status.kind === 'online' && plan.unsaved === 0)
      provider.disconnect()
      await agreeing(server, plan)
      expect((await onServer(server)).steps.map(({ text }) => text).toSorted()).toEqual(['mine', 'twin'])
      expect(setAside).not.toHaveBeenCalled()
      expect(textsIn(doc)).toContain('twin')
    },
  )

  test('that wrote while it was offline: nothing counts as saved that is not there', async () => {
    const server = await serve()
    const plan = live(server.url, { name: 'Ann' })
    await plan.whenSynced()
    const { doc, provider } = await twinOf(plan, server.url)
    plan.goOffline()
    add(plan, 'mine')
    add(plan, 'mine too')
    writeStep(doc, 'twin')
    await vi.waitFor(async () => expect((await onServer(server)).steps).toHaveLength(1))
    provider.disconnect()
    plan.goOnline()
    await agreeing(server, plan)
    expect((await onServer(server)).steps.map(({ text }) => text).toSorted()).toEqual(['mine', 'mine too', 'twin'])
    // From here on all is as ever.
    add(plan, 'later')
    await agreeing(server, plan)
    expect(texts(plan)).toContain('later')
  })
})

describe('[11-F35] an address', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  test.each(['nonsense', 'ftp://example.org', '', 'http://', 'javascript:alert(1)'])(
    'that can never work, as %j, throws',
    (url) => {
      expect(() => connectPlan({ url, thread: 'holiday' })).toThrow(
        `url is "${url}": it is the address of a Planroom server`,
      )
    },
  )

  test.each(['http://127.0.0.1:4080', 'ws://127.0.0.1:4080/', 'https://example.org/plans'])(
    'that may work, as %s, does not',
    async (url) => {
      const plan = connectPlan({ url, thread: 'holiday', connect: false })
      expect(plan.status).toEqual({ kind: 'offline' })
      await plan.close()
    },
  )

  test('where nobody listens: the status says so, and what is wrong once that is something else', async () => {
    const server = await serve()
    const { port, url } = server
    await server.stop()
    const plan = live(url)
    await until(plan, () => plan.status.kind === 'offline')
    expect(plan.status).toEqual({
      kind: 'offline',
      why: expect.stringMatching(new RegExp(`^No connection to ${url}.*\\. Is the server running there\\?$`)) as string,
    })
    await serve(undefined, port)
    await until(plan, () => plan.status.kind === 'online')
    plan.goOffline()
    expect(plan.status).toEqual({ kind: 'offline' })
  })

  test('a token that cannot be had is told as well', async () => {
    const server = await serve()
    const plan = live(server.url, { token: () => Promise.reject(new Error('the vault is sealed')) })
    const event = await next(plan, 'status')
    expect(event).toMatchObject({ status: { kind: 'offline', why: 'the vault is sealed' } })
  })
})
