import { describe, expect, test } from 'vitest'
import type { Cases, PlanDriver } from '../helpers/plan-driver.ts'
import { envelopeOf, notesOf, outlineOf, summaryOf } from '../helpers/plan-driver.ts'

const ME = 'agent-a'
type Item = readonly [text: string, depth?: number]

const add = (plan: PlanDriver, items: readonly Item[], more: object = {}) =>
  plan.call(ME, 'add_todos', { steps: items.map(([text, depth = 0]) => ({ text, depth })), ...more })
const toggle = (plan: PlanDriver, indices: readonly unknown[], more: object = {}) =>
  plan.call(ME, 'toggle_todos', { indices, ...more })
const update = (plan: PlanDriver, updates: readonly (readonly [index: number, text: string])[]) =>
  plan.call(ME, 'update_todos', { updates: updates.map(([index, text]) => ({ index, text })) })
const remove = (plan: PlanDriver, indices: readonly number[], more: object = {}) =>
  plan.call(ME, 'remove_todos', { indices, ...more })
const list = async (plan: PlanDriver) => summaryOf(await plan.call(ME, 'list_todos'))

const ANY_ID = expect.any(String) as string

/** The plan of H2: C under B under A. */
const H2: readonly Item[] = [['A'], ['B', 1], ['C', 2]]
const texts = async (plan: PlanDriver) => (await plan.standing()).steps.map((step) => step.text)

