import { array, assert, boolean, integer, nat, property, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NOTHING_WRITTEN, UndoStack } from '../../client/sdk/undo.ts'
import type { LivePlan } from '../../client/sdk/live-plan.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import { newGroupId, newStepId } from '../../shared/schema/ids.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import { add, agreeing, live, outlineOf, rename, serve, texts, until } from './live.ts'

const offline = (): LivePlan => live('http://127.0.0.1:9', { connect: false, name: 'ada' })

/** Two who see the same plan, and a step in it. */
async function together() {
  const server = await serve()
  const ada = live(server.url, { name: 'ada' })
  const bob = live(server.url, { name: 'bob' })
  const id = add(ada, 'a')
  await agreeing(server, ada, bob)
  await until(bob, () => bob.steps.length === 1)
  return { server, ada, bob, id }
}

describe('undo and redo of one alone, offline', () => {
  test('a creation is taken back by a removal, with all it was given, and comes again', () => {
    const ada = offline()
    const top = newStepId()
    const below = newStepId()
    ada.apply([
      { type: 'addSteps', parent: null, steps: [{ id: top, text: 'top', depth: 0, details: 'why' }, { id: below, text: 'below', depth: 1 }] }, // prettier-ignore
    ])
    expect(ada.undo()?.changes.map(({ after }) => after)).toEqual([null, null])
    expect(ada.steps).toEqual([])
    expect(ada.undo()).toBeNull()
    expect(ada.redo()?.changes).toHaveLength(2)
    expect(outlineOf(ada)).toEqual(['top', '  below'])
    expect(ada.plan.step(top)).toMatchObject({ details: 'why', createdBy: 'ada' })
    expect(ada.redo()).toBeNull()
  })

  test('[F18] a removal too large for one update is taken back in several, as one undo, and done again as one', () => {
    const ada = offline()
    const details = 'd'.repeat(1_000)
    const ids = Array.from({ length: 901 }, () => newStepId())
    for (let at = 0; at < ids.length; at += 100) {
      const steps = ids
        .slice(at, at + 100)
        .map((id, i) => ({ id, text: `${at + i}`, depth: i % 10 === 0 ? 0 : 1, details }))
      ada.apply([{ type: 'addSteps', parent: null, steps }])
    }
    const before = outlineOf(ada)
    ada.apply([{ type: 'removeSteps', steps: ids, subSteps: false }])
    expect(ada.steps).toEqual([])
    expect(ada.undo()?.leftOut).toEqual([])
    expect(outlineOf(ada)).toEqual(before)
    expect(ada.steps.every((step) => step.details === details)).toBe(true)
    expect(ada.redo()?.leftOut).toEqual([])
    expect(ada.steps).toEqual([])
    expect(ada.undo()?.leftOut).toEqual([])
    expect(outlineOf(ada)).toEqual(before)
  })

  test('[F18] an undo that does not fit says why and stays, until there is room for it', () => {
    const ada = offline()
    const fill = (count: number): StepId[] => {
      const ids = Array.from({ length: count }, () => newStepId())
      for (let at = 0; at < count; at += 2_500)
        ada.apply([{ type: 'addSteps', parent: null, steps: ids.slice(at, at + 2_500).map((id) => ({ id, text: 's', depth: 0 })) }]) // prettier-ignore
      return ids
    }
    const own = add(ada, 'own')
    ada.apply([{ type: 'removeSteps', steps: [own], subSteps: false }])
    fill(10_000)
    expect(ada.steps).toHaveLength(10_000)
    const stack = new UndoStack()
    const footprint = { steps: [{ id: own, before: { fields: { text: 'own' }, createdBy: '', createdAt: 0 }, after: null, fields: [], from: { above: [], before: [], isLast: true }, to: null }], groups: [], title: null, groupTitles: {} } // prettier-ignore
    stack.record(footprint)
    const full = stack.undo(
      () => ada.plan,
      (operations) => {
        ada.apply(operations)
        return NOTHING_WRITTEN
      },
    )
    expect(full?.leftOut).toEqual([
      { id: own, why: 'A plan holds at most 10000 steps; this would make 10001. Remove finished steps first.' },
    ])
    expect(stack.canUndo).toBe(true)
    ada.apply([{ type: 'removeSteps', steps: [ada.steps[0]?.id as StepId], subSteps: false }])
    const undo = stack.undo(
      () => ada.plan,
      (operations) => ({ ...NOTHING_WRITTEN, changes: ada.apply(operations) }),
    )
    expect(undo?.leftOut).toEqual([])
    expect(ada.plan.step(own)?.text).toBe('own')
  })

  test('a removal is taken back where the steps stood, with their sub-steps', () => {
    const ada = offline()
    const [a, b, c] = ['a', 'b', 'c'].map((text) => add(ada, text)) as [StepId, StepId, StepId]
    add(ada, 'b1', b)
    add(ada, 'b2', b)
    const before = outlineOf(ada)
    ada.apply([{ type: 'removeSteps', steps: [b], subSteps: true }])
    ada.undo()
    expect(outlineOf(ada)).toEqual(before)
    ada.apply([{ type: 'removeSteps', steps: [b], subSteps: false }])
    expect(outlineOf(ada)).toEqual(['a', 'b1', 'b2', 'c'])
    ada.undo()
    expect(outlineOf(ada)).toEqual(before)
    ada.redo()
    expect(outlineOf(ada)).toEqual(['a', 'b1', 'b2', 'c'])
    ada.undo()
    ada.apply([{ type: 'removeSteps', steps: [a, b, c], subSteps: true }])
    ada.undo()
    expect(outlineOf(ada)).toEqual(before)
  })

  test('a move, a field, a dependency, a group, a title', () => {
    const ada = offline()
    const [a, b] = ['a', 'b'].map((text) => add(ada, text)) as [StepId, StepId]
    const group = newGroupId()
    const before = ada.plan
    const rounds: PlanOperation[][] = [
      [{ type: 'moveSteps', steps: [b], parent: a }],
      [{ type: 'moveSteps', steps: [b], parent: null, after: null }],
      [{ type: 'setStep', id: a, fields: { text: 'A', details: 'd', status: 'completed', required: true, alias: 'x' } }], // prettier-ignore
      [{ type: 'setStep', id: b, fields: { dependencies: [{ step: a }, { name: 'task-9' }] } }],
      [
        { type: 'addGroup', id: group, title: 'G' },
        { type: 'setStep', id: a, fields: { group } },
      ],
      [{ type: 'setGroup', id: group, title: 'H', testsVerified: true }],
      [{ type: 'setTitle', title: 'Holiday' }],
      [
        { type: 'setStep', id: a, fields: { group: null } },
        { type: 'removeGroup', id: group },
      ],
    ]
    const stages = [before]
    for (const operations of rounds) {
      ada.apply(operations)
      stages.push(ada.plan)
    }
    for (const stage of stages.slice(0, -1).toReversed()) {
      ada.undo()
      expect(shape(ada)).toEqual(shape({ plan: stage }))
    }
    for (const stage of stages.slice(1)) {
      ada.redo()
      expect(shape(ada)).toEqual(shape({ plan: stage }))
    }
  })

  test('a new change ends what could be done again', () => {
    const ada = offline()
    add(ada, 'a')
    ada.undo()
    expect(ada.canRedo).toBe(true)
    add(ada, 'b')
    expect(ada.canRedo).toBe(false)
    expect(ada.redo()).toBeNull()
  })

  test('any changes at all are taken back to where they began, and made again', () => {
    const act = tuple(integer({ min: 0, max: 7 }), nat(), nat(), boolean())
    assert(
      property(array(act, { minLength: 1, maxLength: 25 }), (acts) => {
        const ada = offline()
        const stages = [shape(ada)]
        for (const [kind, x, y, flag] of acts) {
          const before = ada.plan
          try {
            ada.apply(operationOf(ada, kind, x, y, flag))
          } catch {
            continue
          }
          if (ada.plan !== before) stages.push(shape(ada))
        }
        for (const stage of stages.slice(0, -1).toReversed()) {
          expect(ada.undo()?.leftOut).toEqual([])
          expect(shape(ada)).toEqual(stage)
        }
        for (const stage of stages.slice(1)) {
          ada.redo()
          expect(shape(ada)).toEqual(stage)
        }
        void ada.close()
      }),
      { numRuns: 150 },
    )
  })
})

