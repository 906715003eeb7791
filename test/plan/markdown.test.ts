import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { importMarkdown } from '../../shared/plan/markdown-import.ts'
import { readPlanMarkdown } from '../../shared/plan/markdown-read.ts'
import { planMarkdown } from '../../shared/plan/markdown.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { GroupId } from '../../shared/schema/ids.ts'
import { MAX_ITEMS } from '../../shared/schema/limits.ts'
import type { NewStep, PlanOperation } from '../../shared/schema/operation.ts'
import type { DependencyTarget } from '../../shared/schema/plan.ts'
import { STATUSES } from '../../shared/schema/plan.ts'
import { Copy, groupId, id } from '../helpers/plans.ts'

const END = '\n<!-- a plan of Planroom, format 1 -->\n'

/** All of a plan that Markdown is to keep; steps by their places. */
function kept(plan: Plan) {
  const titleOf = (group: GroupId | null) => plan.groups.find((one) => one.id === group)?.title ?? null
  return {
    title: plan.title,
    groups: plan.groups.map(({ title, testsVerified }) => [title, testsVerified]),
    steps: plan.steps.map(({ text, depth, status, details, required, group, alias, startedBy, dependencies }) => ({
      text,
      depth,
      status,
      details,
      required,
      alias,
      startedBy,
      group: titleOf(group),
      dependencies: dependencies.map((one) => ('step' in one ? plan.placeOf(one.step) : one.name)),
    })),
  }
}

/** The plan that a file makes, in an empty thread or behind what one has. */
function imported(markdown: string, into = new Copy(), replace = false) {
  const { batches, notes } = importMarkdown(readPlanMarkdown(markdown), into.plan, replace)
  for (const batch of batches) into.run(...batch)
  return { plan: into.plan, batches, notes }
}

const anyText = (maxLength: number) =>
  fc
    .oneof(
      { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength }) },
      fc.string({ unit: fc.constantFrom(...Array.from('\\{}&#[]`~->*+_=|:"1. \n\t\rx\u0000\u2028')), maxLength }),
      fc.constantFrom(
        '## a',
        '- [ ] b',
        '```',
        '---',
        '{#3}',
        'a {required}',
        '&#0;',
        '..\\',
        '<!-- x -->',
        'a\\\nb',
        '=\n==',
      ),
    )
    .filter((text) => text.trim() !== '' && text.length <= maxLength)
const anyStep = fc.record({
  text: anyText(60),
  nesting: fc.nat(3),
  status: fc.constantFrom(...STATUSES),
  details: fc.oneof(fc.constant(''), fc.string({ unit: 'binary' }), anyText(60)),
  required: fc.boolean(),
  group: fc.option(fc.nat(3)),
  alias: fc.option(anyText(20)),
  startedBy: fc.option(anyText(20)),
  dependencies: fc.array(fc.oneof(fc.nat(9), anyText(20)), { maxLength: 3 }),
})
const anyPlan = fc.record({
  title: fc.oneof(fc.constant(''), anyText(40)),
  groups: fc.uniqueArray(fc.tuple(anyText(30), fc.boolean()), { maxLength: 4, selector: ([title]) => title }),
  steps: fc.array(anyStep, { maxLength: 10 }),
})

function operationsOf({
  title,
  groups,
  steps,
}: typeof anyPlan extends fc.Arbitrary<infer T> ? T : never): PlanOperation[] {
  let depth = -1
  return [
    { type: 'setTitle', title },
    ...groups.flatMap(([name, testsVerified], i): PlanOperation[] => [
      { type: 'addGroup', id: groupId(`${i}`), title: name },
      { type: 'setGroup', id: groupId(`${i}`), testsVerified },
    ]),
    {
      type: 'addSteps',
      parent: null,
      steps: steps.map(({ nesting, group, dependencies, ...fields }, i): NewStep => {
        depth = Math.min(nesting, depth + 1)
        return {
          ...fields,
          id: id(`${i}`),
          depth,
          group: group !== null && group < groups.length ? groupId(`${group}`) : null,
          dependencies: dependencies.flatMap((one): DependencyTarget[] =>
            typeof one === 'string' ? [{ name: one }] : one < steps.length ? [{ step: id(`${one}`) }] : [],
          ),
        }
      }),
    },
  ]
}

