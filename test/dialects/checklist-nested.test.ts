import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LocalPlan } from '../../client/sdk/local-plan.ts'
import { listOperations } from '../../shared/plan/diff.ts'
import type { WantedStep } from '../../shared/plan/diff.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { GroupId, StepId } from '../../shared/schema/ids.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'

const A: Actor = { id: 'a', name: 'a', kind: 'agent' }
const idOf = (i: number): StepId => `step-${String(i).padStart(4, '0')}` as StepId
const GROUP = 'group-0001' as GroupId

/** A plan of some depth in which steps were moved about, so that what stands in the document stands nowhere in order. */
function planOf(depths: readonly number[], moves: readonly (readonly [number, number])[]): LocalPlan {
  const host = new LocalPlan({ now: () => 0 })
  let last = -1
  const steps = depths.map((depth, i) => ({
    id: idOf(i),
    text: `s${i}`,
    depth: (last = Math.min(depth, last + 1)),
    ...(i % 3 === 0 ? { group: GROUP } : {}),
  }))
  host.apply(
    [
      { type: 'addGroup', id: GROUP, title: 'g' },
      { type: 'addSteps', parent: null, steps },
    ],
    A,
  )
  for (const [what, under] of moves) {
    const [step, parent] = [idOf(what % depths.length), idOf(under % depths.length)]
    if (host.plan.subtree(step).some(({ id }) => id === parent)) continue
    host.apply([{ type: 'moveSteps', steps: [step], parent, after: null }], A)
  }
  return host
}

const climbed = (before: Plan, id: StepId, removed: ReadonlySet<StepId>): StepId | null => {
  let at = before.step(id)?.parent ?? null
  while (at !== null && removed.has(at)) at = before.step(at)?.parent ?? null
  return at
}

const movedBy = (operations: readonly PlanOperation[]): number =>
  operations.reduce((sum, one) => sum + (one.type === 'moveSteps' ? one.steps.length : 0), 0)

test('a list over any tree: parents and groups stay, siblings stand as listed, what is listed already moves nothing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(3), { minLength: 1, maxLength: 14 }),
      fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 4 }),
      fc.array(fc.record({ key: fc.nat(1000), fate: fc.constantFrom('listed', 'listed', 'kept', 'removed') }), {
        minLength: 14,
        maxLength: 14,
      }),
      fc.array(fc.nat(15), { maxLength: 4 }),
      (depths, moves, fates, added) => {
        const host = planOf(depths, moves)
        const before = host.plan
        const fateOf = (id: StepId) => fates[Number(id.slice(5))]
        const removed = new Set(before.steps.filter(({ id }) => fateOf(id)?.fate === 'removed').map(({ id }) => id))
        const wanted: WantedStep[] = before.steps
          .filter(({ id }) => fateOf(id)?.fate === 'listed')
          .toSorted((a, b) => (fateOf(a.id)?.key ?? 0) - (fateOf(b.id)?.key ?? 0))
          .map(({ id }) => ({ id, isNew: false, fields: {} }))
        added.forEach((at, i) => wanted.splice(at, 0, { id: idOf(100 + i), isNew: true, fields: { text: `new ${i}` } }))
        host.apply(listOperations(before, wanted, removed), A)
        const after = host.plan

        expect(after.steps.length).toBe(before.steps.length - removed.size + added.length)
        let parent: StepId | null = null
        let previous: StepId | null = null
        for (const { id, isNew } of wanted) {
          if (isNew) {
            const siblings = after.children(parent)
            expect(siblings[siblings.indexOf(id) - 1] ?? null, 'a new step is the next sibling').toBe(previous)
          } else parent = climbed(before, id, removed)
          expect(after.step(id)?.parent, 'a parent').toBe(parent)
          previous = id
        }
        for (const step of before.steps) {
          const now = after.step(step.id)
          if (now === undefined) expect(removed.has(step.id)).toBe(true)
          else {
            expect(now.parent).toBe(climbed(before, step.id, removed))
            expect(after.groupOf(now), 'a group').toBe(before.groupOf(step))
          }
        }
        const order = wanted.map(({ id }) => id)
        for (const above of new Set(after.steps.map((step) => step.parent))) {
          const siblings = after.children(above)
          expect(siblings.filter((id) => order.includes(id))).toEqual(order.filter((id) => siblings.includes(id)))
        }
        const again = wanted.map(({ id }): WantedStep => ({ id, isNew: false, fields: {} }))
        expect(listOperations(after, again, new Set())).toEqual([])
        host.close()
      },
    ),
    { numRuns: Number(process.env['PLANROOM_FUZZ_RUNS'] ?? 300) },
  )
})

test('as few moves as can be', () => {
  const host = planOf([0, 0, 0, 0, 0, 0], [])
  const list = (...order: number[]): WantedStep[] => order.map((i) => ({ id: idOf(i), isNew: false, fields: {} }))
  expect(movedBy(listOperations(host.plan, list(5, 0, 1, 2, 3, 4), new Set()))).toBe(1)
  expect(movedBy(listOperations(host.plan, list(1, 2, 3, 4, 5, 0), new Set()))).toBe(1)
  expect(movedBy(listOperations(host.plan, list(3, 4, 5, 0, 1, 2), new Set()))).toBe(3)
  expect(listOperations(host.plan, list(1, 2), new Set([idOf(0)]))).toEqual([
    { type: 'removeSteps', steps: [idOf(0)], subSteps: false },
  ])
  host.close()
})
