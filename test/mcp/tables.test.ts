import { describe, test } from 'vitest'
import { argumentsCases } from '../dialects/arguments-cases.ts'
import { CHECKLIST_CASES, checklistDriver } from '../dialects/checklist-cases.ts'
import { lenientCases } from '../dialects/lenient-cases.ts'
import { longPlanCases } from '../dialects/long-plans-cases.ts'
import { namedStepCases } from '../dialects/named-steps-cases.ts'
import { outlineCases } from '../dialects/outline-cases.ts'
import { referenceCases } from '../dialects/references-cases.ts'
import { CASES, runCase } from '../dialects/tasks-cases.ts'
import { tasksDriver } from '../dialects/tasks-driver.ts'
import { everyWay, usePlan } from '../helpers/plan-driver.ts'
import { mcpWay } from './driver.ts'

// The tables of the dialects, word for word, with MCP as the one way in.
for (const cases of [outlineCases, referenceCases, lenientCases, longPlanCases, namedStepCases, argumentsCases])
  everyWay(cases, [mcpWay])

describe('the MCP way', () => {
  test.each(CHECKLIST_CASES)('$title', ({ run }) => usePlan(mcpWay, (plan) => run(checklistDriver(plan))))

  test.each(CASES.map((one) => [one.id, one.title, one] as const))('[%s] %s', (_id, _title, one) =>
    usePlan(mcpWay, (plan) => runCase(one, tasksDriver(plan))),
  )
})
