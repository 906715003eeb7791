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
      '#1 was "A" (removed) and is now "B": agent-b removed #1 "A". Nothing was changed. ' +
        'Repeat with rev 1 to mean what you saw, or list first.',
    )
    expect(refused.digest).toBe('agent-b removed #1 "A"')
    await unloaded()
    expect((await plan.call(A, 'toggle_todos', { indices: [3], rev: 1 })).success).toBe(true)
    expect(await outlineOf(plan)).toEqual(['#1  1  [ ] B', '#2  2  [x] C'])
    await plan.close()
  })
})
