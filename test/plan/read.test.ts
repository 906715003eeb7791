import * as Y from 'yjs'
import { describe, expect, test } from 'vitest'
import { readPlan } from '../../shared/plan/read.ts'
import type { Step } from '../../shared/schema/plan.ts'
import { Copy, exchange, groupId, id } from '../helpers/plans.ts'
import { Chance, Replica } from '../helpers/replicas.ts'

const created = (name: string, fields: object = {}) => ({ id: id(name), createdAt: 1, text: name, ...fields })

/** A document that holds what no operation writes. */
function forged(steps: readonly unknown[], outline: readonly unknown[] = [], groups: readonly unknown[] = []): Copy {
  const doc = new Y.Doc()
  doc.getArray('steps').push([...steps])
  doc.getArray('outline').push([...outline])
  doc.getArray('groups').push([...groups])
  return new Copy(Y.encodeStateAsUpdate(doc))
}

describe('reading is total', () => {
  test('[R1] an empty document is an empty plan', () => {
    expect(readPlan(new Y.Doc())).toMatchObject({ title: '', steps: [], groups: [] })
  })

  test('[R2] a step is the fold of its patches, the rightmost winning field by field', () => {
    const { plan } = forged([
      created('a', { details: 'old', createdBy: 'ann' }),
      { id: id('a'), status: 'completed', updatedBy: 'bob', updatedAt: 7 },
      { id: id('a'), details: 'new' },
    ])
    const expected: Step = {
      id: id('a'),
      number: null,
      text: 'a',
      details: 'new',
      status: 'completed',
      parent: null,
      depth: 0,
      group: null,
      required: false,
      alias: null,
      startedBy: null,
      claim: null,
      dependencies: [],
      createdBy: 'ann',
      createdAt: 1,
      updatedBy: 'bob',
      updatedAt: 7,
    }
    expect(plan.steps).toEqual([expected])
  })

  const malformed: readonly (readonly [field: string, value: unknown])[] = [
    ['text', 5],
    ['text', 'x'.repeat(100_001)],
    ['details', null],
    ['status', 'done'],
    ['status', { toString: 'completed' }],
    ['parent', 'short'],
    ['parent', 7],
    ['group', '!'],
    ['required', 'yes'],
    ['alias', []],
    ['startedBy', false],
    ['createdBy', 1],
    ['createdAt', 'now'],
    ['createdAt', Number.NaN],
    ['createdAt', Number.POSITIVE_INFINITY],
    ['updatedAt', '1'],
    ['removed', 1],
    ['number', 0],
    ['number', 1.5],
    ['number', 2 ** 31],
    ['number', '3'],
    ['claim', {}],
    ['claim', { holder: 'x', token: 'y', until: 'z' }],
    ['claim', { holder: 'x', token: 'y', until: 1, more: 1 }],
    [`dep:${id('b')}`, 'first'],
    [`dep:${id('b')}`, Number.NaN],
    ['dep:', 1],
    ['dep:=', 1],
    ['hasOwnProperty', 1],
    ['unknown', 'x'],
  ]
  test.each(malformed)('[R3] a malformed %s counts as if it were not there: %j', (field, value) => {
    const good = [created('a', { details: 'd', status: 'blocked', number: 3 }), created('b')]
    const places = [id('a'), id('b')]
    const expected = forged(good, places).plan.steps
    expect(forged([...good, { id: id('a'), [field]: value }], places).plan.steps).toEqual(expected)
  })

  test.each([null, 5, 'text', true, [id('a')], {}, { id: 'short' }, { id: { id: 1 } }, new Uint8Array(3), [[]]])(
    '[R4] garbage is passed over in every array: %j',
    (garbage) => {
      const copy = forged(
        [garbage, created('a'), garbage],
        [garbage, id('a'), garbage],
        [garbage, { id: groupId('g'), title: 'G' }],
      )
      expect(copy.shown).toBe('a')
      expect(copy.plan.groups).toEqual([{ id: groupId('g'), title: 'G', testsVerified: false }])
      copy.add('b')
      expect(copy.shown).toBe('a b')
      expect(copy.unsettled()).toBe(0)
    },
  )

  test('[R5] nested types in the arrays are passed over', () => {
    const doc = new Y.Doc()
    doc.getArray('steps').push([new Y.Map([['id', id('a')]]), new Y.Array()])
    doc.getArray('outline').push([new Y.Text('x')])
    doc.getArray('groups').push([new Y.Map()])
    expect(readPlan(doc).steps).toEqual([])
  })

  test('[R6] a patch of an unknown step changes nothing, and counts once the creation is there', () => {
    const copy = forged([{ id: id('a'), status: 'completed' }], [id('a')])
    expect(copy.plan.steps).toEqual([])
    expect(copy.unsettled()).toBe(0)
    copy.roots.steps.insert(0, [created('a')])
    expect(copy.plan.steps).toMatchObject([{ id: id('a'), status: 'completed' }])
  })

  test('[R7] steps that the outline does not name stand last, in the order of their ids', () => {
    const copy = forged([created('c'), created('b'), created('a')], [id('c')])
    expect(copy.shown).toBe('c a b')
  })

  test('[R8] a removed parent, an unknown parent, a ring of removed ones', () => {
    const copy = forged(
      [
        created('a'),
        { id: id('x'), removed: true, parent: id('a') },
        { id: id('y'), removed: true, parent: id('x') },
        created('b', { parent: id('y') }),
        created('c', { parent: id('nobody') }),
        { id: id('p'), removed: true, parent: id('q') },
        { id: id('q'), removed: true, parent: id('p') },
        created('d', { parent: id('p') }),
      ],
      ['a', 'b', 'c', 'd'].map(id),
    )
    expect(copy.shown).toBe('a .b c d')
  })

  test('[RB-A11] of a cycle the member that stands first in the outline is a root, wherever the cycle is entered', () => {
    const ring = [
      created('a', { parent: id('b') }),
      created('b', { parent: id('c') }),
      created('c', { parent: id('a') }),
    ]
    const tail = created('t', { parent: id('a') })
    expect(forged([...ring, tail], ['t', 'b', 'a', 'c'].map(id)).shown).toBe('b .a ..t ..c')
    expect(forged([...ring, tail], ['t', 'c', 'b', 'a'].map(id)).shown).toBe('c .b ..a ...t')
    expect(forged([created('a', { parent: id('a') })], [id('a')]).shown).toBe('a')
    const two = [...ring, created('p', { parent: id('q') }), created('q', { parent: id('p') })]
    expect(forged(two, ['q', 'c', 'p', 'b', 'a'].map(id)).shown).toBe('q .p c .b ..a')
  })

  test('[R9] groups: order of appearance, equal titles, removed ones, names that nobody knows', () => {
    const copy = forged(
      [
        created('a', { group: groupId('2') }),
        created('b', { group: groupId('3') }),
        created('c', { group: groupId('nobody') }),
      ],
      ['a', 'b', 'c'].map(id),
      [
        { id: groupId('1'), title: 'One', testsVerified: true },
        { id: groupId('2'), title: 'One' },
        { id: groupId('3'), title: 'Three', removed: true },
        { id: groupId('4'), title: 'Four', removed: true },
        { id: groupId('5'), testsVerified: true },
        { id: groupId('6'), title: 6 },
      ],
    )
    expect(copy.plan.groups.map(({ title }) => title)).toEqual(['One', 'Three'])
    expect(copy.plan.steps.map(({ group }) => group)).toEqual([groupId('1'), groupId('3'), null])
  })

  test('[R10] of a number that several bear the one whose patch stands right keeps it, whatever was written when', () => {
    const copy = forged([created('a', { number: 1 }), created('b', { number: 1 })], ['a', 'b'].map(id))
    expect(copy.plan.steps.map(({ number }) => number)).toEqual([null, 1])
    copy.roots.steps.push([{ id: id('a'), number: 1 }])
    expect(copy.plan.steps.map(({ number }) => number)).toEqual([1, null])
    expect(readPlan(copy.doc).steps).toEqual(copy.plan.steps)
    copy.roots.steps.push([{ id: id('a'), removed: true }])
    expect(copy.plan.steps.map(({ number }) => number)).toEqual([1])
  })

  test('[R11] dependencies: order of ranks, names that fit a number, the same thing twice', () => {
    const dependencies = {
      [`dep:${id('b')}`]: 2,
      'dep:=task-4': 1,
      'dep:=task-9': 0,
      [`dep:${id('gone')}`]: 3,
      'dep:=no': null,
    }
    const copy = forged(
      [created('a', dependencies), created('b', { number: 4 }), { id: id('gone'), removed: true, number: 8 }],
      ['a', 'b'].map(id),
    )
    const [a] = copy.plan.steps
    expect(a?.dependencies).toEqual([
      { name: 'task-9', rank: 0 },
      { step: id('b'), rank: 1 },
      { step: id('gone'), rank: 3 },
    ])
    expect([...copy.plan.removedNumbers]).toEqual([[id('gone'), 8]])
  })

  test('[R12] title and format of the wrong type', () => {
    const copy = new Copy()
    copy.doc.getMap<unknown>('meta').set('title', 7)
    expect(copy.plan.title).toBe('')
  })
})

