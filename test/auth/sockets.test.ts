import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { WebsocketProvider } from 'y-websocket'
import { WebsocketProvider as Provider30 } from 'y-websocket-3.0'
import * as Y from 'yjs'
import { closeOf, openSocket, WireClient } from '../helpers/clients.ts'
import { awarenessFrame, readServerMessage, textsIn, updateFrame, writeStep } from '../helpers/sockets.ts'
import { bearer, type Guarded, later, newGuardedApp, tokenOf } from '../helpers/tokens.ts'

const T = 'plan'
const connect = ({ socketUrl }: Guarded, token: string, doc = new Y.Doc()): WireClient =>
  WireClient.connect(socketUrl, T, { doc, parameters: `token=${token}` })
const revoke = async ({ url }: Guarded, body: object): Promise<Response> =>
  fetch(`${url}/admin/revoke`, {
    method: 'POST',
    headers: bearer(await tokenOf({ sub: 'root', role: 'admin' })),
    body: JSON.stringify(body),
  })

/** Resolves when a condition holds; `subscribe` says when it may have changed. */
const when = (subscribe: (check: () => void) => void, condition: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (condition()) resolve()
    }
    subscribe(check)
    check()
  })

describe('the token of a socket', () => {
  test('comes by header, by subprotocol or in the address', async () => {
    const { socketUrl } = await newGuardedApp()
    const token = await tokenOf()
    const protocol = `planroom.bearer.${token}`
    const ways: [address: string, protocols: string[], headers: object, chosen: string][] = [
      [`?token=${token}`, [], {}, ''],
      ['', [], bearer(token), ''],
      ['', [protocol], {}, protocol],
      ['', [protocol, 'planroom'], {}, 'planroom'],
      ['', ['planroom', protocol], {}, 'planroom'],
    ]
    for (const [address, protocols, headers, chosen] of ways) {
      const socket = new WebSocket(`${socketUrl}/${T}${address}`, protocols, { headers: { ...headers } })
      // The first thing that somebody hears who was let in.
      const [first] = (await once(socket, 'message')) as [Buffer]
      expect([readServerMessage(new Uint8Array(first)).type, socket.protocol]).toEqual(['stepOne', chosen])
      socket.close()
      await once(socket, 'close')
    }
  })

  test('without one the reason is told in the close frame, and nothing else', async () => {
    const at = await newGuardedApp()
    const sockets = await Promise.all(
      ['', '?token=', '?token=x'].map((query) => openSocket(`${at.socketUrl}/${T}${query}`)),
    )
    const heard: unknown[] = []
    for (const socket of sockets) socket.on('message', (data) => heard.push(data))
    const closed = await Promise.all(sockets.map(closeOf))
    expect(closed).toEqual([
      { code: 4401, reason: 'a token is needed' },
      { code: 4401, reason: 'a token is needed' },
      { code: 4401, reason: 'the token is not whole: one has three parts, with dots between them' },
    ])
    expect(heard).toEqual([])
  })
})

