import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { z } from 'zod'
import { prepareCall } from '../../shared/dialects/call.ts'
import { defineTool } from '../../shared/dialects/dialect.ts'
import { digest } from '../../shared/dialects/digest.ts'
import { outline } from '../../shared/dialects/outline.ts'
import { reasoning } from '../../shared/dialects/parameters.ts'
import { applyChange } from '../../shared/plan/apply.ts'
import { checkOperations } from '../../shared/plan/check.ts'
import { History } from '../../shared/plan/history.ts'
import { Plan } from '../../shared/plan/plan.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import { MAX_REASONING } from '../../shared/schema/limits.ts'
import { newGroupId, newStepId } from '../../shared/schema/ids.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import { agent } from '../helpers/plan-driver.ts'

const context = {
  actor: agent('agent-a'),
  plan: Plan.empty,
  version: 0,
  view: null,
  places: new Map(),
  known: [],
  listed: new Set<never>(),
  overruled: new Map(),
  lastList: null,
  history: new History(0),
  newStepId,
  newGroupId,
}

test('action_and_reasoning never reaches the logic of a tool', () => {
  const seen: unknown[] = []
  const tool = defineTool({
    name: 'x',
    title: '',
    description: '',
    parameters: z.object({ a: z.string(), action_and_reasoning: reasoning }),
    example: {},
    effects: { readOnly: true, destructive: false, idempotent: true },
    printsPlan: false,
    decide: (args) => {
      seen.push(args)
      return { operations: [], notes: [], outcome: () => ({}) }
    },
    render: () => ({ text: '', fields: {} }),
  })
  const long = `${'y'.repeat(MAX_REASONING - 2)}😀😀`
  const prepared = prepareCall(tool, { a: 'b', action_and_reasoning: long }, context, { by: '', at: 0 })
  expect(seen).toEqual([{ a: 'b' }])
  // Cut to what the log keeps, and never through the middle of a character.
  expect(prepared.reasoning).toBe(`${'y'.repeat(MAX_REASONING - 2)}…`)
})

test('what was removed and brought back is told as restored', () => {
  const doc = new Y.Doc()
  const reader = new PlanReader(doc)
  const history = new History(0)
  const id = 'step-0001' as StepId
  const change = (who: string, operation: PlanOperation) => {
    const before = reader.plan
    applyChange(doc, checkOperations(before, [operation], { by: who, at: 0 }), 'test')
    history.record(agent(who), before, reader.plan)
  }
  const remove: PlanOperation = { type: 'removeSteps', steps: [id], subSteps: true }
  change('agent-a', { type: 'addSteps', parent: null, steps: [{ id, text: 'A', depth: 0 }] })
  change('agent-b', remove)
  expect(digest(history.since(1) ?? [], 'agent-a', reader.plan, outline)).toBe('agent-b removed #1 "A"')
  change('agent-b', {
    type: 'restoreSteps',
    steps: [{ id, parent: null, fields: { text: 'A' }, createdBy: '', createdAt: 0 }],
  })
  expect(digest(history.since(1) ?? [], 'agent-a', reader.plan, outline)).toBe('agent-b restored #1')
  change('agent-b', remove)
  expect(digest(history.since(1) ?? [], 'agent-a', reader.plan, outline)).toBe('agent-b removed #1 "A"')
  // Who has never known it hears nothing of it.
  expect(digest(history.since(0) ?? [], 'agent-c', reader.plan, outline)).toBeNull()
})
