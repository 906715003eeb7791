import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IDBFactory } from 'fake-indexeddb'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fileStore } from '../../client/sdk/file-store.ts'
import { indexedDbStore } from '../../client/sdk/indexed-db-store.ts'
import { decodeRecord, encodeRecord } from '../../client/sdk/records.ts'
import type { PlanStore } from '../../client/sdk/store.ts'
import { memoryStore } from '../../client/sdk/store.ts'
import { add, agreeing, find, live, next, onServer, rename, serve, texts, until } from './live.ts'

async function newFolder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'planroom-stores-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** How each kind of store is opened, again and again at the same place. */
const kinds: Record<string, () => Promise<() => PlanStore>> = {
  file: async () => {
    const directory = await newFolder()
    return () => fileStore(join(directory, 'plan.log'))
  },
  IndexedDB: async () => {
    const factory = new IDBFactory()
    return () => indexedDbStore('plan', factory)
  },
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const words = (records: readonly Uint8Array[]): string[] => records.map((one) => new TextDecoder().decode(one))

for (const [kind, start] of Object.entries(kinds)) {
  describe(`a store of the kind ${kind}`, () => {
    test('keeps records in order, replaces them at once, sets them aside and forgets them', async () => {
      const open = await start()
      let store = open()
      expect(await store.load()).toEqual([])
      await Promise.all(['a', 'b', 'c'].map((text) => store.append(bytes(text))))
      const replaced = store.replace([bytes('abc')])
      const added = store.append(bytes('d'))
      await Promise.all([replaced, added])
      await store.close()
      store = open()
      expect(words(await store.load())).toEqual(['abc', 'd'])
      expect(await store.setAside()).toMatch(/./)
      await store.replace([bytes('e')])
      await store.replace([bytes('f'), bytes('g')])
      await store.close()
      store = open()
      expect(words(await store.load())).toEqual(['f', 'g'])
      await store.clear()
      await store.close()
      store = open()
      expect(await store.load()).toEqual([])
      await store.close()
    })

    test('changes that were not saved are there after a restart, are counted, and reach the server', async () => {
      const server = await serve()
      const open = await start()
      const first = live(server.url, { store: open(), name: 'ada' })
      add(first, 'saved')
      await first.whenSaved()
      first.goOffline()
      const id = add(first, 'not saved')
      rename(first, id, 'not saved yet')
      await first.close()

      const second = live(server.url, { store: open(), name: 'ada', connect: false })
      const loaded = next(second, 'change')
      await second.whenLoaded()
      expect((await loaded).origin).toBe('store')
      expect(texts(second)).toEqual(['saved', 'not saved yet'])
      expect(second.unsaved).toBe(2)
      add(second, 'more')
      expect(second.unsaved).toBe(3)
      await second.close()

      const third = live(server.url, { store: open(), name: 'ada' })
      await third.whenSaved()
      await agreeing(server, third)
      expect(texts(third)).toEqual(['saved', 'not saved yet', 'more'])
      await third.close()

      const fourth = live(server.url, { store: open(), name: 'ada', connect: false })
      await fourth.whenLoaded()
      expect(fourth.unsaved).toBe(0)
      expect((await onServer(server)).steps).toHaveLength(3)
      await fourth.close()
    })

    test('what was changed before the store was read is kept, and counted, too', async () => {
      const open = await start()
      const first = live('http://127.0.0.1:9', { store: open(), connect: false })
      add(first, 'at once')
      await first.close()
      const second = live('http://127.0.0.1:9', { store: open(), connect: false })
      add(second, 'before it was read')
      await second.whenLoaded()
      expect(texts(second).toSorted()).toEqual(['at once', 'before it was read'])
      expect(second.unsaved).toBe(2)
      await second.close()
      const third = live('http://127.0.0.1:9', { store: open(), connect: false })
      await third.whenLoaded()
      expect(texts(third).toSorted()).toEqual(['at once', 'before it was read'])
      expect(third.unsaved).toBe(2)
      await third.close()
    })

    test('stays small however often something is changed, and loses nothing by it', async () => {
      const open = await start()
      const server = await serve()
      const writer = live(server.url, { name: 'writer' })
      const busy = live(server.url, { store: open(), name: 'busy' })
      await Promise.all([writer.whenSynced(), busy.whenSynced()])
      const step = add(writer, 'x')
      for (let n = 0; n < 1_100; n++) rename(writer, step, `x ${n}`)
      await writer.whenSaved()
      await until(busy, () => texts(busy).includes('x 1099'))
      busy.goOffline()
      add(busy, 'own')
      await busy.close()
      const store = open()
      const records = await store.load()
      expect(records.length).toBeLessThan(600)
      await store.close()
      const again = live(server.url, { store: open(), connect: false })
      await again.whenLoaded()
      expect(texts(again)).toEqual(expect.arrayContaining(['x 1099', 'own']))
      expect(again.unsaved).toBe(1)
      await again.close()
    })
  })
}

describe('a database of the browser', () => {
  test('[RL-22] a corrupt entry does not block loading: the others are there, and what was lost comes from the server', async () => {
    const server = await serve()
    const factory = new IDBFactory()
    const bob = live(server.url, { name: 'bob' })
    const ada = live(server.url, { store: indexedDbStore('plan', factory), name: 'ada' })
    for (let n = 0; n < 20; n++) add(bob, `step ${n}`)
    await bob.whenSaved()
    await until(ada, () => ada.steps.length === 20)
    await ada.whenKept()
    await ada.close()
    const broken: unknown[] = [
      'nonsense',
      new Uint8Array([9, 9, 9]),
      null,
      encodeRecord({ kind: 'update', update: Uint8Array.of(1, 2, 3) }),
    ]
    await overwrite(factory, broken)

    const again = live(server.url, { store: indexedDbStore('plan', factory), name: 'ada', connect: false })
    await again.whenLoaded()
    expect(again.getSnapshot().storeProblem).toBeNull()
    add(again, 'goes on')
    again.goOnline()
    await agreeing(server, again, bob)
    expect(texts(again)).toHaveLength(21)
    await again.close()
  })

  test('two tabs share it: neither takes away what the other has not saved', async () => {
    const factory = new IDBFactory()
    const open = () => live('http://127.0.0.1:9', { store: indexedDbStore('plan', factory), connect: false })
    const [one, two] = [open(), open()]
    await Promise.all([one.whenLoaded(), two.whenLoaded()])
    add(two, 'of tab two')
    const id = add(one, 'of tab one')
    // Enough for tab one to write all anew.
    for (let n = 0; n < 600; n++) rename(one, id, `of tab one ${n}`)
    await Promise.all([one.close(), two.close()])
    const again = open()
    await again.whenLoaded()
    expect(texts(again).toSorted()).toEqual(['of tab one 599', 'of tab two'])
    await again.close()
  })

  test('one that does not open, or fails, costs the keeping and not the plan', async () => {
    const server = await serve()
    const full = () => Promise.reject(new Error('The disk is full.'))
    const store: PlanStore = { ...memoryStore(), append: full, replace: full }
    const ada = live(server.url, { store })
    const told = next(ada, 'store')
    add(ada, 'a')
    expect((await told).problem).toBe('The disk is full.')
    await agreeing(server, ada)
    expect(ada.getSnapshot().storeProblem).toBe('The disk is full.')

    const shut: PlanStore = { ...memoryStore(), load: full }
    const bob = live(server.url, { store: shut })
    await agreeing(server, bob)
    expect(bob.getSnapshot().storeProblem).toBe('The disk is full.')
    rename(bob, find(bob, 'a'), 'b')
    await agreeing(server, ada, bob)
  })

  test('one that never opens is not waited for', async () => {
    const server = await serve()
    const ada = live(server.url, { store: { ...memoryStore(), load: () => new Promise(() => {}) } })
    add(ada, 'a')
    await agreeing(server, ada)
    expect(ada.getSnapshot().storeProblem).toBe('It does not open.')
    const again = live(server.url)
    await agreeing(server, again)
    expect(texts(again)).toEqual(['a'])
  })
})

describe('records', () => {
  test('are read as they were written; what is no record is none', () => {
    const footprint = { steps: [], groups: [], title: ['a', 'b'], groupTitles: {} } as const
    const update = Uint8Array.of(1, 2, 3)
    for (const record of [
      { kind: 'update', update },
      { kind: 'own', id: 'x', footprint, update },
      { kind: 'saved', ids: ['x', 'y'] },
      { kind: 'todo', id: 'x', footprint },
    ] as const)
      expect(decodeRecord(encodeRecord(record))).toEqual(record)
    for (const bad of [[], [99], [1, 200], [2, 3, 1, 1, 1]]) expect(decodeRecord(Uint8Array.from(bad))).toBeNull()
  })
})

/** Puts values in the place of the first records of a database. */
async function overwrite(factory: IDBFactory, values: readonly unknown[]): Promise<void> {
  const request = factory.open('plan', 1)
  await new Promise((resolve) => request.addEventListener('success', resolve))
  const database = request.result
  const transaction = database.transaction(['records'], 'readwrite')
  const store = transaction.objectStore('records')
  const keys = store.getAllKeys()
  keys.addEventListener('success', () => {
    // The first brings the whole plan: without it all that follows leans on nothing.
    values.forEach((value, i) => store.put(value, keys.result[i + 2]))
  })
  await new Promise((resolve) => transaction.addEventListener('complete', resolve))
  database.close()
}
