import * as fc from 'fast-check'
import * as Y from 'yjs'
import { describe, expect, test } from 'vitest'
import type { ActivityEntry } from '../../client/ui/model/api.ts'
import { BurstList } from '../../client/ui/model/bursts.ts'
import { groupToken, hasToken, readFilter, readTokens, toggleToken } from '../../client/ui/model/filter.ts'
import { Flashes } from '../../client/ui/model/flashes.ts'
import { dropAt, indent, isMove, moveDown, moveUp, outdent } from '../../client/ui/model/moves.ts'
import { threadIdFor } from '../../client/ui/model/path.ts'
import { asMarkdown, subtreeMarkdown } from '../../client/ui/model/paste.ts'
import { importMarkdown } from '../../shared/plan/markdown-import.ts'
import { writersOf } from '../../shared/plan/writers.ts'
import { readPlanMarkdown } from '../../shared/plan/markdown-read.ts'
import { type Row, rowMaker } from '../../client/ui/model/rows.ts'
import { doneText } from '../../client/cli/plan-text.ts'
import { statusText } from '../../shared/dialects/checklist/show.ts'
import { talliesOf } from '../../client/ui/model/tally.ts'
import {
  LocalPlan,
  newGroupId,
  newStepId,
  type NewStep,
  type Plan,
  type PlanOperation,
  type StepId,
} from '../../client/sdk/index.ts'

const ME = { id: 'me', name: 'me', kind: 'human' } as const

/** A plan from depths and texts. */
function planOf(...steps: readonly (readonly [depth: number, text: string, more?: Partial<NewStep>])[]): LocalPlan {
  const local = new LocalPlan({ doc: new Y.Doc() })
  const list = steps.map(([depth, text, more]) => ({ id: newStepId(), depth, text, ...more }))
  local.apply([{ type: 'addSteps', parent: null, steps: list }], ME)
  return local
}
const lines = ({ steps }: Pick<Plan, 'steps'>): string[] =>
  steps.map(({ depth, text }) => `${'  '.repeat(depth)}${text}`)
const idOf = (plan: Plan, text: string): StepId => plan.steps.find((step) => step.text === text)?.id ?? ('' as StepId)
const ALL = { collapsed: new Set<StepId>(), filter: null, draft: null, keep: null }
const rowsOf = (plan: Plan, more: Partial<typeof ALL> | object = {}): readonly Row[] =>
  rowMaker()(plan, { ...ALL, ...more })
const shown = (rows: readonly Row[]): string[] =>
  rows.map((row) => `${'  '.repeat(row.level - 1)}${row.kind === 'step' ? row.step.text : '…'}`)

describe('rows', () => {
  const local = planOf([0, 'A'], [1, 'B'], [2, 'C'], [1, 'D'], [0, 'E'])
  const { plan } = local

  test('leave out what is collapsed, and keep what fits a filter with the way to it', () => {
    expect(shown(rowsOf(plan, { collapsed: new Set([idOf(plan, 'B')]) }))).toEqual(['A', '  B', '  D', 'E'])
    expect(shown(rowsOf(plan, { filter: readFilter('c', plan).fits }))).toEqual(['A', '  B', '    C'])
    // What is typed in is there, whatever is collapsed.
    const all = { collapsed: new Set([idOf(plan, 'A')]), keep: idOf(plan, 'C') }
    expect(shown(rowsOf(plan, all))).toEqual(['A', '  B', '    C', '  D', 'E'])
  })

  test('have the draft where it will be', () => {
    const at = (parent: string | null, after: string | null) => ({
      draft: { parent: parent === null ? null : idOf(plan, parent), after: after === null ? null : idOf(plan, after) },
    })
    expect(shown(rowsOf(plan, at(null, null)))[0]).toBe('…')
    expect(shown(rowsOf(plan, at('A', 'B')))).toEqual(['A', '  B', '    C', '  …', '  D', 'E'])
    expect(shown(rowsOf(plan, at('A', null)))).toEqual(['A', '  …', '  B', '    C', '  D', 'E'])
    expect(shown(rowsOf(plan, at(null, 'A')))).toEqual(['A', '  B', '    C', '  D', '…', 'E'])
    expect(shown(rowsOf(plan, at(null, 'E')))).toEqual(['A', '  B', '    C', '  D', 'E', '…'])
    // What it stood beside is gone.
    expect(shown(rowsOf(plan, { draft: { parent: 'gone-gone' as StepId, after: null } })).at(-1)).toBe('…')
  })

  test('are the same objects as long as nothing in them changed', () => {
    const make = rowMaker()
    const before = make(plan, ALL)
    const next = planOf([0, 'A'])
    expect(make(plan, ALL).every((row, at) => row === before[at])).toBe(true)
    expect(make(next.plan, ALL)).toHaveLength(1)
  })
})

