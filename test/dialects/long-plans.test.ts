import { expect, test } from 'vitest'
import { everyWay, openPure, summaryOf } from '../helpers/plan-driver.ts'
import { build, longPlanCases } from './long-plans-cases.ts'

const A = 'agent-a'
const B = 'agent-b'

everyWay(longPlanCases)
everyWay((withPlan) => {
  test(
    '[11-F7] what a block folds away keeps the number that its reader was told before, and loses it where others moved it',
    withPlan(async (plan) => {
      await build(plan)
      await plan.call(A, 'list_todos')
      await plan.call(A, 'list_todos', { query: 'Step 1999 ' })
      await plan.block(A, 'outline', 300)
      expect((await plan.call(A, 'toggle_todos', { indices: [2_001] })).success).toBe(true)
      await plan.call(B, 'remove_todos', { indices: [2] })
      await plan.block(A, 'outline', 300)
      // It stands at #2000 now, which nobody has told.
      expect((await plan.call(A, 'toggle_todos', { indices: [2_000] })).success).toBe(false)
      expect((await plan.standing()).steps.at(-1)?.status).toBe('completed')
    }),
  )
})

test('[11-F7] an agent alone is served by its numbers as published, however long its plan is', async () => {
  const plan = openPure()
  for (let from = 0; from < 2_000; from += 500)
    await plan.call('a', 'add_todos', {
      steps: Array.from({ length: 500 }, (_, i) => `Step ${from + i} with some words that tell what is to be done`),
    })
  await plan.call('a', 'list_todos')
  for (const now of ['done', 'pending', 'done'])
    expect(summaryOf(await plan.call('a', 'toggle_todos', { indices: [1_900] }))).toBe(
      `toggled 1 todo step: #1900 now ${now}`,
    )
  expect(summaryOf(await plan.call('a', 'remove_todos', { indices: [1_900] }))).toBe('removed 1 todo step')
  expect(plan.plan.steps).toHaveLength(1_999)
  await plan.close()
})
