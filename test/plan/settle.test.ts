import * as Y from 'yjs'
import { describe, expect, test } from 'vitest'
import { applyChange } from '../../shared/plan/apply.ts'
import { readPlan } from '../../shared/plan/read.ts'
import { settle } from '../../shared/plan/settle.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import type { PlanOperation, StepFields } from '../../shared/schema/operation.ts'
import { Copy, exchange, groupId, id, outline } from '../helpers/plans.ts'

const set = (name: string, fields: StepFields): PlanOperation => ({ type: 'setStep', id: id(name), fields })
const remove = (...names: string[]): PlanOperation => ({ type: 'removeSteps', steps: names.map(id), subSteps: false })
const add = (text: string): PlanOperation => ({ type: 'addSteps', steps: outline(text), parent: null })
const move = (name: string, parent: string | null, after?: StepId | null): PlanOperation => ({
  type: 'moveSteps',
  steps: [id(name)],
  parent: parent === null ? null : id(parent),
  ...(after === undefined ? {} : { after }),
})
const numbers = (copy: Copy) => Object.fromEntries(copy.plan.steps.map(({ text, number }) => [text, number]))
const settled = (copy: Copy): Copy => {
  settle(copy.doc, copy.reader, null)
  expect(copy.unsettled()).toBe(0)
  return copy
}

