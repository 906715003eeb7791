import { describe, expect, test } from 'vitest'
import { backoffWithJitter } from '../../client/sdk/backoff.ts'
import type { PlanStatus } from '../../client/sdk/events.ts'
import { memoryStore } from '../../client/sdk/store.ts'
import { add, agreeing, live, next, onServer, serve, texts, until } from './live.ts'
import { proxy } from './proxy.ts'

const UPDATE = 2
const isUpdate = (frame: Buffer): boolean => frame[0] === 0 && frame[1] === UPDATE

describe('the status', () => {
  test('goes from connecting to online, offline when the server goes, and online again when it is back', async () => {
    const server = await serve()
    const ada = live(server.url)
    const seen: PlanStatus['kind'][] = [ada.status.kind]
    ada.subscribe(() => {
      if (seen.at(-1) !== ada.status.kind) seen.push(ada.status.kind)
    })
    await ada.whenSynced()
    add(ada, 'a')
    await ada.whenSaved()
    await server.stop()
    await until(ada, () => ada.status.kind === 'offline')
    add(ada, 'b')
    const again = await serve(undefined, server.port)
    await until(ada, () => ada.status.kind === 'online')
    expect(seen).toEqual(['connecting', 'online', 'offline', 'online'])
    // The second server has other data: what the first one had is brought again.
    await agreeing(again, ada)
    expect(texts(ada)).toEqual(['a', 'b'])
  })

  test('is offline while there is no server, and changes go on', async () => {
    const server = await serve()
    await server.stop()
    const ada = live(server.url)
    await until(ada, () => ada.status.kind === 'offline')
    add(ada, 'a')
    expect(ada.undo()?.changes).toHaveLength(1)
    expect(ada.version).toBeNull()
  })

  test('each permanent code ends it, says why, and is not tried again', async () => {
    const ends: PlanStatus[] = []
    for (const code of [4400, 4401, 4403, 4404, 4499]) {
      const server = await proxy(null, { greet: () => code })
      const ada = live(server.url)
      await until(ada, () => ada.status.kind !== 'connecting')
      await expect(ada.whenSynced()).rejects.toThrow(/refused|deleted/)
      ada.goOnline()
      expect(server.asked).toHaveLength(1)
      ends.push(ada.status)
    }
    const why = 'as the test says'
    expect(ends).toEqual([
      { kind: 'refused', code: 4400, why },
      { kind: 'refused', code: 4401, why },
      { kind: 'refused', code: 4403, why },
      { kind: 'deleted' },
      { kind: 'refused', code: 4499, why },
    ])
  })

  test('a copy that is refused though it is empty is not tried again', async () => {
    const server = await proxy(null, { greet: () => 4422 })
    const ada = live(server.url)
    await until(ada, () => ada.status.kind === 'refused')
    expect(server.asked.length).toBeLessThanOrEqual(2)
  })

  test('transient codes are tried again', async () => {
    const server = await serve()
    const codes = [1011, 1012, 1013, 4500, 4503, 4599]
    const between = await proxy(server.url, { greet: (count) => codes[count - 1] ?? null })
    const ada = live(between.url)
    await ada.whenSynced()
    expect(between.asked).toHaveLength(codes.length + 1)
  })
})

describe('coming back', () => {
  test('waits longer each time, and never as long as the others', () => {
    const least = backoffWithJitter(() => 0)
    const most = backoffWithJitter(() => 1)
    expect([1, 2, 3, 4, 20].map(least)).toEqual([200, 400, 800, 1_600, 15_000])
    expect([1, 2, 3, 4, 20].map(most)).toEqual([400, 800, 1_600, 3_200, 30_000])
    const some = backoffWithJitter()
    expect(new Set(Array.from({ length: 20 }, () => some(3))).size).toBeGreaterThan(10)
  })

  test('begins anew with the shortest wait once it was online', async () => {
    const server = await serve()
    const waited: number[] = []
    const between = await proxy(server.url, { greet: (count) => (count <= 3 ? 1013 : null) })
    const ada = live(between.url, { backoff: (failures) => waited.push(failures) && 5 })
    await ada.whenSynced()
    between.close(1012, 'going down')
    await until(ada, () => ada.status.kind === 'offline')
    await ada.whenSynced()
    expect(waited).toEqual([1, 2, 3, 1])
  })

  test('waits longer and longer for a server that answers, but does not take what it is brought', async () => {
    const server = await serve()
    const waited: number[] = []
    let refusals = 4
    const between = await proxy(server.url, {
      judge: (frame) => (frame.includes('odd') && refusals-- > 0 ? 4500 : null),
    })
    const ada = live(between.url, { connect: false, backoff: (failures) => waited.push(failures) && 5 })
    add(ada, 'odd')
    ada.goOnline()
    await ada.whenSaved()
    between.close(1012, '')
    await until(ada, () => ada.status.kind === 'offline')
    await ada.whenSynced()
    expect(waited).toEqual([1, 2, 3, 4, 1])
  })

  test('asks for a fresh token each time, also when the old one was refused', async () => {
    const server = await serve()
    let given = 0
    const between = await proxy(server.url, {
      greet: (_count, _address, token) => (token === 'token-1' ? 4401 : null),
    })
    const ada = live(between.url, { name: 'ada', token: async () => `token-${++given}` })
    await ada.whenSynced()
    between.close(1013, '')
    await until(ada, () => ada.status.kind === 'offline')
    await ada.whenSynced()
    const parameters = between.asked.map((path) => Object.fromEntries(new URL(path, 'http://x').searchParams))
    expect(between.tokens).toEqual(['token-1', 'token-2', 'token-3'])
    expect(parameters[0]).toEqual({ name: 'ada', id: 'ada', kind: 'human', planroom: '1' })
  })

  test('a token that is refused twice in a row ends it; one that cannot be had is asked for again', async () => {
    const strict = await proxy(null, { greet: () => 4401 })
    let tries = 0
    const ada = live(strict.url, {
      token: () => {
        if (++tries <= 2) throw new Error('no network')
        return 'old'
      },
    })
    await until(ada, () => ada.status.kind === 'refused')
    expect(tries).toBe(4)
    expect(strict.asked).toHaveLength(2)
  })

  test('goes on at once when the network is back', async () => {
    const server = await serve()
    const between = await proxy(server.url, { greet: (count) => (count === 1 ? 1013 : null) })
    const bus = new EventTarget()
    const target = globalThis as unknown as Record<string, unknown>
    target['addEventListener'] = bus.addEventListener.bind(bus)
    target['removeEventListener'] = bus.removeEventListener.bind(bus)
    try {
      const ada = live(between.url, { backoff: () => 3_600_000 })
      await until(ada, () => ada.status.kind === 'offline')
      bus.dispatchEvent(new Event('online'))
      await ada.whenSynced()
      await ada.close()
    } finally {
      delete target['addEventListener']
      delete target['removeEventListener']
    }
  })
})