describe('a viewer', () => {
  test('follows, is seen, and is refused with 4403 when it writes', async () => {
    const at = await newGuardedApp()
    const editor = connect(at, await tokenOf())
    await editor.synced
    await editor.write((doc) => writeStep(doc, 'a'))
    const viewer = connect(at, await tokenOf({ sub: 'eve', role: 'viewer' }))
    await viewer.until((doc) => textsIn(doc).length === 1)
    // What is known already may be sent again, the deletions too.
    editor.doc.getArray('outline').delete(0)
    await viewer.until((doc) => Y.createDeleteSetFromStructStore(doc.store).clients.size > 0)
    const echo = once(viewer.socket, 'message')
    viewer.send(updateFrame(Y.encodeStateAsUpdate(viewer.doc)))
    await echo
    await editor.write((doc) => writeStep(doc, 'b'))
    await viewer.until((doc) => textsIn(doc).includes('b'))
    writeStep(viewer.doc, 'mine')
    expect(await viewer.closed).toEqual({ code: 4403, reason: 'you may read this plan, but not change it' })
    expect(textsIn(editor.doc)).not.toContain('mine')
    await editor.close()
  })

  test('cannot delete either, nor write by parts that lean on nothing', async () => {
    const at = await newGuardedApp()
    const editor = connect(at, await tokenOf())
    await editor.synced
    await editor.write((doc) => writeStep(doc, 'a'))
    const token = await tokenOf({ sub: 'eve', role: 'viewer' })
    const deleting = connect(at, token)
    await deleting.until((doc) => textsIn(doc).length === 1)
    deleting.doc.getArray('outline').delete(0)
    const gap = connect(at, token)
    await gap.synced
    const later_ = new Y.Doc()
    writeStep(later_, 'first')
    const before = Y.encodeStateVector(later_)
    writeStep(later_, 'second')
    gap.send(updateFrame(Y.encodeStateAsUpdate(later_, before)))
    expect((await Promise.all([deleting.closed, gap.closed])).map(({ code }) => code)).toEqual([4403, 4403])
    expect(textsIn(editor.doc)).toEqual(['a'])
    await editor.close()
  })

  for (const version of ['3.0.0', '3.1.0'] as const) {
    test(`with y-websocket ${version} stays in sync, and is seen`, async () => {
      const at = await newGuardedApp()
      const editor = connect(at, await tokenOf())
      await editor.synced
      await editor.write((doc) => writeStep(doc, 'a'))
      const doc = new Y.Doc()
      const provider = open(version, at, await tokenOf({ sub: 'eve', role: 'viewer' }), doc)
      await new Promise((resolve) => provider.once('sync', resolve))
      const seen = new Promise<void>((resolve) => {
        editor.socket.on('message', (data: Buffer) => {
          if (data.includes('"eve"')) resolve()
        })
      })
      provider.awareness.setLocalStateField('user', { name: 'eve' })
      await seen
      await editor.write((other) => writeStep(other, 'b'))
      await when(
        (check) => doc.on('update', check),
        () => textsIn(doc).length === 2,
      )
      expect(textsIn(doc)).toEqual(['a', 'b'])
      expect(provider.wsconnected).toBe(true)
      await editor.close()
    })
  }
})

test('nobody can speak for the presence of another', async () => {
  const at = await newGuardedApp()
  const [ada, eve, spy] = [
    connect(at, await tokenOf()),
    connect(at, await tokenOf({ sub: 'eve', role: 'viewer' })),
    connect(at, await tokenOf({ sub: 'spy' })),
  ]
  await Promise.all([ada.synced, eve.synced, spy.synced])
  const states: string[] = []
  spy.socket.on('message', (data: Buffer) => {
    const message = readServerMessage(new Uint8Array(data))
    if (message.type === 'awareness') states.push(...message.states.map(({ client, state }) => `${client} ${state}`))
  })
  const heard = (text: string) =>
    when(
      (check) => spy.socket.on('message', check),
      () => states.includes(text),
    )
  ada.send(awarenessFrame({ client: 1, clock: 1, state: '"ada"' }))
  await heard('1 "ada"')
  eve.send(awarenessFrame({ client: 1, clock: 9, state: '"eve"' }, { client: 1, clock: 10, state: 'null' }))
  eve.send(awarenessFrame({ client: 2, clock: 1, state: '"eve herself"' }))
  await heard('2 "eve herself"')
  expect(states).toEqual(['1 "ada"', '2 "eve herself"'])
  await Promise.all([ada.close(), eve.close(), spy.close()])
})

