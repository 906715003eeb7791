import { describe, expect, test } from 'vitest'
import type { Cases, PlanDriver } from '../helpers/plan-driver.ts'
import { notesOf, summaryOf } from '../helpers/plan-driver.ts'

const A = 'agent-a'
const B = 'agent-b'

/** A with C below its B, and D: C is #3, 1.2 and task-3. */
const STEPS = [{ text: 'A' }, { text: 'B', depth: 1 }, { text: 'C', depth: 1 }, { text: 'D' }]
export const build = async (plan: PlanDriver, who = A) => {
  await plan.call(who, 'add_todos', { steps: STEPS })
  return (await plan.standing()).steps[2]?.id ?? ''
}
export const standing = async (plan: PlanDriver) =>
  (await plan.standing()).steps.map(({ text, status }) => (status === 'pending' ? text : `${text} ${status}`))

const FORMS: readonly (readonly [name: string, of: (id: string) => unknown])[] = [
  ['the internal id', (id) => id],
  ['the beginning of the id', (id) => id.slice(0, 6)],
  ['#3', () => '#3'],
  ['3', () => 3],
  ['"3"', () => '3'],
  ['"1.2"', () => '1.2'],
  ['1.2', () => 1.2],
  ['task-3', () => 'task-3'],
  ['Task 3', () => 'Task 3'],
]
export const task = (type: string, id: unknown) => ({ action: { type, id } })
const CALLS: readonly (readonly [tool: string, args: (ref: unknown) => object, after: readonly string[]])[] = [
  ['toggle_todos', (ref) => ({ indices: [ref] }), ['A', 'B', 'C completed', 'D']],
  ['update_todos', (ref) => ({ updates: [{ index: ref, text: 'X' }] }), ['A', 'B', 'X', 'D']],
  ['remove_todos', (ref) => ({ indices: ref }), ['A', 'B', 'D']],
  ['add_todos', (ref) => ({ steps: ['X'], parent_index: ref }), ['A', 'B', 'C', 'X', 'D']],
  ['plan_todo_write', (ref) => task('Start', ref), ['A', 'B', 'C in_progress', 'D']],
  ['plan_todo_cross_off', (ref) => task('Complete', ref), ['A', 'B', 'C completed', 'D']],
  ['plan_todo_edit', (ref) => ({ edit: { id: ref, description: 'X' } }), ['A', 'B', 'X', 'D']],
]

