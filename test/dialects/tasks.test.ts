import { describe, test } from 'vitest'
import { usePlan, WAYS } from '../helpers/plan-driver.ts'
import { CASES, runCase } from './tasks-cases.ts'
import { tasksDriver } from './tasks-driver.ts'

describe.each(WAYS)('the $name way', (way) => {
  test.each(CASES.map((one) => [one.id, one.title, one] as const))('[%s] %s', (_id, _title, one) =>
    usePlan(way, (plan) => runCase(one, tasksDriver(plan))),
  )
})
