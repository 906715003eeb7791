import { describe, expect, test } from 'vitest'
import * as Y from 'yjs'
import { TOOLS } from '../../shared/dialects/registry.ts'
import { applyChange } from '../../shared/plan/apply.ts'
import { checkOperations } from '../../shared/plan/check.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import { settle } from '../../shared/plan/settle.ts'
import { newStepId } from '../../shared/schema/ids.ts'
import { MAX_GROUPS, MAX_ITEMS, MAX_STEPS } from '../../shared/schema/limits.ts'
import type { PlanDriver, RoomDriver } from '../helpers/plan-driver.ts'
import { agent, openPure, openRoom } from '../helpers/plan-driver.ts'
import { pick, seeded } from './seeded.ts'

const A = 'agent-a'
const action = (plan: PlanDriver, tool: string, type: string, fields: object, who = A) =>
  plan.call(who, tool, { action: { type, ...fields } })
const add = (plan: PlanDriver, group: string, description: string) =>
  action(plan, 'plan_todo_write', 'Add', { group, description })

/** A plan of about as many steps as there may be, every second one completed. */
async function fullPlan(length = MAX_STEPS): Promise<RoomDriver> {
  const plan = openRoom()
  await plan.use(async (room) => {
    const steps = Array.from({ length }, (_, i) => ({
      id: newStepId(),
      text: `step ${i}`,
      depth: 0,
      status: i % 2 === 0 ? ('pending' as const) : ('completed' as const),
    }))
    await room.create([{ type: 'addSteps', parent: null, steps }], { actor: agent('seed'), source: 'server' })
  })
  return plan
}

test('[RB-A6] only tools that say so take anything away, and replacing the whole is a tool of its own', async () => {
  const destructive = [...TOOLS.values()].filter(({ tool }) => tool.effects.destructive).map(({ tool }) => tool.name)
  expect(destructive).toEqual(
    expect.arrayContaining(['remove_todos', 'plan_todo_write', 'plan_load_from_md', 'write_todos']),
  )
  for (const name of ['add_todos', 'toggle_todos', 'update_todos', 'plan_todo_edit', 'plan_todo_cross_off'])
    expect(destructive).not.toContain(name)
  // Nothing that a model may add to a call makes another tool clear the plan.
  const plan = openPure()
  await plan.call(A, 'add_todos', { steps: ['a', 'b'] })
  const extra = { clearAllTasks: true, replace: true, mode: 'clearAllTasks', clear_all: true, overwrite: true }
  await plan.call(A, 'add_todos', { steps: ['c'], ...extra })
  await plan.call(A, 'update_todos', { updates: [{ index: 1, text: 'A' }], ...extra })
  await plan.call(A, 'plan_todo_edit', { edit: { id: 1, description: 'x', ...extra }, ...extra })
  expect((await plan.standing()).steps.map(({ text }) => text)).toEqual(['x', 'b', 'c'])
  await plan.close()
})