describe('the end of a token', () => {
  test('closes its socket with 4401 at that time', async () => {
    const at = await newGuardedApp()
    const exp = Math.floor(Date.now() / 1_000) + 2
    const [short, long] = [connect(at, await tokenOf({ exp })), connect(at, await tokenOf())]
    await Promise.all([short.synced, long.synced])
    expect(await short.closed).toEqual({ code: 4401, reason: 'your token has expired' })
    await long.write((doc) => writeStep(doc, 'still here'))
    await long.close()
  })

  test('[RL-52] a revocation closes with 4403, and the others stay in sync', async () => {
    const at = await newGuardedApp()
    const [ada, again, bob, eve] = [
      connect(at, await tokenOf()),
      connect(at, await tokenOf()),
      connect(at, await tokenOf({ sub: 'bob' })),
      connect(at, await tokenOf({ sub: 'eve' })),
    ]
    await Promise.all([ada.synced, again.synced, bob.synced, eve.synced])
    const answer = await revoke(at, { subject: 'ada' })
    expect([answer.status, await answer.json()]).toMatchObject([200, { revoked: { subject: 'ada' }, closed: 2 }])
    const reason = { code: 4403, reason: 'your token was revoked' }
    expect(await Promise.all([ada.closed, again.closed])).toEqual([reason, reason])
    await bob.write((doc) => writeStep(doc, 'bob is here'))
    await eve.until((doc) => textsIn(doc).includes('bob is here'))
    const back = connect(at, await tokenOf({ iat: Math.floor(Date.now() / 1_000) - 10 }))
    expect(await back.closed).toEqual({ code: 4403, reason: 'the token was revoked' })
    await Promise.all([bob.close(), eve.close()])
  })

  test('a revoked client that does not hang up is out all the same', async () => {
    const at = await newGuardedApp()
    const bob = connect(at, await tokenOf({ sub: 'bob' }))
    const mallory = connect(at, await tokenOf({ sub: 'mallory' }))
    await Promise.all([bob.synced, mallory.synced])
    const states: string[] = []
    bob.socket.on('message', (data: Buffer) => {
      const message = readServerMessage(new Uint8Array(data))
      if (message.type === 'awareness') states.push(...message.states.map(({ state }) => state))
    })
    mallory.send(awarenessFrame({ client: 7, clock: 1, state: '"mallory"' }))
    await when(
      (check) => bob.socket.on('message', check),
      () => states.length > 0,
    )
    mallory.socket.pause() // the close frame is never read, and never answered
    await revoke(at, { subject: 'mallory' })
    writeStep(mallory.doc, 'too late')
    await bob.write((doc) => writeStep(doc, 'in time'))
    expect(textsIn(bob.doc)).toEqual(['in time'])
    // Who is there is told in rounds.
    await when(
      (check) => bob.socket.on('message', check),
      () => states.length > 1,
    )
    expect(states).toEqual(['"mallory"', 'null'])
    mallory.socket.terminate()
    await bob.close()
  })

  test('one token can be revoked by its id, and nonsense is 400', async () => {
    const at = await newGuardedApp()
    const [first, second] = [await tokenOf(), await tokenOf()]
    const [one, two] = [connect(at, first), connect(at, second)]
    await Promise.all([one.synced, two.synced])
    const { jti } = JSON.parse(Buffer.from(first.split('.')[1] ?? '', 'base64url').toString()) as { jti: string }
    expect((await revoke(at, { tokenId: jti })).status).toBe(200)
    expect((await one.closed).code).toBe(4403)
    await two.write((doc) => writeStep(doc, 'still here'))
    for (const body of [{}, { subject: '' }, { subject: 'a', tokenId: 'b' }, { subject: ['a'] }, [], { name: 'ada' }]) {
      expect((await revoke(at, body)).status).toBe(400)
    }
    await two.close()
  })
})

type Version = '3.0.0' | '3.1.0'

function open(version: Version, { socketUrl }: Guarded, token: string, doc = new Y.Doc()): WebsocketProvider {
  const Class = version === '3.0.0' ? Provider30 : WebsocketProvider
  // The polyfill is typed as the browser's WebSocket, of which ws has all that the provider uses.
  const WebSocketPolyfill = WebSocket as unknown as typeof globalThis.WebSocket
  const options = { WebSocketPolyfill, disableBc: true, params: { token } }
  const provider = new Class(socketUrl, T, doc, options) as unknown as WebsocketProvider
  later(() => provider.destroy())
  return provider
}

test('[RL-30] 100 clients with an expired token hear nothing but that, however often they come, and 3.1 stops and knows why', async () => {
  const at = await newGuardedApp()
  const expired = await tokenOf({ iat: Math.floor(Date.now() / 1_000) - 60, exp: Math.floor(Date.now() / 1_000) - 1 })
  const old = Array.from({ length: 50 }, () => open('3.0.0', at, expired))
  const modern = Array.from({ length: 50 }, () => open('3.1.0', at, expired))
  const attempts = new Map<WebsocketProvider, number>()
  for (const provider of [...old, ...modern]) {
    attempts.set(provider, 1)
    provider.on('status', ({ status }) => {
      if (status === 'connecting') attempts.set(provider, (attempts.get(provider) ?? 0) + 1)
    })
  }
  const ends = modern.map(
    (provider) => new Promise((resolve) => provider.on('closed', ({ code, reason }) => resolve(`${code} ${reason}`))),
  )
  // How long each refusal is kept back is in refusals.test.ts, by a clock that the test moves.
  await Promise.all(
    old.map((provider) =>
      when(
        (check) => provider.on('status', check),
        () => (attempts.get(provider) ?? 0) > 3,
      ),
    ),
  )
  expect(new Set(await Promise.all(ends))).toEqual(new Set(['4401 the token has expired']))
  for (const provider of modern) expect(attempts.get(provider)).toBe(1)
})
