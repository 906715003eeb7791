import * as Y from 'yjs'
import { expect, test } from 'vitest'
import { changesBetween } from '../../shared/plan/changes.ts'
import { planMarkdown } from '../../shared/plan/markdown.ts'
import { readPlan } from '../../shared/plan/read.ts'
import { Copy, id } from '../helpers/plans.ts'

test.each([5_000, 10_000])('[DEEP] a plan %d deep is read, added to, moved, removed and settled', (depth) => {
  const steps = Array.from({ length: depth - 1 }, (_, i) => ({ id: id(`n${i}`), text: 'x', depth: i }))
  const copy = new Copy().run({ type: 'addSteps', parent: null, steps })
  expect(copy.plan.steps.at(-1)).toMatchObject({ depth: depth - 2, number: depth - 1 })
  copy.add('x', { parent: id(`n${depth - 2}`) })
  expect(copy.plan.step(id('x'))?.depth).toBe(depth - 1)
  expect(copy.plan.subtree(id('n0'))).toHaveLength(depth)
  copy.run({ type: 'removeSteps', steps: [id('x')], subSteps: false })
  copy.add('top', { after: null })
  const before = copy.plan
  copy.run({ type: 'moveSteps', steps: [id('n1')], parent: id('top') })
  expect(changesBetween(before, copy.plan).map((change) => change.id)).toEqual([id('n1')])
  expect(copy.plan.step(id(`n${depth - 2}`))?.depth).toBe(depth - 2)
  const half = Array.from({ length: depth / 2 - 2 }, (_, i) => id(`n${2 * i + 1}`))
  copy.run({ type: 'removeSteps', steps: half, subSteps: false })
  expect(copy.plan.steps).toHaveLength(depth - half.length)
  expect(readPlan(copy.doc).steps).toEqual(copy.plan.steps)
  expect(planMarkdown(copy.plan).length).toBeGreaterThan(0)
  copy.run({ type: 'removeSteps', steps: [id('top')], subSteps: true })
  expect(copy.shown).toBe('n0')
  expect(copy.unsettled()).toBe(0)
})

test('[DEEP] a ring of 10,000 steps is cut once', () => {
  const doc = new Y.Doc()
  const size = 10_000
  doc.getArray('outline').push(Array.from({ length: size }, (_, i) => id(`n${i}`)))
  doc.getArray('steps').push(
    Array.from({ length: size }, (_, i) => ({
      id: id(`n${i}`),
      createdAt: 1,
      text: 'x',
      parent: id(`n${(i + 1) % size}`),
    })),
  )
  const copy = new Copy(Y.encodeStateAsUpdate(doc))
  expect(copy.plan.steps[0]?.id).toBe(id('n0'))
  expect(copy.plan.steps.at(-1)?.depth).toBe(size - 1)
  const { steps } = copy.plan
  expect(copy.unsettled()).toBe(1)
  expect(copy.plan.steps.map((step) => [step.id, step.depth])).toEqual(steps.map((step) => [step.id, step.depth]))
  expect(copy.unsettled()).toBe(0)
})
