/* oxlint-disable no-console -- the share of refusals is printed */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { newStepId } from '../../shared/schema/ids.ts'
import { STATUSES } from '../../shared/schema/plan.ts'
import { ChecklistAgent } from './checklist-agent.ts'
import { Dice } from './dice.ts'
import { OutlineAgent } from './outline-agent.ts'
import { TasksAgent } from './tasks-agent.ts'
import type { Count } from './world.ts'
import { Person, World } from './world.ts'

const RUNS = 200
const CALLS = 60
/** The share of calls that may be refused in this mix. */
const MOST_REFUSED = 0.15

const total = new Map<string, Count>()
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

/** What a person does in a browser. */
async function actAsPerson(person: Person, dice: Dice, world: World): Promise<void> {
  if (dice.once(4)) return person.goOffline()
  if (dice.once(3)) return person.comeBack()
  await person.change(({ steps }) => {
    const step = dice.of(steps)
    const kind = dice.below(8)
    if (step === undefined || kind < 2) {
      const parent = dice.once(2) ? (step?.id ?? null) : null
      return [{ type: 'addSteps', parent, steps: [{ id: newStepId(), text: world.text(), depth: 0 }] }]
    }
    if (kind < 4) return [{ type: 'setStep', id: step.id, fields: { status: dice.of(STATUSES) ?? 'pending' } }]
    if (kind < 6) return [{ type: 'setStep', id: step.id, fields: { text: world.text() } }]
    if (kind < 7) return [{ type: 'moveSteps', steps: [step.id], parent: null }]
    return [{ type: 'removeSteps', steps: [step.id], subSteps: true }]
  })
}

async function play(numbers: readonly (readonly number[])[]): Promise<void> {
  const world = await World.open()
  const turns = numbers.map((turn) => new Dice(turn))
  try {
    const person = new Person(world)
    const cast = [
      new OutlineAgent('outline-a', world),
      new OutlineAgent('outline-b', world),
      new TasksAgent('tasks', world),
      new ChecklistAgent('checklist-a', world, true),
      new ChecklistAgent('checklist-b', world, false),
    ]
    for (const dice of turns) {
      const who = dice.below(cast.length + 1)
      const one = cast[who]
      await (one === undefined ? actAsPerson(person, dice, world) : one.act(dice))
    }
    await person.expectSame()
    const { steps } = world.plan
    expect(await world.reopened()).toEqual(steps)
  } catch (error) {
    throw new Error(`${world.story.slice(-40).join('\n')}\n${String(error)}`, { cause: error })
  }
  for (const [dialect, { calls, refused }] of world.counts) {
    const count = total.get(dialect) ?? { calls: 0, refused: 0 }
    total.set(dialect, { calls: count.calls + calls, refused: count.refused + refused })
  }
}

test('several at work together: no step is hit that its author did not mean, and nothing is lost', async () => {
  const turn = fc.array(fc.nat(), { minLength: 16, maxLength: 16 })
  const game = fc.array(turn, { minLength: CALLS, maxLength: CALLS })
  await fc.assert(fc.asyncProperty(game, play), { numRuns: RUNS, endOnFailure: true })
  const all: Count = { calls: 0, refused: 0 }
  for (const [dialect, { calls, refused }] of total) {
    console.info(`${dialect}: ${refused} of ${calls} calls refused, ${percent(refused / calls)}`)
    all.calls += calls
    all.refused += refused
  }
  console.info(`all: ${all.refused} of ${all.calls} calls refused, ${percent(all.refused / all.calls)}`)
  expect(all.refused / all.calls).toBeLessThan(MOST_REFUSED)
}, 300_000)