/** The rows of the table in the specification, and what stands around it. */
export const outlineCases: Cases = (withPlan) => {
  describe('the cases of the specification', () => {
    test(
      '[H1] an empty plan is listed as empty',
      withPlan(async (plan) => {
        expect(await list(plan)).toBe('(no todo steps yet)')
      }),
    )

    test(
      '[H2] an outline is added as it is nested',
      withPlan(async (plan) => {
        expect(summaryOf(await add(plan, H2))).toBe('added 3 todo steps')
        expect(await list(plan)).toBe('#1  1  [ ] A\n#2  1.1  [ ] B\n#3  1.1.1  [ ] C')
      }),
    )

    test(
      '[H3] with parent_index an outline becomes the last sub-steps',
      withPlan(async (plan) => {
        await add(plan, H2)
        const reply = await add(plan, [['D'], ['E', 1]], { parent_index: 1 })
        expect(summaryOf(reply)).toBe('added 2 todo steps')
        expect(await list(plan)).toBe(
          '#1  1  [ ] A\n#2  1.1  [ ] B\n#3  1.1.1  [ ] C\n#4  1.2  [ ] D\n#5  1.2.1  [ ] E',
        )
      }),
    )

    test(
      '[H4] toggle turns each step alone, both ways',
      withPlan(async (plan) => {
        await add(plan, H2)
        expect(summaryOf(await toggle(plan, [2]))).toBe('toggled 1 todo step: #2 now done')
        expect(summaryOf(await toggle(plan, [1, 2]))).toBe('toggled 2 todo steps: #1 now done, #2 now pending')
        expect(await list(plan)).toBe('#1  1  [x] A\n#2  1.1  [ ] B\n#3  1.1.1  [ ] C')
      }),
    )

    test(
      '[H5] a number that names no step matches nothing, and the notes say what would',
      withPlan(async (plan) => {
        await add(plan, H2)
        const replies = [await toggle(plan, [99]), await update(plan, [[99, 'Y']]), await remove(plan, [99])]
        for (const reply of replies) {
          expect(envelopeOf(reply)).toEqual({
            success: true,
            summary: 'no matching todo steps found',
            version: 1,
            notes: ['skipped #99: valid are #1 to #3'],
          })
        }
      }),
    )

    test(
      '[H6] a number that names no step is skipped',
      withPlan(async (plan) => {
        await add(plan, H2)
        const reply = await toggle(plan, [1, 99])
        expect(summaryOf(reply)).toBe('toggled 1 todo step: #1 now done')
        expect(notesOf(reply)).toEqual(['skipped #99: valid are #1 to #3'])
      }),
    )

    test(
      '[H7] update keeps place, depth and status',
      withPlan(async (plan) => {
        await add(plan, [['Z'], ['A', 1]])
        await toggle(plan, [2])
        expect(
          summaryOf(
            await update(plan, [
              [2, 'X'],
              [99, 'Y'],
            ]),
          ),
        ).toBe('updated 1 todo step')
        expect(await list(plan)).toBe('#1  1  [ ] Z\n#2  1.1  [x] X')
      }),
    )

    test(
      '[H8] remove takes all sub-steps along',
      withPlan(async (plan) => {
        await add(plan, H2)
        expect(summaryOf(await remove(plan, [1]))).toBe('removed 3 todo steps')
        expect(await list(plan)).toBe('(no todo steps yet)')
      }),
    )

    test(
      '[H9] a step that went with its parent is skipped',
      withPlan(async (plan) => {
        await add(plan, H2)
        const reply = await remove(plan, [1, 2])
        expect(envelopeOf(reply)).toEqual({ success: true, summary: 'removed 3 todo steps', version: 2 })
      }),
    )

    test(
      '[H10] all numbers mean the plan before the call',
      withPlan(async (plan) => {
        await add(plan, [['A'], ['B'], ['C']])
        const reply = await remove(plan, [1, 3])
        expect(summaryOf(reply)).toBe('removed 2 todo steps')
        expect(notesOf(reply)).toEqual([])
        expect(await texts(plan)).toEqual(['B'])
      }),
    )

    test(
      '[H11] no numbers match nothing',
      withPlan(async (plan) => {
        await add(plan, [['A']])
        for (const reply of [await remove(plan, []), await toggle(plan, []), await update(plan, [])]) {
          expect(reply.success).toBe(true)
          expect(summaryOf(reply)).toBe('no matching todo steps found')
          expect(notesOf(reply)).toEqual(['no index was given: only #1 is valid'])
        }
      }),
    )

    test(
      '[H12] a depth that jumps is lowered, and a note says so',
      withPlan(async (plan) => {
        const reply = await add(plan, [['A'], ['B', 3]])
        expect(envelopeOf(reply)).toEqual({
          success: true,
          summary: 'added 2 todo steps',
          version: 1,
          notes: ['lowered, for a step is at most one deeper than the one before it: step 2 from depth 3 to 1'],
        })
        expect(await list(plan)).toBe('#1  1  [ ] A\n#2  1.1  [ ] B')
      }),
    )

    test(
      '[H13] a parent that is not there is refused with the valid range',
      withPlan(async (plan) => {
        await add(plan, H2)
        const reply = await add(plan, [['X']], { parent_index: 9 })
        expect(envelopeOf(reply)).toEqual({
          success: false,
          summary:
            'Nothing was added, for there is no step #9: valid are #1 to #3. List the plan to see what is there.',
          version: 1,
        })
        expect(await texts(plan)).toEqual(['A', 'B', 'C'])
      }),
    )

    test(
      '[H14] siblings of one given depth stay siblings',
      withPlan(async (plan) => {
        await add(plan, [['A'], ['B', 3], ['C', 3]])
        expect(await list(plan)).toBe('#1  1  [ ] A\n#2  1.1  [ ] B\n#3  1.2  [ ] C')
      }),
    )

    test(
      '[H15] several calls written at once mean what they meant, with rev',
      withPlan(async (plan) => {
        const { version: rev } = await add(plan, [['A'], ['B'], ['C'], ['D'], ['E']])
        expect(summaryOf(await remove(plan, [2], { rev }))).toBe('removed 1 todo step')
        expect(summaryOf(await toggle(plan, [4], { rev }))).toBe('toggled 1 todo step: #4 now done')
        expect(await list(plan)).toBe('#1  1  [ ] A\n#2  2  [ ] C\n#3  3  [x] D\n#4  4  [ ] E')
      }),
    )

    test(
      '[H16] a number under which somebody else has moved the plan is refused',
      withPlan(async (plan) => {
        await plan.call('agent-b', 'add_todos', { steps: [{ text: 'A' }, { text: 'B' }, { text: 'C' }] })
        const { version: rev } = await plan.call(ME, 'list_todos')
        await plan.call('agent-b', 'remove_todos', { indices: [1] })
        const refused = await update(plan, [[1, 'X']])
        expect(refused.success).toBe(false)
        expect(summaryOf(refused)).toBe(
          '#1 was "A" (removed) in version 1 and is now "B": agent-b removed #1 "A". Nothing was changed. List first.',
        )
        expect(refused.version).toBe(2)
        expect(await texts(plan)).toEqual(['B', 'C'])
        const repeated = await plan.call(ME, 'update_todos', { updates: [{ index: 1, text: 'X' }], rev })
        expect(envelopeOf(repeated)).toEqual({
          success: true,
          summary: 'no matching todo steps found',
          version: 2,
          notes: ['#1 "A" was removed by agent-b', 'valid are #1 to #2'],
        })
        expect(await texts(plan)).toEqual(['B', 'C'])
      }),
    )
  })

  describe('rows of the table of behaviour', () => {
    test(
      'the same index twice counts once; of two texts the last wins',
      withPlan(async (plan) => {
        await add(plan, [['A'], ['B'], ['C']])
        expect(summaryOf(await toggle(plan, [2, 2]))).toBe('toggled 1 todo step: #2 now done')
        const updated = await update(plan, [
          [1, 'first'],
          [1, 'last'],
        ])
        expect(summaryOf(updated)).toBe('updated 1 todo step')
        expect(summaryOf(await remove(plan, [3, 3]))).toBe('removed 1 todo step')
        expect(await list(plan)).toBe('#1  1  [ ] last\n#2  2  [x] B')
      }),
    )

    test(
      'the report keeps the order and the numbers of the call',
      withPlan(async (plan) => {
        await add(plan, [['A'], ['B'], ['C']])
        await toggle(plan, [1])
        expect(summaryOf(await toggle(plan, [3, 99, 1, 3, 2]))).toBe(
          'toggled 3 todo steps: #3 now done, #1 now pending, #2 now done',
        )
      }),
    )

    test(
      'a toggle leaves parents and sub-steps alone',
      withPlan(async (plan) => {
        await add(plan, H2)
        await toggle(plan, [2])
        expect(await list(plan)).toBe('#1  1  [ ] A\n#2  1.1  [x] B\n#3  1.1.1  [ ] C')
      }),
    )

    test(
      'the nearest earlier step of a smaller given depth is the parent',
      withPlan(async (plan) => {
        const depths = async (...given: number[]) => {
          const before = (await plan.standing()).steps.length
          const reply = await add(
            plan,
            given.map((depth, i): Item => [`${i}`, depth]),
          )
          const { steps } = await plan.standing()
          return { depths: steps.slice(before).map((step) => step.depth), notes: notesOf(reply) }
        }
        expect((await depths(0, 3, 3)).depths).toEqual([0, 1, 1])
        expect(await depths(2, 2, 3)).toEqual({
          depths: [0, 0, 1],
          notes: [
            'lowered, for a step is at most one deeper than the one before it: ' +
              'step 1 from depth 2 to 0, step 2 from depth 2 to 0, step 3 from depth 3 to 1',
          ],
        })
        expect((await depths(3, 1, 2, 0)).depths).toEqual([0, 0, 1, 0])
        expect(await depths(0, 1, 1, 2, 1, 0)).toEqual({ depths: [0, 1, 1, 2, 1, 0], notes: [] })
      }),
    )

    test(
      'dotted numbers count per depth',
      withPlan(async (plan) => {
        await add(plan, [
          ['a', 0],
          ['b', 1],
          ['c', 1],
          ['d', 2],
          ['e', 1],
          ['f', 0],
        ])
        expect((await outlineOf(plan)).map((line) => line.split('  ')[1])).toEqual([
          '1',
          '1.1',
          '1.2',
          '1.2.1',
          '1.3',
          '2',
        ])
      }),
    )

    test(
      'parent_index puts the outline below a deep step, and says which numbers moved where others work too',
      withPlan(async (plan) => {
        await add(plan, [['A'], ['B', 1]])
        await plan.call('agent-b', 'add_todos', { steps: [{ text: 'Z' }] })
        await list(plan)
        const reply = await add(
          plan,
          [
            ['C', 2],
            ['D', 3],
          ],
          { parent_index: 2 },
        )
        expect(notesOf(reply)).toEqual([
          'lowered, for a step is at most one deeper than the one before it: step 1 from depth 2 to 0, step 2 from depth 3 to 1',
          'they are #3 to #4',
          '#3 is now #5',
        ])
        expect(await list(plan)).toBe(
          '#1  1  [ ] A\n#2  1.1  [ ] B\n#3  1.1.1  [ ] C\n#4  1.1.1.1  [ ] D\n#5  2  [ ] Z',
        )
      }),
    )

    test(
      'a parent in a plan without steps is refused',
      withPlan(async (plan) => {
        const reply = await add(plan, [['X']], { parent_index: 1 })
        expect(summaryOf(reply)).toBe(
          'Nothing was added, for there is no step #1: the plan has no steps. List the plan to see what is there.',
        )
        expect(reply.version).toBe(0)
      }),
    )

    test(
      'no steps are added without a version',
      withPlan(async (plan) => {
        expect(envelopeOf(await add(plan, []))).toEqual({ success: true, summary: 'added 0 todo steps', version: 0 })
        expect(await plan.activity()).toEqual([])
      }),
    )

    test(
      'one step is written in the singular',
      withPlan(async (plan) => {
        expect(summaryOf(await add(plan, [['A']]))).toBe('added 1 todo step')
        expect(summaryOf(await update(plan, [[1, 'B']]))).toBe('updated 1 todo step')
        expect(summaryOf(await toggle(plan, [1]))).toBe('toggled 1 todo step: #1 now done')
        expect(summaryOf(await remove(plan, [1]))).toBe('removed 1 todo step')
      }),
    )

    test(
      'a blank text anywhere refuses the whole call and names the step',
      withPlan(async (plan) => {
        await add(plan, [['A'], ['B']])
        const added = await add(plan, [['C'], ['  '], ['D'], ['\n\t']])
        expect([added.success, summaryOf(added)]).toEqual([
          false,
          'Step 2, 4 of this call has no text. Every step needs some. Nothing was added.',
        ])
        const updated = await update(plan, [
          [1, 'X'],
          [2, ''],
        ])
        expect([updated.success, summaryOf(updated)]).toEqual([
          false,
          'The new text of #2 is blank. Every step needs text. Nothing was changed.',
        ])
        expect((await plan.standing()).version).toBe(1)
        expect(await texts(plan)).toEqual(['A', 'B'])
      }),
    )

    test(
      'a call that changes nothing makes no version and no entry of the log',
      withPlan(async (plan) => {
        await add(plan, [['A']])
        expect(summaryOf(await update(plan, [[1, 'A']]))).toBe('updated 1 todo step')
        await toggle(plan, [5])
        await list(plan)
        expect((await plan.standing()).version).toBe(1)
        expect(await plan.activity()).toHaveLength(1)
      }),
    )

    test(
      'a text is stored as given and shown on one line',
      withPlan(async (plan) => {
        const text = '  1.1 foo\r\n\n- [ ] bar\u0000\u0007\u2028baz\u0085 '
        await add(plan, [[text]])
        expect(await texts(plan)).toEqual([text])
        expect(await list(plan)).toBe('#1  1  [ ]   1.1 foo - [ ] bar baz  ')
        expect(await plan.block(ME)).toBe(
          'Plan, version 1: 1 step, 0 done, 1 open\n#1  1  [ ]   1.1 foo - [ ] bar baz  ',
        )
      }),
    )

    test(
      'numbers that moved are told in runs where they are many',
      withPlan(async (plan) => {
        await add(
          plan,
          Array.from({ length: 12 }, (_, i): Item => [`${i}`]),
        )
        await plan.call('agent-b', 'add_todos', { steps: [{ text: 'B' }] })
        expect(notesOf(await remove(plan, [1]))).toEqual(['#2 to #12 are now #1 to #11'])
      }),
    )
  })

  describe('the prompt block', () => {
    test(
      'has a heading with the counts and the version, then the lines of list_todos',
      withPlan(async (plan) => {
        expect(await plan.block(ME)).toBe('Plan, version 0: 0 steps, 0 done, 0 open\n(no todo steps yet)')
        await add(plan, H2)
        await toggle(plan, [3])
        expect(await plan.block(ME)).toBe(`Plan, version 2: 3 steps, 1 done, 2 open\n${await list(plan)}`)
      }),
    )

    test(
      'is the same, byte for byte, for the same plan, whoever asks',
      withPlan(async (plan) => {
        await add(plan, H2)
        const block = await plan.block('agent-b')
        await toggle(plan, [9])
        expect(await plan.block(ME)).toBe(block)
        expect(await plan.block('')).toBe(block)
      }),
    )
  })

  describe('the reply', () => {
    test(
      'text is the envelope; beside it stand its fields and the steps that changed',
      withPlan(async (plan) => {
        const { text, ...reply } = await add(plan, [['A'], ['B', 2]])
        const notes = ['lowered, for a step is at most one deeper than the one before it: step 2 from depth 2 to 1']
        expect(text).toBe(JSON.stringify({ success: true, summary: 'added 2 todo steps', version: 1, notes }))
        expect(reply).toEqual({
          success: true,
          summary: 'added 2 todo steps',
          version: 1,
          notes,
          changed: [
            { id: ANY_ID, index: 1, number: 1, text: 'A', status: 'pending' },
            { id: ANY_ID, index: 2, number: 2, text: 'B', status: 'pending' },
          ],
        })
      }),
    )

    test(
      'a list has nothing beside its text but the summary and the version',
      withPlan(async (plan) => {
        await add(plan, [['A']])
        const { text, ...reply } = await plan.call(ME, 'list_todos')
        expect(text).toBe('{"success":true,"summary":"#1  1  [ ] A","version":1}')
        expect(reply).toEqual({ success: true, summary: '#1  1  [ ] A', version: 1 })
      }),
    )

    test(
      'removed steps are told as such',
      withPlan(async (plan) => {
        await add(plan, H2)
        const { changed } = await remove(plan, [2])
        expect(changed).toEqual([
          { id: ANY_ID, removed: true },
          { id: ANY_ID, removed: true },
        ])
      }),
    )

    test(
      'at most 50 changed steps are listed',
      withPlan(async (plan) => {
        const reply = await add(
          plan,
          Array.from({ length: 60 }, (_, i): Item => [`${i}`]),
        )
        expect(reply.changed).toHaveLength(50)
        expect(summaryOf(reply)).toBe('added 60 todo steps')
      }),
    )

    test(
      'a digest of what others did stands in the envelope and beside it',
      withPlan(async (plan) => {
        await add(plan, [['A'], ['B']])
        await plan.call('agent-b', 'list_todos')
        await plan.call('agent-b', 'toggle_todos', { indices: [2] })
        const reply = await toggle(plan, [1])
        const digest = 'agent-b completed #2'
        expect(reply.digest).toBe(digest)
        expect(reply.text).toBe(
          JSON.stringify({ success: true, summary: 'toggled 1 todo step: #1 now done', version: 3, digest }),
        )
      }),
    )

    test(
      'action_and_reasoning goes to the log and nowhere else',
      withPlan(async (plan) => {
        const action_and_reasoning = 'Splitting the work, because the first plan was too coarse'
        const reply = await add(plan, [['A']], { action_and_reasoning })
        expect(JSON.stringify(reply)).not.toContain('Splitting')
        await toggle(plan, [1], { action_and_reasoning: null })
        await plan.call(ME, 'list_todos', { action_and_reasoning })
        const deeds = (await plan.activity()).map(({ version, tool, reasoning, actor, summary }) => {
          return { version, tool, reasoning, actor: actor.name, summary }
        })
        expect(deeds).toEqual([
          { version: 1, tool: 'add_todos', reasoning: action_and_reasoning, actor: ME, summary: 'added 1 step: A' },
          { version: 2, tool: 'toggle_todos', reasoning: '', actor: ME, summary: 'completed 1 step: A' },
        ])
        expect(JSON.stringify((await plan.standing()).steps)).not.toContain('Splitting')
      }),
    )
  })
}
