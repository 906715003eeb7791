import { bounded, Listeners, Notices } from '../../server/transports/mcp/listeners.ts'
import { checkOperations } from '../../shared/plan/check.ts'
import { applyChange } from '../../shared/plan/apply.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import { newStepId } from '../../shared/schema/ids.ts'
import { MCP_NOTICE_MS } from '../../shared/schema/limits.ts'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { WireClient } from '../helpers/clients.ts'
import { newApp } from '../helpers/http.ts'
import { CLIENTS, connectMcp, connectModern, isModern } from './clients.ts'

const URIS = ['plan://plan', 'plan://plan/json', 'plan://plan/activity']

/** What a client is told, and a wait for the next. */
function noticesOf(client: Client) {
  const uris: string[] = []
  let waiting: { readonly count: number; readonly resolve: () => void }[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    uris.push(params.uri)
    for (const { resolve } of waiting.filter(({ count }) => count <= uris.length)) resolve()
    waiting = waiting.filter(({ count }) => count > uris.length)
  })
  return {
    uris,
    /** Resolves when so many have come in all. */
    until: (count: number): Promise<void> =>
      new Promise((resolve) => {
        if (uris.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
  }
}

/** A person's edit, in a browser that is connected. */
async function addOverSocket(url: string, text: string): Promise<void> {
  const browser = WireClient.connect(`${url.replace('http', 'ws')}/sync`, 'plan', { name: 'Grace' })
  await browser.synced
  await browser.write((doc) => {
    const reader = new PlanReader(doc)
    const operation = { type: 'addSteps', parent: null, steps: [{ id: newStepId(), text, depth: 0 }] } as const
    applyChange(doc, checkOperations(reader.plan, [operation], { by: 'Grace', at: 1 }), null)
    reader.destroy()
  })
  await browser.close()
}

const add = (client: Client, text: string) => client.callTool({ name: 'add_todos', arguments: { steps: [{ text }] } })

describe('a subscription', () => {
  test('hears of a change through MCP and of one through a socket', async () => {
    const { url } = await newApp().listen()
    const third = await connectModern({ url, name: 'third' })
    const told = noticesOf(third)
    const { honoredFilter } = await third.listen({ resourceSubscriptions: ['plan://plan'] })
    expect(honoredFilter).toEqual({ resourceSubscriptions: ['plan://plan'] })

    const agent = await connectModern({ url, name: 'agent' })
    await add(agent, 'by an agent')
    await told.until(1)
    await addOverSocket(url, 'by a person')
    await told.until(2)
    expect(told.uris).toEqual(['plan://plan', 'plan://plan'])
    const { contents } = await third.readResource({ uri: 'plan://plan' })
    expect(JSON.stringify(contents)).toContain('- [ ] by an agent\\n- [ ] by a person\\n')
  })

  test('[RB-I8] a step that was added over MCP is in an open browser', async () => {
    const { url } = await newApp().listen()
    const browser = WireClient.connect(`${url.replace('http', 'ws')}/sync`, 'plan')
    await browser.synced
    const reader = new PlanReader(browser.doc)
    const client = await connectModern({ url })
    await add(client, 'a')
    await browser.until(() => reader.plan.steps.length === 1)
    await browser.close()
  })

  test('[RB-I10] many agents that finish at a time are told as one change', async () => {
    const { url } = await newApp().listen()
    const reader = await connectModern({ url, name: 'reader' })
    const told = noticesOf(reader)
    await reader.listen({ resourceSubscriptions: URIS })
    const agents = await Promise.all(Array.from({ length: 10 }, (_, i) => connectModern({ url, name: `agent-${i}` })))
    await Promise.all(agents.map((agent) => add(agent, 'done')))
    await told.until(3)
    // Ten changes, which may have taken longer than one interval on a busy machine, but not ten of them.
    const { contents } = await reader.readResource({ uri: 'plan://plan/json' })
    expect(contents).toMatchObject([{ text: expect.stringContaining('"version":10') as unknown }])
    expect(told.uris.length).toBeLessThanOrEqual(3 * 4)
    expect(told.uris.slice(0, 3)).toEqual(URIS)
  })

  test('is for the addresses of its own thread, and hears of no other thread', async () => {
    const { url } = await newApp().listen()
    const client = await connectModern({ url })
    const told = noticesOf(client)
    const asked = ['plan://other', 'plan://plan/json', 'plan://plan/json', 'file:///etc/passwd']
    const { honoredFilter } = await client.listen({ resourceSubscriptions: asked, toolsListChanged: true })
    expect(honoredFilter).toEqual({ resourceSubscriptions: ['plan://plan/json'] })
    const other = await connectModern({ url, thread: 'other' })
    const otherTold = noticesOf(other)
    await other.listen({ resourceSubscriptions: ['plan://other'] })
    await add(other, 'elsewhere')
    await otherTold.until(1)
    await add(await connectModern({ url }), 'here')
    await told.until(1)
    expect(told.uris).toEqual(['plan://plan/json'])
    expect(otherTold.uris).toEqual(['plan://other'])
  })

  test('of a thread that is deleted is told so, and ends', async () => {
    const { url } = await newApp().listen()
    const client = await connectModern({ url })
    const told = noticesOf(client)
    await add(client, 'a')
    const { closed } = await client.listen({ resourceSubscriptions: URIS })
    expect((await fetch(`${url}/threads/plan`, { method: 'DELETE' })).status).toBe(204)
    expect(await closed).toBe('graceful')
    expect(told.uris).toEqual(URIS)
    await expect(client.readResource({ uri: 'plan://plan' })).rejects.toThrow(/deleted/)
  })

  test('hears nothing after it was closed', async () => {
    const { url } = await newApp().listen()
    const [client, witness] = [await connectModern({ url }), await connectModern({ url })]
    const [told, seen] = [noticesOf(client), noticesOf(witness)]
    const subscription = await client.listen({ resourceSubscriptions: URIS })
    await witness.listen({ resourceSubscriptions: ['plan://plan'] })
    await subscription.close()
    await add(witness, 'a')
    await seen.until(1)
    expect(told.uris).toEqual([])
  })

  test('ends gracefully with the server, which does not wait for it', async () => {
    const app = newApp()
    const { url } = await app.listen()
    const client = await connectModern({ url })
    const { closed } = await client.listen({ resourceSubscriptions: URIS })
    await app.close()
    expect(await closed).toBe('graceful')
  })

  test.each(CLIENTS.filter((kind) => !isModern(kind)))('is nothing that %s could ask for', async (kind) => {
    const { url } = await newApp().listen()
    const client = await connectMcp(kind, { url })
    expect(JSON.stringify(client.capabilities)).not.toContain('subscribe')
  })
})

describe('notices', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  function watched() {
    const watchers = new Set<() => void>()
    const notices = new Notices(
      (changed) => {
        watchers.add(changed)
        return () => void watchers.delete(changed)
      },
      [{ kind: 'resource_updated', uri: 'plan://plan' }],
      MCP_NOTICE_MS,
      () => left.count++,
    )
    const left = { count: 0 }
    return { notices, left, watchers, change: () => watchers.forEach((changed) => changed()) }
  }

  test('changes within the interval are told once, at its end; later ones again', () => {
    const { notices, change } = watched()
    const told: unknown[] = []
    notices.subscribe((event) => told.push(event))
    for (let i = 0; i < 100; i++) change()
    vi.advanceTimersByTime(MCP_NOTICE_MS - 1)
    expect(told).toEqual([])
    change()
    vi.advanceTimersByTime(1)
    expect(told).toEqual([{ kind: 'resource_updated', uri: 'plan://plan' }])
    vi.advanceTimersByTime(10 * MCP_NOTICE_MS)
    expect(told.length).toBe(1)
    change()
    vi.advanceTimersByTime(MCP_NOTICE_MS)
    expect(told.length).toBe(2)
  })

  test('changes without end are told at every interval', () => {
    const { notices, change } = watched()
    let told = 0
    notices.subscribe(() => told++)
    for (let ms = 0; ms < 20 * MCP_NOTICE_MS; ms++) {
      change()
      vi.advanceTimersByTime(1)
    }
    expect(told).toBe(20)
    expect(MCP_NOTICE_MS).toBeGreaterThanOrEqual(100)
    expect(MCP_NOTICE_MS).toBeLessThanOrEqual(250)
  })

  test('the thread is watched while somebody listens, and no longer', () => {
    const { notices, left, watchers, change } = watched()
    expect(watchers.size).toBe(0)
    const leave = [notices.subscribe(() => {}), notices.subscribe(() => {})]
    expect([watchers.size, notices.size]).toEqual([1, 2])
    leave[0]?.()
    leave[0]?.()
    expect([watchers.size, notices.size, left.count]).toEqual([1, 1, 1])
    change()
    leave[1]?.()
    expect([watchers.size, notices.size, left.count, vi.getTimerCount()]).toEqual([0, 0, 2, 0])
  })
})

describe('listeners', () => {
  const message = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'subscriptions/listen',
    params: {
      notifications: { resourceSubscriptions: ['plan://plan'] },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })
  const headers = {
    'Content-Type': 'application/json',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'subscriptions/listen',
  }
  const ask = () => new Request('http://localhost/', { method: 'POST', headers, body: '{}' })

  const listen = (on: Listeners<string>, thread: string, sent: unknown) =>
    on.listen(thread, ask(), sent, () => () => {})

  function newListeners(most: number) {
    let handlers = 0
    const listeners = new Listeners<string>({
      watch: () => () => {},
      eventsOf: () => [],
      createHandler: (bus) => {
        handlers++
        const capabilities = { resources: { subscribe: true } }
        return createMcpHandler(() => new McpServer({ name: 'test', version: '1' }, { capabilities }), { bus })
      },
      delay: 1,
      most,
    })
    return { listeners, handlers: () => handlers }
  }

  test('there are at most so many over all threads; who leaves makes room', async () => {
    const { listeners } = newListeners(2)
    const first = await listen(listeners, 'a', message(1))
    await listen(listeners, 'b', message(2))
    expect([listeners.count, listeners.threads]).toEqual([2, 2])
    expect(await listen(listeners, 'a', message(3))).toBe(null)
    await first?.body?.cancel()
    expect([listeners.count, listeners.threads]).toEqual([1, 1])
    expect((await listen(listeners, 'c', message(4)))?.status).toBe(200)
    await listeners.close()
    expect([listeners.count, listeners.threads]).toEqual([0, 0])
  })

  test('those of one thread share a handler, which goes with the last of them', async () => {
    const { listeners, handlers } = newListeners(10)
    const [one, two] = [await listen(listeners, 'a', message(1)), await listen(listeners, 'a', message(2))]
    expect([handlers(), listeners.threads]).toEqual([1, 1])
    await one?.body?.cancel()
    expect(listeners.threads).toBe(1)
    await two?.body?.cancel()
    expect(listeners.threads).toBe(0)
    await listen(listeners, 'a', message(3))
    expect([handlers(), listeners.threads]).toEqual([2, 1])
    await listeners.close()
  })

  test('a request that is refused leaves nothing behind', async () => {
    const { listeners } = newListeners(10)
    const response = await listen(listeners, 'a', { ...message(1), params: { ...message(1).params, notifications: 7 } })
    expect(await response?.json()).toMatchObject({ error: { code: -32602 } })
    expect([listeners.count, listeners.threads]).toEqual([0, 0])
  })
})