describe('concurrent changes', () => {
  test('[RB-A11] two copies move the same item: it is there once, and the outline is tidied', () => {
    const server = new Copy().add('a b c x')
    const [one, two] = [new Copy(server).edit(move('x', 'a')), new Copy(server).edit(move('x', null, null))]
    exchange(server, one, two)
    expect(one.plan.steps).toEqual(two.plan.steps)
    expect(server.plan.steps.filter((step) => step.id === id('x'))).toHaveLength(1)
    const shown = server.shown
    expect(settled(server).shown).toBe(shown)
    expect(server.roots.outline.toArray().toSorted()).toEqual(['a', 'b', 'c', 'x'].map(id))
  })

  test('[RB-A11] a goes under b while b goes under a: no cycle, none lost, all equal', () => {
    const server = new Copy().add('a .x b .y')
    const [one, two] = [new Copy(server).edit(move('a', 'b')), new Copy(server).edit(move('b', 'a'))]
    exchange(server, one, two)
    expect(server.plan.steps).toEqual(one.plan.steps)
    expect(server.plan.steps).toEqual(two.plan.steps)
    expect(server.plan.steps.map(({ text }) => text).toSorted()).toEqual(['a', 'b', 'x', 'y'])
    const shown = server.shown
    expect(settled(server).shown).toBe(shown)
    expect(one.shown).toBe(shown)
  })

  test('[C1] different fields of a step that are changed at once all survive', () => {
    const server = new Copy().add('a')
    const fields: StepFields[] = [
      { text: 'A' },
      { status: 'completed' },
      { details: 'D' },
      { alias: 'al' },
      { required: true },
    ]
    const copies = fields.map((one) => new Copy(server).edit(set('a', one)))
    exchange(server, ...copies)
    expect(server.plan.steps).toMatchObject([
      { text: 'A', status: 'completed', details: 'D', alias: 'al', required: true, number: 1 },
    ])
  })

  test('[C2] the same field changed at once: one of the two, the same everywhere', () => {
    const server = new Copy().add('a')
    const [one, two] = [
      new Copy(server).edit(set('a', { text: 'one' })),
      new Copy(server).edit(set('a', { text: 'two' })),
    ]
    exchange(one, two, server)
    expect(['one', 'two']).toContain(server.plan.steps[0]?.text)
    expect(one.plan.steps).toEqual(two.plan.steps)
  })

  test('[C3] a removal wins over an edit, and a step added below climbs', () => {
    const server = new Copy().add('r .a s')
    const one = new Copy(server).edit(remove('a'))
    const two = new Copy(server).edit(set('a', { text: 'edited' }), {
      type: 'addSteps',
      steps: outline('x .y'),
      parent: id('a'),
    })
    exchange(one, two, server)
    expect(settled(server).shown).toBe('r .x ..y s')
    expect(one.shown).toBe('r .x ..y s')
  })

  test('[C4] a removed step that was moved meanwhile stays removed, and leaves nothing in the outline', () => {
    const server = new Copy().add('a b')
    exchange(server, new Copy(server).edit(remove('a')), new Copy(server).edit(move('a', 'b')))
    expect(settled(server).shown).toBe('b')
    expect(server.roots.outline.toArray()).toEqual([id('b')])
  })

  test('[C5] both remove, one restores: it is there', () => {
    const server = new Copy().add('a b')
    const one = new Copy(server).edit(remove('a'))
    const two = new Copy(server).edit(remove('a'))
    exchange(server, one)
    server.run({
      type: 'restoreSteps',
      steps: [{ id: id('a'), fields: { text: 'a' }, createdBy: 'x', createdAt: 1, parent: id('b') }],
    })
    expect(numbers(server)).toEqual({ b: 2, a: 3 })
    const before = server.plan
    exchange(server, two)
    settle(server.doc, server.reader, before)
    const isThere = server.plan.step(id('a')) !== undefined
    // Where the late tombstone comes to stand is chance; but it never takes a told number away.
    expect(numbers(server)).toEqual(isThere ? { b: 2, a: 3 } : { b: 2 })
  })

  test('[C6] equal titles of groups become one group, in the first place', () => {
    const server = new Copy().add('a b')
    const of = (name: string, step: string) =>
      new Copy(server).edit({ type: 'addGroup', id: groupId(name), title: 'G' }, set(step, { group: groupId(name) }))
    exchange(server, of('1', 'a'), of('2', 'b'))
    const { groups, steps } = server.plan
    expect(groups).toHaveLength(1)
    expect(steps.map(({ group }) => group)).toEqual([groups[0]?.id, groups[0]?.id])
    settled(server)
    expect(server.plan.groups).toEqual(groups)
    expect(server.plan.steps.map(({ group }) => group)).toEqual(steps.map(({ group }) => group))
    server.run(set('a', { group: null }), set('b', { group: null }))
    expect(server.plan.groups).toEqual(groups)
  })

  test('[10-F7] a child made offline keeps the group of a parent that was removed meanwhile, the group too', () => {
    const server = new Copy().run({ type: 'addGroup', id: groupId('g'), title: 'G' })
    server.add('p .q').run(set('p', { group: groupId('g') }))
    const offline = new Copy(server).edit(
      { type: 'addSteps', steps: outline('x'), parent: id('p') },
      { type: 'addSteps', steps: outline('y'), parent: id('q') },
    )
    server.run({ type: 'removeSteps', steps: [id('p')], subSteps: true }, { type: 'removeGroup', id: groupId('g') })
    expect(server.plan.groups).toEqual([])
    server.receive(offline)
    const stands = server.plan.steps.map(({ text, parent, group }) => ({ text, parent, group }))
    expect(stands.toSorted((a, b) => a.text.localeCompare(b.text))).toEqual([
      { text: 'x', parent: null, group: groupId('g') },
      { text: 'y', parent: null, group: groupId('g') },
    ])
    expect(server.plan.groups.map(({ title }) => title)).toEqual(['G'])
    expect(server.unsettled()).toBe(0)
    expect(new Copy(server).plan.steps).toEqual(server.plan.steps)
    // Whoever takes it out of the group means that.
    expect(server.run(set('x', { group: null })).plan.step(id('x'))?.group).toBeNull()
  })

  test('[C7] a removed group lives on if a step was put into it meanwhile', () => {
    const server = new Copy().add('a').run({ type: 'addGroup', id: groupId('g'), title: 'G' })
    exchange(
      server,
      new Copy(server).edit({ type: 'removeGroup', id: groupId('g') }),
      new Copy(server).edit(set('a', { group: groupId('g') })),
    )
    expect(server.plan.groups.map(({ title }) => title)).toEqual(['G'])
    settled(server).run(set('a', { group: null }))
    expect(server.plan.groups.map(({ title }) => title)).toEqual(['G'])
  })
})

