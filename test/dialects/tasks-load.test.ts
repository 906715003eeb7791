import { describe, expect, test } from 'vitest'
import { add, by, edit, errorOf, groupsOf, list, load, make, start, verify } from './tasks-cases.ts'
import type { Call } from './tasks-cases.ts'
import { openTasks } from './tasks-driver.ts'

const A = 'agent-a'
const B = 'agent-b'
const withRev = ([tool, args, actor = '']: Call, rev: number): Call => [tool, { ...(args as object), rev }, actor]

describe('loading', () => {
  test('what the caller has not seen is not taken away, unless it says the present version', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), by(B, add('g', 'Two'))])
    const call = by(A, load('## new', '- [ ] N'))
    expect(errorOf(await plan.call(...call))).toBe(
      'Loading replaces the whole plan, and would remove tasks that you have not seen: task-2 "Two". ' +
        'Nothing was changed. List first, or repeat with rev 2 to replace them all the same.',
    )
    expect(errorOf(await plan.call(...withRev(call, 1)))).toMatch(/^Loading replaces the whole plan/)
    expect(errorOf(await plan.call(...withRev(call, 3)))).toMatch(/^rev 3 is in the future/)
    expect(await plan.call(...withRev(call, 2))).toMatchObject({ success: true, text: 'ok', version: 3 })
    expect(groupsOf(await plan.call(...by(A, list())))).toEqual(['new: task-1 Pending N'])
  })

  test('somebody who never looked has seen nothing', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One'))])
    expect(errorOf(await plan.call(...by(B, load(''))))).toMatch(/task-1 "One"/)
  })

  test('after a listing it is done, nested steps and empty groups included, in one version', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), ['add_todos', { steps: [{ text: 'Sub' }, { text: 'Loose' }], parent_index: 1 }, A], by(A, verify('g')), by(A, list())]) // prettier-ignore
    const { version } = plan
    const reply = await plan.call(...by(A, load('## g', '- [ ] N', '- depends: 1')))
    expect(reply).toEqual({ success: true, text: 'ok', version: version + 1, changed: expect.any(Array) as unknown })
    expect(groupsOf(await plan.call(...by(A, list())))).toEqual(['g: task-1 Pending N <task-1>'])
    expect(plan.plan.groups).toHaveLength(1)
  })

  test('[L6] on a plan of several it replaces what is the caller’s; what others made or changed stays, and is said', async () => {
    const plan = openTasks()
    await make(plan, [
      by(A, add('g', 'Mine')),
      by(A, add('g', 'Renamed by B')),
      by(B, list()),
      ['add_todos', { steps: [{ text: 'Sub of mine' }], parent_index: 1 }, B],
      by(B, add('h', 'Of B')),
      by(A, list()),
      by(B, edit(2, { description: 'In the words of B' })),
    ])
    const reply = await plan.call(...by(A, load('A file without a heading', '- [ ] N')))
    expect(reply).toMatchObject({ success: true })
    expect(reply.text).toBe(
      'ok\n\nKept, as they are not yours or were changed since you saw them: task-3 "Sub of mine", ' +
        'task-2 "In the words of B", task-4 "Of B". To replace the whole plan, list first, then load with the version ' +
        'that is printed as rev.',
    )
    expect(groupsOf(await plan.call(...by(B, list())))).toEqual([
      'g: task-3 Pending Sub of mine, task-2 Pending In the words of B',
      'h: task-4 Pending Of B',
    ])
    // What is loaded goes to the group of that title, beside what stayed there.
    await make(plan, [by(A, load('## g', '- [ ] N', '- [ ] M', '  - depends: task-1'))])
    expect(groupsOf(await plan.call(...by(B, list())))).toEqual([
      'g: task-3 Pending Sub of mine, task-2 Pending In the words of B, task-5 Pending N, task-6 Pending M <task-5>',
      'h: task-4 Pending Of B',
    ])
    await make(plan, [by(A, list())])
    await make(plan, [withRev(by(A, load('## g', '- [ ] All')), plan.version)])
    expect(groupsOf(await plan.call(...by(B, list())))).toEqual(['g: task-1 Pending All'])
  })

  test('the numbers of a loaded plan mean its tasks at once', async () => {
    const plan = openTasks()
    await make(plan, [by(A, add('g', 'One')), by(B, add('g', 'Two')), by(A, list()), by(B, add('g', 'Three'))])
    await make(plan, [withRev(by(A, load('## g', '- [ ] N', '- [ ] M')), 3), by(A, start(2))])
    expect(plan.plan.steps[1]).toMatchObject({ text: 'M', status: 'in_progress' })
  })

  test('a file is read where the server reads it', async () => {
    const plan = openTasks()
    expect(await plan.call('plan_load_from_md', { path: 'plan.md', markdown: '' })).toMatchObject({ text: 'ok' })
    expect(groupsOf(await plan.call(...list()))).toEqual(['backend: task-1 Pending From a file'])
  })

  test.for([
    ['neither text nor path', {}, /^There is nothing to load/],
    ['blank path', { path: ' ' }, /^There is nothing to load/],
    ['both', { path: 'plan.md', markdown: '## g' }, /^Both markdown and path are given/],
  ] as const)('[bad input] %s is refused', async ([, args, error]) => {
    const plan = openTasks()
    await make(plan, [add('g', 'A')])
    expect(errorOf(await plan.call('plan_load_from_md', args))).toMatch(error)
    expect(plan.version).toBe(1)
  })
})
