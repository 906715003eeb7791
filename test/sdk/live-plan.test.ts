import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PlanEvent } from '../../client/sdk/events.ts'
import { PlanError } from '../../shared/schema/errors.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import { newGroupId, newStepId } from '../../shared/schema/ids.ts'
import { add, agreeing, live, onServer, outlineOf, rename, serve, texts, until } from './live.ts'

describe('a live plan', () => {
  test('follows the server, and others follow it', async () => {
    const server = await serve()
    const ada = live(server.url, { name: 'ada' })
    const bob = live(server.url, { name: 'bob' })
    await Promise.all([ada.whenSynced(), bob.whenSynced()])
    const group = newGroupId()
    ada.apply([{ type: 'addGroup', id: group, title: 'Travel' }])
    const flat = add(ada, 'Book a flat')
    add(ada, 'Compare three', flat)
    ada.apply([{ type: 'setStep', id: flat, fields: { group } }])
    await until(bob, () => texts(bob).length === 2 && bob.groups.length === 1 && bob.steps[0]?.group === group)
    expect(outlineOf(bob)).toEqual(['Book a flat', '  Compare three'])
    rename(bob, flat, 'Book a house')
    await until(ada, () => texts(ada)[0] === 'Book a house')
    await agreeing(server, ada, bob)
    expect(ada.steps.map(({ number }) => number)).toEqual([1, 2])
    expect(ada.plan.step(flat)).toMatchObject({ createdBy: 'ada', updatedBy: 'bob' })
    expect(ada.version).toBe((await onServer(server)).version)
  })

  test('tells what changed, step by step, and by whom it was made', async () => {
    const server = await serve()
    const ada = live(server.url)
    const bob = live(server.url)
    await Promise.all([ada.whenSynced(), bob.whenSynced()])
    const heard: PlanEvent[] = []
    bob.subscribe((event) => heard.push(event))
    const id = add(ada, 'Pack')
    await until(bob, () => bob.steps[0]?.number === 1)
    rename(bob, id, 'Pack lightly')
    const changes = heard.flatMap((event) => (event.type === 'change' ? [event] : []))
    expect(changes.map(({ origin }) => origin)).toEqual(['remote', 'local'])
    expect(changes[0]?.changes).toMatchObject([{ id, before: null, placeAfter: 1, after: { text: 'Pack' } }])
    expect(changes[1]?.changes).toMatchObject([{ id, before: { text: 'Pack' }, after: { text: 'Pack lightly' } }])
    expect(changes[1]?.after).toBe(bob.plan)
  })

  test('serves useSyncExternalStore: one snapshot until something changes, whoever listens', async () => {
    const server = await serve()
    const ada = live(server.url)
    expect(ada.getSnapshot()).toBe(ada.getSnapshot())
    expect(ada.getSnapshot()).toMatchObject({ version: null, status: { kind: 'connecting' }, unsaved: 0 })
    const seen = new Set([ada.getSnapshot()])
    const { subscribe, getSnapshot } = ada
    const stop = subscribe(() => seen.add(getSnapshot()))
    add(ada, 'Pack')
    expect(ada.getSnapshot()).toMatchObject({ unsaved: 1, canUndo: true, plan: { steps: [{ text: 'Pack' }] } })
    await ada.whenSaved()
    expect(ada.getSnapshot()).toMatchObject({ status: { kind: 'online' }, unsaved: 0, version: 1 })
    stop()
    const before = seen.size
    add(ada, 'Go')
    expect(seen.size).toBe(before)
    expect(ada.getSnapshot()).toBe(ada.getSnapshot())
  })

  test('a listener that throws, or changes the plan, hurts nobody', async () => {
    const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => complaints.mockRestore())
    const server = await serve()
    const ada = live(server.url)
    const bob = live(server.url)
    await Promise.all([ada.whenSynced(), bob.whenSynced()])
    bob.subscribe(() => {
      throw new Error('a bug in the page')
    })
    bob.subscribe(({ type }) => {
      const { steps } = bob
      if (type === 'change' && steps.length === 1) add(bob, `after ${steps[0]?.text}`)
    })
    add(ada, 'one')
    await until(ada, () => ada.steps.length === 2)
    expect(texts(ada)).toEqual(['one', 'after one'])
    expect(complaints).toHaveBeenCalled()
  })

  test('refuses what does not fit before anything is written, online or not', async () => {
    const server = await serve()
    const ada = live(server.url, { connect: false })
    const before = ada.plan
    expect(() => rename(ada, newStepId(), 'x')).toThrow(PlanError)
    expect(() =>
      ada.apply([
        { type: 'addSteps', parent: null, steps: [{ id: newStepId(), text: 'fine', depth: 0 }] },
        { type: 'removeGroup', id: newGroupId() },
      ]),
    ).toThrow(PlanError)
    expect(ada.plan).toBe(before)
    expect(ada.unsaved).toBe(0)
    const many = Array.from({ length: 400 }, () => ({ id: newStepId(), text: 'x'.repeat(4_000), depth: 0 }))
    expect(() => ada.apply([{ type: 'addSteps', parent: null, steps: many }])).toThrow('Make it in several')
    await expect(ada.call('list_todos', {})).rejects.toThrow('planTools')
  })

  test('what belongs together goes out as one update, and is one version', async () => {
    const server = await serve()
    const ada = live(server.url)
    await ada.whenSynced()
    const [a, b] = [newStepId(), newStepId()]
    ada.apply([
      { type: 'setTitle', title: 'Holiday' },
      { type: 'addSteps', parent: null, steps: [{ id: a, text: 'a', depth: 0 }, { id: b, text: 'b', depth: 1 }] }, // prettier-ignore
      { type: 'moveSteps', steps: [b], parent: null, after: null },
      { type: 'setStep', id: a, fields: { status: 'completed', dependencies: [{ step: b }] } },
    ])
    expect(ada.unsaved).toBe(1)
    await ada.whenSaved()
    expect((await onServer(server)).version).toBe(1)
    expect(outlineOf(ada)).toEqual(['b', 'a (completed)'])
  })

  test('nothing that changes nothing is sent', async () => {
    const server = await serve()
    const ada = live(server.url)
    const id = add(ada, 'a')
    await ada.whenSaved()
    expect(rename(ada, id, 'a')).toEqual([])
    expect(ada.unsaved).toBe(0)
    expect(ada.undo()?.changes).toHaveLength(1)
  })

  test('shows who is there, and what they are at', async () => {
    const server = await serve()
    const ada = live(server.url, { name: 'ada' })
    const bob = live(server.url, { name: 'bob', kind: 'agent' })
    const others = () => ada.presence.filter(({ isSelf }) => !isSelf).map(({ state }) => state)
    await until(ada, () => others().length === 1)
    expect(others()).toEqual([{ name: 'bob', kind: 'agent' }])
    bob.setPresence({ focus: 'step-one' })
    await until(ada, () => others()[0]?.['focus'] === 'step-one')
    expect(others()).toEqual([{ name: 'bob', kind: 'agent', focus: 'step-one' }])
    await bob.close()
    await until(ada, () => others().length === 0)
    expect(ada.presence).toMatchObject([{ isSelf: true, state: { name: 'ada' } }])
  })

  test('closed, it can be read, but waits for nothing and changes nothing', async () => {
    const server = await serve()
    const ada = live(server.url, { connect: false })
    add(ada, 'a')
    const waiting = [ada.whenSynced(), ada.whenSaved()].map((one) => one.catch((error: unknown) => String(error)))
    await ada.close()
    await ada.close()
    expect(await Promise.all(waiting)).toEqual([
      'Error: This live plan was closed.',
      'Error: This live plan was closed.',
    ])
    expect(ada.status).toEqual({ kind: 'closed' })
    expect(texts(ada)).toEqual(['a'])
    expect(() => add(ada, 'b')).toThrow('closed')
  })
})

