import { expect, test } from 'vitest'
import type { LivePlan } from '../../client/sdk/live-plan.ts'
import { memoryStore } from '../../client/sdk/store.ts'
import { hostOf, planTools, TodoList } from '../../client/sdk/tools.ts'
import { PlanError } from '../../shared/schema/errors.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import { add, agreeing, live, outlineOf, rename, serve, texts, until } from './live.ts'
import { proxy } from './proxy.ts'

/** Numbers from a seed, in [0, most). */
function randomFrom(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

/** One thing that a client does. */
function act(plan: LivePlan, random: (most: number) => number, name: string): void {
  const pick = (): StepId | null => plan.steps[random(plan.steps.length)]?.id ?? null
  const id = pick()
  switch (id === null ? 0 : random(12)) {
    case 0:
    case 1:
    case 2:
      return void add(plan, name, pick())
    case 3:
    case 4:
      return void rename(plan, id as StepId, name)
    case 5:
      return void plan.apply([{ type: 'moveSteps', steps: [id as StepId], parent: pick(), after: null }])
    case 6:
      return void plan.apply([{ type: 'removeSteps', steps: [id as StepId], subSteps: random(2) === 0 }])
    case 7:
      return void plan.apply([{ type: 'setStep', id: id as StepId, fields: { status: 'completed' } }])
    case 8:
      return void plan.undo()
    case 9:
      return void plan.redo()
    case 10:
      return plan.goOffline()
    default:
      return plan.goOnline()
  }
}

for (const seed of [1, 2, 3, 4, 5, 6])
  test(`whoever comes and goes, all are saved and agree in the end (seed ${seed})`, async () => {
    const random = randomFrom(seed * 7_919)
    const server = await serve()
    const between = await proxy(server.url, {})
    const plans = [1, 2, 3].map((n) => live(between.url, { name: `client ${n}`, store: memoryStore() }))
    const done: string[] = []
    for (let n = 0; n < 120; n++) {
      const plan = plans[random(plans.length)] as LivePlan
      try {
        act(plan, random, `act ${n}`)
        done.push(`${plan.actor.name}: act ${n}`)
      } catch (error) {
        // Below itself, for example.
        if (!(error instanceof PlanError)) throw error
      }
      if (random(30) === 0) between.close(1012, '')
      if (random(6) === 0) await plan.whenKept()
      if (random(10) === 0 && plan.status.kind === 'online') await plan.whenSaved().catch(() => {})
    }
    for (const plan of plans) plan.goOnline()
    await agreeing(server, ...plans)
    expect(plans.map(({ unsaved }) => unsaved)).toEqual([0, 0, 0])
    expect(done.length).toBeGreaterThan(80)
  })

test('todo lists of two agents, each on its own copy, are one plan', async () => {
  const server = await serve()
  const ada = live(server.url, { name: 'ada', tools: planTools })
  const bob = live(server.url, { name: 'bob' })
  await Promise.all([ada.whenSynced(), bob.whenSynced()])
  const [one, two] = [new TodoList(hostOf(ada)), new TodoList(hostOf(bob))]
  one.update([{ content: 'by ada', status: 'pending' }], 'ada')
  two.update([{ content: 'by bob', status: 'pending' }], 'bob')
  await until(ada, () => ada.steps.length === 2)
  await agreeing(server, ada, bob)
  expect(texts(ada).toSorted()).toEqual(['by ada', 'by bob'])
  // Each replaces what it wrote itself, and leaves what the other put in.
  one.update([{ content: 'by ada', status: 'completed' }], 'ada')
  await until(bob, () => bob.steps.some(({ status }) => status === 'completed'))
  await agreeing(server, ada, bob)
  expect(outlineOf(bob).toSorted()).toEqual(['by ada (completed)', 'by bob'])
  await expect(ada.call('no_such_tool', {})).rejects.toThrow('There is no tool no_such_tool. There are add_todos')
})