describe('what is written meanwhile', () => {
  test('[RL-26] edits before the connection is open, and while it comes back, arrive', async () => {
    const server = await serve()
    const between = await proxy(server.url, {})
    const ada = live(between.url)
    add(ada, 'before it is open')
    await ada.whenSynced()
    add(ada, 'at once after')
    for (let round = 0; round < 5; round++) {
      between.close(1012, '')
      add(ada, `cut ${round}`)
      await until(ada, () => ada.status.kind === 'offline')
      add(ada, `away ${round}`)
      const back = ada.whenSynced()
      add(ada, `coming back ${round}`)
      await back
      add(ada, `back ${round}`)
    }
    await agreeing(server, ada)
    expect(texts(ada)).toHaveLength(22)
    expect(ada.unsaved).toBe(0)
  })

  test('[RL-26] edits made at every frame of the handshake arrive', async () => {
    const server = await serve()
    let frames = 0
    const between = await proxy(server.url, {
      passes: () => {
        add(ada, `frame ${++frames}`)
        return true
      },
      judge: (frame) => {
        if (frames < 30 && !isUpdate(frame)) add(ada, `sent ${++frames}`)
        return null
      },
    })
    const ada = live(between.url)
    // Every frame that comes brings another edit, and with it another echo: let it be, some time.
    await until(ada, () => frames > 40)
    between.close(4499, 'enough')
    await until(ada, () => ada.status.kind === 'refused')
    const bob = live(server.url)
    await bob.whenSynced()
    const all = texts(ada)
    expect(texts(bob).every((text) => all.includes(text))).toBe(true)
    expect(texts(bob).length).toBeGreaterThan(20)
  })

  test('[RL-25] an update that was lost on the way is asked for', async () => {
    const server = await serve()
    let drop = 0
    const between = await proxy(server.url, { passes: (frame) => !(isUpdate(frame) && drop-- > 0) })
    const ada = live(between.url)
    const bob = live(server.url)
    await Promise.all([ada.whenSynced(), bob.whenSynced()])
    drop = 1
    add(bob, 'lost on the way')
    await bob.whenSaved()
    add(bob, 'leans on it')
    await until(ada, () => ada.steps.length === 2)
    await agreeing(server, ada, bob)
  })

  test('an update counts as saved when its echo came, not when it was sent', async () => {
    const server = await serve()
    let isDeaf = false
    const between = await proxy(server.url, { passes: () => !isDeaf })
    const ada = live(between.url)
    await ada.whenSynced()
    isDeaf = true
    add(ada, 'a')
    const bob = live(server.url)
    await until(bob, () => bob.steps.length === 1)
    expect(ada.unsaved).toBe(1)
    // After a reconnect the server's state says that it has it: there need not be an echo.
    isDeaf = false
    between.close(1012, '')
    await until(ada, () => ada.status.kind === 'offline')
    expect(ada.unsaved).toBe(1)
    await ada.whenSaved()
    expect((await onServer(server)).version).toBe(1)
  })

  test('[RL-59] two live plans of one origin tell each other nothing but through the server', async () => {
    const server = await serve()
    await server.stop()
    const ada = live(server.url, { store: memoryStore() })
    const bob = live(server.url)
    const heard = next(ada, 'status')
    add(ada, 'only mine')
    await heard
    expect(texts(bob)).toEqual([])
  })
})