describe('a stream that nobody reads', () => {
  const forEver = () => () => {}

  test('is ended when too much waits', async () => {
    let push: (bytes: Uint8Array) => void = () => {}
    const cancelled = new Promise<unknown>((resolve) => {
      const source = new ReadableStream<Uint8Array>({
        start: (controller) => {
          push = (bytes) => controller.enqueue(bytes)
        },
        cancel: resolve,
      })
      const stream = bounded(source, 100, forEver)
      const reader = stream.getReader()
      void reader.read().then(({ value }) => {
        expect(value?.length).toBe(60)
        push(new Uint8Array(60))
        push(new Uint8Array(60))
      })
    })
    push(new Uint8Array(60))
    expect(String(await cancelled)).toContain('too slow')
  })

  test('one that may no longer be held ends, and says so once', async () => {
    let end = (): void => {}
    let released = 0
    const source = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array(1)) })
    const stream = bounded(source, 100, (ending) => {
      end = ending
      return () => void released++
    })
    const reader = stream.getReader()
    expect((await reader.read()).done).toBe(false)
    expect(released).toBe(0)
    end()
    expect((await reader.read()).done).toBe(true)
    expect(released).toBe(1)
  })

  test('one that is read goes through to its end', async () => {
    const parts = Array.from({ length: 100 }, (_, i) => `part ${i};`)
    const source = new Response(parts.join('')).body
    expect(source && (await new Response(bounded(source, 10_000, forEver)).text())).toBe(parts.join(''))
  })
})
