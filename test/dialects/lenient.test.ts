import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { PlanReader } from '../../shared/plan/read.ts'
import { everyWay, openRoom } from '../helpers/plan-driver.ts'
import { lenientCases } from './lenient-cases.ts'

everyWay(lenientCases)

test('[RB-A1] two agents add 50 outlines each at the same time: all are there, each in one piece', async () => {
  const plan = openRoom()
  const calls = Array.from({ length: 50 }, (_, i) => i).flatMap((i) =>
    ['agent-a', 'agent-b'].map((who) =>
      plan.call(who, 'add_todos', { steps: [`${who} ${i}`, { text: `${who} ${i} below`, depth: 1 }] }),
    ),
  )
  const replies = await Promise.all(calls)
  expect(replies.every((reply) => reply.success)).toBe(true)
  expect(new Set(replies.map((reply) => reply.version)).size).toBe(100)
  const { steps, version } = await plan.standing()
  expect(version).toBe(100)
  expect(new Set(steps.map((step) => step.id)).size).toBe(200)
  expect(new Set(steps.map((step) => step.number)).size).toBe(200)
  const outlines = steps.flatMap((step, i) => (step.depth === 0 ? [[step.text, steps[i + 1]?.text]] : []))
  expect(outlines).toHaveLength(100)
  for (const [top, below] of outlines) expect(below).toBe(`${top} below`)
  for (const who of ['agent-a', 'agent-b'])
    expect(outlines.map(([top]) => top).filter((top) => top?.startsWith(who))).toEqual(
      Array.from({ length: 50 }, (_, i) => `${who} ${i}`),
    )
  await plan.close()
})

test('[RB-B8] a step that was removed and added again survives a merge with a copy that saw neither', async () => {
  const plan = openRoom()
  await plan.call('agent-a', 'add_todos', { steps: ['X'] })
  await plan.call('agent-a', 'remove_todos', { indices: [1] })
  await plan.call('agent-a', 'add_todos', { steps: ['X'] })
  const stored = await plan.storage.open(plan.thread)
  const [first, second, third] = stored?.updates ?? []
  const copy = new Y.Doc()
  for (const update of [first, third, second]) if (update !== undefined) Y.applyUpdate(copy, update)
  expect(new PlanReader(copy).plan.steps.map((step) => step.text)).toEqual(['X'])
  await plan.close()
})
