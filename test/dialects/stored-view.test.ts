import { expect, test } from 'vitest'
import {
  packOrder,
  packPlaces,
  packSeen,
  packSteps,
  unpackOrder,
  unpackPlaces,
  unpackSeen,
  unpackSteps,
} from '../../shared/dialects/stored-view.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import type { Step } from '../../shared/schema/plan.ts'
import { randomFrom } from '../helpers/clients.ts'
import * as Y from 'yjs'
import { writeStep } from '../helpers/sockets.ts'

test('[11-F21] whatever an actor has seen comes back from what was written down of it', () => {
  const seed = Number(process.env['PLANROOM_SEED'] ?? Date.now() % 1_000_000)
  const random = randomFrom(seed)
  for (let round = 0; round < 300; round++) {
    const doc = new Y.Doc()
    const size = random(40)
    for (let nth = 0; nth < size; nth++) writeStep(doc, `step ${nth}`)
    const reader = new PlanReader(doc)
    const { plan } = reader
    const gone = Array.from({ length: random(4) }, (_, nth) => `gone-step-${nth}` as StepId)
    const some = (): StepId[] => [...plan.steps.map(({ id }) => id), ...gone].filter(() => random(3) > 0)
    const stepOf = (id: StepId): Step => {
      const now = plan.step(id)
      const was = { ...(plan.steps[0] as Step), id, text: `as it was ${random(9)}` }
      return now === undefined || random(4) === 0 ? was : random(2) === 0 ? { ...now, dependencies: [] } : now
    }
    const ids = new Set(some())
    const places = new Map(some().map((id, at) => [id, random(5) === 0 ? random(99) + 1 : at + 1]))
    const later = new Map(size === 0 ? [] : some().map((id) => [id, stepOf(id)]))
    const again = <T>(packed: T): T => JSON.parse(JSON.stringify(packed)) as T
    const words = `seed ${seed}, round ${round}`
    expect(new Set(unpackSteps(again(packSteps(ids, plan)), plan)), words).toEqual(ids)
    const order = some().toSorted(() => random(3) - 1)
    expect(unpackOrder(again(packOrder(order, plan)), plan), words).toEqual(order)
    expect(unpackPlaces(again(packPlaces(places, plan)), plan), words).toEqual(places)
    expect(unpackSeen(again(packSeen(later, plan)), plan), words).toEqual(later)
    reader.destroy()
  }
})