test('[RB-A7] whatever is done in one group leaves the others as they are, to the byte', async () => {
  await seeded(40, async (next, log) => {
    const plan = openPure()
    for (const group of ['x', 'y', 'x', 'y', 'x']) await add(plan, group, `of ${group}`)
    await plan.call(A, 'add_todos', { steps: ['below y'], parent_index: 2 })
    await action(plan, 'plan_todo_cross_off', 'Complete', { id: 4 })
    const others = async () => {
      const { steps, groups } = await plan.standing()
      const y = groups.find(({ title }) => title === 'y')
      const inY = new Set<string>()
      for (const { id, group, parent } of steps) if (group === y?.id || inY.has(parent ?? '')) inY.add(id)
      return JSON.stringify([y, steps.filter(({ id }) => inY.has(id))])
    }
    const before = await others()
    for (let i = 0; i < 25; i++) {
      const { steps, groups } = await plan.standing()
      const x = groups.find(({ title }) => title === 'x')?.id
      const ids = steps.filter(({ group }) => group === x).map(({ number }) => number)
      const id = pick(next, ids.length === 0 ? [99] : ids)
      const depends_on = [pick(next, ids), pick(next, [...ids, 50])]
      const [tool, args] = pick<readonly [string, object]>(next, [
        ['plan_todo_write', { action: { type: 'Add', group: 'x', description: 'new', depends_on } }],
        ['plan_todo_write', { action: { type: pick(next, ['Start', 'Remove']), id } }],
        ['plan_todo_write', { action: { type: 'VerifyGroup', group: 'x' } }],
        ['plan_todo_edit', { edit: { id, description: `w${i}`, depends_on, group: pick(next, ['x', 'z']) } }],
        ['plan_todo_cross_off', { action: { type: pick(next, ['Complete', 'Cancel']), id } }],
        ['plan_todo_write', { action: { type: 'Clean', keep_pending: true } }],
      ])
      // Clean is about all groups: it is tried where the other one has nothing to clean.
      if ('action' in args && JSON.stringify(args).includes('Clean') && before.includes('"completed"')) continue
      const { text } = await plan.call(A, tool, args)
      log.push(`${tool} ${JSON.stringify(args)} -> ${text.slice(0, 200)}`)
      expect(await others()).toBe(before)
    }
    await plan.close()
  })
})

test('[RB-A12] no call writes the whole plan: one step of 10,000 is changed with a few bytes', async () => {
  const plan = await fullPlan(MAX_STEPS - 10)
  const size = async () => (await plan.storage.open(plan.thread))?.updates.at(-1)?.length ?? 0
  expect(await size()).toBeGreaterThan(400_000)
  await plan.block(A, 'checklist', 2_000)
  const { steps } = await plan.standing()
  const { 0: first = { text: '' }, 8: ninth = { id: '' } } = steps
  const calls: readonly (readonly [tool: string, args: object])[] = [
    ['add_todos', { steps: ['new'], parent_index: 1 }],
    ['toggle_todos', { indices: [1] }],
    ['toggle_todos', { indices: [1] }],
    [
      'update_todos',
      {
        updates: [
          { index: 1, text: first.text },
          { index: ninth.id, text: 'other' },
        ],
      },
    ],
    ['remove_todos', { indices: [2] }],
    ['plan_todo_write', { action: { type: 'Start', id: 5 } }],
    ['plan_todo_edit', { edit: { id: 7, description: 'edited', group: 'g' } }],
    ['plan_todo_cross_off', { action: { type: 'Complete', id: 5 } }],
    ['plan_todo_write', { action: { type: 'Remove', id: 9 } }],
    ['plan_todo_write', { action: { type: 'VerifyGroup', group: 'g' } }],
    ['plan_todo_write', { action: { type: 'Add', group: 'g', description: 'added' } }],
  ]
  for (const [tool, args] of calls) {
    const { version } = await plan.standing()
    const reply = await plan.call(A, tool, args)
    expect(reply.success, reply.text.slice(0, 300)).toBe(true)
    expect(reply.version, tool).toBe(version + 1)
    expect(await size(), tool).toBeLessThan(500)
  }
  // A list of those that it has seen, all of them as they are but one.
  const writer = 'agent-w'
  const block = await plan.block(writer, 'checklist', 2_000)
  const todos = [...block.matchAll(/^ {2}t\d+ \[(\w+)\] (.*?) @/gm)].map(([, mark, content]) => ({
    content,
    status: mark === 'done' ? 'completed' : mark,
  }))
  expect(todos.length).toBeGreaterThan(20)
  const changed = todos.map((todo, i) => (i === 3 ? { ...todo, status: 'blocked' } : todo))
  const reply = await plan.call(writer, 'write_todos', { todos: changed })
  expect(reply.text.split('\n  =')[0]).toMatch(
    /^Updated todo list v\d+: \d+\/\d+ completed\n {2}~ .* \[pending -> blocked\]$/,
  )
  expect(await size()).toBeLessThan(500)
  await plan.close()
})

