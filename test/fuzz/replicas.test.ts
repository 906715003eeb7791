/**
 * Runs come from a seed: PLANROOM_FUZZ_SEED is the first, PLANROOM_FUZZ_RUNS how many. `npm run test:fuzz` makes
 * thousands.
 */
import { describe, test } from 'vitest'
import { ReplicaRun } from '../helpers/replica-run.ts'

const RUNS = Number(process.env['PLANROOM_FUZZ_RUNS'] ?? 300)
const SEED = Number(process.env['PLANROOM_FUZZ_SEED'] ?? 1)
/** Runs to a test, so that a failure names few and no test runs for minutes. */
const AT_ONCE = 50

describe('replicas', () => {
  for (let first = SEED; first < SEED + RUNS; first += AT_ONCE) {
    const last = Math.min(first + AT_ONCE, SEED + RUNS) - 1
    test(`[RB-A1 RB-A11] whatever is exchanged when, all copies come to be one plan: seeds ${first} to ${last}`, () => {
      for (let seed = first; seed <= last; seed++) {
        const run = new ReplicaRun(seed)
        try {
          run.all()
        } catch (error) {
          throw new Error(`PLANROOM_FUZZ_SEED=${seed} PLANROOM_FUZZ_RUNS=1: ${String(error)}\n${run.log.join('\n')}`, {
            cause: error,
          })
        }
      }
    })
  }
})
