import { expect, test } from 'vitest'
import { PlanCaller } from '../../client/sdk/plan-caller.ts'
import { checklistTool } from '../../client/sdk/todo-list.ts'
import { LocalPlan } from '../../client/sdk/local-plan.ts'
import { checklist } from '../../shared/dialects/checklist.ts'
import { prepareCall } from '../../shared/dialects/call.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import { newGroupId, newStepId } from '../../shared/schema/ids.ts'
import { todo } from './checklist-cases.ts'

const A: Actor = { id: 'a', name: 'a', kind: 'agent' }

test('500 items against a plan of 10,000 steps move and add what differs, and touch nothing else', () => {
  const host = new LocalPlan()
  const own = new PlanCaller(host, checklist)
  const items = Array.from({ length: 500 }, (_, i) => todo(`own ${i}`))
  own.call(checklistTool('write_todos'), { todos: items }, A)
  const none = new Set<never>()
  const sets = { unseen: none, unplaced: none, folded: none, later: new Map<never, never>() }
  const view = { version: host.version, plan: host.plan, ...sets }
  const others = Array.from({ length: 9_500 }, (_, i) => ({ id: newStepId(), text: `other ${i}`, depth: i % 3 }))
  host.apply([{ type: 'addSteps', parent: null, steps: others }], { id: 'b', name: 'b', kind: 'agent' })
  const { plan, version, history } = host
  const context = {
    actor: A,
    plan,
    version,
    view,
    places: new Map(),
    known: [],
    listed: new Set<never>(),
    overruled: new Map(),
    lastList: null,
    history,
    newStepId,
    newGroupId,
  }
  // Half of them in reverse, the others new, one and one.
  const list = items.toReversed().map((item, i) => (i % 2 === 0 ? item : todo(`new ${i}`)))
  const prepared = prepareCall(checklistTool('write_todos'), { todos: list }, context, { by: 'a', at: 0 })
  if (prepared.kind === 'refused') throw new Error(prepared.message)
  const { patches, tombstones } = prepared.change
  const foreign = new Set(others.map(({ id }) => id))
  expect(tombstones.length).toBe(250)
  expect([...patches, ...tombstones].filter(({ id }) => foreign.has(id))).toEqual([])
  expect(patches.filter(({ createdAt }) => createdAt !== undefined).length).toBe(250)
})
