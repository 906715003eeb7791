import { describe, expect, test } from 'vitest'
import type { Status } from '../../shared/schema/plan.ts'
import type { PlanDriver } from '../helpers/plan-driver.ts'
import { everyWay } from '../helpers/plan-driver.ts'
import { expectConsistent, readings, STATUS_TABLE } from './readings.ts'

const ME = 'agent-a'
const call = async (plan: PlanDriver, tool: string, args: object) => {
  const reply = await plan.call(ME, tool, args)
  expect(reply, reply.text).toMatchObject({ success: true })
  return reply
}
const write = (plan: PlanDriver, ...todos: object[]) => call(plan, 'write_todos', { todos })
const action = (plan: PlanDriver, tool: string, type: string, fields: object) =>
  call(plan, tool, { action: { type, ...fields } })
const add = (plan: PlanDriver, group: string, description: string, ...depends_on: string[]) =>
  action(plan, 'plan_todo_write', 'Add', { group, description, depends_on })

/** What all dialects show, which fits what stands. */
async function read(plan: PlanDriver) {
  const shown = await readings(plan)
  expectConsistent(await plan.standing(), shown)
  const { outline, tasks, checklist } = shown
  return {
    outline,
    tasks: tasks.groups.flatMap(({ title, items }) => items.map(({ id, status }) => `${title}: ${id} ${status}`)),
    nags: tasks.nags,
    depends: tasks.groups.flatMap(({ items }) => items.map((item) => item.depends_on.join(' '))),
    checklist: checklist.map(({ id, content, status }) => `${id} ${content} ${status}`),
    todos: checklist,
  }
}