describe('numbers', () => {
  test('[N1] the highest and one; that of the highest comes back when it is removed, others do not', () => {
    const copy = new Copy().add('a b c').run(remove('b')).add('d').run(remove('d'), remove('c')).add('e')
    expect(numbers(copy)).toEqual({ a: 1, e: 2 })
  })

  test('[N2] the number of a removed step that somebody depends on is passed over', () => {
    const copy = new Copy()
      .add('a b')
      .run(set('a', { dependencies: [{ step: id('b') }] }), remove('b'))
      .add('c')
    expect([...copy.plan.removedNumbers]).toEqual([[id('b'), 2]])
    expect(numbers(copy)).toEqual({ a: 1, c: 3 })
    copy.run(set('a', { dependencies: [] }), remove('c')).add('d')
    expect(copy.plan.removedNumbers.size).toBe(0)
    expect(numbers(copy)).toEqual({ a: 1, d: 2 })
  })

  test('[N3] a name binds when a step takes its number, and then follows the step', () => {
    const copy = new Copy()
      .add('a')
      .run(set('a', { dependencies: [{ name: 'x' }, { name: 'task-3' }, { name: 'task-2' }] }))
    copy.add('b')
    expect(copy.plan.step(id('a'))?.dependencies).toEqual([
      { name: 'x', rank: 0 },
      { name: 'task-3', rank: 1 },
      { step: id('b'), rank: 2 },
    ])
    copy.run(remove('b')).add('c d')
    expect(numbers(copy)).toEqual({ a: 1, c: 3, d: 4 })
    expect(copy.plan.step(id('a'))?.dependencies).toEqual([
      { name: 'x', rank: 0 },
      { step: id('c'), rank: 1 },
      { step: id('b'), rank: 2 },
    ])
    expect(copy.unsettled()).toBe(0)
  })

  test('[N4] a name and the step that it means: the earlier rank shows, before and after it is bound', () => {
    const copy = new Copy()
    copy.doc
      .getArray<object>('steps')
      .push([{ id: id('a'), createdAt: 1, text: 'a', [`dep:${id('b')}`]: 5, 'dep:=task-7': 1, [`dep:${id('z')}`]: 1 }])
    copy.roots.steps.push([{ id: id('b'), createdAt: 1, text: 'b', number: 7 }])
    const before = copy.plan.step(id('a'))?.dependencies
    expect(before).toEqual([
      { step: id('b'), rank: 1 },
      { step: id('z'), rank: 1 },
    ])
    expect(settled(copy).plan.step(id('a'))?.dependencies).toEqual(before)
    expect(readPlan(copy.doc).step(id('a'))?.dependencies).toEqual(before)
  })

  test('[N5] a new step keeps the number it brings if it is free and not too high', () => {
    const server = new Copy().add('a')
    const client = new Copy(server).edit(add('b c d e'))
    client.roots.steps.push([
      { id: id('b'), number: 40 },
      { id: id('c'), number: 1 },
      { id: id('d'), number: 1_000_001 },
      { id: id('e'), number: 1_000_000 },
    ])
    server.receive(client)
    expect(numbers(server)).toEqual({ a: 1, b: 40, c: 1_000_001, d: 1_000_002, e: 1_000_000 })
    expect(server.unsettled()).toBe(0)
    server.receive(new Copy(server).edit(set('d', { status: 'blocked' })))
    expect(numbers(server)).toEqual({ a: 1, b: 40, c: 1_000_001, d: 1_000_002, e: 1_000_000 })
  })

  test('[N6] a number that was told stays, whatever an update says', () => {
    const server = new Copy().add('a b c')
    const client = new Copy(server).edit(add('x'))
    client.roots.steps.push([
      { id: id('a'), number: 2 },
      { id: id('x'), number: 3 },
      { id: id('c'), number: 9 },
    ])
    server.receive(client)
    expect(numbers(server)).toEqual({ a: 1, b: 2, c: 3, x: 4 })
    expect(server.unsettled()).toBe(0)
  })

  test('[N7] a number is a patch of its own, so a concurrent change leaves it alone', () => {
    const server = new Copy().edit(add('a'))
    const client = new Copy(server).edit(set('a', { text: 'A' }))
    settled(server).receive(client)
    expect(server.roots.steps.toArray().filter((patch) => patch.number !== undefined)).toEqual([
      { id: id('a'), number: 1 },
    ])
    expect(numbers(server)).toEqual({ A: 1 })
  })
})