const shape = ({ plan }: Pick<LivePlan, 'plan'>) => ({
  title: plan.title,
  groups: plan.groups.map(({ title, testsVerified }) => [title, testsVerified]),
  steps: plan.steps.map(({ number: _, createdAt: _1, updatedAt: _2, updatedBy: _3, group, dependencies, ...rest }) => ({
    ...rest,
    group: plan.groups.find((one) => one.id === group)?.title ?? null,
    dependencies: dependencies.map((one) => ('step' in one ? one.step : one.name)),
  })),
})

function operationOf({ plan }: LivePlan, kind: number, x: number, y: number, flag: boolean): PlanOperation[] {
  const at = (n: number) => plan.steps[n % Math.max(1, plan.steps.length)]?.id ?? newStepId()
  const parent = flag ? null : at(y)
  const siblings = plan.children(parent)
  const after = siblings[x % (siblings.length + 1)] ?? null
  switch (kind) {
    case 0:
    case 1:
      return [{ type: 'addSteps', parent, after, steps: [{ id: newStepId(), text: `t${x}`, depth: 0 }, { id: newStepId(), text: `t${y}`, depth: 1 }] }] // prettier-ignore
    case 2:
      return [{ type: 'moveSteps', steps: [at(x)], parent, after: after === at(x) ? null : after }]
    case 3:
      return [{ type: 'removeSteps', steps: [at(x), at(y)], subSteps: flag }]
    case 4:
      return [{ type: 'setStep', id: at(x), fields: { text: `t${y}`, status: flag ? 'completed' : 'blocked' } }]
    case 5:
      return [{ type: 'setStep', id: at(x), fields: { dependencies: [{ step: at(y) }] } }]
    case 6: {
      const id = plan.groups.find(({ title }) => title === `g${y % 3}`)?.id ?? newGroupId()
      const isNew = !plan.groups.some((group) => group.id === id)
      return [...(isNew ? [{ type: 'addGroup', id, title: `g${y % 3}` } as const] : []), { type: 'setStep', id: at(x), fields: { group: flag ? id : null } }] // prettier-ignore
    }
    default:
      return [{ type: 'setTitle', title: `title ${y}` }]
  }
}

