import { describe, test } from 'vitest'
import { DIALECTS } from '../../shared/dialects/registry.ts'
import { localChecklist } from '../helpers/local-checklist.ts'
import { WAYS } from '../helpers/plan-driver.ts'
import { CHECKLIST_CASES } from './checklist-cases.ts'

describe('on a plan without a server', () => {
  for (const { title, run } of CHECKLIST_CASES) test(title, () => run(localChecklist()))
})

for (const way of DIALECTS.has('checklist') ? WAYS : [])
  describe(way.name, () => {
    for (const { title, run } of CHECKLIST_CASES)
      test(title, async () => {
        const plan = await way.open()
        try {
          await run({
            call: (tool, args, actor = '') => plan.call(actor, tool, args),
            block: () => plan.block('a reader', 'checklist'),
          })
        } finally {
          await plan.close()
        }
      })
  })
