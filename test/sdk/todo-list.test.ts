import { describe, expect, test } from 'vitest'
import * as Y from 'yjs'
import { LocalPlan } from '../../client/sdk/local-plan.ts'
import { TodoList } from '../../client/sdk/todo-list.ts'
import { PlanError } from '../../shared/schema/errors.ts'
import { newStepId } from '../../shared/schema/ids.ts'

const todo = (content: string, status = 'pending') => ({ content, status })
const contents = (list: TodoList): string[] => list.todos.map(({ content }) => content)

function listOf(...items: { content: string; status: string }[]): TodoList {
  const list = new TodoList()
  list.update(items)
  return list
}

describe('a list of its own', () => {
  test('[O1] a new one is empty', () => {
    const list = new TodoList()
    expect(list.todos).toEqual([])
    expect(list.version).toBe(0)
    expect(list.hasPending()).toBe(false)
    expect(list.getActiveTask()).toBe(null)
    expect(list.buildStatusText()).toBe(null)
    expect(list.render()).toBe('')
  })

  test('[O2] an update is a version, and gives ids', () => {
    const list = listOf(todo('first'), todo('second', 'in_progress'))
    expect(list.version).toBe(1)
    expect(list.todos.map(({ id, content, status }) => [id, content, status])).toEqual([
      ['t1', 'first', 'pending'],
      ['t2', 'second', 'in_progress'],
    ])
    expect(list.todos[0]).not.toHaveProperty('updated_by')
  })

  test('[O3] an update by somebody names them, on what they changed', () => {
    const list = listOf(todo('old'))
    list.update([todo('old'), todo('x')], 'agent_alice')
    expect(list.todos.map((one) => one.updated_by)).toEqual([undefined, 'agent_alice'])
  })

  test('[O4][O5] pending is whatever is neither completed nor cancelled', () => {
    expect(listOf(todo('a', 'completed'), todo('b')).hasPending()).toBe(true)
    expect(listOf(todo('a', 'completed'), todo('b', 'in_progress')).hasPending()).toBe(true)
    expect(listOf(todo('a', 'blocked')).hasPending()).toBe(true)
    expect(listOf(todo('a', 'completed'), todo('b', 'completed')).hasPending()).toBe(false)
    expect(listOf(todo('a', 'completed'), todo('b', 'cancelled')).hasPending()).toBe(false)
  })

  test('[O6] the active task is the first in progress', () => {
    const list = listOf(todo('a'), todo('active thing', 'in_progress'), todo('c', 'in_progress'))
    expect(list.getActiveTask()).toBe('active thing')
  })

  test('[O7][O8] the status text', () => {
    expect(listOf(todo('a', 'completed'), todo('b')).buildStatusText()).toContain('1/2 completed')
    const text = listOf(todo('a', 'completed'), todo('b', 'in_progress'), todo('c')).buildStatusText()
    expect(text).toBe(
      'Current tasks (v1):\n  t1 [done] a\n  t2 [in_progress] b\n  t3 [pending] c\n\nProgress: 1/3 completed.',
    )
  })

  test('[O9] render: an icon, the content, whether it is required', () => {
    const list = new TodoList()
    list.update([{ content: 'Task', status: 'pending', required: true }])
    expect(list.render({ colour: false })).toBe('○ Task (required)')
    expect(list.render({ colour: true })).toBe('\u001b[0m○ Task (required)\u001b[0m')
    const all = ['completed', 'in_progress', 'blocked', 'pending', 'cancelled'].map((status) => todo(status, status))
    list.update(all)
    expect(list.render({ colour: false })).toBe(
      ['✓ completed', '▶ in_progress', '✗ blocked', '○ pending', '✗ cancelled'].join('\n'),
    )
  })

  test('[O10] a second update replaces the first, whoever makes it', () => {
    const list = new TodoList()
    list.update([todo('A')], 'alice')
    list.update([todo('B')], 'bob')
    expect(contents(list)).toEqual(['B'])
  })

  test('what does not fit is refused, and nothing changes', () => {
    const list = listOf(todo('a'))
    expect(() => list.update([todo('b', 'weird')])).toThrow(PlanError)
    expect(() => list.update([todo('')])).toThrow("each todo must have 'content' and 'status'")
    expect([contents(list), list.version]).toEqual([['a'], 1])
  })
})

describe('lists that share a plan', () => {
  test('each replaces what it saw, and keeps what the other added', () => {
    const plan = new LocalPlan()
    const [one, two] = [new TodoList(plan), new TodoList(plan)]
    one.update([todo('a')], 'one')
    two.update([todo('b')], 'two')
    one.update([todo('a', 'completed')], 'one')
    expect(contents(two)).toEqual(['b', 'a'])
  })

  test('[L7] reading the todos in a program makes nothing seen; nothing read is deleted', () => {
    const plan = new LocalPlan()
    const [one, two] = [new TodoList(plan), new TodoList(plan)]
    one.update([todo('a')], 'one')
    expect(two.todos.map(({ content }) => content)).toEqual(['a'])
    two.update([todo('b')], 'two')
    expect(contents(one).toSorted()).toEqual(['a', 'b'])
  })

  test('a plan without a server numbers its steps, and counts what comes from elsewhere', () => {
    const plan = new LocalPlan()
    const list = new TodoList(plan)
    list.update([todo('a')])
    const other = new Y.Doc()
    Y.applyUpdate(other, Y.encodeStateAsUpdate(plan.doc))
    const copy = new LocalPlan({ doc: other })
    copy.apply([{ type: 'addSteps', parent: null, steps: [{ id: newStepId(), text: 'b', depth: 0 }] }], {
      id: 'b',
      name: 'b',
      kind: 'agent',
    })
    let told = 0
    const stop = plan.subscribe(() => told++)
    Y.applyUpdate(plan.doc, Y.encodeStateAsUpdate(other))
    stop()
    expect(told).toBe(1)
    expect(plan.version).toBe(2)
    expect(plan.plan.steps.map(({ number, text }) => [number, text])).toEqual([
      [1, 'a'],
      [2, 'b'],
    ])
    list.update([todo('a')])
    expect(contents(list)).toEqual(['a', 'b'])
    plan.close()
    copy.close()
  })
})