describe('reading shares', () => {
  test('[R20] a change of fields makes one step anew and shares all else', () => {
    const copy = new Copy().add('a .b .c d')
    const before = copy.plan
    copy.run({ type: 'setStep', id: id('b'), fields: { status: 'completed' } })
    const after = copy.plan
    expect(after).not.toBe(before)
    expect(after.places).toBe(before.places)
    expect(after.groups).toBe(before.groups)
    expect(after.steps.map((step, i) => step === before.steps[i])).toEqual([true, false, true, true])
    expect(before.step(id('b'))?.status).toBe('pending')
  })

  test('[R21] a step that comes leaves those as they are that it does not touch', () => {
    const copy = new Copy().add('a .b .c d')
    const before = copy.plan
    copy.add('x', { parent: id('a'), after: id('b') })
    expect(copy.shown).toBe('a .b .x .c d')
    for (const step of before.steps) expect(copy.plan.step(step.id)).toBe(step)
    expect(before.step(id('x'))).toBeUndefined()
    expect(before.placeOf(id('c'))).toBe(3)
    expect(copy.plan.placeOf(id('c'))).toBe(4)
  })

  test('[R22] what changes nothing that shows gives the same plan', () => {
    const copy = new Copy().add('a b')
    const before = copy.plan
    copy.roots.steps.push([
      { id: id('unknown'), status: 'blocked' },
      { id: id('a'), text: 'a' },
    ])
    copy.roots.outline.push([id('unknown'), id('a')])
    expect(copy.plan).toBe(before)
  })

  test('[R23] places: sub-trees, children, groups of ancestors', () => {
    const copy = new Copy().add('a .b ..c .d e')
    const { plan } = copy
    expect(plan.subtree(id('a')).map((step) => step.text)).toEqual(['a', 'b', 'c', 'd'])
    expect(plan.subtree(id('nobody'))).toEqual([])
    expect(plan.children(null)).toEqual([id('a'), id('e')])
    expect(plan.children(id('a'))).toEqual([id('b'), id('d')])
    expect(plan.children(id('nobody'))).toEqual([])
    expect(plan.at(0)).toBeUndefined()
    expect(plan.at(5)?.id).toBe(id('e'))
    copy.run(
      { type: 'addGroup', id: groupId('g'), title: 'G' },
      { type: 'setStep', id: id('a'), fields: { group: groupId('g') } },
    )
    const c = copy.plan.step(id('c'))
    expect(c && copy.plan.groupOf(c)).toBe(groupId('g'))
    const e = copy.plan.step(id('e'))
    expect(e && copy.plan.groupOf(e)).toBeNull()
  })
})

