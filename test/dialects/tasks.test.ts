import { describe, expect, test } from 'vitest'
import { CASES, add, complete, make, runCase } from './tasks-cases.ts'
import { openTasks } from './tasks-driver.ts'

describe('the cases of the specification', () => {
  for (const one of CASES) test(`[${one.id}] ${one.title}`, () => runCase(one, openTasks()))

  test('[B1] no block for an empty plan', async () => {
    expect(await openTasks().block()).toBe('')
  })

  test('[B4] no block when all is over', async () => {
    const driver = openTasks()
    await make(driver, [add('g', 'A'), complete('task-1')])
    expect(await driver.block()).toBe('')
  })
})
