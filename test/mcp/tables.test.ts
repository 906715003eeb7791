import { describe, test, vi } from 'vitest'
import { DIALECTS } from '../../shared/dialects/registry.ts'
import { CASES, runCase } from '../dialects/tasks-cases.ts'
import type { PlanDriver, WithPlan } from '../helpers/plan-driver.ts'
import { mcpWay } from './driver.ts'

// The tables of the dialects, word for word, with MCP as the one way in.
vi.mock(import('../helpers/plan-driver.ts'), async (load) => {
  const [real, { mcpWay: way }] = [await load(), await import('./driver.ts')]
  const withPlan: WithPlan = (work: (plan: PlanDriver) => Promise<void>) => async () => {
    const plan = await way.open()
    try {
      await work(plan)
    } finally {
      await plan.close()
    }
  }
  return { ...real, WAYS: [way], everyWay: (cases) => describe('over MCP', () => void cases(withPlan)) }
})

await import('../dialects/outline.test.ts')
await import('../dialects/references.test.ts')
await import('../dialects/lenient.test.ts')
await import('../dialects/checklist.test.ts')

describe.runIf(DIALECTS.has('tasks'))('over MCP', () => {
  test.each(CASES.map((one) => [one.id, one.title, one] as const))('[%s] %s', async (_id, _title, one) => {
    const plan = await mcpWay.open()
    try {
      await runCase(one, {
        call: (tool, args, actor = '') => plan.call(actor, tool, args),
        block: () => plan.block('', 'tasks'),
      })
    } finally {
      await plan.close()
    }
  })
})
