import { describe, test } from 'vitest'
import { DIALECTS } from '../../shared/dialects/registry.ts'
import { localChecklist } from '../helpers/local-checklist.ts'
import { human, WAYS } from '../helpers/plan-driver.ts'
import { CHECKLIST_CASES } from './checklist-cases.ts'

describe('on a plan without a server', () => {
  test.each(CHECKLIST_CASES)('$title', ({ run }) => run(localChecklist()))
})

const ways = DIALECTS.has('checklist') ? WAYS : []

describe.each(ways)('$name', (way) => {
  test.each(CHECKLIST_CASES)('$title', async ({ run }) => {
    const plan = await way.open()
    try {
      await run({
        call: (tool, args, actor = '') => plan.call(actor === 'Ann' ? human('Ann') : actor, tool, args),
        block: () => plan.block('a reader', 'checklist'),
      })
    } finally {
      await plan.close()
    }
  })
})
