import * as Y from 'yjs'
import { describe, expect, test } from 'vitest'
import { isEmpty } from '../../shared/plan/check.ts'
import { PlanError } from '../../shared/schema/errors.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import type { PlanOperation, StepFields } from '../../shared/schema/operation.ts'
import { Copy, groupId, id, nameOf, outline } from '../helpers/plans.ts'
import { Chance } from '../helpers/replicas.ts'

const group = groupId('g')
const add = (text: string, place: { parent?: StepId | null; after?: StepId | null } = {}): PlanOperation => ({
  type: 'addSteps',
  steps: outline(text),
  parent: null,
  ...place,
})
const set = (name: string, fields: StepFields): PlanOperation => ({ type: 'setStep', id: id(name), fields })
const move = (names: string, parent: string | null, after?: string | null): PlanOperation => ({
  type: 'moveSteps',
  steps: names.split(' ').map(id),
  parent: parent === null ? null : id(parent),
  ...(after === undefined ? {} : { after: after === null ? null : id(after) }),
})
const remove = (names: string, subSteps = false): PlanOperation => ({
  type: 'removeSteps',
  steps: names.split(' ').map(id),
  subSteps,
})
const restore = (name: string, parent: string | null = null, fields: StepFields = {}): PlanOperation => ({
  type: 'restoreSteps',
  steps: [
    {
      id: id(name),
      fields: { text: name, ...fields },
      createdBy: 'eve',
      createdAt: 5,
      parent: parent === null ? null : id(parent),
    },
  ],
})
const addGroup = (title = 'G', of = group): PlanOperation => ({ type: 'addGroup', id: of, title })
const long = (length: number): string => 'x'.repeat(length)