describe('out and in again', () => {
  test('[RB-I5] any plan comes back as it was', () => {
    fc.assert(
      fc.property(anyPlan, (wanted) => {
        const { plan } = new Copy().run(...operationsOf(wanted))
        const read = readPlanMarkdown(planMarkdown(plan))
        expect(read.leftOut).toEqual([])
        expect(kept(imported(planMarkdown(plan)).plan)).toEqual(kept(plan))
      }),
      { numRuns: Number(process.env['PLANROOM_FUZZ_RUNS'] ?? 1_000) },
    )
  })

  test('as people read it', () => {
    const copy = new Copy().run(
      { type: 'setTitle', title: 'Release' },
      { type: 'addGroup', id: groupId('db'), title: 'Database' },
      { type: 'addGroup', id: groupId('api'), title: 'API' },
      { type: 'setGroup', id: groupId('db'), testsVerified: true },
      {
        type: 'addSteps',
        parent: null,
        steps: [
          { id: id('a'), text: 'Say when', depth: 0 },
          {
            id: id('b'),
            text: 'Migrate',
            depth: 0,
            group: groupId('db'),
            status: 'completed',
            details: 'Twice.\n\n- dry',
          },
          {
            id: id('c'),
            text: 'Write the\nendpoints',
            depth: 0,
            group: groupId('api'),
            status: 'in_progress',
            required: true,
            startedBy: 'ann',
            dependencies: [{ step: id('b') }, { name: 'a review' }],
          },
          { id: id('d'), text: 'Pages', depth: 1, status: 'blocked', alias: 'pages' },
          { id: id('e'), text: 'Old ones', depth: 2, status: 'cancelled', group: groupId('db') },
          { id: id('f'), text: 'Tell', depth: 0 },
        ],
      },
    )
    expect(planMarkdown(copy.plan)).toBe(`# Release

- [ ] Say when

## Database {tests-verified}

- [x] Migrate {#2}
  > Twice.
  >
  > - dry

## API

- [*] Write the\\
  endpoints {required}
  - depends on: #2, "a review"
  - owner: ann
  - [!] Pages
    - id: pages
    - [-] Old ones
      - group: Database

---
<!-- no group -->

- [ ] Tell
${END}`)
    expect(kept(imported(planMarkdown(copy.plan)).plan)).toEqual(kept(copy.plan))
  })

  test.each([
    ['CJK', '計画を立てる'],
    ['emoji with joiners', '👩‍👩‍👧‍👦 🏳️‍🌈'],
    ['right to left', 'שלום \u202Eabc\u202C عالم'],
    ['NUL', 'a\u0000b'],
    ['a device', 'CON'],
    ['a stream', 'a:b'],
    ['a path', '..\\'],
    ['10 KB', '計画'.repeat(1_700)],
  ])('[RB-I5] %s survives in texts and titles', (_name, text) => {
    const title = text.slice(0, 390)
    const { plan } = new Copy().run(
      { type: 'setTitle', title },
      { type: 'addGroup', id: groupId('g'), title },
      { type: 'addSteps', parent: null, steps: [{ id: id('a'), text, details: text, depth: 0, group: groupId('g') }] },
    )
    expect(kept(imported(planMarkdown(plan)).plan)).toEqual(kept(plan))
    // And as a person would write it, who knows nothing of how we do.
    expect(readPlanMarkdown(`## ${title}\n- [ ] ${text}`).steps).toMatchObject([{ text, group: title }])
  })

  test('[RB-I5] half of a character becomes U+FFFD, and the notes say so', () => {
    const { plan, notes } = imported('- [ ] ok\n- [ ] a\uD800b\n')
    expect(plan.steps.map(({ text }) => text)).toEqual(['ok', 'a\uFFFDb'])
    expect(notes).toEqual([{ line: 2, text: 'The text held half of a character, which became U+FFFD' }])
  })

  test('10,000 steps, 300 deep, go in by batches that a plan takes', () => {
    const steps = Array.from({ length: 10_000 }, (_, i) => ({ id: id(`n${i}`), text: `step ${i}`, depth: i % 300 }))
    const { plan } = new Copy().run({ type: 'addSteps', parent: null, steps })
    const back = imported(planMarkdown(plan))
    expect(kept(back.plan)).toEqual(kept(plan))
    for (const batch of back.batches)
      expect(batch.flatMap((one) => (one.type === 'addSteps' ? one.steps : [])).length).toBeLessThanOrEqual(MAX_ITEMS)
  })

  test('what is longer than a plan takes is cut, and kept in the details', () => {
    const { plan, notes } = imported(`- [ ] ${'x'.repeat(10_000)}`)
    expect(plan.steps[0]?.text).toHaveLength(4_000)
    expect(plan.steps[0]?.details).toHaveLength(10_000)
    expect(notes).toEqual([{ line: 1, text: 'The text is longer than 4000 characters, and was cut' }])
  })

  test('a dependency on a step that is gone is left out, and said', () => {
    const copy = new Copy().add('a b')
    copy.run({ type: 'setStep', id: id('b'), fields: { dependencies: [{ step: id('a') }] } })
    copy.run({ type: 'removeSteps', steps: [id('a')], subSteps: false })
    const read = readPlanMarkdown(planMarkdown(copy.plan))
    expect(read.steps[0]?.dependencies).toEqual([])
    expect(read.notes).toEqual([{ line: 1, text: 'it depends on a removed step, which is not in the file: left out' }])
  })

  test('into a plan that has steps: behind them, into its groups; or in their place', () => {
    const file = '# New\n- [ ] c\n## g\n- [ ] d\n'
    const before = () =>
      new Copy()
        .run({ type: 'setTitle', title: 'Old' }, { type: 'addGroup', id: groupId('g'), title: 'g' })
        .add('a .b', {}, { group: groupId('g') })
    const behind = imported(file, before()).plan
    expect([behind.title, behind.steps.map(({ text }) => text), behind.groups.length]).toEqual([
      'Old',
      ['a', 'b', 'c', 'd'],
      1,
    ])
    const instead = imported(file, before(), true).plan
    expect([instead.title, instead.steps.map(({ text }) => text)]).toEqual(['New', ['c', 'd']])
  })
})
