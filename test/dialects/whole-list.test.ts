import * as fc from 'fast-check'
import { test } from 'vitest'
import { round, World } from './whole-list-world.ts'

test('[12] a whole list never changes a step that its author did not mean', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 8 }), async (rounds) => {
      const world = new World()
      try {
        for (const one of rounds) {
          for (const deed of one.others) await world.others(deed)
          if (one.looks) await world.look()
          await world.write(one)
        }
      } catch (error) {
        throw new Error(`${String(error)}\n${world.log.join('\n')}`, { cause: error })
      } finally {
        await world.plan.close()
      }
    }),
    { numRuns: Number(process.env['PLANROOM_FUZZ_RUNS'] ?? 200) },
  )
}, 120_000)