describe('what the server owns', () => {
  const claim = { holder: 'h', token: 't', until: 1 }
  test('[S1] claims and startedBy are put back in the same version; a startedBy that is new is taken', () => {
    const server = new Copy().add('a b', {}, { claim, startedBy: 'ann' }).add('c')
    const client = new Copy(server).edit(
      set('a', { claim: null, startedBy: null, status: 'completed' }),
      set('b', { claim: { ...claim, token: 'forged' }, startedBy: 'eve' }),
      set('c', { claim, startedBy: 'bob' }),
    )
    server.receive(client)
    expect(server.plan.steps).toMatchObject([
      { claim, startedBy: 'ann', status: 'completed' },
      { claim, startedBy: 'ann' },
      { claim: null, startedBy: 'bob' },
    ])
    expect(server.unsettled()).toBe(0)
  })

  test('[S2] a step of which an update deletes the patches gets a tombstone, and its sub-steps climb', () => {
    const server = new Copy().add('r .a ..b')
    const client = new Copy(server)
    const position = client.roots.steps.toArray().findIndex((patch) => patch.id === id('a'))
    client.roots.steps.delete(position, 1)
    server.receive(client)
    expect(server.shown).toBe('r .b')
    expect(server.roots.steps.toArray().filter((patch) => patch.id === id('a'))).toEqual([
      { id: id('a'), removed: true, parent: id('r'), number: 2 },
    ])
    expect(server.roots.outline.toArray()).not.toContain(id('a'))
    expect(server.unsettled()).toBe(0)
  })

  test('[S3] a number patch that an update deletes is written again', () => {
    const server = new Copy().add('a b')
    const client = new Copy(server)
    const position = client.roots.steps.toArray().findIndex((patch) => patch.number === 1)
    client.roots.steps.delete(position, 1)
    expect(numbers(server.receive(client))).toEqual({ a: 1, b: 2 })
  })

  test('[S4] what is merely not known is left alone', () => {
    const server = new Copy().add('a')
    server.roots.outline.push([id('later'), id('later')])
    server.roots.steps.push([{ id: id('later'), status: 'completed' }])
    expect(settled(server).roots.outline.toArray()).toEqual(['a', 'later', 'later'].map(id))
    server.roots.steps.push([{ id: id('later'), createdAt: 1, text: 'later' }])
    expect(settled(server).roots.outline.toArray()).toEqual(['a', 'later'].map(id))
    expect(server.plan.step(id('later'))?.status).toBe('completed')
  })

  test('[S5] steps that the outline does not name are named', () => {
    const server = new Copy().add('a b c')
    server.roots.outline.delete(0, 2)
    const { shown } = server
    expect(settled(server).shown).toBe(shown)
    expect(server.roots.outline.toArray()).toEqual(['c', 'a', 'b'].map(id))
  })

  test('[S6] patches that show nothing any more go, malformed ones hide nothing', () => {
    const copy = new Copy().add('a')
    copy.roots.steps.push([{ id: id('a'), text: 'b' }, { id: id('a'), text: 5, status: 'blocked' } as never])
    expect(copy.plan.steps).toMatchObject([{ text: 'b', status: 'blocked' }])
    copy.run(set('a', { details: 'D' }))
    expect(copy.plan.steps).toMatchObject([{ text: 'b', status: 'blocked', details: 'D' }])
  })

  test('[S7] an update of a change is as long as what changed, not as the plan', () => {
    const copy = new Copy().edit({
      type: 'addSteps',
      parent: null,
      steps: Array.from({ length: 500 }, (_, i) => ({ id: id(`n${i}`), text: 'x', depth: 0 })),
    })
    settle(copy.doc, copy.reader, null)
    let bytes = 0
    copy.doc.on('update', (update: Uint8Array) => (bytes += update.length))
    applyChange(copy.doc, copy.check(set('n7', { status: 'completed' })), null)
    expect(bytes).toBeLessThan(200)
  })
})

test('[RB-A1] two writers add 50 outlines each at once: 100, each contiguous', () => {
  const server = new Copy().add('a')
  const [one, two] = ['p', 'q'].map((who) => {
    const copy = new Copy(server)
    for (let i = 0; i < 50; i++) copy.edit(add(`${who}${i} .${who}${i}x`))
    return copy
  })
  if (!one || !two) throw new Error('two')
  server.receive(one).receive(two)
  exchange(server, one, two)
  expect(server.plan.steps).toHaveLength(201)
  expect(one.plan.steps).toEqual(server.plan.steps)
  const order = server.plan.steps.slice(1).map(({ text }) => text[0])
  expect([order.join(''), order.toReversed().join('')]).toContain('p'.repeat(100) + 'q'.repeat(100))
  expect(new Set(server.plan.steps.map(({ number }) => number)).size).toBe(201)
  expect(Y.encodeStateAsUpdate(server.doc).length).toBeGreaterThan(0)
})