describe('what is not saved', () => {
  test('is counted until the server has it on disk, deletions and moves too', async () => {
    const server = await serve()
    const ada = live(server.url, { connect: false })
    const ids: StepId[] = ['a', 'b', 'c'].map((text) => add(ada, text))
    expect(ada.unsaved).toBe(3)
    ada.goOnline()
    await ada.whenSaved()
    expect(ada.unsaved).toBe(0)
    ada.goOffline()
    ada.apply([{ type: 'removeSteps', steps: ids.slice(0, 1), subSteps: true }])
    ada.apply([{ type: 'moveSteps', steps: ids.slice(2), parent: null, after: null }])
    rename(ada, ids[1] as StepId, 'b2')
    expect(ada.unsaved).toBe(3)
    ada.goOnline()
    await ada.whenSaved()
    expect((await onServer(server)).steps.map(({ text }) => text)).toEqual(['c', 'b2'])
    await agreeing(server, ada)
  })

  test('two who remove the same step offline are both told that it is safe', async () => {
    const server = await serve()
    const ada = live(server.url)
    const bob = live(server.url)
    const id = add(ada, 'a')
    await until(bob, () => bob.steps.length === 1)
    await ada.whenSaved()
    for (const one of [ada, bob]) {
      one.goOffline()
      one.apply([{ type: 'removeSteps', steps: [id], subSteps: true }])
    }
    ada.goOnline()
    await ada.whenSaved()
    bob.goOnline()
    await bob.whenSaved()
    await agreeing(server, ada, bob)
    expect(texts(ada)).toEqual([])
  })
})
