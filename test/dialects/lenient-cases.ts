import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DIALECTS, TOOLS } from '../../shared/dialects/registry.ts'
import type { JsonObject } from '../../shared/dialects/dialect.ts'
import type { Cases, PlanDriver, Standing, WithPlan } from '../helpers/plan-driver.ts'
import { envelopeOf, notesOf, outlineOf, summaryOf } from '../helpers/plan-driver.ts'

const ME = 'agent-a'
const THREE = { steps: [{ text: 'A' }, { text: 'B' }, { text: 'C' }] }
/** Calls a tool on a plan of A, B and C. */
const after = async (plan: PlanDriver, tool: string, args: unknown) => {
  await plan.call(ME, 'add_todos', THREE)
  return plan.call(ME, tool, args)
}
const texts = async (plan: PlanDriver) => (await plan.standing()).steps.map((step) => step.text)
const nested = async (plan: PlanDriver) => (await plan.standing()).steps.map(({ text, depth }) => [text, depth])
const done = async (plan: PlanDriver) =>
  (await plan.standing()).steps.filter(({ status }) => status === 'completed').map(({ text }) => text)

/** Tools that take a list of places, and how a place is sent to each. */
const BY_PLACE: readonly (readonly [tool: string, args: (index: unknown) => JsonObject | object, where: string])[] = [
  ['toggle_todos', (index) => ({ indices: [index] }), 'indices[0]'],
  ['remove_todos', (index) => ({ indices: [index] }), 'indices[0]'],
  ['update_todos', (index) => ({ updates: [{ index, text: 'X' }] }), 'updates[0].index'],
  ['add_todos', (index) => ({ steps: [{ text: 'X' }], parent_index: index }), 'parent_index'],
]