describe('reading keeps up', () => {
  test('[R30] kept up to date from events is read afresh, and the same on a copy loaded anew', () => {
    for (let seed = 1; seed <= 25; seed++) {
      const chance = new Chance(seed)
      const one = new Replica('one', chance, () => {})
      const two = new Replica('two', chance, () => {})
      const removed = new Map<string, Step>()
      for (let i = 0; i < 25; i++) {
        const [from, to] = chance.once(2) ? [one, two] : [two, one]
        const before = from.plan
        const done = from.act([...removed.values()])
        for (const tombstone of done?.change.tombstones ?? []) {
          const step = before.step(tombstone.id)
          if (step !== undefined) removed.set(step.id, step)
        }
        if (chance.once(3))
          Y.applyUpdate(to.doc, Y.encodeStateAsUpdate(from.doc, Y.encodeStateVector(to.doc)), 'remote')
        const steps = from.doc.getArray('steps')
        // Somebody who forges takes patches away, too.
        if (chance.once(5) && steps.length > 0) steps.delete(chance.below(steps.length), 1)
        if (chance.once(5))
          steps.insert(chance.below(steps.length + 1), [
            { id: chance.of([...from.plan.steps, { id: id('x') }]).id, number: 1 + chance.below(5) },
          ])
        for (const replica of [one, two]) {
          const fresh = readPlan(replica.doc)
          const { title, steps: read, groups, removedNumbers } = replica.plan
          expect({ title, steps: read, groups, removedNumbers }, `seed ${seed}, step ${i}`).toEqual({
            title: fresh.title,
            steps: fresh.steps,
            groups: fresh.groups,
            removedNumbers: fresh.removedNumbers,
          })
          for (const step of fresh.steps) expect(replica.plan.placeOf(step.id)).toBe(fresh.placeOf(step.id))
        }
      }
    }
  })

  test('[R31] two copies of the same state read the same', () => {
    const a = new Copy().add('a .b c')
    const b = new Copy(a).edit({ type: 'moveSteps', steps: [id('c')], parent: id('a'), after: null })
    exchange(a, b)
    expect(a.plan.steps).toEqual(b.plan.steps)
    expect(new Copy(b).plan.steps).toEqual(b.plan.steps)
  })
})