describe('undo among others', () => {
  test('field by field, only where the value is still one’s own', async () => {
    const { server, ada, bob, id } = await together()
    ada.apply([{ type: 'setStep', id, fields: { text: 'by ada', status: 'completed', details: 'by ada' } }])
    await until(bob, () => texts(bob)[0] === 'by ada')
    rename(bob, id, 'by bob')
    await until(ada, () => texts(ada)[0] === 'by bob')
    expect(ada.undo()?.leftOut).toEqual([{ id, why: 'text: somebody else has changed it since' }])
    expect(ada.plan.step(id)).toMatchObject({ text: 'by bob', status: 'pending', details: '' })
    await agreeing(server, ada, bob)
  })

  test('not even where somebody else made it the same again', async () => {
    const { ada, bob, id } = await together()
    rename(ada, id, 'b')
    await until(bob, () => texts(bob)[0] === 'b')
    rename(bob, id, 'c')
    rename(bob, id, 'b')
    await bob.whenSaved()
    add(bob, 'last')
    await until(ada, () => ada.steps.length === 2)
    expect(texts(ada)).toEqual(['b', 'last'])
    expect(ada.undo()).toEqual({ changes: [], leftOut: [{ id, why: 'text: somebody else has changed it since' }] })
    expect(texts(ada)).toEqual(['b', 'last'])
    // What is left to undo is the creation of the step, which is a removal.
    ada.undo()
    expect(texts(ada)).toEqual(['last'])
  })

  test('a move only if nobody moved the step since', async () => {
    const { server, ada, bob, id } = await together()
    const other = add(ada, 'other')
    const third = add(ada, 'third')
    ada.apply([{ type: 'moveSteps', steps: [id], parent: other }])
    await until(bob, () => bob.plan.step(id)?.parent === other)
    bob.apply([{ type: 'moveSteps', steps: [id], parent: third }])
    await until(ada, () => ada.plan.step(id)?.parent === third)
    expect(ada.undo()).toEqual({ changes: [], leftOut: [{ id, why: 'place: somebody else has moved it since' }] })
    expect(ada.plan.step(id)?.parent).toBe(third)
    await agreeing(server, ada, bob)
    expect(outlineOf(ada)).toEqual(['other', 'third', '  a'])
  })

  test('a creation that others built on leaves what they built', async () => {
    const { server, ada, bob, id } = await together()
    add(bob, 'below', id)
    await until(ada, () => ada.steps.length === 2)
    ada.undo()
    expect(outlineOf(ada)).toEqual(['below'])
    ada.redo()
    expect(outlineOf(ada)).toEqual(['a', '  below'])
    await agreeing(server, ada, bob)
    expect(outlineOf(bob)).toEqual(['a', '  below'])
  })

  test('offline, what it takes back merges like any change', async () => {
    const { server, ada, bob, id } = await together()
    rename(ada, id, 'A')
    await ada.whenSaved()
    ada.goOffline()
    ada.undo()
    add(bob, 'b')
    ada.goOnline()
    await agreeing(server, ada, bob)
    expect(texts(bob)).toEqual(['a', 'b'])
  })

  test('a removed step comes back under who is left of those above it', async () => {
    const { server, ada, bob, id } = await together()
    const below = add(ada, 'below', id)
    ada.apply([{ type: 'removeSteps', steps: [below], subSteps: true }])
    await until(bob, () => bob.steps.length === 1)
    await agreeing(server, ada, bob)
    bob.apply([{ type: 'removeSteps', steps: [id], subSteps: true }])
    await until(ada, () => ada.steps.length === 0)
    ada.undo()
    expect(outlineOf(ada)).toEqual(['below'])
    await agreeing(server, ada, bob)
  })
})
