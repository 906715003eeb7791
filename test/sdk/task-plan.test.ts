import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TodoList, TodoWriteAction } from '../../client/sdk/task-plan.ts'
import { TaskPlan, todoCrossOff, todoEdit, todoLoadFromMd, todoRead, todoWrite } from '../../client/sdk/task-plan.ts'
import { TodoList as Checklist } from '../../client/sdk/tools.ts'
import { LocalPlan } from '../../client/sdk/index.ts'

const add = (group: string, description: string, ...depends_on: string[]): TodoWriteAction => ({
  type: 'Add',
  group,
  description,
  depends_on,
})
const EMPTY: TodoList = { groups: [] }

describe('a plan of tasks without a server', () => {
  test('is changed and read as the tools do it, with nags', () => {
    const plan = new TaskPlan()
    plan.write(add('backend', 'Schema'))
    const added = plan.write(add('backend', 'Api', 'task-1'))
    expect(added).toEqual({
      list: {
        groups: [
          {
            title: 'backend',
            items: [
              { id: 'task-1', description: 'Schema', status: 'Pending', depends_on: [] },
              { id: 'task-2', description: 'Api', status: 'Pending', depends_on: ['task-1'] },
            ],
            tests_verified: false,
          },
        ],
      },
      nags: [],
    })
    expect(plan.list).toEqual(added.list)
    expect(plan.write({ type: 'Start', id: 'task-2' }).nags).toEqual([
      { message: "'task-2' depends on 'task-1' which is still Pending." },
    ])
    expect(plan.edit({ id: 'task-1', description: 'Tables' }).list.groups[0]?.items[0]?.description).toBe('Tables')
    plan.crossOff({ type: 'Complete', id: 'task-1' })
    expect(plan.read({ type: 'List', status: 'Completed' })).toMatchObject({
      groups: [{ items: [{ id: 'task-1' }] }],
      nags: [],
    })
    expect(plan.contextBlock()).toContain('- [*] Api  (depends: task-1)')
    expect(plan.version).toBe(5)
  })

  test('what is refused throws the words for the model, and changes nothing', () => {
    const plan = new TaskPlan()
    plan.write(add('g', 'One'))
    expect(() => plan.write({ type: 'Start', id: 'ghost' })).toThrow(
      "Task 'ghost' does not exist. Use List to see available tasks.",
    )
    expect(() => plan.write(add('g', '  '))).toThrow('Description must be non-empty text.')
    expect(plan.version).toBe(1)
  })

  test('shares a plan with others, each a caller of its own', () => {
    const plan = new LocalPlan()
    const [one, two] = [new TaskPlan({ plan }), new TaskPlan({ plan })]
    one.write(add('g', 'One'))
    two.write(add('g', 'Two'))
    one.write({ type: 'Start', id: 'task-1' })
    two.write({ type: 'Start', id: 'task-2' })
    expect(new Checklist(plan).todos.map(({ content, status }) => [content, status])).toEqual([
      ['One', 'in_progress'],
      ['Two', 'in_progress'],
    ])
  })
})

describe('the free functions', () => {
  test('leave the list that they are given, and keep numbers, groups, states and what is started', () => {
    const list: TodoList = {
      groups: [
        { title: 'empty', items: [], tests_verified: true },
        {
          title: 'g',
          items: [
            { id: 'task-2', description: 'Two', status: 'InProgress', depends_on: ['task-7', 'ghost'] },
            { id: 'task-7', description: 'Seven', status: 'Cancelled', depends_on: [] },
          ],
          tests_verified: false,
        },
      ],
    }
    const before = structuredClone(list)
    expect(todoRead(list, { type: 'List' }).groups).toEqual(list.groups)
    const { list: more } = todoWrite(list, add('new', 'Eight'))
    expect(more.groups.at(-1)).toMatchObject({ title: 'new', items: [{ id: 'task-8' }] })
    expect(() => todoWrite(more, { type: 'Start', id: 'task-8' })).toThrow(
      "Only one task at a time can be InProgress. Complete or cancel 'task-2' first before starting 'task-8'.",
    )
    expect(todoCrossOff(list, { type: 'Complete', id: 'task-2' }).list.groups[1]?.items[0]?.status).toBe('Completed')
    expect(todoEdit(list, { id: 'task-7', group: 'empty' }).list.groups[0]?.items[0]?.id).toBe('task-7')
    expect(list).toEqual(before)
  })

  test('a list that is none is refused', () => {
    const item = { id: 'task-1', description: 'One', status: 'Pending', depends_on: [] } as const
    const withItems = (...items: (typeof item | { readonly id: string })[]): TodoList => ({
      groups: [{ title: 'g', items: items.map((one) => ({ ...item, ...one })), tests_verified: false }],
    })
    expect(() => todoRead(withItems(item, item), { type: 'List' })).toThrow('Two tasks have the id task-1.')
    expect(() => todoRead(withItems({ id: 'one' }), { type: 'List' })).toThrow('"one" is no id of a task')
  })

  test('Markdown makes a list', () => {
    expect(todoLoadFromMd('## g\n- [x] A\n- [ ] B\n  - depends: task-1').groups).toEqual([
      {
        title: 'g',
        items: [
          { id: 'task-1', description: 'A', status: 'Completed', depends_on: [] },
          { id: 'task-2', description: 'B', status: 'Pending', depends_on: ['task-1'] },
        ],
        tests_verified: false,
      },
    ])
  })

  test('say and do what a plan says and does, call by call', () => {
    const id = fc.integer({ min: 1, max: 6 }).map((n) => `task-${n}`)
    const action: fc.Arbitrary<TodoWriteAction> = fc.oneof(
      fc
        .tuple(fc.constantFrom('a', 'b'), fc.array(id, { maxLength: 2 }))
        .map(([group, ids]) => add(group, 'x', ...ids)),
      id.map((one): TodoWriteAction => ({ type: 'Start', id: one })),
      fc.constantFrom('a', 'b').map((group): TodoWriteAction => ({ type: 'VerifyGroup', group })),
    )
    const attempt = <T>(work: () => T): T | string => {
      try {
        return work()
      } catch (error) {
        // Which tasks there are is told in plan order.
        return String(error).split('\n')[0] ?? ''
      }
    }
    fc.assert(
      fc.property(fc.array(action, { maxLength: 12 }), (actions) => {
        const plan = new TaskPlan()
        let list = EMPTY
        for (const one of actions) {
          const kept = attempt(() => todoWrite(list, one))
          expect(kept).toEqual(attempt(() => plan.write(one)))
          if (typeof kept !== 'string') list = kept.list
        }
        expect(list).toEqual(plan.list)
      }),
    )
  })
})