describe('operations that fit', () => {
  test('[O1] addSteps puts an outline last, first, or behind a sibling', () => {
    const copy = new Copy().add('a .b ..c d')
    copy.run(add('x .y', { parent: id('a') }), add('p', { after: null }), add('q', { after: id('a') }))
    expect(copy.shown).toBe('p a .b ..c .x ..y q d')
    expect(copy.plan.step(id('x'))).toMatchObject({ createdBy: 'ann', createdAt: 2, updatedBy: 'ann', updatedAt: 2 })
  })

  test('[O2] addSteps takes fields, and writes none that is the default', () => {
    const copy = new Copy()
    copy.run(addGroup(), {
      type: 'addSteps',
      parent: null,
      steps: [
        { id: id('a'), text: 'a', depth: 0, status: 'blocked', required: false, details: '', group, startedBy: 'bob' },
      ],
    })
    expect(copy.plan.steps).toMatchObject([{ status: 'blocked', group, startedBy: 'bob', number: 1 }])
    expect(copy.roots.steps.toArray()).toEqual([
      { id: id('a'), text: 'a', createdBy: 'ann', createdAt: 1, status: 'blocked', group, startedBy: 'bob' },
      { id: id('a'), number: 1 },
    ])
  })

  test('[O3] setStep writes what is new and nothing else, and the patches that no field shows any more go', () => {
    const copy = new Copy().add('a')
    copy.run(set('a', { status: 'completed', text: 'a', details: '' }))
    copy.run(set('a', { status: 'blocked', text: 'A' }))
    expect(copy.roots.steps.toArray()).toEqual([
      { id: id('a'), text: 'a', createdBy: 'ann', createdAt: 1 },
      { id: id('a'), number: 1 },
      { id: id('a'), status: 'blocked', text: 'A', updatedBy: 'ann', updatedAt: 3 },
    ])
  })

  test('[O4] setStep takes fields away', () => {
    const copy = new Copy()
      .run(addGroup())
      .add('a', {}, { group, alias: 'x', startedBy: 'bob', claim: { holder: 'h', token: 't', until: 1 } })
    copy.run(set('a', { group: null, alias: null, startedBy: null, claim: null }))
    expect(copy.plan.steps).toMatchObject([{ group: null, alias: null, startedBy: null, claim: null }])
  })

  test('[O5] moveSteps: in the order given, sub-steps along, behind a sibling that moves itself', () => {
    const copy = new Copy().add('a .b ..c d e')
    expect(copy.run(move('e b', null, null)).shown).toBe('e b .c a d')
    expect(copy.run(move('a d', 'e')).shown).toBe('e .a .d b .c')
    expect(copy.run(move('d', 'e', 'd')).shown).toBe('e .a .d b .c')
    expect(copy.run(move('a', 'e', 'a')).shown).toBe('e .a .d b .c')
    expect(copy.run(move('a', 'e', 'd')).shown).toBe('e .d .a b .c')
    expect(copy.run(move('c a', null, 'e')).shown).toBe('e .d c a b')
  })

  test('[O6] removeSteps: with its sub-steps, or they climb to where it stood', () => {
    const copy = new Copy().add('a .b ..c ..d .e f')
    expect(copy.run(remove('b')).shown).toBe('a .c .d .e f')
    expect(copy.run(remove('a', true)).shown).toBe('f')
    expect(copy.roots.steps.toArray().filter(({ id: of }) => of === id('b'))).toEqual([
      { id: id('b'), removed: true, parent: id('a'), number: 2 },
    ])
  })

  test('[O7] what climbs keeps its place even if it was moved away from above its sub-steps', () => {
    const copy = new Copy().add('a b .c d').run(move('b', null, null))
    expect(copy.shown).toBe('b .c a d')
    expect(copy.run(remove('b')).shown).toBe('c a d')
  })

  test('[O8] restoreSteps brings all back but the number', () => {
    const copy = new Copy().run(addGroup()).add('a b .c').run(remove('b')).add('x')
    expect(copy.plan.steps.map(({ number }) => number)).toEqual([1, 3, 4])
    copy.run(restore('b', 'a', { status: 'completed', details: 'D', group, alias: 'al' }))
    expect(copy.plan.step(id('b'))).toMatchObject({
      number: 5,
      status: 'completed',
      details: 'D',
      group,
      alias: 'al',
      createdBy: 'eve',
      createdAt: 5,
      parent: id('a'),
    })
  })

  test('[RB-B8] a removed step and one with the same text have nothing to do with each other', () => {
    const copy = new Copy().add('x').run(remove('x'))
    copy.run({ type: 'addSteps', parent: null, steps: [{ id: id('other'), text: 'x', depth: 0 }] })
    const late = new Copy(copy)
    expect(late.plan.steps.map(({ text }) => text)).toEqual(['x'])
  })

  test('[O9] groups: added, renamed in their place, verified, removed, brought back', () => {
    const copy = new Copy().run(addGroup('A', groupId('a')), addGroup('B', groupId('b')))
    copy.run({ type: 'setGroup', id: groupId('a'), title: 'Z', testsVerified: true })
    copy.run(
      { type: 'setGroup', id: groupId('a'), testsVerified: false },
      { type: 'setGroup', id: groupId('a'), testsVerified: true },
    )
    expect(copy.plan.groups).toEqual([
      { id: groupId('a'), title: 'Z', testsVerified: true },
      { id: groupId('b'), title: 'B', testsVerified: false },
    ])
    copy.run({ type: 'removeGroup', id: groupId('a') })
    expect(copy.plan.groups.map(({ title }) => title)).toEqual(['B'])
    copy.run(addGroup('Y', groupId('a')))
    expect(copy.plan.groups.map(({ title }) => title)).toEqual(['Y', 'B'])
  })

  test('[O10] dependencies: the whole list in order, ranks kept where they can be', () => {
    const copy = new Copy().add('a b c d')
    const [b, c, d] = ['b', 'c', 'd'].map((name) => ({ step: id(name) }))
    if (!b || !c || !d) throw new Error('three')
    copy.run(set('a', { dependencies: [b, { name: 'somebody' }, c] }))
    expect(copy.plan.step(id('a'))?.dependencies).toEqual([
      { ...b, rank: 0 },
      { name: 'somebody', rank: 1 },
      { ...c, rank: 2 },
    ])
    copy.run(set('a', { dependencies: [b, c, d, b] }))
    expect(copy.plan.step(id('a'))?.dependencies).toEqual([
      { ...b, rank: 0 },
      { ...c, rank: 2 },
      { ...d, rank: 3 },
    ])
    copy.run(set('a', { dependencies: [d] }), set('a', { dependencies: [c, b] }))
    expect(copy.plan.step(id('a'))?.dependencies.map((one) => 'step' in one && nameOf(one.step))).toEqual(['c', 'b'])
    copy.run(set('a', { dependencies: [] }))
    expect(copy.plan.step(id('a'))?.dependencies).toEqual([])
  })

  test('[O11] setTitle', () => {
    expect(new Copy().run({ type: 'setTitle', title: 'Plan' }).plan.title).toBe('Plan')
  })

  test('[O12] operations of one call build on each other', () => {
    const copy = new Copy().run(
      addGroup(),
      add('a .b'),
      set('a', { group }),
      add('c', { parent: id('b') }),
      move('b', null, null),
      remove('a'),
      set('b', { text: 'B' }),
    )
    expect(copy.shown).toBe('b .c')
    expect(copy.plan.steps.map(({ text }) => text)).toEqual(['B', 'c'])
    expect(copy.roots.steps.toArray().some(({ id: of }) => of === id('a'))).toBe(false)
  })

  test('[O13] sub-steps of a step that was added and removed in one call climb', () => {
    const copy = new Copy().add('r s')
    copy.run(add('a .b ..c', { parent: id('r') }), remove('a b'))
    expect(copy.shown).toBe('r .c s')
    copy.run(add('x .y', { parent: id('r') }), move('c', 'y'), remove('x y c'), restore('c'))
    expect(copy.shown).toBe('r s c')
  })

  test('[O14] a step that is removed and restored in one call is there', () => {
    const copy = new Copy().add('a b')
    copy.run(remove('b'), restore('b', 'a'))
    expect(copy.shown).toBe('a .b')
    copy.run(remove('b'), restore('b', 'a'), remove('b'))
    expect(copy.shown).toBe('a')
    expect(new Copy(copy).shown).toBe('a')
  })
})

