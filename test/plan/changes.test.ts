import { describe, expect, test } from 'vitest'
import { changesBetween, orderSplice } from '../../shared/plan/changes.ts'
import { History } from '../../shared/plan/history.ts'
import { planMarkdown } from '../../shared/plan/markdown.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import { MAX_HISTORY, MAX_HISTORY_BYTES } from '../../shared/schema/limits.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import type { Step } from '../../shared/schema/plan.ts'
import { Copy, id, nameOf, outline } from '../helpers/plans.ts'
import { Chance, randomOperation } from '../helpers/replicas.ts'
import { PlanError } from '../../shared/schema/errors.ts'

const actor = { id: 'ann', name: 'ann', kind: 'agent' } as const
const move = (names: string, parent: string | null, after?: string | null): PlanOperation => ({
  type: 'moveSteps',
  steps: names.split(' ').map(id),
  parent: parent === null ? null : id(parent),
  ...(after === undefined ? {} : { after: after === null ? null : id(after) }),
})
const remove = (names: string, subSteps = false): PlanOperation => ({
  type: 'removeSteps',
  steps: names.split(' ').map(id),
  subSteps,
})

/** What was changed, in short: `+` came, `-` went, `>` moved, `~` another field; with the places before and after. */
const told = (before: Plan, after: Plan): string =>
  changesBetween(before, after)
    .map((change) => {
      const mark = change.before === null ? '+' : change.after === null ? '-' : change.moved ? '>' : '~'
      return `${mark}${nameOf(change.id)}${change.placeBefore ?? ''}:${change.placeAfter ?? ''}`
    })
    .join(' ')

const cases: readonly (readonly [told: string, start: string, ...operations: PlanOperation[]])[] = [
  ['', 'a b'],
  ['~b2:2', 'a b', { type: 'setStep', id: id('b'), fields: { status: 'completed' } }],
  ['+x:2 +y:3', 'a b', { type: 'addSteps', steps: outline('x .y'), parent: null, after: id('a') }],
  ['-a1:', 'a b c', remove('a')],
  ['-b2:', 'a .b ..c d', remove('b')],
  ['-a1: -b2: -c3:', 'a .b ..c d', remove('a', true)],
  ['>d4:1', 'a b c d', move('d', null, null)],
  ['>a1:4', 'a b c d', move('a', null)],
  ['>a1:2', 'a .b .c d', move('a', 'd')],
  ['>c3:4', 'a .b .c d', move('c', null)],
  ['>b2:3', 'p .b .c z', move('b', null, 'p')],
  ['-a1:', 'a .b c', move('b', null, null), remove('a')],
  ['~b2:1 -a1:', 'a .b c', remove('a'), { type: 'setStep', id: id('b'), fields: { text: 'B' } }],
  ['+x:1 >c3:2', 'a b c', { type: 'addSteps', steps: outline('x'), parent: null, after: null }, move('c', 'x')],
]

describe('changes', () => {
  test.each(cases.map(([expected, start, ...operations]) => ({ expected, start, operations })))(
    '[D1] $start: $expected',
    ({ expected, start, operations }) => {
      const copy = new Copy().add(start)
      const before = copy.plan
      copy.run(...operations)
      expect(told(before, copy.plan)).toBe(expected)
      expect(told(before, before)).toBe('')
    },
  )

  test('[D2] the run of the order that changed is as short as can be', () => {
    const copy = new Copy().add('a b c d')
    const before = copy.plan
    copy.run(move('c', null, 'a'))
    expect(orderSplice(before, copy.plan)).toEqual({ at: 1, removed: ['b', 'c'].map(id), added: ['c', 'b'].map(id) })
    expect(orderSplice(copy.plan, copy.plan)).toBeNull()
    expect(orderSplice(copy.plan, new Copy(copy).plan)).toBeNull()
  })

  test('[D3] for random changes: who came, who went, who stands under another parent or in another order', () => {
    for (const [before, after] of randomPlans(10)) {
      const changes = changesBetween(before, after)
      const ids = new Set(changes.map((change) => change.id))
      expect(ids.size).toBe(changes.length)
      for (const { id: of, before: was, after: is, placeBefore, placeAfter } of changes) {
        expect(was ?? undefined).toBe(before.step(of))
        expect(is ?? undefined).toBe(after.step(of))
        expect([placeBefore, placeAfter]).toEqual([before.placeOf(of), after.placeOf(of)])
      }
      const moved = new Set(changes.filter((change) => change.moved).map((change) => change.id))
      for (const step of after.steps) if (before.step(step.id) === undefined) expect(ids).toContain(step.id)
      for (const step of before.steps) if (after.step(step.id) === undefined) expect(ids).toContain(step.id)
      // Those not told to have moved have the parent they had, or climbed, and their order.
      for (const parent of [null, ...after.steps.map((step) => step.id)]) {
        const stayed = after.children(parent).filter((child) => before.step(child) !== undefined && !moved.has(child))
        for (const child of stayed) expect(climbed(before, after, child)).toBe(parent)
        const places = stayed.map((child) => before.placeOf(child) ?? 0)
        expect(places).toEqual(places.toSorted((a, b) => a - b))
      }
      // And those told to have moved that kept their parent could not all have stayed.
      for (const child of moved) {
        const parent = after.step(child)?.parent ?? null
        if (climbed(before, after, child) !== parent) continue
        const siblings = after
          .children(parent)
          .filter(
            (one) =>
              before.step(one) !== undefined &&
              climbed(before, after, one) === parent &&
              (one === child || !moved.has(one)),
          )
        const places = siblings.map((one) => before.placeOf(one) ?? 0)
        expect(places).not.toEqual(places.toSorted((a, b) => a - b))
      }
    }
  })
})

