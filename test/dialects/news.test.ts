import { describe, expect, test } from 'vitest'
import { dottedNumbers } from '../../shared/dialects/lines.ts'
import type { PlanDriver } from '../helpers/plan-driver.ts'
import { envelopeOf, everyWay, notesOf, summaryOf } from '../helpers/plan-driver.ts'

const A = 'agent-a'
const B = 'agent-b'
const texts = (count: number) => Array.from({ length: count }, (_, i) => `step ${i + 1}`)
const add = (plan: PlanDriver, who: string, steps: readonly unknown[], more: object = {}) =>
  plan.call(who, 'add_todos', { steps, ...more })

test('[C2] a dotted number is written in full down to eight levels, then by its last two parts', () => {
  expect(dottedNumbers([0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 0])).toEqual([
    '1',
    '1.1',
    '1.1.1',
    '1.1.1.1',
    '1.1.1.1.1',
    '1.1.1.1.1.1',
    '1.1.1.1.1.1.1',
    '1.1.1.1.1.1.1.1',
    '…1.1',
    '…1.2',
    '…2.1',
    '2',
  ])
  const chain = dottedNumbers(Array.from({ length: 3_000 }, (_, depth) => depth))
  expect(chain.join('').length).toBeLessThan(20_000)
})

everyWay((withPlan) => {
  describe('what others did', () => {
    test(
      '[C1] is told of twenty steps by name, and counted beyond',
      withPlan(async (plan) => {
        await add(plan, A, ['first'])
        await add(plan, B, texts(30))
        const named = Array.from({ length: 20 }, (_, i) => `#${i + 2}`).join(', ')
        expect(envelopeOf(await plan.call(A, 'list_todos')).digest).toBe(`agent-b added ${named} and 10 more`)
      }),
    )

    test(
      '[C1] is not told again in the digest of a refusal that says it',
      withPlan(async (plan) => {
        await add(plan, B, ['A', 'B', 'C'])
        await plan.call(A, 'list_todos')
        await plan.call(B, 'remove_todos', { indices: [1] })
        const refused = await plan.call(A, 'toggle_todos', { indices: [1] })
        expect(summaryOf(refused)).toContain('agent-b removed #1 "A".')
        expect(refused['digest']).toBeUndefined()
      }),
    )

    test(
      '[F6] calls nothing moved that only became named by the group it was in',
      withPlan(async (plan) => {
        const write = (action: object) => plan.call(B, 'plan_todo_write', { action })
        await write({ type: 'Add', group: 'g', description: 'parent' })
        await add(plan, B, ['child'], { parent_index: 1 })
        await plan.call(A, 'list_todos')
        await plan.call(B, 'plan_todo_cross_off', { action: { type: 'Complete', id: 'task-1' } })
        await write({ type: 'Clean', keep_pending: true })
        expect(envelopeOf(await plan.call(A, 'list_todos')).digest).toBe('agent-b removed #1 "parent"')
      }),
    )
  })

  test(
    '[F8] Remove names the sub-steps that its caller has not seen, and takes nothing',
    withPlan(async (plan) => {
      await plan.call(A, 'plan_todo_write', { action: { type: 'Add', group: 'g', description: 'parent' } })
      await plan.call(B, 'list_todos')
      await add(plan, B, [{ text: 'child' }], { parent_index: 1 })
      const refused = await plan.call(A, 'plan_todo_write', { action: { type: 'Remove', id: 'task-1' } })
      expect(refused).toMatchObject({ success: false })
      expect(refused.text).toContain('steps that you have not seen: task-2 "child"')
      expect((await plan.standing()).steps).toHaveLength(2)
    }),
  )

  test(
    '[F22] a toggle of many goes by what its caller saw of each, and names who was first',
    withPlan(async (plan) => {
      await add(plan, B, texts(40))
      await plan.call(A, 'list_todos')
      await plan.call(B, 'toggle_todos', { indices: [2] })
      for (let i = 3; i <= 10; i++) await plan.call(A, 'toggle_todos', { indices: [i] })
      const reply = await plan.call(A, 'toggle_todos', { indices: [1, 2, 3, 40] })
      expect((await plan.standing()).steps.map(({ status }) => status).slice(0, 4)).toEqual([
        'completed',
        'completed',
        'pending',
        'completed',
      ])
      expect(notesOf(reply)).toEqual([
        '#2 was done already: agent-b has brought it there since you looked. List first to turn it back',
      ])
    }),
  )
})
