import { expect, test } from 'vitest'
import { add, by, edit, errorOf, get, list, make, nagsOf, remove, start } from './tasks-cases.ts'
import { openTasks } from './tasks-driver.ts'

const A = 'agent-a'
const B = 'agent-b'
const GONE = "'task-2' depends on 'task-1' which no longer exists."

test('[F9] a dependency that somebody removed is shown as missing everywhere, and Start waits until that was read', async () => {
  const plan = openTasks()
  await make(plan, [by(A, add('g', 'Schema')), by(A, add('g', 'Endpoints', 'task-1')), by(B, list())])
  await make(plan, [by(B, remove('task-1'))])

  const started = await plan.call(...by(A, start('task-2')))
  expect(errorOf(started)).toBe(
    `'task-2' depends on 'task-1' "Schema", which agent-b has removed since you last looked. Nothing was changed. Make ` +
      'sure that it is done or not needed: List first; Start then goes ahead without it. plan_todo_edit sets what it depends on.',
  )
  expect(plan.plan.steps[0]?.status).toBe('pending')
  expect(await plan.block()).toContain('- [ ] Endpoints  (depends: task-1 (missing))  (task-2)')
  expect(nagsOf(await plan.call(...by(A, get('task-2'))))).toContain(GONE)
  expect(nagsOf(await plan.call(...by(A, list())))).toContain(GONE)
  expect(nagsOf(await plan.call(...by(A, start('task-2'))))).toContain(GONE)
  expect(plan.plan.steps[0]?.status).toBe('in_progress')
  await make(plan, [by(A, edit('task-2', { depends_on: [] }))])
  expect(await plan.block()).toContain('- [*] Endpoints  (task-2)')
})

test('[F9] a dependency that went while its task was made offline is missing after the merge', async () => {
  const plan = openTasks()
  await make(plan, [by(A, add('g', 'Schema')), by(B, list())])
  const [schema] = plan.plan.steps
  await make(plan, [by(B, add('g', 'Endpoints', 'task-1'))])
  if (schema === undefined) throw new Error('nothing was added')
  plan.apply([{ type: 'removeSteps', steps: [schema.id], subSteps: true }])
  expect(errorOf(await plan.call(...by(B, start('task-2'))))).toContain(
    'which somebody has removed since you last looked',
  )
  expect(nagsOf(await plan.call(...by(B, list())))).toContain(GONE)
})

test('[F9] a lone agent that removes a dependency starts as published', async () => {
  const plan = openTasks()
  await make(plan, [by(A, add('g', 'Schema')), by(A, add('g', 'Endpoints', 'task-1')), by(A, remove('task-1'))])
  expect(nagsOf(await plan.call(...by(A, list())))).toEqual([])
  expect(nagsOf(await plan.call(...by(A, get('task-2'))))).toEqual([])
  expect(nagsOf(await plan.call(...by(A, start('task-2'))))).toEqual([GONE])
})
