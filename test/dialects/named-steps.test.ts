import { describe, expect, test } from 'vitest'
import type { StepId } from '../../shared/schema/ids.ts'
import { everyWay, openPure, summaryOf } from '../helpers/plan-driver.ts'
import { build, namedStepCases, standing, task } from './named-steps-cases.ts'

const A = 'agent-a'

everyWay(namedStepCases)

describe('[11-F8] what a name can mean is listed', () => {
  const idOf = (n: number) => `step-000000000${n}` as StepId
  const many = () => {
    const plan = openPure()
    const steps = Array.from({ length: 8 }, (_, i) => ({ id: idOf(i + 1), text: `Step ${i + 1}`, depth: 0 }))
    plan.apply([{ type: 'addSteps', parent: null, steps }], A)
    return plan
  }
  const five = (name: (n: number) => string) =>
    [1, 2, 3, 4, 5].map((n) => `${name(n)} "Step ${n}" with the id ${idOf(n)}`).join(', ')

  test('where it is the beginning of several ids, five of them at the most', async () => {
    const plan = many()
    expect(summaryOf(await plan.call(A, 'toggle_todos', { indices: ['step'] }))).toBe(
      `step could be ${five((n) => `#${n}`)} and 3 more. Say which by its id. ` +
        'Nothing was changed. By number valid are #1 to #8.',
    )
    for (const [tool, args] of [
      ['plan_todo_cross_off', task('Complete', 'step')],
      ['plan_todo_write', { action: { type: 'Add', group: 'g', description: 'x', depends_on: ['step'] } }],
    ] as const)
      expect((await plan.call(A, tool, args)).error).toBe(
        `step could be ${five((n) => `task-${n}`)} and 3 more. Say which by its id. Nothing was changed.`,
      )
    await plan.call(A, 'read_todos')
    const todos = [{ id: 'step', content: 'x', status: 'pending' }]
    expect((await plan.call(A, 'write_todos', { todos })).error).toContain(`step could be ${five((n) => `t${n}`)}`)
    expect(plan.version).toBe(1)
    expect((await plan.call(A, 'toggle_todos', { indices: [idOf(3)] })).success).toBe(true)
    await plan.close()
  })

  test('where it fits none, the likeliest first', async () => {
    const plan = many()
    expect(summaryOf(await plan.call(A, 'remove_todos', { indices: ['step 7'] }))).toContain(
      '"step 7" names no step. There are #7 "Step 7", #1 "Step 1", #2 "Step 2", #3 "Step 3", #4 "Step 4". ',
    )
    const reply = await plan.call(A, 'plan_todo_cross_off', task('Complete', 'ghost'))
    expect(reply.error).toBe("Task 'ghost' does not exist. Use List to see available tasks.")
    expect(reply.text.split('\n\n')[1]).toMatch(/^There are task-1 "Step 1", .*task-5 "Step 5"\.$/)
    await plan.close()
  })

  test('three characters are no beginning of an id', async () => {
    const plan = openPure()
    await build(plan)
    // An id that begins like a number would be one.
    const id = plan.plan.steps.find((step) => /^[A-SU-Za-su-z_]/.test(step.id))?.id ?? ''
    expect((await plan.call(A, 'toggle_todos', { indices: [id.slice(0, 3)] })).success).toBe(false)
    expect((await plan.call(A, 'plan_todo_cross_off', task('Complete', id.slice(0, 3)))).success).toBe(false)
    expect((await plan.call(A, 'toggle_todos', { indices: [id.slice(0, 4)] })).success).toBe(true)
    await plan.close()
  })

  test('#3 in tasks is task-3 or the third task, where these are one', async () => {
    const plan = openPure()
    await build(plan)
    await plan.call(A, 'remove_todos', { indices: [2] })
    await plan.call(A, 'plan_todo_read')
    const reply = await plan.call(A, 'plan_todo_cross_off', task('Complete', '#3'))
    expect(reply.error).toMatch(/^#3 could be task-4 "D" with the id \S+, task-3 "C" with the id \S+\. Say which/)
    expect((await plan.call(A, 'plan_todo_cross_off', task('Complete', '#4'))).success).toBe(true)
    expect(await standing(plan)).toEqual(['A', 'C', 'D completed'])
    await plan.close()
  })

  test('1.1 as a number may have been 1.10', async () => {
    const plan = openPure()
    const steps = Array.from({ length: 10 }, (_, i) => ({ text: `S${i + 1}`, depth: 1 }))
    await plan.call(A, 'add_todos', { steps: [{ text: 'A' }, ...steps] })
    for (const [tool, args] of [
      ['toggle_todos', { indices: [1.1] }],
      ['plan_todo_cross_off', task('Complete', 1.1)],
    ] as const)
      expect((await plan.call(A, tool, args)).text).toMatch(/^.*1\.1 could be .*S1.* with the id .*S10/)
    expect((await plan.call(A, 'toggle_todos', { indices: ['1.1', '1.10', 1.2] })).success).toBe(true)
    expect((await standing(plan)).filter((text) => text.endsWith('completed'))).toHaveLength(3)
    await plan.close()
  })
})