describe('no change is an empty change', () => {
  const same: readonly (readonly [name: string, ...operations: PlanOperation[]])[] = [
    ['nothing'],
    [
      'fields as they are',
      set('a', {
        text: 'a',
        status: 'pending',
        details: '',
        group: null,
        alias: null,
        startedBy: null,
        claim: null,
        required: false,
        dependencies: [],
      }),
    ],
    ['there and back', set('a', { status: 'completed' }), set('a', { status: 'pending' })],
    ['a claim as it is', set('b', { claim: { holder: 'h', token: 't', until: 1 } })],
    ['a claim there and back', set('b', { claim: null }), set('b', { claim: { holder: 'h', token: 't', until: 1 } })],
    ['a move to where it stands', move('a', null, null)],
    ['a move there and back', move('c', null), move('c', 'b')],
    ['added and removed', add('x .y'), remove('x', true), set('a', { text: 'a' })],
    ['no steps', { type: 'addSteps', parent: null, steps: [] }, { type: 'moveSteps', steps: [], parent: null }],
    ['no removals', { type: 'removeSteps', steps: [], subSteps: true }, { type: 'restoreSteps', steps: [] }],
    ['the title', { type: 'setTitle', title: 'T' }],
    ['the title there and back', { type: 'setTitle', title: 'U' }, { type: 'setTitle', title: 'T' }],
    ['a group as it is', { type: 'setGroup', id: group, title: 'G', testsVerified: false }],
    [
      'a group there and back',
      { type: 'setGroup', id: group, title: 'H' },
      { type: 'setGroup', id: group, title: 'G' },
    ],
    ['a group added and removed', addGroup('H', groupId('h')), { type: 'removeGroup', id: groupId('h') }],
  ]
  test.each(same.map(([name, ...operations]) => ({ name, operations })))('[O20] $name', ({ operations }) => {
    const copy = new Copy()
      .run({ type: 'setTitle', title: 'T' }, addGroup())
      .add('a b .c')
      .run(set('b', { claim: { holder: 'h', token: 't', until: 1 } }))
    const change = copy.check(...operations)
    expect(change).toEqual({ patches: [], tombstones: [], outline: [], groups: [], title: null })
    expect(isEmpty(change)).toBe(true)
  })
})

