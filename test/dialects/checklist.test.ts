import { describe, test } from 'vitest'
import { localChecklist } from '../helpers/local-checklist.ts'
import { usePlan, WAYS } from '../helpers/plan-driver.ts'
import { CHECKLIST_CASES, checklistDriver } from './checklist-cases.ts'

describe('on a plan without a server', () => {
  test.each(CHECKLIST_CASES)('$title', ({ run }) => run(localChecklist()))
})

describe.each(WAYS)('the $name way', (way) => {
  test.each(CHECKLIST_CASES)('$title', ({ run }) => usePlan(way, (plan) => run(checklistDriver(plan))))
})
