import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import * as Y from 'yjs'
import { createAccess } from '../../server/auth/access.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { type LimitSettings, STANDARD_LIMITS } from '../../shared/schema/limit-settings.ts'
import { closeOf, WireClient } from '../helpers/clients.ts'
import { newApp, recordedLog } from '../helpers/http.ts'
import { readServerMessage, textsIn, updateFrame, writeStep } from '../helpers/sockets.ts'
import { bearer, BY_SECRET, tokenOf } from '../helpers/tokens.ts'

const [HERE, THERE] = ['203.0.113.1', '203.0.113.2']
const ONE = JSON.stringify({ steps: [{ text: 'a' }] })

/** A server behind a proxy on this machine, which says in a header who asks. */
async function serve(limits: Partial<LimitSettings> = {}, withTokens = false) {
  const storage = createMemoryStorage()
  const trustedProxies = ['127.0.0.1']
  const config = {
    host: '127.0.0.1',
    port: 0,
    idleMs: 60_000,
    limits: { ...STANDARD_LIMITS, trustedProxies, ...limits },
  }
  const access = withTokens ? { access: await createAccess({ ...BY_SECRET, store: storage }) } : {}
  const app = newApp({ config, storage, log: recordedLog(), ...access })
  const { url, port } = await app.listen()
  const ask = async (from: string | null, path = '/threads', init: RequestInit = {}): Promise<Response> => {
    const headers = {
      ...(init.headers as Record<string, string>),
      ...(from === null ? {} : { 'X-Forwarded-For': from }),
    }
    const response = await fetch(url + path, { ...init, headers })
    // Read, so that its connection serves the next one.
    return new Response(await response.text(), response)
  }
  const open = (from: string | null, thread = 'plan', token?: string): WebSocket => {
    const headers = {
      ...(from === null ? {} : { 'X-Forwarded-For': from }),
      ...(token === undefined ? {} : bearer(token)),
    }
    const socket = new WebSocket(`${url.replace('http', 'ws')}/sync/${thread}`, { headers })
    socket.on('error', () => {})
    onTestFinished(() => socket.terminate())
    return socket
  }
  return { app, url, port, ask, open }
}

/** What a client hears first that was let in. */
async function letIn(socket: WebSocket): Promise<string> {
  const [first] = (await once(socket, 'message')) as [Buffer]
  return readServerMessage(new Uint8Array(first)).type
}
/** How an attempt was refused at the upgrade. */
async function refusal(socket: WebSocket): Promise<{ status: number; retryAfter: string | undefined; type: unknown }> {
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
  let text = ''
  for await (const part of response) text += String(part)
  const { type } = JSON.parse(text) as { type: unknown }
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], type }
}

describe('[RL-63] rates', () => {
  test('an address that asks too often is told when to come back, and its neighbours are served', async () => {
    const { ask } = await serve({ addressRate: 5 })
    for (let nth = 0; nth < 50; nth++) expect((await ask(HERE)).status).toBe(200)
    const refused = await ask(HERE)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'application/problem+json'])
    expect(await refused.json()).toMatchObject({ type: 'urn:planroom:problem:too-many-requests', status: 429 })
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(10)
    expect((await ask(THERE)).status).toBe(200)
    // Others cannot be made to pay by whoever writes their address in front of the proxy's word.
    expect((await ask(`${THERE}, ${HERE}`)).status).toBe(429)
    // Probes are answered, and so is who comes from this machine.
    expect((await ask(HERE, '/healthz')).status).toBe(200)
    expect((await ask(null)).status).toBe(200)
  })

  test('the header of whoever is no trusted proxy neither binds nor frees anybody', async () => {
    const { ask } = await serve({ addressRate: 1, trustedProxies: ['192.0.2.1'] })
    for (let nth = 0; nth < 30; nth++) expect((await ask(HERE)).status).toBe(200)
  })

  test('a large body counts as several requests', async () => {
    const { ask } = await serve({ addressRate: 5 })
    const body = ' '.repeat(3 * 1024 * 1024)
    expect((await ask(HERE, '/threads/plan/tools/list_todos', { method: 'POST', body })).status).toBe(200)
    expect((await ask(HERE, '/threads/plan/tools/list_todos', { method: 'POST', body })).status).toBe(429)
  })

  test('an actor has a rate of its own, over all addresses; others behind the same address have theirs', async () => {
    const { ask } = await serve({ actorRate: 5 }, true)
    const [ada, bob] = [bearer(await tokenOf()), bearer(await tokenOf({ sub: 'bob' }))]
    for (let nth = 0; nth < 50; nth++)
      expect((await ask(nth % 2 ? HERE : THERE, '/threads', { headers: ada })).status).toBe(200)
    const refused = await ask(HERE, '/threads', { headers: ada })
    expect([refused.status, (await refused.json()) as unknown]).toMatchObject([429, { detail: /^You make too many/ }])
    expect((await ask(HERE, '/threads', { headers: bob })).status).toBe(200)
    // Without a token nobody spends what is another's.
    expect((await ask(HERE, '/threads', { headers: bearer('nonsense') })).status).toBe(401)
  })

  test('sockets count too, at the upgrade for an address, in a close frame for an actor', async () => {
    const { ask, open } = await serve({ addressRate: 5, actorRate: 5 }, true)
    const ada = bearer(await tokenOf())
    for (let nth = 0; nth < 50; nth++) await ask(THERE, '/threads', { headers: ada })
    expect(await refusal(open(THERE, 'plan', await tokenOf({ sub: 'bob' })))).toMatchObject({ status: 429 })
    const end = await closeOf(open(HERE, 'plan', await tokenOf()))
    expect(end).toEqual({
      code: 1013,
      reason: expect.stringMatching(/^you have used up your share: come back in \d+ s$/) as unknown,
    })
    expect(await letIn(open(HERE, 'plan', await tokenOf({ sub: 'bob' })))).toBe('stepOne')
  })
})