test('[RB-B6] ids that are made offline never meet; numbers are given by the server, one to each after every merge', () => {
  const ids = new Set(Array.from({ length: 50_000 }, () => newStepId()))
  expect(ids.size).toBe(50_000)
  const copies = ['a', 'b', 'c'].map((by) => {
    const doc = new Y.Doc()
    const reader = new PlanReader(doc)
    const steps = Array.from({ length: 20 }, (_, i) => ({ id: newStepId(), text: `same ${i}`, depth: 0 }))
    applyChange(doc, checkOperations(reader.plan, [{ type: 'addSteps', parent: null, steps }], { by, at: 1 }), by)
    // As two servers would that do not know of each other.
    if (by !== 'c') settle(doc, reader, null)
    return doc
  })
  const merged = new Y.Doc()
  const reader = new PlanReader(merged)
  for (const copy of copies) {
    const before = reader.plan
    Y.applyUpdate(merged, Y.encodeStateAsUpdate(copy))
    settle(merged, reader, before)
  }
  const { steps } = reader.plan
  expect(steps).toHaveLength(60)
  expect(new Set(steps.map(({ number }) => number)).size).toBe(60)
  expect(steps.every(({ number }) => number !== null)).toBe(true)
  expect(new Set(steps.map(({ id }) => id)).size).toBe(60)
})

describe('limits', () => {
  test('a plan holds 1,000 groups: one more is refused, by Add, by Edit and by a load', async () => {
    const plan = openPure()
    const lines = Array.from({ length: MAX_GROUPS }, (_, i) => `## g${i}`)
    expect(MAX_GROUPS).toBe(1_000)
    expect(await plan.call(A, 'plan_load_from_md', { markdown: [...lines, '## one more'].join('\n') })).toMatchObject({
      error: 'A plan holds at most 1000 groups; this would make 1001. Nothing was changed.',
    })
    const whole = [...lines, '- [ ] a'].join('\n')
    expect(await plan.call(A, 'plan_load_from_md', { markdown: whole })).toMatchObject({ text: 'ok' })
    const full =
      'A plan holds at most 1000 groups; this would make 1001. Remove empty groups first. Nothing was changed.'
    expect(await add(plan, 'one more', 'b')).toMatchObject({ error: full, version: 1 })
    const edit = { edit: { id: 1, group: 'one more' } }
    expect(await plan.call(A, 'plan_todo_edit', edit)).toMatchObject({ error: full, version: 1 })
    expect(await add(plan, 'g5', 'b')).toMatchObject({ success: true })
    // Another plan takes the place of a full one, and empty groups can be cleaned away.
    expect(await plan.call(A, 'plan_load_from_md', { markdown: whole })).toMatchObject({ text: 'ok' })
    await action(plan, 'plan_todo_write', 'Clean', { keep_pending: true })
    expect(await add(plan, 'one more', 'b')).toMatchObject({ success: true })
    await plan.close()
  })

  test('Clean of 5,000 steps scattered over 10,000', async () => {
    const plan = await fullPlan()
    await plan.standing()
    const reply = await action(plan, 'plan_todo_write', 'Clean', { keep_pending: true })
    expect(reply).toMatchObject({
      success: true,
      nags: [
        { message: 'Removed 5000 completed or cancelled tasks.' },
        { message: expect.stringMatching(/^Not shown: /) as string },
      ],
    })
    expect((await plan.standing()).steps).toHaveLength(5_000)
    await plan.close()
  })

  test('500 removed at a time, wherever they stand', async () => {
    const plan = await fullPlan()
    const { steps } = await plan.standing()
    const indices = Array.from({ length: MAX_ITEMS }, (_, i) => steps[i * 20]?.id)
    await plan.call(A, 'list_todos')
    const reply = await plan.call(A, 'remove_todos', { indices })
    expect(reply).toMatchObject({ summary: 'removed 500 todo steps' })
    await plan.close()
  })
})
