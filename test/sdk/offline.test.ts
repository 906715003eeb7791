import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as Y from 'yjs'
import { IDBFactory } from 'fake-indexeddb'
import { indexedDbStore } from '../../client/sdk/indexed-db-store.ts'
import type { LivePlan } from '../../client/sdk/live-plan.ts'
import { decodeRecord } from '../../client/sdk/records.ts'
import { memoryStore } from '../../client/sdk/store.ts'
import { planTools } from '../../client/sdk/tools.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import type { Storage } from '../../server/rooms/storage.ts'
import type { StepId, ThreadId } from '../../shared/schema/ids.ts'
import { newDataDirectory } from '../helpers/server-process.ts'
import { call } from '../helpers/http.ts'
import type { TestServer } from './live.ts'
import { add, agreeing, find, live, onServer, outlineOf, rename, serve, texts, until } from './live.ts'

const factory = new IDBFactory()
const remove = (plan: LivePlan, id: StepId) => plan.apply([{ type: 'removeSteps', steps: [id], subSteps: true }])
const complete = (plan: LivePlan, id: StepId) => plan.apply([{ type: 'setStep', id, fields: { status: 'completed' } }])
const move = (plan: LivePlan, id: StepId, parent: StepId | null) =>
  plan.apply([{ type: 'moveSteps', steps: [id], parent, after: null }])

/** Many edits of all kinds by somebody who is offline, none of them in vain. */
function workOffline(plan: LivePlan, me: string): void {
  for (let n = 0; n < 40; n++) {
    const own = add(plan, `${me} ${n}`, n % 3 === 0 ? find(plan, `shared ${n % 10}`) : null)
    if (n % 4 === 0) complete(plan, own)
    if (n % 5 === 0) rename(plan, own, `${me} ${n}!`)
    if (n % 7 === 0) move(plan, own, null)
    if (n % 9 === 8) remove(plan, own)
  }
}
/** What of it has to stand in the end. */
const standing = (me: string): string[] =>
  Array.from({ length: 40 }, (_, n) => n)
    .filter((n) => n % 9 !== 8)
    .map((n) => `${me} ${n}${n % 5 === 0 ? '!' : ''}`)

describe('two who were offline for many edits each', () => {
  for (const [first, second] of [
    ['ada', 'bob'],
    ['bob', 'ada'],
  ] as const)
    // prettier-ignore
    test(`merge without loss when ${first} comes back first`, async () => {
      const server = await serve()
      const ada = live(server.url, { name: 'ada' })
      const bob = live(server.url, { name: 'bob' })
      const both = { ada, bob }
      for (let n = 0; n < 10; n++) add(ada, `shared ${n}`)
      await agreeing(server, ada, bob)
      for (const one of [ada, bob]) one.goOffline()

      workOffline(ada, 'ada')
      complete(ada, find(ada, 'shared 4'))
      rename(ada, find(ada, 'shared 5'), 'both, by ada')
      ada.apply([{ type: 'removeSteps', steps: [find(ada, 'shared 7')], subSteps: false }])
      workOffline(bob, 'bob')
      rename(bob, find(bob, 'shared 4'), 'shared 4, renamed by bob')
      rename(bob, find(bob, 'shared 5'), 'both, by bob')
      rename(bob, find(bob, 'shared 7'), 'in vain')
      expect([ada.status.kind, bob.status.kind]).toEqual(['offline', 'offline'])
      // The server goes on meanwhile, with somebody else.
      await call(server.app, 'holiday', 'add_todos', { steps: [{ text: 'by an agent' }] })
      expect(ada.unsaved).toBeGreaterThan(60)

      both[first].goOnline()
      await both[first].whenSaved()
      expect(both[second].unsaved).toBeGreaterThan(60)
      both[second].goOnline()
      await agreeing(server, both[first], both[second])

      const all = texts(ada)
      expect(all).toEqual(expect.arrayContaining([...standing('ada'), ...standing('bob'), 'by an agent']))
      expect(new Set(all).size).toBe(all.length)
      // Different fields: both win. The same field: one of the two. A removal: wins, and what was below climbs.
      expect(ada.plan.step(find(ada, 'shared 4, renamed by bob'))?.status).toBe('completed')
      expect(all.filter((text) => text.startsWith('both, by'))).toHaveLength(1)
      expect(all).not.toContain('in vain')
      const numbers = ada.steps.map(({ number }) => number)
      expect(numbers).not.toContain(null)
      expect(new Set(numbers).size).toBe(numbers.length)
    })

  test('[RB-A8] a step that was done meanwhile is not opened again by an old copy', async () => {
    const server = await serve()
    const ada = live(server.url)
    const id = add(ada, 'a')
    await ada.whenSaved()
    const store = memoryStore()
    const old = live(server.url, { store })
    await agreeing(server, old)
    await old.close()
    complete(ada, id)
    await ada.whenSaved()
    const back = live(server.url, { store, connect: false })
    await back.whenLoaded()
    expect(back.plan.step(id)?.status).toBe('pending')
    back.apply([{ type: 'setStep', id, fields: { details: 'written offline' } }])
    back.goOnline()
    await agreeing(server, back, ada)
    expect(ada.plan.step(id)).toMatchObject({ status: 'completed', details: 'written offline' })
  })
})