describe('connections', () => {
  test('of one address are limited at the upgrade; who leaves makes room', async () => {
    const { open } = await serve({ connectionsPerAddress: 2 })
    const [first, second] = [open(HERE), open(HERE)]
    await Promise.all([letIn(first), letIn(second)])
    const kind = 'urn:planroom:problem:too-many-requests'
    expect(await refusal(open(HERE))).toEqual({ status: 429, retryAfter: '5', type: kind })
    expect(await letIn(open(THERE))).toBe('stepOne')
    first.close()
    await once(first, 'close')
    expect(await letIn(open(HERE))).toBe('stepOne')
  })

  test('in all are limited with a 503; attempts that never become sockets give their place back', async () => {
    const { open, port } = await serve({ connections: 2 })
    for (let nth = 0; nth < 10; nth++) {
      // A key that is none: the handshake fails.
      const headers = {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'x',
      }
      const attempt = request({ port, host: '127.0.0.1', path: '/sync/plan', headers })
      attempt.on('error', () => {})
      attempt.end()
      const [response] = (await once(attempt, 'response')) as [IncomingMessage]
      expect(response.statusCode).toBe(400)
      response.resume()
      await once(response, 'end')
    }
    const first = open(null)
    await Promise.all([letIn(first), letIn(open(HERE))])
    const kind = 'urn:planroom:problem:overloaded'
    expect(await refusal(open(THERE))).toEqual({ status: 503, retryAfter: '2', type: kind })
    first.close()
    await once(first, 'close')
    expect(await letIn(open(THERE))).toBe('stepOne')
  })

  test('of one thread are limited with 1013, and other threads have room', async () => {
    const { open } = await serve({ connectionsPerThread: 2 })
    await Promise.all([letIn(open(null)), letIn(open(null))])
    const end = { code: 1013, reason: 'this plan has as many connections as it may have' }
    expect(await closeOf(open(null))).toEqual(end)
    expect(await letIn(open(null, 'other'))).toBe('stepOne')
  })
})

describe('who sends what nobody honest sends', () => {
  test(
    'is let in again and again, until its share is used up; then it has to wait, and nobody else',
    { timeout: 60_000 },
    async () => {
      const { open } = await serve({}, true)
      const [mallory, ada] = [await tokenOf({ sub: 'mallory' }), await tokenOf()]
      const attempt = async (): Promise<number> => {
        const socket = open(HERE, 'plan', mallory)
        const end = closeOf(socket)
        socket.once('open', () => socket.send(updateFrame(Uint8Array.of(1, 2, 3))))
        return (await end).code
      }
      // All at once, for each refusal takes its two seconds.
      const codes = await Promise.all(Array.from({ length: 20 }, attempt))
      expect(codes.filter((code) => code !== 4422 && code !== 1013)).toEqual([])
      expect(codes).toContain(4422)
      expect(await attempt()).toBe(1013)
      expect(await letIn(open(HERE, 'plan', ada))).toBe('stepOne')
    },
  )
})

describe('honest use meets no limit', () => {
  test('fifty agents with one token behind one address: 3,000 calls on one thread', { timeout: 120_000 }, async () => {
    const { ask } = await serve({}, true)
    const headers = { ...bearer(await tokenOf()), 'Content-Type': 'application/json' }
    const call = async (): Promise<number> =>
      (await ask(HERE, '/threads/plan/tools/list_todos', { method: 'POST', headers, body: '{}' })).status
    await ask(HERE, '/threads/plan/tools/add_todos', { method: 'POST', headers, body: ONE })
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const own: number[] = []
        for (let nth = 0; nth < 60; nth++) own.push(await call())
        return own
      }),
    )
    expect(new Set(statuses.flat())).toEqual(new Set([200]))
  })

  test('five hundred clients behind one address come back at once', { timeout: 60_000 }, async () => {
    const { open } = await serve()
    for (let round = 0; round < 2; round++) {
      const sockets = Array.from({ length: 500 }, (_, nth) => open(HERE, `plan-${nth % 5}`))
      expect(new Set(await Promise.all(sockets.map(letIn)))).toEqual(new Set(['stepOne']))
      const ends = sockets.map((socket) => once(socket, 'close'))
      for (const socket of sockets) socket.terminate()
      await Promise.all(ends)
    }
  })

  test('a client that writes 3,000 times without a pause', { timeout: 60_000 }, async () => {
    const { url } = await serve()
    const client = WireClient.connect(`${url.replace('http', 'ws')}/sync`, 'plan', { doc: new Y.Doc() })
    onTestFinished(() => client.socket.terminate())
    await client.synced
    for (let nth = 0; nth < 3_000; nth++) writeStep(client.doc, `step ${nth}`)
    await client.acknowledged()
    expect(textsIn(client.doc)).toHaveLength(3_000)
    expect(client.socket.readyState).toBe(WebSocket.OPEN)
  })
})
