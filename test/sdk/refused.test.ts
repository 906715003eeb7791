import * as Y from 'yjs'
import { describe, expect, test } from 'vitest'
import { decodeRecord, encodeRecord } from '../../client/sdk/records.ts'
import { memoryStore } from '../../client/sdk/store.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import { add, agreeing, live, next, onServer, rename, serve, texts, until } from './live.ts'
import { proxy } from './proxy.ts'

/** A store in which there is something that no server takes. */
async function spoiltStore() {
  const store = memoryStore()
  const doc = new Y.Doc()
  doc.getMap('foreign').set('key', new Y.Text('no plan'))
  await store.append(encodeRecord({ kind: 'update', update: Y.encodeStateAsUpdate(doc) }))
  return store
}
const holds = (frame: Buffer, word: string): boolean => frame[0] === 0 && frame[1] !== 0 && frame.includes(word)

describe('a copy that the server will not have', () => {
  test('is kept aside, a fresh one is synced, and what was not saved is done again on it', async () => {
    const server = await serve()
    const bob = live(server.url)
    const shared = add(bob, 'shared')
    await bob.whenSaved()

    const store = await spoiltStore()
    const ada = live(server.url, { store, connect: false })
    await ada.whenLoaded()
    const own = add(ada, 'own')
    add(ada, 'below', own)
    rename(ada, own, 'own, renamed')
    expect(ada.unsaved).toBe(3)
    const told = next(ada, 'setAside')
    ada.goOnline()
    expect((await told).setAside).toMatchObject({ code: 4422, where: '0', lost: [] })
    await agreeing(server, ada, bob)
    expect(texts(ada)).toEqual(['shared', 'own, renamed', 'below'])
    expect(ada.unsaved).toBe(0)
    // What was there, three changes, and what the server answered before it refused.
    expect(store.aside[0]).toHaveLength(5)
    expect(ada.plan.step(own)).toMatchObject({ id: own, depth: 0 })
    // Undo knows nothing of it.
    expect(ada.undo()?.leftOut).toEqual([])
    expect(texts(ada)).toEqual(['shared', 'own', 'below'])
    expect(ada.plan.step(shared)).toBeDefined()
    await ada.close()

    const again = live(server.url, { store })
    await agreeing(server, again, bob)
    expect(texts(again)).toEqual(['shared', 'own', 'below'])
  })

  test('one that cannot be kept aside stays where it is, and no change is lost', async () => {
    const server = await serve()
    const store = await spoiltStore()
    const full = { ...store, setAside: () => Promise.reject(new Error('The disk is full.')) }
    const ada = live(server.url, { store: full })
    await ada.whenLoaded()
    const told = next(ada, 'setAside')
    add(ada, 'own')
    expect((await told).setAside).toMatchObject({ code: 4422, where: null })
    await agreeing(server, ada)
    await ada.close()
    const again = live(server.url, { store: full })
    await again.whenLoaded()
    expect(texts(again)).toEqual(['own'])
    await agreeing(server, again)
    expect(texts(again)).toEqual(['own'])
  })

  test('what is shown goes on being shown, and can be changed, until the fresh one is there', async () => {
    const server = await serve()
    const store = await spoiltStore()
    let isHeld = false
    const between = await proxy(server.url, { passes: () => !isHeld, judge: (frame) => holds(frame, 'foreign') ? ((isHeld = true), 4422) : null }) // prettier-ignore
    const ada = live(between.url, { store })
    await ada.whenLoaded()
    add(ada, 'one')
    await until(ada, () => ada.status.kind === 'offline')
    add(ada, 'two')
    expect(texts(ada)).toEqual(['one', 'two'])
    const seen: string[][] = []
    ada.subscribe(() => seen.push(texts(ada)))
    isHeld = false
    between.close(1012, '')
    await ada.whenSaved()
    expect(texts(ada)).toEqual(['one', 'two'])
    expect(new Set(seen.map((one) => one.join()))).toEqual(new Set(['one,two']))
    expect((await onServer(server)).steps).toHaveLength(2)
  })

  test('one change among many that is too large is found, kept aside and left out; the others arrive', async () => {
    const server = await serve()
    const between = await proxy(server.url, { judge: (frame) => (holds(frame, 'poison') ? 4413 : null) })
    const store = memoryStore()
    const ada = live(between.url, { store, connect: false })
    const lost: string[] = []
    ada.subscribe((event) => {
      if (event.type === 'setAside') lost.push(...event.setAside.lost)
    })
    for (let n = 0; n < 5; n++) add(ada, `good ${n}`)
    add(ada, 'poison')
    for (let n = 5; n < 10; n++) add(ada, `good ${n}`)
    ada.goOnline()
    await ada.whenSaved()
    expect(texts(ada)).toEqual(Array.from({ length: 10 }, (_, n) => `good ${n}`))
    await agreeing(server, ada)
    await until(ada, () => lost.length > 0)
    expect(lost).toEqual(['poison'])
    expect(store.aside.length).toBeGreaterThan(0)
    // And it goes on as if nothing had been.
    add(ada, 'more')
    await agreeing(server, ada)
    add(ada, 'poison again')
    await until(ada, () => lost.length === 2)
    await agreeing(server, ada)
    expect(texts(ada)).not.toContain('poison again')
  })

  test('what is done again does not bring back what others removed meanwhile', async () => {
    const server = await serve()
    const bob = live(server.url)
    const ids = ['a', 'b'].map((text) => add(bob, text))
    await bob.whenSaved()
    const store = await spoiltStore()
    const first = live(server.url, { store: memoryStore() })
    await agreeing(server, first, bob)
    first.goOffline()
    // Ada has the plan, in a spoilt store.
    const doc = new Y.Doc()
    const state = await fullState(server.url)
    Y.applyUpdate(doc, state)
    await store.append(encodeRecord({ kind: 'update', update: state }))
    const ada = live(server.url, { store, connect: false })
    await ada.whenLoaded()
    rename(ada, ids[0] as StepId, 'renamed')
    add(ada, 'below b', ids[1])
    bob.apply([{ type: 'removeSteps', steps: ids, subSteps: true }])
    await bob.whenSaved()
    ada.goOnline()
    await agreeing(server, ada, bob)
    expect(texts(ada)).toEqual(['below b'])
  })

  test('a part that was lost in the store is mended the same way', async () => {
    const server = await serve()
    const store = memoryStore()
    const records: Uint8Array[] = []
    const keep = store.append.bind(store)
    store.append = (record) => {
      records.push(record)
      return keep(record)
    }
    const first = live(server.url, { store, connect: false })
    for (let n = 0; n < 6; n++) add(first, `step ${n}`)
    await first.close()
    const damaged = memoryStore()
    for (const record of records.filter((_, n) => n !== 2)) await damaged.append(record)
    const ada = live(server.url, { store: damaged })
    await ada.whenSaved()
    await agreeing(server, ada)
    expect(texts(ada)).toEqual([0, 1, 3, 4, 5].map((n) => `step ${n}`))
  })
})

/** All that a server has, as a client gets it. */
async function fullState(url: string): Promise<Uint8Array> {
  const store = memoryStore()
  const reader = live(url, { store })
  await reader.whenSynced()
  await reader.close()
  const doc = new Y.Doc()
  for (const bytes of await store.load()) {
    const record = decodeRecord(bytes)
    if (record?.kind === 'update') Y.applyUpdate(doc, record.update)
  }
  return Y.encodeStateAsUpdate(doc)
}