export const lenientCases: Cases = (withPlan) => {
  describe('what can only mean one thing is read as meant, and told', () => {
    const readings: readonly (readonly [name: string, tool: string, args: unknown, notes: readonly string[]])[] = [
      ['[RB-G1] a list in a string', 'add_todos', { steps: '[{"text":"a"}]' }, ['steps: a string was read as a list']],
      [
        '[RB-G1] a list in a string in a string',
        'add_todos',
        { steps: '"[{\\"text\\":\\"a\\"}]"' },
        ['steps: a string was read as a list'],
      ],
      [
        '[RB-G1] an object in a string',
        'add_todos',
        { steps: ['{"text":"a"}'] },
        ['steps[0]: a string was read as an object'],
      ],
      [
        '[RB-G1] all arguments in a string',
        'add_todos',
        '{"steps":[{"text":"a"}]}',
        ['the arguments: a string was read as an object'],
      ],
      [
        '[RB-G11] one object for a list',
        'add_todos',
        { steps: { text: 'a' } },
        ['steps: a single item was read as a list of one'],
      ],
      [
        '[RB-G11] one text for a list',
        'add_todos',
        { steps: 'a' },
        ['steps: a string was read as a list', 'steps[0]: a string was read as an object'],
      ],
      ['[RB-G11] texts for objects', 'add_todos', { steps: ['a'] }, ['steps[0]: a string was read as an object']],
      [
        '[RB-G6] null for what is optional',
        'add_todos',
        { steps: [{ text: 'a', depth: null }], parent_index: null, rev: null, action_and_reasoning: null },
        [],
      ],
      [
        '[RB-G4] a depth in a string',
        'add_todos',
        { steps: [{ text: 'a', depth: '0' }] },
        ['steps[0].depth: "0" was read as 0'],
      ],
      [
        '[RB-G11] fields that are none',
        'add_todos',
        { steps: [{ text: 'a', id: 'x', done: true, status: null }], thread_id: 't' },
        ['done true was read as completed', 'ignored: id, thread_id'],
      ],
    ]
    for (const [name, tool, args, notes] of readings)
      test(
        `${name} (${tool})`,
        withPlan(async (plan) => {
          const reply = await after(plan, tool, args)
          expect([reply.success, summaryOf(reply)]).toEqual([true, 'added 1 todo step'])
          expect([...notesOf(reply)].sort()).toEqual([...notes].sort())
          expect(await texts(plan)).toEqual(['A', 'B', 'C', 'a'])
        }),
      )

    test(
      '[RB-G5] a number for a text',
      withPlan(async (plan) => {
        const added = await plan.call(ME, 'add_todos', { steps: [{ text: 12345 }] })
        expect(notesOf(added)).toEqual(['steps[0].text: 12345 was read as text'])
        await plan.call(ME, 'update_todos', { updates: [{ index: '1', text: 6 }] })
        expect(await texts(plan)).toEqual(['6'])
      }),
    )

    for (const tool of ['toggle_todos', 'remove_todos'])
      for (const [indices, meant] of [
        ['[1,2]', 2],
        ['1,2', 2],
        ['1, #2', 2],
        [1, 1],
        ['1', 1],
        [['1', '#2'], 2],
        [[1.0], 1],
        ['["1"]', 1],
      ] as const)
        test(
          `[RB-G3] ${tool}: indices ${JSON.stringify(indices)}`,
          withPlan(async (plan) => {
            const reply = await after(plan, tool, { indices })
            const steps = meant === 1 ? '1 todo step' : '2 todo steps'
            expect(summaryOf(reply)).toContain(tool === 'toggle_todos' ? `toggled ${steps}: #1` : `removed ${steps}`)
            const { steps: left } = await plan.standing()
            if (tool === 'remove_todos') expect(left).toHaveLength(3 - meant)
            else expect(await done(plan)).toHaveLength(meant)
          }),
        )

    for (const [tool, args] of BY_PLACE)
      for (const index of ['3', '#3', ' 3.0 ', 3])
        test(
          `[RB-G4] ${tool}: the place ${JSON.stringify(index)}`,
          withPlan(async (plan) => {
            const reply = await after(plan, tool, args(index))
            expect(reply.success).toBe(true)
            expect(notesOf(reply).some((note) => note.includes('was read as 3'))).toBe(index !== 3)
            expect((await plan.standing()).version).toBe(2)
            const [a, b] = await texts(plan)
            expect([a, b, ...(await done(plan)).filter((text) => text !== 'C')]).toEqual(['A', 'B'])
          }),
        )

    test(
      'one update for a list, and updates in a string',
      withPlan(async (plan) => {
        await after(plan, 'update_todos', { updates: { index: 1, text: 'X' } })
        await plan.call(ME, 'update_todos', { updates: '[{"index":"2","text":"Y"}]' })
        await plan.call(ME, 'update_todos', { updates: '{"index":3,"text":"Z"}' })
        expect(await texts(plan)).toEqual(['X', 'Y', 'Z'])
      }),
    )

    test(
      'another spelling of a name',
      withPlan(async (plan) => {
        const reply = await after(plan, 'add_todos', { Steps: [{ text: 'a' }], parentIndex: 1 })
        expect(notesOf(reply)).toEqual(['Steps was read as steps, parentIndex as parent_index'])
        expect(await nested(plan)).toEqual([
          ['A', 0],
          ['a', 1],
          ['B', 0],
          ['C', 0],
        ])
      }),
    )

    test(
      '[RB-F7] a tool without arguments is called with any or none',
      withPlan(async (plan) => {
        await plan.call(ME, 'add_todos', { steps: [{ text: 'A' }] })
        for (const args of [undefined, null, {}, '', '{}', { action_and_reasoning: 'looking' }])
          expect(summaryOf(await plan.call(ME, 'list_todos', args))).toBe('#1  1  [ ] A')
        expect(notesOf(await plan.call(ME, 'list_todos', { thread_id: 't' }))).toEqual(['ignored: thread_id'])
      }),
    )

    test(
      'a great many readings are told in short',
      withPlan(async (plan) => {
        const reply = await after(plan, 'toggle_todos', { indices: Array.from({ length: 400 }, () => '1') })
        expect(reply.success).toBe(true)
        expect(notesOf(reply)).toHaveLength(1)
        expect(notesOf(reply)[0]).toMatch(/^indices\[0\]: "1" was read as 1; and 399 more$/)
      }),
    )
  })

  describe('what is wrong refuses the whole call and says what would be right', () => {
    const wrong: readonly (readonly [name: string, tool: string, args: unknown, message: string])[] = [
      [
        '[RB-G10] null for an item',
        'add_todos',
        { steps: [{ text: 'ok' }, null] },
        'steps[1] is null, not an object {text, depth?}',
      ],
      [
        '[RB-G10] a list for an item',
        'add_todos',
        { steps: [[]] },
        'steps[0] is an empty list, not an object {text, depth?}',
      ],
      [
        '[RB-G10] an item without anything',
        'add_todos',
        { steps: [{ text: 'ok' }, {}] },
        'steps[1].text is missing: it is text (steps[1] is empty)',
      ],
      [
        '[RB-G10] an object for a text',
        'add_todos',
        { steps: [{ text: { a: 1 } }] },
        'steps[0].text is an object, not text',
      ],
      [
        '[RB-G10] null for an update',
        'update_todos',
        { updates: [{ index: 1, text: 'X' }, null] },
        'updates[1] is null, not an object {index, text}',
      ],
      [
        '[RB-G10] half an update',
        'update_todos',
        { updates: [{ index: 1 }] },
        'updates[0].text is missing: it is text',
      ],
      ['nothing', 'add_todos', {}, 'steps is missing: it is a list'],
      ['null for what is required', 'add_todos', { steps: null }, 'steps is null, not a list'],
      ['the beginning of a list', 'add_todos', { steps: '[{"text":"a"' }, 'steps is "[{"text":"a"", not a list'],
      [
        'the beginning of an object',
        'add_todos',
        { steps: ['{"text":"a'] },
        'steps[0] is "{"text":"a", not an object {text, depth?}',
      ],
      [
        'a depth below 0',
        'add_todos',
        { steps: [{ text: 'a' }, { text: 'b', depth: -1 }] },
        'steps[1].depth is -1: the least is 0',
      ],
      [
        'half a depth',
        'add_todos',
        { steps: [{ text: 'a', depth: 0.5 }] },
        'steps[0].depth is 0.5, not a whole number',
      ],
      [
        'a version that is none',
        'toggle_todos',
        { indices: [1], rev: 'latest' },
        'rev is "latest", not a whole number',
      ],
      [
        'too long a text',
        'add_todos',
        { steps: [{ text: 'a' }, { text: 'x'.repeat(4001) }] },
        'steps[1].text has 4001 characters: at most 4000 fit',
      ],
      [
        'too many items',
        'add_todos',
        { steps: Array.from({ length: 501 }, () => 'a') },
        'steps has 501 items: one call takes at most 500, so make several',
      ],
      [
        'no arguments at all',
        'add_todos',
        'please add a step',
        'what was sent is "please add a step", not an object {steps, parent_index?, rev?, action_and_reasoning?}',
      ],
    ]
    const example = (tool: string) => JSON.stringify(TOOLS.get(tool)?.tool.example)
    for (const [name, tool, args, message] of wrong)
      test(
        `${name} (${tool})`,
        withPlan(async (plan) => {
          const reply = await after(plan, tool, args)
          expect([reply.success, summaryOf(reply)]).toEqual([
            false,
            `${tool} could not read its arguments: ${message}. Nothing was changed. A call that works: ${example(tool)}`,
          ])
          expect(await texts(plan)).toEqual(['A', 'B', 'C'])
          expect((await plan.standing()).version).toBe(1)
        }),
      )

    for (const [tool, args, where] of BY_PLACE)
      for (const [index, told] of [
        [true, 'true'],
        [{}, 'an object'],
      ] as const)
        test(
          `[RB-B2] ${tool}: the place ${JSON.stringify(index)} is refused with the range`,
          withPlan(async (plan) => {
            const reply = await after(plan, tool, args(index))
            expect([reply.success, summaryOf(reply)]).toEqual([
              false,
              `${tool} could not read its arguments: ${where} is ${told}: a step is named by its whole number. ` +
                'Steps are named by the whole number behind the #: valid are #1 to #3. ' +
                `Nothing was changed. A call that works: ${example(tool)}`,
            ])
            expect(await texts(plan)).toEqual(['A', 'B', 'C'])
          }),
        )

    for (const [tool, args] of BY_PLACE)
      for (const index of [1.5, 'abc', '1.1', '4.1', '1e3', '?', 'task-9'])
        test(
          `[RB-B2] [11-F8] ${tool}: ${JSON.stringify(index)} names no step, and is refused with those that there are`,
          withPlan(async (plan) => {
            const reply = await after(plan, tool, args(index))
            expect([reply.success, summaryOf(reply)]).toEqual([
              false,
              `${index === '?' ? '"?"' : index} names no step. There are #1 "A", #2 "B", #3 "C". Nothing was changed. By number valid are #1 to #3.`,
            ])
            expect(await texts(plan)).toEqual(['A', 'B', 'C'])
            expect((await plan.standing()).version).toBe(1)
          }),
        )

    test(
      'of many mistakes the first are told, each where it is',
      withPlan(async (plan) => {
        const reply = await after(plan, 'toggle_todos', { indices: [{}, 1, null, true, [], false, [1], {}] })
        const told = (where: string, what: string) => `${where} is ${what}: a step is named by its whole number`
        expect(summaryOf(reply)).toContain(
          `${told('indices[0]', 'an object')}; ${told('indices[2]', 'null')}; ${told('indices[3]', 'true')}; ` +
            `${told('indices[4]', 'an empty list')}; ${told('indices[5]', 'false')}; and 2 more. `,
        )
      }),
    )

    test(
      'every example is a call that works',
      withPlan(async (plan) => {
        await plan.call(ME, 'add_todos', { steps: ['A', 'B', 'C', 'D'] })
        for (const { name, example: args } of DIALECTS.get('outline')?.tools ?? []) {
          const reply = await plan.call(ME, name, args)
          expect([name, reply.success]).toEqual([name, true])
          expect(notesOf(reply).filter((note) => !/^#\d+ (is|to)/.test(note))).toEqual([])
        }
      }),
    )
  })

  describe('numbers beside the plan', () => {
    for (const [tool, args] of BY_PLACE.slice(0, 3))
      for (const index of [4, 0, -1, 1_000_000_000])
        test(
          `[RB-B2] ${tool}: #${index} is skipped with the range`,
          withPlan(async (plan) => {
            expect(envelopeOf(await after(plan, tool, args(index)))).toEqual({
              success: true,
              summary: 'no matching todo steps found',
              version: 1,
              notes: [`skipped #${index}: valid are #1 to #3`],
            })
          }),
        )

    for (const index of [4, 0, -1, 1_000_000_000])
      test(
        `[RB-B2] add_todos: the parent #${index} is refused with the range`,
        withPlan(async (plan) => {
          const reply = await after(plan, 'add_todos', { steps: [{ text: 'X' }], parent_index: index })
          expect([reply.success, summaryOf(reply)]).toEqual([
            false,
            `Nothing was added, for there is no step #${index}: valid are #1 to #3. List the plan to see what is there.`,
          ])
        }),
      )

    test(
      '[RB-B2] [2,2] is one step; those beside the plan are told together',
      withPlan(async (plan) => {
        const reply = await after(plan, 'toggle_todos', { indices: [2, 2, 4, 0, 4] })
        expect(summaryOf(reply)).toBe('toggled 1 todo step: #2 now done')
        expect(notesOf(reply)).toEqual(['skipped #4, #0: valid are #1 to #3'])
      }),
    )

    test(
      '[RB-B4] removing one of three flat steps removes that one; removing a parent counts all below',
      withPlan(async (plan) => {
        expect(summaryOf(await after(plan, 'remove_todos', { indices: [2] }))).toBe('removed 1 todo step')
        expect(await texts(plan)).toEqual(['A', 'C'])
        await plan.call(ME, 'add_todos', { steps: ['B', { text: 'D', depth: 1 }], parent_index: 1 })
        expect(summaryOf(await plan.call(ME, 'remove_todos', { indices: [1] }))).toBe('removed 3 todo steps')
        expect(await texts(plan)).toEqual(['C'])
      }),
    )

    test(
      '[RB-B8] a step that was removed and added again is there',
      withPlan(async (plan) => {
        await after(plan, 'remove_todos', { indices: [2] })
        await plan.call(ME, 'add_todos', { steps: ['B'] })
        expect(await texts(plan)).toEqual(['A', 'C', 'B'])
        const ids = (await plan.standing()).steps.map((step) => step.id)
        expect(new Set(ids).size).toBe(3)
      }),
    )

    test(
      '[RB-D8] what the reply says was added is what stands in the plan',
      withPlan(async (plan) => {
        const reply = await after(plan, 'add_todos', { steps: ['D', { text: 'E', depth: 1 }], parent_index: 2 })
        const { steps } = await plan.standing()
        const shown = (reply.changed as readonly { index: number; id: string; text: string; number: number }[]).map(
          ({ index, id, text, number }) => ({ index, id, text, number }),
        )
        expect(shown).toEqual([3, 4].map((index) => ({ index, ...pick(steps[index - 1]) })))
      }),
    )
  })

  describe('texts', () => {
    test(
      '[RB-I5] survive as they were sent',
      withPlan(async (plan) => {
        const all = [
          '日本語',
          '👩‍👩‍👧‍👦',
          'שלום \u202eabc',
          'a\u0000b',
          'CON',
          'a:b',
          '..\\',
          '1.1 foo',
          'a\n- b',
          'x'.repeat(4000),
        ]
        const reply = await plan.call(ME, 'add_todos', { steps: all.map((text) => ({ text })) })
        expect(notesOf(reply)).toEqual([])
        expect(await texts(plan)).toEqual(all)
        expect(await outlineOf(plan)).toHaveLength(all.length)
      }),
    )

    test(
      '[RB-I5] but for half a pair of surrogates, which becomes U+FFFD, and the notes say so',
      withPlan(async (plan) => {
        const added = await plan.call(ME, 'add_todos', { steps: ['ok 😀', 'a\ud83d', '\ude00b'] })
        expect(notesOf(added).filter((note) => note.includes('U+FFFD'))).toEqual([
          'steps[1].text: a broken character was replaced by U+FFFD; and 1 more',
        ])
        const updated = await plan.call(ME, 'update_todos', { updates: [{ index: 1, text: '\ud83d\ud83d\ude00' }] })
        expect(notesOf(updated)).toEqual(['updates[0].text: a broken character was replaced by U+FFFD'])
        expect(await texts(plan)).toEqual(['\ufffd😀', 'a\ufffd', '\ufffdb'])
      }),
    )
  })

  describe('[RB-G10] random arguments', () => {
    test('never throw, change nothing when refused, and leave the plan valid', () => randomArguments(withPlan), 60_000)
  })
}

const pick = (step: Standing['steps'][number] | undefined) => ({ id: step?.id, text: step?.text, number: step?.number })

/** The parts of valid calls, so that some random ones are nearly right. */
const nearly = fc.record(
  {
    steps: fc.oneof(
      fc.json(),
      fc.array(
        fc.record(
          { text: fc.oneof(fc.string(), fc.anything()), depth: fc.integer({ min: -1, max: 5 }) },
          { requiredKeys: [] },
        ),
      ),
    ),
    indices: fc.oneof(fc.json(), fc.string(), fc.array(fc.oneof(fc.integer({ min: -2, max: 9 }), fc.string()))),
    updates: fc.array(fc.record({ index: fc.integer({ min: -2, max: 9 }), text: fc.string({ unit: 'binary' }) })),
    parent_index: fc.oneof(fc.integer({ min: -1, max: 9 }), fc.jsonValue()),
    rev: fc.oneof(fc.integer({ min: -1, max: 9 }), fc.jsonValue()),
    action_and_reasoning: fc.oneof(fc.string(), fc.jsonValue()),
  },
  { requiredKeys: [] },
)

function randomArguments(withPlan: WithPlan): Promise<void> {
  const call = fc.record({
    who: fc.constantFrom('agent-a', 'agent-b', ''),
    tool: fc.constantFrom(...TOOLS.keys()),
    args: fc.oneof(fc.jsonValue(), nearly, fc.constant(JSON.parse('{"__proto__":{"steps":["x"]}}'))),
  })
  const property = fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), (calls) =>
    withPlan(async (plan) => {
      await plan.call('agent-a', 'add_todos', { steps: ['A', { text: 'B', depth: 1 }, 'C'] })
      for (const { who, tool, args } of calls) {
        const before = await plan.standing()
        // Only what JSON can hold comes over the wire.
        const sent: unknown = args === undefined ? undefined : JSON.parse(JSON.stringify(args))
        const reply = await plan.call(who, tool, sent)
        const now = await plan.standing()
        expect(reply.version).toBe(now.version)
        expect(JSON.parse(JSON.stringify(reply))).toEqual(reply)
        if (!reply.success) expect(now).toEqual(before)
        expect(now.version - before.version).toBeLessThanOrEqual(1)
        expectValid(now)
      }
    })(),
  )
  // On failure fast-check prints the seed, the path to it and the calls.
  return fc.assert(property, { numRuns: 150, endOnFailure: false })
}

function expectValid({ steps }: Standing): void {
  let depth = -1
  const path: string[] = []
  for (const step of steps) {
    expect(step.text.trim()).not.toBe('')
    expect(step.depth).toBeLessThanOrEqual(depth + 1)
    path.length = step.depth
    expect(step.parent).toBe(path.at(-1) ?? null)
    path.push(step.id)
    depth = step.depth
  }
  expect(new Set(steps.map((step) => step.id)).size).toBe(steps.length)
  expect(new Set(steps.map((step) => step.number)).size).toBe(steps.length)
  expect(steps.every((step) => step.number !== null)).toBe(true)
}
