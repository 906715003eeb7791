import { describe, expect, test } from 'vitest'
import { MAX_HISTORY } from '../../shared/schema/limits.ts'
import type { Cases, PlanDriver, Who } from '../helpers/plan-driver.ts'
import { envelopeOf, human, notesOf, summaryOf } from '../helpers/plan-driver.ts'

const A = 'agent-a'
const B = 'agent-b'

const add = (plan: PlanDriver, who: Who, texts: string, more: object = {}) =>
  plan.call(who, 'add_todos', { steps: texts.split('').map((text) => ({ text })), ...more })
const toggle = (plan: PlanDriver, who: Who, indices: readonly number[], more: object = {}) =>
  plan.call(who, 'toggle_todos', { indices, ...more })
const rename = (plan: PlanDriver, who: Who, index: number, text: string, more: object = {}) =>
  plan.call(who, 'update_todos', { updates: [{ index, text }], ...more })
const remove = (plan: PlanDriver, who: Who, indices: readonly number[], more: object = {}) =>
  plan.call(who, 'remove_todos', { indices, ...more })
const list = (plan: PlanDriver, who: Who) => plan.call(who, 'list_todos')
const texts = async (plan: PlanDriver) => (await plan.standing()).steps.map((step) => step.text).join('')
const done = async (plan: PlanDriver) =>
  (await plan.standing()).steps
    .filter((step) => step.status === 'completed')
    .map((step) => step.text)
    .join('')

/** A, B and C of agent-b, of which agent-a has seen all. */
async function listed(plan: PlanDriver, how: () => Promise<unknown> = () => list(plan, A)): Promise<void> {
  await add(plan, B, 'ABC')
  await how()
}

const DRIFTED =
  '#1 was "A" (removed) in version 1 and is now "B": agent-b removed #1 "A". Nothing was changed. List first.'