describe('operations that do not fit', () => {
  const refused: readonly (readonly [message: string, ...operations: PlanOperation[]])[] = [
    [`There is no step ${id('no')}.`, set('no', { text: 'x' })],
    [`There is no step ${id('no')}.`, move('a no', null)],
    [`There is no step ${id('no')}.`, remove('no')],
    [`There is no step ${id('no')}.`, add('x', { parent: id('no') })],
    [`There is no step ${id('no')}.`, restore('x', 'no')],
    [`There is no step ${id('a')}.`, remove('a'), set('a', { text: 'x' })],
    [`There is a step ${id('a')} already.`, add('a')],
    [`There is a step ${id('a')} already.`, restore('a')],
    [`There is a step ${id('x')} already.`, add('x x')],
    [`Step ${id('a')} was removed: it can be restored, but not added.`, remove('a'), add('a')],
    [`Step ${id('c')} does not stand at top level.`, move('a', null, 'c')],
    [`Step ${id('a')} does not stand under ${id('b')}.`, add('x', { parent: id('b'), after: id('a') })],
    ['A step cannot go below itself.', move('b', 'c')],
    ['A step cannot go below itself.', move('a', 'a')],
    ['A step cannot go below itself.', add('x', { parent: id('x') })],
    ['The depth of a step is at most one more than that of the step before it.', add('.x')],
    ['The depth of a step is at most one more than that of the step before it.', add('x ..y')],
    [
      'The depth of a step is at most one more than that of the step before it.',
      { type: 'addSteps', parent: null, steps: [{ id: id('x'), text: 'x', depth: 0.5 }] },
    ],
    ['A step needs text that is not blank.', set('a', { text: ' \n' })],
    [
      'A step needs text that is not blank.',
      { type: 'addSteps', parent: null, steps: [{ id: id('x'), text: '', depth: 0 }] },
    ],
    ['A step has at most 4000 characters; this one has 4001.', set('a', { text: long(4_001) })],
    ['The details of a step may have 20000 characters, not 20001.', set('a', { details: long(20_001) })],
    ['The details of a step may have 20000 characters, not 20001.', restore('x', null, { details: long(20_001) })],
    ['The alias of a step may have 200 characters, not 201.', set('a', { alias: long(201) })],
    [`There is no group ${groupId('no')}.`, set('a', { group: groupId('no') })],
    [`There is no group ${groupId('no')}.`, { type: 'setGroup', id: groupId('no'), title: 'x' }],
    [`There is no group ${groupId('no')}.`, { type: 'removeGroup', id: groupId('no') }],
    [`There is no group ${group}.`, { type: 'removeGroup', id: group }, set('a', { group })],
    ['There is a group "G" already.', addGroup('G', groupId('h'))],
    [`There is a group ${group} already.`, addGroup('Other')],
    ['There is a group "G" already.', addGroup('H', groupId('h')), { type: 'setGroup', id: groupId('h'), title: 'G' }],
    ['A group title needs text that is not blank.', addGroup(' ', groupId('h'))],
    ['A group title has at most 400 characters; this one has 401.', addGroup(long(401), groupId('h'))],
    ['Only a group without steps can be removed.', set('a', { group }), { type: 'removeGroup', id: group }],
    ['A title has at most 400 characters.', { type: 'setTitle', title: long(401) }],
    [
      'A step has at most 200 dependencies.',
      set('a', { dependencies: Array.from({ length: 201 }, (_, i) => ({ name: `n${i}` })) }),
    ],
    ['The name of a dependency needs text that is not blank.', set('a', { dependencies: [{ name: '' }] })],
    [
      'The name of a dependency has at most 200 characters; this one has 201.',
      set('a', { dependencies: [{ name: long(201) }] }),
    ],
  ]
  test.each(refused.map(([message, ...operations]) => ({ message, operations })))(
    '[O30] $message',
    ({ message, operations }) => {
      const copy = new Copy().run(addGroup()).add('a b .c')
      const before = Y.encodeStateAsUpdate(copy.doc)
      const attempt = (): unknown => copy.edit(add('first'), set('a', { text: 'changed' }), ...operations)
      expect(attempt).toThrow(new PlanError(message))
      expect(Y.encodeStateAsUpdate(copy.doc)).toEqual(before)
    },
  )

  test('[O31] a plan holds 10,000 steps; one that has more by merging can shrink', () => {
    const steps = (count: number, from = 0) =>
      Array.from({ length: count }, (_, i) => ({ id: id(`n${from + i}`), text: 'x', depth: 0 }))
    const copy = new Copy().edit({ type: 'addSteps', parent: null, steps: steps(10_000) })
    expect(() => copy.check(add('x'))).toThrow('A plan holds at most 10000 steps; this would make 10001.')
    expect(isEmpty(copy.check(remove('n5'), add('x')))).toBe(false)
    const other = new Copy().edit({ type: 'addSteps', parent: null, steps: steps(5, 10_000) })
    copy.receive(other)
    expect(copy.plan.steps).toHaveLength(10_005)
    expect(isEmpty(copy.check(remove('n5')))).toBe(false)
    expect(() => copy.check(add('x'))).toThrow(PlanError)
  })
})