describe('moving', () => {
  test('by keys', () => {
    const local = planOf([0, 'A'], [1, 'B'], [0, 'C'], [1, 'D'])
    const run = (operation: PlanOperation | null): string[] => {
      if (operation !== null) local.apply([operation], ME)
      return lines(local.plan)
    }
    const c = idOf(local.plan, 'C')
    expect(run(indent(local.plan, [c]))).toEqual(['A', '  B', '  C', '    D'])
    expect(run(moveUp(local.plan, [c]))).toEqual(['A', '  C', '    D', '  B'])
    expect(moveUp(local.plan, [c])).toBeNull()
    expect(run(moveDown(local.plan, [c]))).toEqual(['A', '  B', '  C', '    D'])
    expect(run(outdent(local.plan, [c]))).toEqual(['A', '  B', 'C', '  D'])
    expect(outdent(local.plan, [c])).toBeNull()
  })

  test('by dragging: wherever it is dropped, the step comes to stand at the gap and the depth that the line showed', () => {
    const depths = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 14 })
    fc.assert(
      fc.property(depths, fc.nat(20), fc.nat(20), fc.integer({ min: -1, max: 8 }), (wild, which, where, level) => {
        let last = -1
        const local = planOf(...wild.map((depth, i) => [(last = Math.min(depth, last + 1)), `${i}`] as const))
        const { plan } = local
        const rows = rowsOf(plan)
        const step = plan.steps[which % plan.steps.length]
        if (step === undefined) return
        const gap = where % (rows.length + 1)
        const own = new Set<string>(plan.subtree(step.id).map(({ id }) => id))
        const above = rows.slice(0, gap).findLast(({ key }) => !own.has(key))
        const drop = dropAt(plan, rows, step.id, gap, level)
        expect(drop).not.toBeNull()
        if (drop === null) return
        const moves = isMove(plan, step.id, drop)
        const before = lines(plan)
        const { parent, after } = drop
        local.apply([{ type: 'moveSteps', steps: [step.id], parent, ...(after === undefined ? {} : { after }) }], ME)
        const now = local.plan.step(step.id)
        expect((now?.depth ?? -1) + 1).toBe(drop.level)
        const at = local.plan.places.of(step.id)
        expect(local.plan.steps[at - 1]?.id).toBe(above?.key)
        if (!moves) expect(lines(local.plan)).toEqual(before)
      }),
      { numRuns: 400 },
    )
  })
})