everyWay((withPlan) => {
  describe('the row of a status', () => {
    test.each(Object.entries(STATUS_TABLE) as [Status, readonly [string, string]][])(
      '%s set in checklist',
      (status, [mark, task]) =>
        withPlan(async (plan) => {
          await write(plan, { content: 'X', status })
          const { outline, tasks, checklist } = await read(plan)
          expect(outline).toEqual([`#1  1  [${mark}] X`])
          expect(tasks).toEqual([`Ungrouped: task-1 ${task}`])
          expect(checklist).toEqual([`t1 X ${status}`])
        })(),
    )

    test(
      'blocked is told by a nag of List, and is open in the block of each dialect',
      withPlan(async (plan) => {
        await write(plan, { content: 'X', status: 'blocked' })
        expect((await read(plan)).nags).toEqual(["Task 'task-1' is marked blocked."])
        expect(await plan.block(ME, 'outline')).toBe('Plan, version 1: 1 step, 0 done, 1 open\n#1  1  [!] X')
        expect((await plan.block(ME, 'tasks')).split('\n').at(-1)).toBe('- [ ] X  (task-1)')
        expect(await plan.block(ME, 'checklist')).toMatch(
          /t1 \[blocked\] X .*\n\nProgress: 0\/1 completed, 1 blocked\.$/s,
        )
      }),
    )

    test(
      'cancelled counts neither as completed nor in the total, and nothing waits for it in the blocks',
      withPlan(async (plan) => {
        await add(plan, 'g', 'X')
        await add(plan, 'g', 'Y')
        await action(plan, 'plan_todo_cross_off', 'Cancel', { id: 1 })
        expect(await read(plan)).toMatchObject({
          outline: ['#1  1  [-] X', '#2  2  [ ] Y'],
          checklist: ['t1 X cancelled', 't2 Y pending'],
        })
        const reply = await write(plan, { content: 'X', status: 'cancelled' }, { content: 'Y', status: 'completed' })
        expect(reply.text).toMatch(
          /^Updated todo list v4: 1\/1 completed\n {2}~ Y \[pending -> completed\]\n\nAll tasks/,
        )
        expect(await plan.block(ME, 'tasks')).toBe('')
      }),
    )

    test(
      'in progress, started in tasks; done and not done again, in outline; in progress anew, in checklist',
      withPlan(async (plan) => {
        await call(plan, 'add_todos', { steps: ['X'] })
        await action(plan, 'plan_todo_write', 'Start', { id: 1 })
        const started = ['#1  1  [*] X', 't1 X in_progress', 'Ungrouped: task-1 InProgress']
        const shown = async () => {
          const { outline, checklist, tasks } = await read(plan)
          return [...outline, ...checklist, ...tasks]
        }
        expect(await shown()).toEqual(started)
        await call(plan, 'toggle_todos', { indices: [1] })
        expect(await shown()).toEqual(['#1  1  [x] X', 't1 X completed', 'Ungrouped: task-1 Completed'])
        await call(plan, 'toggle_todos', { indices: [1] })
        expect(await shown()).toEqual(['#1  1  [ ] X', 't1 X pending', 'Ungrouped: task-1 Pending'])
        await write(plan, { content: 'X', status: 'in_progress' })
        expect(await shown()).toEqual(started)
        // Whoever starts one in checklist has one in progress in tasks too.
        await add(plan, 'g', 'Y')
        expect(await plan.call(ME, 'plan_todo_write', { action: { type: 'Start', id: 2 } })).toMatchObject({
          error:
            "Only one task at a time can be InProgress. Complete or cancel 'task-1' first before starting 'task-2'.",
        })
        await action(plan, 'plan_todo_cross_off', 'Complete', { id: 1 })
        expect((await shown())[0]).toBe('#1  1  [x] X')
      }),
    )
  })

  describe('the row of', () => {
    test(
      'the text: it may be changed in each dialect, and is stored as given',
      withPlan(async (plan) => {
        const text = async () => (await read(plan)).todos.map(({ content }) => content)
        await call(plan, 'add_todos', { steps: ['  A '] })
        expect(await text()).toEqual(['  A '])
        await call(plan, 'plan_todo_edit', { edit: { id: 1, description: 'B' } })
        expect(await text()).toEqual(['B'])
        await write(plan, { content: 'C', status: 'pending', id: 't1' })
        expect(await text()).toEqual(['C'])
        await call(plan, 'update_todos', { updates: [{ index: 1, text: 'D' }] })
        expect(await text()).toEqual(['D'])
        expect((await plan.standing()).steps).toMatchObject([{ number: 1, text: 'D' }])
      }),
    )

    test(
      'the place: the pre-order everywhere, within its group in tasks; ordered anew in checklist',
      withPlan(async (plan) => {
        await call(plan, 'add_todos', { steps: ['A', { text: 'B', depth: 1 }, { text: 'C', depth: 2 }, 'D'] })
        await add(plan, 'g', 'E')
        await add(plan, 'h', 'F')
        await add(plan, 'g', 'G')
        expect(await read(plan)).toMatchObject({
          outline: [
            '#1  1  [ ] A',
            '#2  1.1  [ ] B',
            '#3  1.1.1  [ ] C',
            '#4  2  [ ] D',
            '#5  3  [ ] E',
            '#6  4  [ ] F',
            '#7  5  [ ] G',
          ],
          tasks: [
            'g: task-5 Pending',
            'g: task-7 Pending',
            'h: task-6 Pending',
            ...[1, 2, 3, 4].map((n) => `Ungrouped: task-${n} Pending`),
          ],
          checklist: 'ABCDEFG'.split('').map((text, i) => `t${i + 1} ${text} pending`),
        })
        await write(plan, ...'GFEDABC'.split('').map((content) => ({ content, status: 'pending' })))
        expect(await read(plan)).toMatchObject({
          checklist: 'GFEDABC'.split('').map((text, i) => `t${i + 1} ${text} pending`),
          tasks: [
            'g: task-7 Pending',
            'g: task-5 Pending',
            'h: task-6 Pending',
            ...[4, 1, 2, 3].map((n) => `Ungrouped: task-${n} Pending`),
          ],
        })
      }),
    )

    test(
      'the number: it stays with its step wherever that goes, and shows in tasks alone',
      withPlan(async (plan) => {
        await call(plan, 'add_todos', { steps: ['A', 'B', 'C'] })
        await call(plan, 'remove_todos', { indices: [1] })
        await write(plan, { content: 'C', status: 'pending' }, { content: 'B', status: 'pending' })
        const { outline, tasks, checklist } = await read(plan)
        expect(outline).toEqual(['#1  1  [ ] C', '#2  2  [ ] B'])
        expect(checklist).toEqual(['t1 C pending', 't2 B pending'])
        expect(tasks).toEqual(['Ungrouped: task-3 Pending', 'Ungrouped: task-2 Pending'])
      }),
    )

    test(
      'the group: inherited by sub-steps, else Ungrouped, which is last and only there when it is not empty',
      withPlan(async (plan) => {
        await call(plan, 'add_todos', { steps: ['Loose'] })
        await add(plan, 'g', 'Top')
        await call(plan, 'add_todos', { steps: ['Sub', { text: 'Subsub', depth: 1 }], parent_index: 2 })
        const groups = async () =>
          (await readings(plan)).tasks.groups.map(
            ({ title, items }) => `${title}: ${items.map((item) => item.description).join(' ')}`,
          )
        expect(await groups()).toEqual(['g: Top Sub Subsub', 'Ungrouped: Loose'])
        await call(plan, 'plan_todo_edit', { edit: { id: 4, group: 'h' } })
        expect(await groups()).toEqual(['g: Top Sub', 'h: Subsub', 'Ungrouped: Loose'])
        await call(plan, 'remove_todos', { indices: [1] })
        expect(await groups()).toEqual(['g: Top Sub', 'h: Subsub'])
        await write(plan, { content: 'Top', status: 'pending' }, { content: 'new', status: 'pending' })
        // A new item is a sibling of the one before it; what is not listed is gone, and its group is left.
        expect(await groups()).toEqual(['g: Top', 'h: ', 'Ungrouped: new'])
        expect(await groups()).toHaveLength(3)
        const { outline, checklist } = await read(plan)
        expect([...outline, ...checklist].join(' ')).not.toMatch(/Ungrouped|\bg\b/)
      }),
    )

    test(
      'dependencies: other dialects leave them alone, and show nothing of them',
      withPlan(async (plan) => {
        await add(plan, 'g', 'A')
        await add(plan, 'g', 'B', 'task-1', 'task-9')
        await call(plan, 'update_todos', { updates: [{ index: 2, text: 'B2' }] })
        await write(plan, { content: 'B2', status: 'in_progress' }, { content: 'A', status: 'pending' })
        expect((await read(plan)).depends).toEqual(['task-1 task-9', ''])
        await call(plan, 'remove_todos', { indices: [2] })
        const { depends, outline, checklist } = await read(plan)
        expect(depends).toEqual(['task-1 task-9'])
        expect([...outline, ...checklist]).toEqual(['#1  1  [*] B2', 't1 B2 in_progress'])
      }),
    )

    test(
      'required and details: other dialects leave them alone, and show nothing of them',
      withPlan(async (plan) => {
        await write(plan, { content: 'A', status: 'pending', required: true, description: 'long' })
        await call(plan, 'update_todos', { updates: [{ index: 1, text: 'B' }] })
        await call(plan, 'plan_todo_edit', { edit: { id: 1, description: 'C', group: 'g' } })
        await action(plan, 'plan_todo_write', 'Start', { id: 1 })
        const { todos, outline } = await read(plan)
        expect(todos).toMatchObject([{ content: 'C', required: true, description: 'long', status: 'in_progress' }])
        expect(outline).toEqual(['#1  1  [*] C'])
        expect(await plan.block(ME, 'tasks')).not.toContain('long')
        expect(await plan.block(ME, 'checklist')).toContain('t1 [in_progress] C (required) — long @agent-a')
      }),
    )

    test(
      'an id that a caller gave: in checklist alone, and kept whatever the others do',
      withPlan(async (plan) => {
        await write(
          plan,
          { content: 'A', status: 'pending', id: 'mine' },
          { content: 'B', status: 'pending', id: 't9' },
        )
        await call(plan, 'add_todos', { steps: ['C'] })
        await call(plan, 'update_todos', { updates: [{ index: 1, text: 'A2' }] })
        const { checklist, tasks, outline } = await read(plan)
        expect(checklist).toEqual(['mine A2 pending', 't2 B pending', 't3 C pending'])
        expect(tasks).toEqual([1, 2, 3].map((n) => `Ungrouped: task-${n} Pending`))
        expect(outline.join('\n')).not.toContain('mine')
        await write(plan, { content: 'A3', status: 'completed', id: 'mine' })
        expect((await read(plan)).checklist).toEqual(['mine A3 completed'])
        expect((await plan.standing()).steps).toMatchObject([{ number: 1 }])
      }),
    )
  })
})
