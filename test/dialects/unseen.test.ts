import { describe, expect, test } from 'vitest'
import type { PlanDriver } from '../helpers/plan-driver.ts'
import { envelopeOf, everyWay, notesOf, summaryOf } from '../helpers/plan-driver.ts'
import { nagsOf } from './tasks-cases.ts'

const A = 'agent-a'
const B = 'agent-b'
const add = (plan: PlanDriver, who: string, texts: string, more: object = {}) =>
  plan.call(who, 'add_todos', { steps: texts.split(''), ...more })
const write = (plan: PlanDriver, type: string, fields: object, more: object = {}) =>
  plan.call(A, 'plan_todo_write', { action: { type, ...fields }, ...more })
const standing = async (plan: PlanDriver) =>
  (await plan.standing()).steps.map(({ text, status }) => (status === 'pending' ? text : `${text} ${status}`))

// Each call is of agent-a, that has listed A, B and C; then agent-b did something.
everyWay((withPlan) => {
  const listed = (work: (plan: PlanDriver) => Promise<void>) =>
    withPlan(async (plan) => {
      await add(plan, B, 'ABC')
      await plan.call(A, 'list_todos')
      await work(plan)
    })

  describe('what its caller has not seen is not removed', () => {
    test(
      'below a step that is: refused, until it was listed',
      listed(async (plan) => {
        await add(plan, B, 'D', { parent_index: 1 })
        const refused = 'This would remove steps that you have not seen: #2 "D". Nothing was changed. List first.'
        for (const args of [{ indices: [1] }, { indices: [1], rev: 1 }])
          expect(envelopeOf(await plan.call(A, 'remove_todos', args))).toMatchObject({
            success: false,
            summary: refused,
          })
        expect(await write(plan, 'Remove', { id: 1 })).toMatchObject({
          error: 'This would remove steps that you have not seen: task-4 "D". Nothing was changed. List first.',
        })
        expect(await standing(plan)).toEqual(['A', 'D', 'B', 'C'])
        await plan.call(A, 'list_todos')
        expect(summaryOf(await plan.call(A, 'remove_todos', { indices: [1] }))).toBe('removed 2 todo steps')
      }),
    )

    test(
      'below its own step, by who never looked: it knows only what it made itself',
      withPlan(async (plan) => {
        await add(plan, A, 'A')
        await plan.call(B, 'list_todos')
        await add(plan, B, 'B')
        expect(notesOf(await add(plan, 'agent-c', 'C'))).toContain('it is #3')
        await plan.call(B, 'list_todos')
        await add(plan, B, 'D', { parent_index: 3 })
        expect(summaryOf(await plan.call('agent-c', 'remove_todos', { indices: [3] }))).toBe(
          'This would remove steps that you have not seen: #4 "D". Nothing was changed. List first.',
        )
        expect(await standing(plan)).toEqual(['A', 'B', 'C', 'D'])
      }),
    )

    test(
      'by who never looked: it is shown the plan first',
      listed(async (plan) => {
        await add(plan, B, 'D', { parent_index: 1 })
        const refused = await plan.call('agent-c', 'remove_todos', { indices: [1] })
        expect(summaryOf(refused)).toMatch(/^You have not looked at this plan yet.*\n#1 {2}1 {2}\[ \] A\n#2/)
        expect(summaryOf(await plan.call('agent-c', 'remove_todos', { indices: [1] }))).toBe('removed 2 todo steps')
      }),
    )

    test(
      'a sub-step of its own is seen',
      listed(async (plan) => {
        await add(plan, A, 'D', { parent_index: 1 })
        await add(plan, B, 'E')
        expect(summaryOf(await plan.call(A, 'remove_todos', { indices: [1] }))).toBe('removed 2 todo steps')
      }),
    )

    test(
      'by Clean, which keeps it and says so; then it was shown, and goes',
      listed(async (plan) => {
        await add(plan, B, 'DE')
        await plan.call(B, 'toggle_todos', { indices: [1, 4] })
        const reply = await write(plan, 'Clean', { keep_pending: false })
        expect(nagsOf(reply).slice(0, 2)).toEqual([
          'Removed 3 completed or cancelled tasks.',
          'Kept 2 tasks that you had not seen: task-4 "D", task-5 "E".',
        ])
        expect(await standing(plan)).toEqual(['D completed', 'E'])
        await write(plan, 'Clean', { keep_pending: true })
        expect(await standing(plan)).toEqual(['E'])
      }),
    )
  })

  describe('what its caller has not seen closed is not opened again', () => {
    test(
      '[RB-A8] by Start: refused, until it was listed',
      listed(async (plan) => {
        await plan.call(B, 'toggle_todos', { indices: [2] })
        expect(await write(plan, 'Start', { id: 2 })).toMatchObject({
          error:
            "Task 'task-2' is Completed: agent-b set that since you last looked. Nothing was changed. " +
            'List first; Start then opens it again.',
        })
        expect(await write(plan, 'Start', { id: 2 }, { rev: 1 })).toMatchObject({ success: false })
        expect(await standing(plan)).toEqual(['A', 'B completed', 'C'])
        await plan.call(A, 'plan_todo_read', { action: { type: 'List' } })
        await write(plan, 'Start', { id: 2 })
        expect(await standing(plan)).toEqual(['A', 'B in_progress', 'C'])
      }),
    )

    test(
      'by a toggle of what was done when it was seen, and cancelled since',
      listed(async (plan) => {
        await plan.call(A, 'toggle_todos', { indices: [2] })
        await plan.call(B, 'write_todos', {
          todos: ['A', 'B', 'C'].map((content) => ({ content, status: content === 'B' ? 'cancelled' : 'pending' })),
        })
        const reply = await plan.call(A, 'toggle_todos', { indices: [2] })
        expect(notesOf(reply)).toEqual([
          '#2 stays cancelled: agent-b has cancelled it since you looked. List first to turn it back',
        ])
        expect(await standing(plan)).toEqual(['A', 'B cancelled', 'C'])
      }),
    )
  })
})