describe('Markdown', () => {
  const read = (text: string) => readPlanMarkdown(asMarkdown(text))

  test('[P7] plain lines nest by their indent; code and tables are details of the step above', () => {
    for (const blank of ['\t', '    ', '  '])
      expect(
        read(`One\n${blank}Two\n${blank}${blank}Three\nFour`).steps.map(({ depth, text }) => [depth, text]),
      ).toEqual([
        [0, 'One'],
        [1, 'Two'],
        [2, 'Three'],
        [0, 'Four'],
      ])
    const table = '| a | b |\n|---|---|\n| 1 | 2 |'
    for (const list of ['- A\n```js\n# no *step*\n```\n- B\n', 'A\n```js\n# no *step*\n```\nB\n'])
      expect(read(`${list}${table}`).steps.map(({ text, details }) => [text, details])).toEqual([
        ['A', '```js\n# no *step*\n```'],
        ['B', table],
      ])
  })

  test('what is copied is the same when it is pasted', () => {
    const local = planOf([0, 'A', { status: 'blocked' }], [1, 'B', { status: 'completed' }], [2, 'C'], [1, 'D', { status: 'in_progress' }]) // prettier-ignore
    const again = read(subtreeMarkdown(local.plan, local.plan.steps[0]?.id as StepId)).steps
    expect(again.map(({ depth, text, status }) => [depth, text, status])).toEqual(
      local.plan.steps.map(({ depth, text, status }) => [depth, text, status]),
    )
  })

  test('whatever is pasted gives steps that can be added', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.nat(9), fc.constantFrom('', '- ', '* [x] ', '1. ', '## ', '\t'), fc.string({ maxLength: 8 })),
        ),
        (parts) => {
          const text = parts.map(([indentation, mark, words]) => `${' '.repeat(indentation)}${mark}${words}`).join('\n')
          const found = read(text)
          const local = new LocalPlan()
          for (const batch of importMarkdown(found, local.plan, false).batches) local.apply(batch, ME)
          expect(local.plan.steps).toHaveLength(found.steps.length)
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('what is told', () => {
  const entry = (version: number, at: number, name: string, summary: string, reasoning = ''): ActivityEntry => ({
    version,
    at,
    actor: { id: name, name, kind: 'agent' },
    source: 'http',
    tool: 'add_todos',
    reasoning,
    summary,
  })

  test('what one did within some minutes is one, whatever others did in between', () => {
    const bursts = new BurstList().update([
      entry(1, 0, 'a', 'added 2 steps: X, Y', 'Why'),
      entry(2, 1_000, 'a', 'added 1 step: Z; completed 1 step: X', 'Why'),
      entry(3, 2_000, 'b', 'removed 1 step: Z'),
      entry(4, 3_000, 'a', 'added 1 step: Z'),
      entry(5, 200_000, 'a', 'added 1 step: W'),
    ])
    expect(bursts.map(({ key, count, summary, reasons }) => [key, count, summary, reasons])).toEqual([
      [5, 1, 'added 1 step: W', []],
      [1, 3, 'added 4, completed 1', ['Why']],
      [3, 1, 'removed 1 step: Z', []],
    ])
  })

  test('[13-4] five agents that work at a time are five entries', () => {
    const entries = Array.from({ length: 100 }, (_, i) => entry(i + 1, i * 500, `agent ${i % 5}`, 'added 1 step: X'))
    const bursts = new BurstList().update(entries)
    expect(bursts.map(({ latest, summary }) => [latest.actor.name, summary])).toEqual(
      [4, 3, 2, 1, 0].map((n) => [`agent ${n}`, 'added 20 steps']),
    )
  })

  test('[11-F26] a log that grows gives what the whole log gives, however it came', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 150_000 })), { maxLength: 60 }),
        fc.array(fc.nat({ max: 60 }), { maxLength: 8 }),
        (steps, cuts) => {
          let at = 0
          const log = steps.map(([who, later], i) => entry(i + 1, (at += later), `agent ${who}`, 'added 1 step: X'))
          const list = new BurstList()
          for (const cut of cuts.toSorted((a, b) => a - b)) list.update(log.slice(0, cut))
          expect(list.update(log)).toEqual(new BurstList().update(log))
          expect(list.names).toEqual([...new Set(log.map(({ actor }) => actor.name))].sort())
        },
      ),
    )
  })

  test('[11-F26] what one more entry costs does not grow with the log', () => {
    let looks = 0
    const counted = (version: number): ActivityEntry => {
      const plain = entry(version, version * 50, `agent ${version % 7}`, 'added 1 step: X')
      return Object.defineProperty(plain, 'summary', { get: () => (looks++, 'added 1 step: X') })
    }
    const log = Array.from({ length: 50_000 }, (_, i) => counted(i + 1))
    const list = new BurstList()
    list.update(log)
    expect(looks).toBeGreaterThanOrEqual(50_000)
    looks = 0
    list.update([...log, counted(50_001)])
    expect(looks).toBeLessThan(10)
    // What fell off the beginning is shown no longer, and costs nothing.
    const bursts = list.update([...log.slice(-100), counted(50_001), counted(50_002)])
    expect(looks).toBeLessThan(20)
    for (const { latest } of bursts) expect(latest.version).toBeGreaterThan(49_900)
  })

  test('a flash says who its writer claims to be, until the log says who it was', () => {
    const local = planOf([0, 'A'])
    const before = local.plan
    const id = idOf(before, 'A')
    local.apply([{ type: 'setStep', id, fields: { status: 'completed' } }], { ...ME, name: 'claimed' })
    const after = local.plan
    const change = { id, before: before.step(id) ?? null, after: after.step(id) ?? null, placeBefore: 1, placeAfter: 1, moved: false, regrouped: false } // prettier-ignore
    const flashes = new Flashes({ id: 'own', name: 'own' })
    flashes.changed({ type: 'change', origin: 'remote', before, after, changes: [change] }, 1_000, new Map(), true)
    flashes.told(7)
    expect(flashes.current.get(id)).toMatchObject({ who: 'claimed', what: 'completed', version: 7 })
    flashes.correct(new Map([[7, { id: 'scout-1', name: 'scout' }]]))
    expect(flashes.current.get(id)?.who).toBe('scout')
    expect(flashes.expire(2_000)).toBe(7_000)
    expect(flashes.expire(9_000)).toBeNull()
    expect(flashes.current.size).toBe(0)
  })

  test('[P18] a flash says who wrote what changed, not who wrote last; what came in many versions is nobody’s by its version', () => {
    const local = planOf([0, 'A'])
    const before = local.plan
    const id = idOf(before, 'A')
    local.apply([{ type: 'setStep', id, fields: { text: 'B' } }], { ...ME, name: 'Ada' })
    local.apply([{ type: 'setStep', id, fields: { details: 'C' } }], { ...ME, name: 'Bob' })
    const after = local.plan
    const change = { id, before: before.step(id) ?? null, after: after.step(id) ?? null, placeBefore: 1, placeAfter: 1, moved: false, regrouped: false } // prettier-ignore
    const writers = writersOf(local.doc, new Set([id]))
    expect([writers.get(id)?.get('text'), writers.get(id)?.get('details')]).toEqual(['Ada', 'Bob'])
    const flashes = new Flashes({ id: 'own', name: 'own' })
    flashes.changed({ type: 'change', origin: 'remote', before, after, changes: [change] }, 1_000, writers, false)
    flashes.told(7)
    flashes.correct(new Map([[7, { id: 'carl', name: 'Carl' }]]))
    expect(flashes.current.get(id)).toMatchObject({ who: 'Ada', what: 'renamed', version: null })
  })

  test('[F36] progress is the same in the page, on the command line and in the block: every step but cancelled ones', () => {
    const { plan } = planOf([0, 'A'], [1, 'B', { status: 'completed' }], [1, 'C', { status: 'blocked' }], [1, 'D', { status: 'cancelled' }], [0, 'E', { status: 'in_progress' }]) // prettier-ignore
    expect(talliesOf(plan).plan).toEqual({ done: 1, active: 1, blocked: 1, total: 4 })
    expect(doneText(plan.steps)).toBe('1 of 4 done')
    expect(statusText(plan, 1)).toContain('Progress: 1/4 completed, 1 blocked.')
    expect(talliesOf(plan).parents.get(idOf(plan, 'A'))).toEqual({ done: 1, active: 0, blocked: 1, total: 2 })
  })

  test('a filter knows words, statuses, owners and numbers', () => {
    const { plan } = planOf([0, 'Find a flat', { details: 'near the lake' }], [0, 'Pack', { status: 'in_progress', startedBy: 'scout' }], [0, 'Go', { status: 'completed' }]) // prettier-ignore
    const found = (text: string): string[] => {
      const { fits } = readFilter(text, plan)
      return plan.steps.filter((step) => fits === null || fits(step)).map(({ text: one }) => one)
    }
    expect(found(' ')).toHaveLength(3)
    expect(found('LAKE')).toEqual(['Find a flat'])
    expect(found('is:open')).toEqual(['Find a flat', 'Pack'])
    expect(found('@sco')).toEqual(['Pack'])
    expect(found('#3')).toEqual(['Go'])
    expect(found('is:done flat')).toEqual([])
  })

  test('[P15] the id of a plan is made of whatever title there is; what is lost of it is made up for', () => {
    const titles = [' Été à Nice! ', 'a/b', 'ok_1~', 'Release 2.0 – Überblick / プラン', 'x'.repeat(300)]
    expect(titles.map(threadIdFor)).toEqual(['Ete-a-Nice', 'a-b', 'ok_1~', 'Release-2.0-Uberblick', 'x'.repeat(100)])
    expect(threadIdFor('プラン')).toMatch(/^plan-[a-z0-9]{8}$/)
    expect(threadIdFor('プランとリスト 2')).toMatch(/^2-[a-z0-9]{8}$/)
    expect(threadIdFor('..')).toMatch(/^plan-[a-z0-9]{8}$/)
    expect(threadIdFor('プラン')).not.toBe(threadIdFor('プラン'))
  })

  test('[P10] a filter folds letters, means exact groups, and takes one of several of a kind', () => {
    const local = planOf(
      [0, 'Café “Straße”', { startedBy: 'Ada L', status: 'in_progress' }],
      [0, 'Λόγος', { status: 'completed' }],
      [0, 'api', { status: 'cancelled' }],
      [1, 'Below'],
    )
    const group = newGroupId()
    const other = newGroupId()
    local.apply([{ type: 'addGroup', id: group, title: 'A "quoted" \\ group' }, { type: 'addGroup', id: other, title: 'API' }], ME) // prettier-ignore
    local.apply([{ type: 'setStep', id: idOf(local.plan, 'api'), fields: { group } }], ME)
    local.apply([{ type: 'setStep', id: idOf(local.plan, 'Λόγος'), fields: { group: other } }], ME)
    const { plan } = local
    const found = (text: string): string[] => {
      const { fits } = readFilter(text, plan)
      return plan.steps.filter((step) => fits === null || fits(step)).map(({ text: one }) => one)
    }
    expect(found('cafe strasse')).toEqual(['Café “Straße”'])
    expect(found('ΛΟΓΟΣ')).toEqual(['Λόγος'])
    expect(found(groupToken('A "quoted" \\ group'))).toEqual(['api', 'Below'])
    expect(found('group:api')).toEqual(['Λόγος'])
    expect(found('group:api group:"a \\"quoted\\" \\\\ group"')).toEqual(['Λόγος', 'api', 'Below'])
    expect(found('group:""')).toEqual(['Café “Straße”'])
    expect(found('-is:done -is:cancelled')).toEqual(['Café “Straße”', 'Below'])
    expect(found('is:done is:cancelled')).toEqual(['Λόγος', 'api'])
    expect(found('is:open is:done')).toEqual([])
    expect(found('@"ada l"')).toEqual(['Café “Straße”'])
    expect(found('@"ada"')).toEqual([])
    expect(toggleToken('x  group:"a b" y', groupToken('A b'))).toBe('x y')
    expect(toggleToken('x', groupToken('a "b"'))).toBe('x group:"a \\"b\\""')
    expect(readFilter('is:never', plan).problems[0]).toContain('“is:never” is not known')
  })

  test('[P10] whatever is typed is a filter, and a part can be put in and taken out again', () => {
    const { plan } = planOf([0, 'A'])
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (text, title) => {
        const { fits } = readFilter(text, plan)
        for (const step of plan.steps) fits?.(step)
        const token = groupToken(title)
        const tokens = readTokens(text)
        fc.pre(!hasToken(text, token) && !/^[^"]*(?:"[^"]*"[^"]*)*"[^"]*$/.test(text))
        const more = toggleToken(text, token)
        expect(hasToken(more, token)).toBe(true)
        expect(readTokens(toggleToken(more, token)).map(({ raw }) => raw)).toEqual(tokens.map(({ raw }) => raw))
      }),
    )
  })
})