describe('an agent that calls tools on its own copy', () => {
  test('offline from the beginning: its outline merges with what others did, and the server numbers it', async () => {
    const server = await serve()
    const agent = live(server.url, { name: 'agent', kind: 'agent', tools: planTools, connect: false })
    const steps = [{ text: 'Find the bug' }, { text: 'Mend it', depth: 1 }]
    expect(await agent.call('add_todos', { steps })).toMatchObject({ success: true, version: null })
    expect(await agent.call('toggle_todos', { indices: [1] })).toMatchObject({ success: true, version: null })
    expect(agent.unsaved).toBe(2)
    expect(agent.steps.map(({ number }) => number)).toEqual([null, null])
    await call(server.app, 'holiday', 'add_todos', { steps: [{ text: 'one' }] }, { 'x-agent-name': 'other' })
    agent.goOnline()
    await agreeing(server, agent)
    expect(outlineOf(agent).toSorted()).toEqual(['  Mend it', 'Find the bug (completed)', 'one'])
    expect(agent.steps.map(({ number }) => number).toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([1, 2, 3])
    expect(agent.steps.find(({ text }) => text === 'one')?.number).toBe(1)
    expect(agent.plan.step(find(agent, 'Mend it'))?.createdBy).toBe('agent')
    const listed = await agent.call('list_todos', {})
    expect(listed.text).toContain('one')
  })

  test('offline from the beginning, its tasks are numbered by the server, and it is told', async () => {
    const server = await serve()
    const agent = live(server.url, { name: 'agent', kind: 'agent', tools: planTools, connect: false })
    const first = await agent.call('plan_todo_write', {
      action: { type: 'Add', group: 'Debug', description: 'Look at the logs' },
    })
    const added = await agent.call('add_todos', { steps: [{ text: 'Find the bug' }, { text: 'Mend it', depth: 1 }] })
    expect(first).toMatchObject({ success: true, version: null })
    expect(added).toMatchObject({ success: true, version: null })
    const [id] = agent.steps.map((step) => step.id)
    const name = `task-~${id?.slice(0, 8)}`
    expect(first.text).toContain(name)

    await call(server.app, 'holiday', 'add_todos', { steps: [{ text: 'one' }, { text: 'two' }] }, { 'x-agent-name': 'other' }) // prettier-ignore
    agent.goOnline()
    await agreeing(server, agent)
    expect(Object.fromEntries(agent.steps.map(({ text, number }) => [text, number]))).toEqual({
      one: 1,
      two: 2,
      'Look at the logs': expect.any(Number) as number,
      'Find the bug': expect.any(Number) as number,
      'Mend it': expect.any(Number) as number,
    })
    const number = agent.steps.find((step) => step.id === id)?.number
    const next = await agent.call('plan_todo_read', { action: { type: 'List' } })
    expect(next.notes).toContainEqual(`${name} is now task-${number}`)
    expect(next.text).toContain(`task-${number}`)
    expect(next.version).toBeGreaterThan(0)
    // Told once.
    expect(JSON.stringify(await agent.call('plan_todo_read', { action: { type: 'List' } }))).not.toContain(name)
    // The old name is taken ever after.
    const done = await agent.call('plan_todo_cross_off', { action: { type: 'Complete', id: name } })
    expect(done.success).toBe(true)
    await agreeing(server, agent)
    expect(agent.plan.step(id as StepId)?.status).toBe('completed')
  })

  test('is told what others did while it was away, and keeps its references right', async () => {
    const server = await serve()
    const agent = live(server.url, { name: 'agent', kind: 'agent', tools: planTools })
    const bob = live(server.url, { name: 'bob' })
    await Promise.all([agent.whenSynced(), bob.whenSynced()])
    await agent.call('add_todos', { steps: [{ text: 'one' }, { text: 'two' }] })
    await agent.call('list_todos', {})
    await agreeing(server, agent, bob)
    agent.goOffline()
    await agent.call('add_todos', { steps: [{ text: 'three' }] })
    expect(await agent.call('toggle_todos', { indices: [3] })).toMatchObject({ success: true })
    bob.apply([{ type: 'moveSteps', steps: [find(bob, 'two')], parent: null, after: null }])
    rename(bob, find(bob, 'one'), 'uno')
    await bob.whenSaved()
    agent.goOnline()
    await agreeing(server, agent, bob)
    // #1 is another step by now: better refused than done to the wrong one.
    const refused = await agent.call('toggle_todos', { indices: [1] })
    expect(refused.success).toBe(false)
    expect(refused.text).toContain('two')
    expect(JSON.stringify(refused)).toContain('bob')
    expect(outlineOf(bob)).toEqual(['two', 'uno', 'three (completed)'])
  })
})

describe('what became of the thread meanwhile', () => {
  test('[RL-58] deleted: an offline client does not bring it back, and is told', async () => {
    const server = await serve()
    const store = memoryStore()
    const ada = live(server.url, { store })
    add(ada, 'a')
    await agreeing(server, ada)
    ada.goOffline()
    add(ada, 'b')
    const remains = await server.app.fetch(new Request(`${server.url}/threads/holiday`, { method: 'DELETE' }))
    expect(remains.status).toBeLessThan(300)
    ada.goOnline()
    await expect(ada.whenSaved()).rejects.toThrow('deleted')
    expect(ada.status).toEqual({ kind: 'deleted' })
    // It can be read still, and forgotten.
    expect(texts(ada)).toEqual(['a', 'b'])
    await ada.forget()
    expect(await store.load()).toEqual([])
    const again = live(server.url, { store })
    await until(again, () => again.status.kind === 'deleted')
    const answer = await server.app.fetch(new Request(`${server.url}/threads/holiday`))
    expect(answer.status).toBeGreaterThanOrEqual(400)
  })

  test('[RL-57] wiped: all that clients have comes back, nothing doubled', async () => {
    const server = await serve()
    const ada = live(server.url, { name: 'ada' })
    const bob = live(server.url, { name: 'bob' })
    for (let n = 0; n < 10; n++) add(n % 2 === 0 ? ada : bob, `step ${n}`)
    await agreeing(server, ada, bob)
    remove(ada, find(ada, 'step 3'))
    await agreeing(server, ada, bob)
    const before = outlineOf(ada)
    const numbers = ada.steps.map(({ number }) => number)
    await server.stop()
    await until(ada, () => ada.status.kind === 'offline')
    await until(bob, () => bob.status.kind === 'offline')
    add(ada, 'written meanwhile')
    const fresh = await serve(createMemoryStorage(), server.port)
    await agreeing(fresh, ada, bob)
    expect(outlineOf(ada).toSorted()).toEqual([...before, 'written meanwhile'].toSorted())
    expect(ada.steps.slice(0, 9).map(({ number }) => number)).toEqual(numbers)
  })

  test('[RL-57] put back to yesterday’s copy: the newer state comes back, after an offline time and a reload', async () => {
    const { directory, remove: clean } = await newDataDirectory()
    onTestFinished(clean)
    const live1 = join(directory, 'now')
    const yesterday = join(directory, 'yesterday')
    const open = async (path: string, port = 0): Promise<TestServer> =>
      serve(await openSqliteStorage({ directory: path, synchronous: 'NORMAL' }), port)

    let server = await open(live1)
    const store = indexedDbStore(`plan ${directory}`, factory)
    const ada = live(server.url, { name: 'ada', store })
    const [a, b, c] = ['a', 'b', 'c'].map((text) => add(ada, text)) as [StepId, StepId, StepId]
    await agreeing(server, ada)
    await server.stop()
    await cp(live1, yesterday, { recursive: true })

    server = await open(live1, server.port)
    await until(ada, () => ada.status.kind === 'online')
    rename(ada, a, 'a, today')
    remove(ada, b)
    move(ada, c, a)
    add(ada, 'd, today')
    await agreeing(server, ada)
    const saved = outlineOf(ada)
    await server.stop()
    await until(ada, () => ada.status.kind === 'offline')
    add(ada, 'e, offline')
    rename(ada, c, 'c, offline')
    await ada.whenKept()
    await ada.close()

    await rm(live1, { recursive: true })
    server = await open(yesterday, server.port)
    const fresh = live(server.url, { name: 'fresh' })
    await agreeing(server, fresh)
    expect(texts(fresh)).toEqual(['a', 'b', 'c'])
    const back = live(server.url, { name: 'ada', store: indexedDbStore(`plan ${directory}`, factory), connect: false })
    await back.whenLoaded()
    expect(back.unsaved).toBe(2)
    back.goOnline()
    await agreeing(server, back, fresh)
    expect(saved).toEqual(['a, today', '  c', 'd, today'])
    expect(outlineOf(fresh)).toEqual(['a, today', '  c, offline', 'd, today', 'e, offline'])
    expect(back.unsaved).toBe(0)
    await Promise.all([back.close(), fresh.close()])
    await server.stop()
  })

  test('[RL-57] what the server lost counts as unsaved until it has it again', async () => {
    const server = await serve()
    const ada = live(server.url)
    const id = add(ada, 'a')
    await agreeing(server, ada)
    // A copy from before the removal, as another client has it.
    const store = memoryStore()
    const witness = live(server.url, { store })
    await agreeing(server, witness)
    await witness.close()
    const storage = await storageOf(await store.load())
    remove(ada, id)
    await agreeing(server, ada)
    await server.stop()
    await until(ada, () => ada.status.kind === 'offline')
    expect(ada.unsaved).toBe(0)
    const counts: number[] = []
    ada.subscribe((event) => event.type === 'unsaved' && counts.push(event.unsaved))
    const restored = await serve(storage, server.port)
    await until(ada, () => ada.status.kind === 'online')
    await agreeing(restored, ada)
    expect(counts).toEqual([1, 0])
    expect((await onServer(restored)).steps).toEqual([])
  })
})

/** A server's storage with what a client kept. */
async function storageOf(records: readonly Uint8Array[]): Promise<Storage> {
  const storage = createMemoryStorage()
  const updates = records.flatMap((bytes) => {
    const record = decodeRecord(bytes)
    return record?.kind === 'update' ? [record.update] : []
  })
  const actor = { id: '', name: '', kind: 'human' } as const
  const deed = { version: 1, at: 1, actor, source: 'ws', tool: '', reasoning: '', summary: '' } as const
  await storage.append('holiday' as ThreadId, { ...deed, update: Y.mergeUpdates(updates) })
  return storage
}

describe('odd clients', () => {
  test('a tab with an old database brings only what is new to others', async () => {
    const server = await serve()
    const bob = live(server.url, { name: 'bob' })
    const tab = live(server.url, { name: 'ada', store: indexedDbStore('old tab', factory) })
    const ids = ['a', 'b', 'c'].map((text) => add(bob, text))
    await agreeing(server, tab, bob)
    tab.goOffline()
    add(tab, 'never sent')
    await tab.close()
    for (let n = 0; n < 30; n++) {
      rename(bob, ids[0] as StepId, `a ${n}`)
      remove(bob, add(bob, `gone ${n}`))
    }
    remove(bob, ids[1] as StepId)
    await bob.whenSaved()
    const again = live(server.url, { name: 'ada', store: indexedDbStore('old tab', factory) })
    await again.whenLoaded()
    expect(texts(again)).toEqual(['a', 'b', 'c', 'never sent'])
    await agreeing(server, again, bob)
    expect(texts(bob)).toEqual(['a 29', 'c', 'never sent'])
    await again.close()
  })

  for (const years of [-10, 10])
    test(`a clock that is ${Math.abs(years)} years ${years < 0 ? 'slow' : 'fast'} decides nothing`, async () => {
      const server = await serve()
      const now = () => Date.now() + years * 365 * 86_400_000
      const odd = live(server.url, { name: 'odd', now })
      const bob = live(server.url, { name: 'bob' })
      const id = add(odd, 'a')
      await agreeing(server, odd, bob)
      // One after the other: the later one wins, whatever its clock says.
      rename(bob, id, 'by bob')
      await until(odd, () => texts(odd)[0] === 'by bob')
      rename(odd, id, 'by odd')
      await until(bob, () => texts(bob)[0] === 'by odd')
      rename(bob, id, 'by bob again')
      await agreeing(server, odd, bob)
      expect(texts(odd)).toEqual(['by bob again'])
      // At once, offline: each field of each of them stands.
      for (const one of [odd, bob]) one.goOffline()
      complete(odd, id)
      rename(bob, id, 'offline')
      odd.goOnline()
      await odd.whenSaved()
      bob.goOnline()
      await agreeing(server, odd, bob)
      expect(outlineOf(bob)).toEqual(['offline (completed)'])
      const activity = await server.app.fetch(new Request(`${server.url}/threads/holiday/activity`))
      const { entries } = (await activity.json()) as { entries: { at: number }[] }
      // Of the server's clock, and not of the one that is years off: months between the two, whatever the machine does.
      for (const { at } of entries) expect(Math.abs(at - Date.now())).toBeLessThan(180 * 86_400_000)
    })
})