/** The simplest plan there is, to compare with. */
class Model {
  readonly children = new Map<StepId | null, StepId[]>([[null, []]])
  parentOf(child: StepId): StepId | null {
    for (const [parent, ids] of this.children) if (ids.includes(child)) return parent
    throw new Error(`${child} stands nowhere`)
  }
  list(parent: StepId | null): StepId[] {
    let ids = this.children.get(parent)
    if (ids === undefined) this.children.set(parent, (ids = []))
    return ids
  }
  put(step: StepId, parent: StepId | null, after: StepId | null): void {
    for (const ids of this.children.values()) if (ids.includes(step)) ids.splice(ids.indexOf(step), 1)
    this.list(parent).splice(after === null ? 0 : this.list(parent).indexOf(after) + 1, 0, step)
  }
  remove(step: StepId): void {
    const ids = this.list(this.parentOf(step))
    ids.splice(ids.indexOf(step), 1, ...this.list(step))
    this.children.delete(step)
  }
  shown(parent: StepId | null = null, depth = 0): string[] {
    return this.list(parent).flatMap((step) => ['.'.repeat(depth) + nameOf(step), ...this.shown(step, depth + 1)])
  }
}

describe('placement', () => {
  test('[O40] after any moves, additions and removals steps stand exactly where they were put', () => {
    for (let seed = 1; seed <= 80; seed++) {
      const chance = new Chance(seed)
      const copy = new Copy()
      const model = new Model()
      let count = 0
      for (let i = 0; i < 40; i++) {
        const operations: PlanOperation[] = []
        for (let j = chance.below(3); j >= 0; j--) {
          const all = [...model.children.values()].flat()
          const parent = all.length === 0 || chance.once(4) ? null : chance.of(all)
          const after = chance.of([null, ...model.list(parent)])
          const kind = chance.below(5)
          if (kind < 2 || all.length === 0) {
            const name = `n${count++}`
            operations.push(add(name, { parent, after }))
            model.put(id(name), parent, after)
          } else if (kind < 4) {
            const step = chance.of(all)
            let isBelow = false
            for (let at = parent; at !== null; at = model.parentOf(at)) isBelow ||= at === step
            if (isBelow || after === step) continue
            operations.push({ type: 'moveSteps', steps: [step], parent, after })
            model.put(step, parent, after)
          } else {
            const step = chance.of(all)
            operations.push({ type: 'removeSteps', steps: [step], subSteps: false })
            model.remove(step)
          }
        }
        copy.run(...operations)
        expect(copy.shown, `seed ${seed}: ${JSON.stringify(operations)}`).toBe(model.shown().join(' '))
      }
      expect(new Copy(copy).shown).toBe(copy.shown)
    }
  })
})