export const referenceCases: Cases = (withPlan) => {
  describe('a view moves to now', () => {
    test(
      'with a listing',
      withPlan(async (plan) => {
        await listed(plan)
        await remove(plan, B, [1])
        expect((await toggle(plan, A, [1])).success).toBe(false)
        await list(plan, A)
        expect(summaryOf(await toggle(plan, A, [1]))).toBe('toggled 1 todo step: #1 now done')
        expect(await done(plan)).toBe('B')
      }),
    )

    test(
      'with a prompt block, and only that of the actor it is for',
      withPlan(async (plan) => {
        await listed(plan)
        await remove(plan, B, [1])
        await plan.block(B)
        await plan.block('')
        expect((await toggle(plan, A, [1])).success).toBe(false)
        await plan.block(A)
        expect((await toggle(plan, A, [1])).success).toBe(true)
        expect(await done(plan)).toBe('B')
      }),
    )

    test(
      'with a reply to its own call, if nobody else changed the plan since',
      withPlan(async (plan) => {
        await add(plan, A, 'ABC')
        await remove(plan, A, [1])
        // By now agent-a has seen that B stands first.
        await add(plan, B, 'X')
        expect(summaryOf(await toggle(plan, A, [1]))).toBe('toggled 1 todo step: #1 now done')
        expect(await done(plan)).toBe('B')
      }),
    )

    test(
      '[W2] not with a reply to its own call, if somebody else changed the plan since; but what it tells counts',
      withPlan(async (plan) => {
        await listed(plan)
        await remove(plan, B, [1])
        expect(notesOf(await add(plan, A, 'D'))).toEqual(['it is #3', '#2 is now #1, #3 is now #2'])
        await add(plan, B, 'E', { parent_index: 1 })
        // B is #1 as agent-a was told; what is #2 now it was not.
        const refused = await toggle(plan, A, [2])
        expect(summaryOf(refused)).toContain(
          '#2 was "B" (now #1) in version 1 and was "C" (now #3) as you were told and is now "E"',
        )
        expect(summaryOf(await toggle(plan, A, [1]))).toBe('toggled 1 todo step: #1 now done')
        expect(await done(plan)).toBe('B')
      }),
    )

    test(
      'not with a refusal, a snapshot or a call without effect after a change of somebody else',
      withPlan(async (plan) => {
        await listed(plan)
        await remove(plan, B, [1])
        expect((await toggle(plan, A, [1])).success).toBe(false)
        await plan.call(A, 'add_todos', { steps: [{ text: '' }] })
        await plan.standing()
        await toggle(plan, A, [99])
        expect((await toggle(plan, A, [1])).success).toBe(false)
        expect(await done(plan)).toBe('')
      }),
    )

    test(
      'for callers without a name as for one actor',
      withPlan(async (plan) => {
        await listed(plan, () => list(plan, ''))
        await remove(plan, B, [1])
        const refused = await toggle(plan, '', [1])
        expect(summaryOf(refused)).toBe(DRIFTED)
        await list(plan, '')
        await toggle(plan, '', [1])
        expect(await done(plan)).toBe('B')
      }),
    )
  })

  describe('with rev', () => {
    test(
      'a number means what stood there at that version, wherever it is now',
      withPlan(async (plan) => {
        const { version: rev } = await add(plan, A, 'ABC')
        await list(plan, B)
        await add(plan, B, 'D', { parent_index: 1 })
        await list(plan, B)
        await remove(plan, B, [3])
        // A, D below it, C.
        expect(summaryOf(await toggle(plan, A, [3], { rev }))).toBe('toggled 1 todo step: #3 now done')
        expect(await done(plan)).toBe('C')
        expect(summaryOf(await plan.call(A, 'add_todos', { steps: [{ text: 'E' }], parent_index: 3, rev }))).toBe(
          'added 1 todo step',
        )
        expect(await texts(plan)).toBe('ADCE')
      }),
    )

    test(
      'a step that is gone is missing, and the reply says who removed it',
      withPlan(async (plan) => {
        const { version: rev } = await add(plan, A, 'ABC')
        await list(plan, B)
        await remove(plan, B, [2])
        const toggled = await toggle(plan, A, [2, 3, 7], { rev })
        expect(envelopeOf(toggled)).toMatchObject({
          success: true,
          summary: 'toggled 1 todo step: #3 now done',
          notes: ['#2 "B" was removed by agent-b', 'skipped #7: at version 1 valid were #1 to #3', '#3 is now #2'],
        })
        expect(await done(plan)).toBe('C')
        const under = await plan.call(A, 'add_todos', { steps: [{ text: 'X' }], parent_index: 2, rev })
        expect([under.success, summaryOf(under)]).toEqual([
          false,
          'Nothing was added, for #2 "B" was removed by agent-b: at version 1 valid were #1 to #3. ' +
            'List the plan to see what is there.',
        ])
      }),
    )

    test(
      'a version in the future is refused by every tool that takes one',
      withPlan(async (plan) => {
        await add(plan, A, 'ABC')
        const message =
          'rev 9 is in the future: the plan is at version 1. Nothing was changed. ' +
          'List first and use the version that is printed.'
        const replies = [
          await toggle(plan, A, [1], { rev: 9 }),
          await rename(plan, A, 1, 'X', { rev: 9 }),
          await remove(plan, A, [1], { rev: 9 }),
          await add(plan, A, 'D', { rev: 9 }),
          await add(plan, A, 'D', { rev: 9, parent_index: 1 }),
        ]
        for (const reply of replies) expect([reply.success, summaryOf(reply)]).toEqual([false, message])
        expect((await plan.standing()).version).toBe(1)
      }),
    )

    test(
      `a version is known for ${MAX_HISTORY} versions`,
      withPlan(async (plan) => {
        await add(plan, B, 'AB')
        await list(plan, A)
        await remove(plan, B, [1])
        for (let i = 0; i < MAX_HISTORY - 1; i++) await toggle(plan, B, [1])
        const { version } = await plan.standing()
        expect(version).toBe(MAX_HISTORY + 1)
        expect(summaryOf(await rename(plan, A, 2, 'X', { rev: 1 }))).toBe('updated 1 todo step')
        const refused = await rename(plan, A, 2, 'Y', { rev: 1 })
        expect([refused.success, summaryOf(refused)]).toEqual([
          false,
          'rev 1 is too far back: what stood where is known from version 2 on. Nothing was changed. ' +
            'List first and use the version that is printed.',
        ])
        expect(await texts(plan)).toBe('X')
      }),
    )

    test(
      'at version 0 there was nothing, and a version below it is refused',
      withPlan(async (plan) => {
        await add(plan, A, 'A')
        const missing = await toggle(plan, A, [1], { rev: 0 })
        expect(envelopeOf(missing)).toMatchObject({
          success: true,
          notes: ['skipped #1: at version 0 the plan had no steps'],
        })
        expect((await toggle(plan, A, [1], { rev: -1 })).success).toBe(false)
      }),
    )

    test(
      'it never widens what was seen: a toggle flips what the caller saw all the same',
      withPlan(async (plan) => {
        await listed(plan)
        await toggle(plan, B, [1])
        const rev = 1
        const reply = await toggle(plan, A, [1], { rev })
        expect(summaryOf(reply)).toBe('toggled 0 todo steps')
        expect(await done(plan)).toBe('A')
        // Nor does it count as looking.
        await remove(plan, B, [1])
        await toggle(plan, A, [1], { rev })
        expect((await toggle(plan, A, [1])).success).toBe(false)
      }),
    )

    test(
      '[RB-B1] it finds the step that the caller saw below one that came in between',
      withPlan(async (plan) => {
        await add(plan, B, 'AB')
        const { version: rev } = await list(plan, A)
        await add(plan, B, 'N', { parent_index: 1 })
        await toggle(plan, A, [2], { rev })
        expect(await done(plan)).toBe('B')
      }),
    )
  })

  describe('without rev', () => {
    test(
      'a number names what stood there when the caller looked, if it still does',
      withPlan(async (plan) => {
        await listed(plan)
        await remove(plan, B, [3])
        await rename(plan, B, 1, 'Z')
        expect((await toggle(plan, A, [1, 2])).success).toBe(true)
        expect(await done(plan)).toBe('ZB')
      }),
    )

    test(
      'all changes since are its own: it names what stands there now',
      withPlan(async (plan) => {
        await listed(plan)
        await remove(plan, A, [1])
        await toggle(plan, A, [1])
        await remove(plan, A, [1])
        await toggle(plan, A, [1])
        expect([await texts(plan), await done(plan)]).toEqual(['C', 'C'])
      }),
    )

    test(
      'what the caller added itself since may be named',
      withPlan(async (plan) => {
        await listed(plan)
        await add(plan, B, 'X')
        const reply = await add(plan, A, 'Y')
        expect(reply.changed).toMatchObject([{ index: 5, text: 'Y' }])
        expect((await toggle(plan, A, [5])).success).toBe(true)
        expect(await done(plan)).toBe('Y')
        expect(summaryOf(await toggle(plan, A, [4]))).toBe(
          '#4 was not there when you last looked and is now "X": agent-b added #4. Nothing was changed. List first.',
        )
      }),
    )

    test(
      'otherwise it is refused, saying what became of the step and who did it',
      withPlan(async (plan) => {
        await add(plan, B, 'PQRSTU')
        await toggle(plan, B, [1])
        await list(plan, A)
        await add(plan, B, 'C', { parent_index: 3 })
        await rename(plan, B, 1, 'renamed')
        const refused = await rename(plan, A, 4, 'X')
        expect(summaryOf(refused)).toBe(
          '#4 was "S" (now #5) in version 2 and is now "C": agent-b added #4. Nothing was changed. ' +
            'Repeat with rev 2 to mean what you saw, or list first.',
        )
        expect((await rename(plan, A, 4, 'X', { rev: 2 })).success).toBe(true)
        expect((await plan.standing()).steps.map((step) => step.text)).toEqual([
          'renamed',
          'Q',
          'R',
          'C',
          'X',
          'T',
          'U',
        ])
      }),
    )

    test(
      '[10-C1] a refusal tells only of what moved the numbers that it is about; the rest is news',
      withPlan(async (plan) => {
        await add(plan, B, 'PQRSTU')
        await list(plan, A)
        await add(plan, B, 'C', { parent_index: 1 })
        await add(plan, B, 'D', { parent_index: 5 })
        await add(plan, B, 'E')
        await remove(plan, B, [8])
        const refused = await rename(plan, A, 2, 'X')
        expect(summaryOf(refused)).toBe(
          '#2 was "Q" (now #3) in version 1 and is now "C": agent-b added #2. Nothing was changed. ' +
            'Repeat with rev 1 to mean what you saw, or list first.',
        )
        expect(envelopeOf(refused).digest).toContain('agent-b removed')
      }),
    )

    test(
      'one number that drifted refuses the whole call, by every tool',
      withPlan(async (plan) => {
        await add(plan, B, 'ABCDE')
        await list(plan, A)
        await remove(plan, B, [2])
        const before = await plan.standing()
        const told =
          '#2 was "B" (removed) in version 1 and is now "C"; #3 was "C" (now #2) in version 1 and is now "D"; ' +
          '#4 was "D" (now #3) in version 1 and is now "E"; ' +
          'and so on for 1 more: agent-b removed #2 "B". Nothing was changed. List first.'
        expect(summaryOf(await toggle(plan, A, [1, 2, 3, 2, 4, 5]))).toBe(told)
        expect(summaryOf(await remove(plan, A, [5]))).toBe(
          '#5 was "E" (now #4) in version 1 and there is no #5 now: agent-b removed #2 "B". Nothing was changed. ' +
            'Repeat with rev 1 to mean what you saw, or list first.',
        )
        expect((await rename(plan, A, 3, 'X')).success).toBe(false)
        expect((await add(plan, A, 'X', { parent_index: 3 })).success).toBe(false)
        expect(await plan.standing()).toEqual(before)
        expect((await toggle(plan, A, [1])).success).toBe(true)
      }),
    )

    test(
      'the last step, gone since, is missing: nothing else could be hit',
      withPlan(async (plan) => {
        await listed(plan)
        await remove(plan, B, [3])
        expect(envelopeOf(await toggle(plan, A, [3]))).toMatchObject({
          success: true,
          summary: 'no matching todo steps found',
          notes: ['#3 "C" was removed by agent-b', 'valid are #1 to #2'],
        })
      }),
    )

    test(
      '[W4] an actor that never looked knows the numbers that it was told, and no others',
      withPlan(async (plan) => {
        await add(plan, B, 'XY')
        expect(notesOf(await add(plan, A, 'MN'))).toEqual(['they are #3 to #4'])
        expect(summaryOf(await toggle(plan, A, [3]))).toBe('toggled 1 todo step: #3 now done')
        const refused = await remove(plan, A, [2])
        expect([refused.success, summaryOf(refused)]).toEqual([
          false,
          'You have not looked at this plan yet, and it holds steps of others: #2 was never shown to you. ' +
            'Nothing was changed. Here is the plan: list first.\n' +
            '#1  1  [ ] X\n#2  2  [ ] Y\n#3  3  [x] M\n#4  4  [ ] N',
        ])
        // By that it has looked.
        expect((await toggle(plan, A, [1])).success).toBe(true)
        expect([await texts(plan), await done(plan)]).toEqual(['XYMN', 'XM'])
      }),
    )

    test(
      '[W1] a number of its own step that moved is not the number of what was seen there',
      withPlan(async (plan) => {
        await add(plan, B, 'PQ')
        await list(plan, A)
        await toggle(plan, B, [1])
        expect(notesOf(await add(plan, A, 'S', { parent_index: 2 }))).toEqual(['it is #3'])
        await remove(plan, B, [1])
        expect((await toggle(plan, A, [2])).success).toBe(false)
        expect((await remove(plan, A, [2])).success).toBe(false)
        expect([await texts(plan), await done(plan)]).toEqual(['QS', ''])
      }),
    )

    test(
      '[W2] a number as it was told last is accepted while it holds, and refused afterwards',
      withPlan(async (plan) => {
        await add(plan, B, 'PQR')
        await list(plan, A)
        await add(plan, B, 'E')
        const told = await add(plan, A, 'N', { parent_index: 1 })
        expect(notesOf(told)).toEqual(['it is #2', '#2 is now #3, #3 is now #4'])
        await list(plan, B)
        await remove(plan, B, [2])
        expect((await toggle(plan, A, [3])).success).toBe(false)
        expect(await done(plan)).toBe('')
        // It counts from what was told last, not from the view.
        expect(notesOf(await rename(plan, A, 1, 'p'))).toEqual(['#3 is now #2, #4 is now #3'])
        expect(summaryOf(await toggle(plan, A, [2]))).toBe('toggled 1 todo step: #2 now done')
        expect(await done(plan)).toBe('Q')
      }),
    )

    test(
      '[W3] a version of which not all places were told is no rev, nor is that of a refusal',
      withPlan(async (plan) => {
        await add(plan, B, 'PQ')
        await list(plan, A)
        await add(plan, B, 'a', { parent_index: 1 })
        const { version } = await add(plan, A, 'Z')
        expect(version).toBe(3)
        const refused = await toggle(plan, A, [2], { rev: version })
        expect([refused.success, summaryOf(refused)]).toEqual([
          false,
          'Version 3 was not shown to you: you last saw version 1. List first, or repeat with rev 1.',
        ])
        expect((await toggle(plan, A, [2], { rev: refused.version })).success).toBe(false)
        expect(await done(plan)).toBe('')
        expect((await toggle(plan, A, [2], { rev: 1 })).success).toBe(true)
        expect(await done(plan)).toBe('Q')
      }),
    )

    test(
      '[H15] with rev they mean what they meant when they were written',
      withPlan(async (plan) => {
        const { version: rev } = await add(plan, A, 'ABCDE')
        await Promise.all([
          remove(plan, A, [2], { rev }),
          toggle(plan, A, [4], { rev }),
          rename(plan, A, 5, 'Z', { rev }),
        ])
        expect([await texts(plan), await done(plan)]).toEqual(['ACDZ', 'D'])
      }),
    )
  })

  describe('numbers that moved', () => {
    test(
      'are told to those who had seen them',
      withPlan(async (plan) => {
        await add(plan, A, 'ABCDE')
        // One that works alone knows it by its own calls.
        expect(notesOf(await remove(plan, A, [5]))).toEqual([])
        await add(plan, B, 'F')
        await list(plan, A)
        expect(notesOf(await remove(plan, A, [4]))).toEqual(['#5 is now #4'])
        await add(plan, B, 'G')
        expect(notesOf(await remove(plan, A, [1]))).toEqual(['#2 is now #1, #3 is now #2, #4 is now #3'])
        expect(notesOf(await add(plan, A, 'X', { parent_index: 2 }))).toEqual(['it is #3', '#3 is now #4'])
        // agent-c has never seen a number.
        expect(notesOf(await add(plan, 'agent-c', 'Z'))).toEqual(['it is #6'])
      }),
    )
  })

  describe('toggle flips the state that the caller saw', () => {
    test(
      '[RB-A3] six calls of one turn complete six steps',
      withPlan(async (plan) => {
        await add(plan, B, 'ABCDEF')
        await list(plan, A)
        await Promise.all([1, 2, 3, 4, 5, 6].map((index) => toggle(plan, A, [index])))
        expect(await done(plan)).toBe('ABCDEF')
      }),
    )

    test(
      '[RB-A3b] two that saw it open and toggle it both complete it, and the second hears who did',
      withPlan(async (plan) => {
        await add(plan, 'agent-c', 'PQRS')
        await list(plan, A)
        await list(plan, B)
        expect(notesOf(await toggle(plan, A, [4]))).toEqual([])
        const second = await toggle(plan, B, [4])
        expect(envelopeOf(second)).toEqual({
          success: true,
          summary: 'toggled 0 todo steps',
          version: 2,
          notes: ['#4 was done already: agent-a has brought it there since you looked. List first to turn it back'],
          digest: 'agent-a completed #4',
        })
        expect(await done(plan)).toBe('S')
        await list(plan, B)
        expect(summaryOf(await toggle(plan, B, [4]))).toBe('toggled 1 todo step: #4 now pending')
      }),
    )

    test(
      'also after own toggles in between, of this step and of others',
      withPlan(async (plan) => {
        await add(plan, 'agent-c', 'PQ')
        await list(plan, A)
        await list(plan, B)
        await toggle(plan, A, [1])
        // agent-b toggles another step, and is told of #1 by the digest; it has not looked at the plan.
        expect((await toggle(plan, B, [2])).digest).toBe('agent-a completed #1')
        expect(summaryOf(await toggle(plan, B, [1]))).toBe('toggled 0 todo steps')
        // Its own toggle of #2 it knows of.
        expect(summaryOf(await toggle(plan, B, [2]))).toBe('toggled 1 todo step: #2 now pending')
        // It saw #2 pending by its own doing; agent-a saw it pending too, and completes it.
        expect(summaryOf(await toggle(plan, A, [2]))).toBe('toggled 1 todo step: #2 now done')
        expect(summaryOf(await toggle(plan, B, [2]))).toBe('toggled 0 todo steps')
        expect(await done(plan)).toBe('PQ')
      }),
    )

    test(
      'also where both saw it done',
      withPlan(async (plan) => {
        await add(plan, A, 'P')
        await toggle(plan, A, [1])
        await list(plan, B)
        await toggle(plan, A, [1])
        const reply = await toggle(plan, B, [1])
        expect(summaryOf(reply)).toBe('toggled 0 todo steps')
        expect(notesOf(reply)).toEqual([
          '#1 was pending already: agent-a has brought it there since you looked. List first to turn it back',
        ])
        expect(await done(plan)).toBe('')
      }),
    )

    test(
      'also of a step that it added itself and has not looked at since',
      withPlan(async (plan) => {
        await add(plan, A, 'P')
        // agent-b has never looked, but it knows what it wrote.
        await add(plan, B, 'Q')
        await list(plan, A)
        await toggle(plan, A, [2])
        expect(summaryOf(await toggle(plan, B, [2]))).toBe('toggled 0 todo steps')
        expect(await done(plan)).toBe('Q')
        // Of #1 it knows nothing.
        expect((await toggle(plan, B, [1])).success).toBe(false)
      }),
    )

    test(
      'as it saw it last, not as it had set it before',
      withPlan(async (plan) => {
        await add(plan, A, 'P')
        await toggle(plan, A, [1])
        await list(plan, B)
        await toggle(plan, B, [1])
        await list(plan, A)
        expect(summaryOf(await toggle(plan, A, [1]))).toBe('toggled 1 todo step: #1 now done')
        expect(await done(plan)).toBe('P')
      }),
    )

    test(
      'somebody else completed and re-opened it: it is completed',
      withPlan(async (plan) => {
        await add(plan, A, 'P')
        await list(plan, B)
        await toggle(plan, A, [1])
        await toggle(plan, A, [1])
        expect(envelopeOf(await toggle(plan, B, [1]))).toEqual({
          success: true,
          summary: 'toggled 1 todo step: #1 now done',
          version: 4,
          digest: 'agent-a re-opened #1',
        })
      }),
    )
  })

  describe('[RB-A13] what a person wrote', () => {
    test(
      'is changed and removed as asked, and the reply says whose it was',
      withPlan(async (plan) => {
        await add(plan, A, 'ABC')
        await list(plan, human('Ada'))
        await rename(plan, human('Ada'), 2, 'Better')
        await add(plan, human('Ada'), 'D')
        await list(plan, A)
        const renamed = await rename(plan, A, 2, 'Easier')
        expect(notesOf(renamed)).toEqual(['this changed what people had written: "Better" by Ada'])
        expect(notesOf(await rename(plan, A, 2, 'Easy'))).toEqual([])
        expect(notesOf(await toggle(plan, A, [4]))).toEqual([])
        expect(notesOf(await remove(plan, A, [1, 4]))).toEqual([
          '#2 is now #1, #3 is now #2',
          'this changed what people had written: "D" by Ada',
        ])
        // Who wrote it before does not count, nor does a person who does it.
        await add(plan, human('Ada'), 'D')
        await list(plan, A)
        await rename(plan, A, 3, 'E')
        await rename(plan, A, 3, 'D')
        expect(notesOf(await remove(plan, A, [3]))).toEqual([])
        await add(plan, human('Ada'), 'D')
        await list(plan, human('Bea'))
        expect(notesOf(await rename(plan, human('Bea'), 3, 'F'))).toEqual([])
      }),
    )
  })

  describe('the digest', () => {
    test(
      'says what others did, gathered by actor and deed, in the numbers of now',
      withPlan(async (plan) => {
        await listed(plan)
        await toggle(plan, B, [1])
        await toggle(plan, B, [2])
        await list(plan, 'agent-c')
        await rename(plan, 'agent-c', 3, 'Z')
        await add(plan, B, 'X', { parent_index: 1 })
        await list(plan, '')
        await remove(plan, '', [3])
        const { digest } = await add(plan, A, 'Y')
        expect(digest).toBe('agent-b completed #1; agent-b added #2; agent-c renamed #3; somebody removed #3 "B"')
      }),
    )

    test(
      'is told once, to each reader on its own, and never of its own deeds',
      withPlan(async (plan) => {
        await listed(plan)
        await list(plan, 'agent-c')
        await toggle(plan, B, [1])
        expect((await list(plan, A)).digest).toBe('agent-b completed #1')
        expect((await list(plan, A)).digest).toBeUndefined()
        expect((await list(plan, B)).digest).toBeUndefined()
        expect((await toggle(plan, 'agent-c', [2])).digest).toBe('agent-b completed #1')
        expect((await list(plan, A)).digest).toBe('agent-c completed #2')
      }),
    )

    test(
      'comes with refusals too, and not with the prompt block',
      withPlan(async (plan) => {
        await listed(plan)
        await toggle(plan, B, [1])
        await plan.block(A)
        const refused = await plan.call(A, 'toggle_todos', { indices: ['x'] })
        expect([refused.success, refused.digest, envelopeOf(refused).digest]).toEqual([
          false,
          'agent-b completed #1',
          'agent-b completed #1',
        ])
        expect((await list(plan, A)).digest).toBeUndefined()
      }),
    )

    test(
      'is silent about what came and went, and tells of many by their count',
      withPlan(async (plan) => {
        await listed(plan)
        await add(plan, B, 'X')
        await rename(plan, B, 4, 'Z')
        await remove(plan, B, [4])
        expect((await list(plan, A)).digest).toBeUndefined()
        await add(plan, B, 'abcdefghijkl')
        expect((await list(plan, A)).digest).toBe('agent-b added #4, #5, #6, #7, #8, #9, #10, #11, #12, #13, #14, #15')
      }),
    )

    test(
      'tells of a removal of what the reader itself had added',
      withPlan(async (plan) => {
        await listed(plan)
        await add(plan, B, 'X')
        await add(plan, A, 'Y')
        await list(plan, B)
        await remove(plan, B, [5])
        expect((await list(plan, A)).digest).toBe('agent-b removed #5 "Y"')
      }),
    )

    test(
      '[RB-I7] what a person did in between comes with the next result',
      withPlan(async (plan) => {
        await add(plan, A, 'ABC')
        await add(plan, human('Ada'), 'D')
        await list(plan, human('Ada'))
        await rename(plan, human('Ada'), 2, 'Better')
        expect(envelopeOf(await toggle(plan, A, [1])).digest).toBe('Ada added #4; Ada renamed #2 (your words were "B")')
      }),
    )

    test(
      'who comes for the first time is told of nothing before',
      withPlan(async (plan) => {
        await listed(plan)
        expect((await toggle(plan, 'agent-c', [1])).digest).toBeUndefined()
      }),
    )
  })
}