export const namedStepCases: Cases = (withPlan) => {
  describe('[11-F8] [RB-B9] a step is named', () => {
    for (const [form, of] of FORMS)
      for (const [tool, args, after] of CALLS)
        test(
          `by ${form} in ${tool}`,
          withPlan(async (plan) => {
            const id = await build(plan)
            const reply = await plan.call(A, tool, args(of(id)))
            expect([reply.success, reply.text]).toEqual([true, reply.text])
            expect(await standing(plan)).toEqual(after)
          }),
        )

    for (const [form, of] of FORMS)
      test(
        `by ${form} for Get and as a dependency`,
        withPlan(async (plan) => {
          const id = await build(plan)
          expect((await plan.call(A, 'plan_todo_read', task('Get', of(id)))).text).toContain('"description":"C"')
          const reply = await plan.call(A, 'plan_todo_edit', { edit: { id: 'task-4', depends_on: [of(id)] } })
          expect(reply.text).toContain('"depends_on":["task-3"]')
        }),
      )

    for (const [form, of] of [...FORMS.filter(([name]) => name !== 'Task 3'), ['t3', () => 't3'] as const])
      test(
        `by ${form} in write_todos, where it becomes no lasting name`,
        withPlan(async (plan) => {
          const id = await build(plan)
          const todos = ['A', 'B', 'X', 'D'].map((content) => ({ content, status: 'pending' }))
          const list = todos.map((item) => (item.content === 'X' ? { ...item, id: of(id) } : item))
          expect((await plan.call(A, 'write_todos', { todos: list })).success).toBe(true)
          const { steps } = await plan.standing()
          expect(steps.map((step) => step.text)).toEqual(['A', 'B', 'X', 'D'])
          expect([steps[2]?.id, steps[2]?.alias, steps[2]?.depth]).toEqual([id, null, 1])
        }),
      )

    test(
      'by several names in one call, and what is told is a number that holds',
      withPlan(async (plan) => {
        const id = await build(plan, B)
        const reply = await plan.call(A, 'toggle_todos', { indices: [id, 'task-4'] })
        expect(summaryOf(reply)).toBe('toggled 2 todo steps: #3 now done, #4 now done')
        // agent-a never looked, but #3 and #4 it was told.
        expect(summaryOf(await plan.call(A, 'toggle_todos', { indices: [3] }))).toBe(
          'toggled 1 todo step: #3 now pending',
        )
        expect(summaryOf(await plan.call(A, 'toggle_todos', { indices: [1] }))).toContain('You have not looked')
      }),
    )

    test(
      'by its id, wherever it went and whoever moved it',
      withPlan(async (plan) => {
        const id = await build(plan, B)
        await plan.call(A, 'list_todos')
        await plan.call(B, 'remove_todos', { indices: [2] })
        expect(summaryOf(await plan.call(A, 'toggle_todos', { indices: [id] }))).toBe(
          'toggled 1 todo step: #2 now done',
        )
        expect(await standing(plan)).toEqual(['A', 'C completed', 'D'])
        await plan.call(B, 'remove_todos', { indices: [2] })
        const gone = await plan.call(A, 'toggle_todos', { indices: [id.slice(0, 6)] })
        expect([summaryOf(gone), notesOf(gone)[0]]).toEqual([
          'no matching todo steps found',
          `${id.slice(0, 6)} "C" was removed by agent-b`,
        ])
      }),
    )
  })

  describe('[11-F8] a dotted number that somebody else has given another step', () => {
    const moved = (work: (plan: PlanDriver, rev: number) => Promise<void>) =>
      withPlan(async (plan) => {
        await build(plan, B)
        const { version } = await plan.call(A, 'list_todos')
        await plan.call(B, 'remove_todos', { indices: [2] })
        await plan.call(B, 'add_todos', { steps: ['E'], parent_index: 1 })
        await work(plan, version)
      })

    test(
      'is refused, and means with rev what was seen',
      moved(async (plan, rev) => {
        expect(summaryOf(await plan.call(A, 'toggle_todos', { indices: ['1.2'] }))).toBe(
          '1.2 was "C" (now #2) in version 1 and is now "E": agent-b removed #2 "B"; agent-b added #3. ' +
            'Nothing was changed. Repeat with rev 1 to mean what you saw, or list first.',
        )
        expect((await plan.call(A, 'plan_todo_cross_off', task('Complete', '1.2'))).success).toBe(false)
        expect(summaryOf(await plan.call(A, 'toggle_todos', { indices: ['1.2'], rev }))).toBe(
          'toggled 1 todo step: #2 now done',
        )
        expect(await standing(plan)).toEqual(['A', 'C completed', 'E', 'D'])
      }),
    )

    test(
      'is taken where it still names the same step, though its place has moved',
      withPlan(async (plan) => {
        await build(plan, B)
        await plan.call(A, 'list_todos')
        await plan.call(B, 'add_todos', { steps: ['E'], parent_index: 2 })
        expect((await plan.call(A, 'toggle_todos', { indices: [3] })).success).toBe(false)
        expect(summaryOf(await plan.call(A, 'toggle_todos', { indices: ['1.2'] }))).toBe(
          'toggled 1 todo step: #4 now done',
        )
        expect(await standing(plan)).toEqual(['A', 'B', 'E', 'C completed', 'D'])
      }),
    )
  })
}
