import { describe, expect, test, vi } from 'vitest'
import { everyWay, openRoom, outlineOf, summaryOf } from '../helpers/plan-driver.ts'
import { referenceCases } from './references-cases.ts'

const A = 'agent-a'
const B = 'agent-b'

everyWay(referenceCases)

describe('an idle room that was unloaded', () => {
  test('keeps the views, the digests and what stood where', async () => {
    const plan = openRoom({ idleMs: 0 })
    const unloaded = () => vi.waitFor(() => expect(plan.rooms.loaded).toBe(0), { interval: 1 })
    await plan.call(B, 'add_todos', { steps: ['A', 'B', 'C'] })
    await plan.call(A, 'list_todos')
    await unloaded()
    await plan.call(B, 'remove_todos', { indices: [1] })
    await unloaded()
    const refused = await plan.call(A, 'toggle_todos', { indices: [1] })
    expect(summaryOf(refused)).toBe(
      '#1 was "A" (removed) in version 1 and is now "B": agent-b removed #1 "A". Nothing was changed. List first.',
    )
    expect(refused.digest).toBeUndefined()
    await unloaded()
    expect((await plan.call(A, 'toggle_todos', { indices: [3], rev: 1 })).success).toBe(true)
    expect(await outlineOf(plan)).toEqual(['#1  1  [ ] B', '#2  2  [x] C'])
    await plan.close()
  })
})

describe('[W5] calls of one actor of which the first reply has not left', () => {
  test('mean what stood there when they were sent', async () => {
    const plan = openRoom()
    await plan.call(A, 'add_todos', { steps: ['A', 'B', 'C', 'D'].map((text) => ({ text })) })
    await plan.call(A, 'list_todos')
    await Promise.all([1, 2].map((index) => plan.call(A, 'remove_todos', { indices: [index] })))
    expect(await outlineOf(plan)).toEqual(['#1  1  [ ] C', '#2  2  [ ] D'])
    // The replies have left: from here on they have been seen.
    await plan.call(A, 'toggle_todos', { indices: [1] })
    expect(await outlineOf(plan)).toEqual(['#1  1  [x] C', '#2  2  [ ] D'])
    await plan.close()
  })

  test('of another actor change nothing of that', async () => {
    const plan = openRoom()
    await plan.call(A, 'add_todos', { steps: ['A', 'B', 'C', 'D'].map((text) => ({ text })) })
    await plan.call(B, 'list_todos')
    await Promise.all([
      plan.call(B, 'remove_todos', { indices: [1] }),
      plan.call(A, 'toggle_todos', { indices: [2] }),
      plan.call(B, 'remove_todos', { indices: [2] }),
    ])
    expect((await outlineOf(plan)).map((line) => line.at(-1))).toEqual(['C', 'D'])
    await plan.close()
  })
})