function climbed(before: Plan, after: Plan, child: StepId): StepId | null {
  let parent = before.step(child)?.parent ?? null
  while (parent !== null && after.step(parent) === undefined) parent = before.step(parent)?.parent ?? null
  return parent
}

/** Pairs of plans with a change between them. */
function* randomPlans(seeds: number): Generator<[before: Plan, after: Plan, seed: number]> {
  for (let seed = 1; seed <= seeds; seed++) {
    const chance = new Chance(seed)
    const copy = new Copy()
    const removed: Step[] = []
    for (let i = 0; i < 30; i++) {
      const before = copy.plan
      const operations = Array.from({ length: 1 + chance.below(3) }, () => randomOperation(chance, before, removed))
      try {
        copy.run(...operations)
      } catch (error) {
        if (!(error instanceof PlanError)) throw error
      }
      for (const step of before.steps) if (copy.plan.step(step.id) === undefined) removed.push(step)
      yield [before, copy.plan, seed]
    }
  }
}

describe('history', () => {
  test('[H1] the order at a version is the order that was recorded at it', () => {
    let history = new History(0)
    let orders: StepId[][] = []
    let last = 0
    const judge = (plan: Plan): void => {
      orders.forEach((order, version) =>
        expect(history.orderAt(version, plan), `seed ${last}, version ${version}`).toEqual(order),
      )
    }
    let present: Plan | null = null
    for (const [before, after, seed] of randomPlans(15)) {
      if (seed !== last) {
        if (present !== null) judge(present)
        history = new History(0)
        orders = [before.steps.map((step) => step.id)]
        last = seed
      }
      history.record(actor, before, after)
      orders.push(after.steps.map((step) => step.id))
      present = after
    }
    if (present !== null) judge(present)
  })

  test('[H2] it reaches back 500 versions, and says where it does not', () => {
    const copy = new Copy().add('a')
    const history = new History(7)
    for (let i = 0; i < MAX_HISTORY + 3; i++) {
      const before = copy.plan
      copy.run({ type: 'setStep', id: id('a'), fields: { text: `text ${i}` } })
      expect(history.record(actor, before, copy.plan).version).toBe(8 + i)
    }
    expect([history.start, history.version]).toEqual([10, 510])
    expect(history.since(9)).toBeNull()
    expect(history.since(511)).toBeNull()
    expect(history.since(508)?.map(({ version }) => version)).toEqual([509, 510])
    expect(history.since(510)).toEqual([])
    expect(history.orderAt(9, copy.plan)).toBeNull()
    expect(history.orderAt(10, copy.plan)).toEqual([id('a')])
  })

  test('[H4] changes that are large together are kept for a shorter time', () => {
    const steps = Array.from({ length: 5_000 }, (_, i) => ({ id: id(`n${i}`), text: 'x', depth: 0 }))
    const full = new Copy().edit({ type: 'addSteps', parent: null, steps })
    const history = new History(0)
    for (let i = 0; i < 60; i++)
      history.record(actor, i % 2 === 0 ? new Copy().plan : full.plan, i % 2 === 0 ? full.plan : new Copy().plan)
    expect(history.weight).toBeLessThanOrEqual(MAX_HISTORY_BYTES)
    expect(history.version).toBe(60)
    expect(history.start).toBe(39)
  })
})

test('[M1] a plan as a nested list', () => {
  const copy = new Copy().add('a .b c').run({ type: 'setTitle', title: 'Plan' })
  copy.run({ type: 'setStep', id: id('b'), fields: { status: 'completed', text: 'two\nlines' } })
  expect(planMarkdown(copy.plan)).toBe(
    '# Plan\n\n- [ ] a\n  - [x] two\\\n    lines\n- [ ] c\n\n<!-- a plan of Planroom, format 1 -->\n',
  )
  expect(planMarkdown(new Copy().plan)).toBe('<!-- a plan of Planroom, format 1 -->\n')
})
