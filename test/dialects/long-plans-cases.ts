import { describe, expect, test } from 'vitest'
import type { ToolReply } from '../../shared/dialects/call.ts'
import { MAX_LISTING } from '../../shared/schema/limits.ts'
import type { Cases, PlanDriver } from '../helpers/plan-driver.ts'
import { notesOf, summaryOf } from '../helpers/plan-driver.ts'

const A = 'agent-a'
const B = 'agent-b'
const SIZE = 2_000

/** Agent-b makes a step with 2,000 siblings of it below, every tenth of them done. */
export async function build(plan: PlanDriver, who = B, parent: number | null = 1): Promise<void> {
  if (parent !== null) await plan.call(who, 'add_todos', { steps: ['Top'] })
  for (let from = 0; from < SIZE; from += 500) {
    const steps = Array.from({ length: 500 }, (_, i) => `Step ${from + i} with some words that tell what is to be done`)
    await plan.call(who, 'add_todos', { steps, parent_index: parent })
  }
  const indices = Array.from({ length: SIZE / 10 }, (_, i) => 2 + i * 10)
  await plan.call(who, 'toggle_todos', { indices })
}

/** Each reading tool, how it is called, and the texts in a reply of it. */
interface Reader {
  readonly tool: string
  readonly args: (narrowing: object) => object
  readonly done: string
  readonly texts: (reply: ToolReply) => string[]
}
interface Tasks {
  readonly groups: readonly { readonly items: readonly { readonly description: string }[] }[]
}
const READERS: readonly Reader[] = [
  {
    tool: 'list_todos',
    args: (narrowing) => narrowing,
    done: 'completed',
    texts: (reply) => [...summaryOf(reply).matchAll(/^#\d+ {2}\S+ {2}\[.\] (.*)$/gm)].map(([, text = '']) => text),
  },
  {
    tool: 'plan_todo_read',
    args: (narrowing) => ({ action: { type: 'List', ...narrowing } }),
    done: 'Completed',
    texts: ({ text }) =>
      (JSON.parse(text) as Tasks).groups.flatMap(({ items }) => items.map(({ description }) => description)),
  },
  {
    tool: 'read_todos',
    args: (narrowing) => narrowing,
    done: 'completed',
    texts: ({ text }) =>
      (JSON.parse(text.split('\n\n(')[0] ?? '') as { content: string }[]).map(({ content }) => content),
  },
]
const cursorIn = ({ text }: ToolReply): string | undefined => /cursor \\?"([^"\\]+)/.exec(text)?.[1]

async function pagesOf(plan: PlanDriver, { tool, args, texts }: Reader, narrowing: object = {}): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor: string | undefined; pages.length < 30;) {
    const reply = await plan.call(A, tool, args({ ...narrowing, ...(cursor === undefined ? {} : { cursor }) }))
    expect(reply.success, reply.text).toBe(true)
    pages.push(texts(reply))
    const next = cursorIn(reply)
    expect(reply['cursor']).toBe(next)
    if (next === undefined) return pages
    cursor = next
  }
  throw new Error('it does not end')
}

export const longPlanCases: Cases = (withPlan) => {
  describe.each(READERS)('[11-F7] [RB-E2] $tool of a plan of 2,000', (reader) => {
    test(
      'is folded at the limit, says how to go on, and cursors lead to the end',
      withPlan(async (plan) => {
        await build(plan)
        const reply = await plan.call(A, reader.tool, reader.args({}))
        expect(reply.text.length).toBeLessThan(MAX_LISTING * 1.2)
        expect(reply.text).toMatch(/ot shown: \d+ /)
        const pages = await pagesOf(plan, reader)
        expect(pages.length).toBeGreaterThan(1)
        expect(pages.flat()).toEqual((await plan.standing()).steps.map(({ text }) => text))
      }),
    )

    test(
      'is narrowed by limit, status, query and parent, and by all of them',
      withPlan(async (plan) => {
        await build(plan)
        const shown = async (narrowing: object) => reader.texts(await plan.call(A, reader.tool, reader.args(narrowing)))
        const { steps } = await plan.standing()
        expect(await shown({ limit: 3 })).toEqual(steps.slice(0, 3).map(({ text }) => text))
        expect(await shown({ status: reader.done })).toHaveLength(SIZE / 10)
        expect(await shown({ query: 'STEP 1999 with' })).toEqual([steps.at(-1)?.text])
        expect(await shown({ query: 'nothing of the kind' })).toEqual([])
        for (const parent of ['#3', 'task-3', '1.2', steps[2]?.id])
          expect(await shown({ parent })).toEqual([steps[2]?.text])
        expect(await shown({ parent: steps[0]?.id, status: reader.done, query: 'step 1', limit: 2 })).toEqual([
          steps[11]?.text,
          steps[101]?.text,
        ])
        expect((await pagesOf(plan, reader, { status: reader.done, limit: 150 })).map((page) => page.length)).toEqual([
          150, 50,
        ])
      }),
    )

    test(
      'refuses a cursor that no listing gave, a parent that is none, and no step at all',
      withPlan(async (plan) => {
        await plan.call(A, 'add_todos', { steps: ['A', 'B'] })
        for (const [narrowing, what] of [
          [{ cursor: 'abc' }, 'cursor is \\"abc\\", which no listing ended with'],
          [{ parent: 'ghost' }, 'ghost names no step. There are'],
          [{ limit: 0 }, 'limit is 0: the least is 1'],
        ] as const) {
          const reply = await plan.call(A, reader.tool, reader.args(narrowing))
          expect([reply.success, reply.text.replaceAll('\\"', '"')]).toEqual([
            false,
            expect.stringContaining(what.replaceAll('\\"', '"')),
          ])
        }
      }),
    )

    test(
      'goes on where it was, though somebody removed the step that it ended with',
      withPlan(async (plan) => {
        await plan.call(B, 'add_todos', { steps: ['A', 'B', 'C', 'D'] })
        const cursor = cursorIn(await plan.call(A, reader.tool, reader.args({ limit: 2 })))
        await plan.call(B, 'remove_todos', { indices: [1] })
        expect(reader.texts(await plan.call(A, reader.tool, reader.args({ cursor })))).toEqual(['C', 'D'])
        await plan.call(B, 'remove_todos', { indices: [1] })
        // Nobody can know by the cursor alone that one before it went, too.
        expect(reader.texts(await plan.call(A, reader.tool, reader.args({ cursor })))).toEqual([])
      }),
    )
  })

  describe('[11-F7] what a listing folds away', () => {
    const last = (plan: PlanDriver) => plan.standing().then(({ steps }) => steps.at(-1))

    test(
      'is no step that a number means, until it was shown',
      withPlan(async (plan) => {
        await build(plan)
        const listing = await plan.call(A, 'list_todos')
        const refused = '#2001 was left out of what you were shown. Nothing was changed. List first'
        for (const args of [{ indices: [2_001] }, { indices: [2_001], rev: listing.version }])
          for (const tool of ['toggle_todos', 'remove_todos'])
            expect(summaryOf(await plan.call(A, tool, args))).toContain(refused)
        expect((await plan.call(A, 'add_todos', { steps: ['x'], parent_index: 2_001 })).success).toBe(false)
        expect((await plan.call(A, 'plan_todo_write', { action: { type: 'Start', id: 2_001 } })).error).toMatch(
          /^task-2001 "Step 1999 .*" was left out of what you were shown\. Nothing was changed\. Get shows it/,
        )
        // What was printed is meant.
        expect((await plan.call(A, 'toggle_todos', { indices: [3], rev: listing.version })).success).toBe(true)
        await plan.call(A, 'list_todos', { query: 'Step 1999 ' })
        expect(summaryOf(await plan.call(A, 'toggle_todos', { indices: [2_001] }))).toBe(
          'toggled 1 todo step: #2001 now done',
        )
        expect((await last(plan))?.status).toBe('completed')
      }),
    )

    test(
      'is not removed by a whole list, not even where its writer made it',
      withPlan(async (plan) => {
        await build(plan, A, null)
        const reply = await plan.call(A, 'read_todos')
        const listed = (reply['todos'] as { content: string; status: string }[]).slice(1)
        expect(listed.length).toBeLessThan(SIZE - 1)
        const written = await plan.call(A, 'write_todos', { todos: [...listed, { content: 'New', status: 'pending' }] })
        const texts = (await plan.standing()).steps.map(({ text }) => text)
        expect(texts).toHaveLength(SIZE)
        expect(texts).not.toContain('Step 0 with some words that tell what is to be done')
        expect(written.text).toContain('  - Step 0 with')
        expect(written.text).toMatch(/\n {2}= and \d+ more: read_todos shows them\n/)
        // What was read afterwards is the list again.
        const rest = await pagesOf(plan, READERS[2] as Reader)
        expect(rest.flat()).toHaveLength(SIZE)
        await plan.call(A, 'write_todos', { todos: [{ content: 'New', status: 'pending' }] })
        expect((await plan.standing()).steps.map(({ text }) => text)).toEqual(['New'])
      }),
    )

    test(
      'nor by one that holds the tasks of one status',
      withPlan(async (plan) => {
        await plan.call(A, 'write_todos', {
          todos: [
            { content: 'A', status: 'completed' },
            { content: 'B', status: 'pending' },
            { content: 'C', status: 'pending' },
          ],
        })
        await plan.call(A, 'read_todos', { status: 'pending' })
        await plan.call(A, 'write_todos', { todos: [{ content: 'B', status: 'completed' }] })
        expect((await plan.standing()).steps.map(({ text, status }) => `${text} ${status}`)).toEqual([
          'A completed',
          'B completed',
        ])
      }),
    )
  })

  test(
    '[11-F7] replies of tasks to a change are as short, and hold the task that was changed',
    withPlan(async (plan) => {
      await build(plan)
      const reply = await plan.call(A, 'plan_todo_write', { action: { type: 'Start', id: 'task-2001' } })
      expect(reply.text.length).toBeLessThan(MAX_LISTING * 1.2)
      expect(reply.text).toContain(
        '"description":"Step 1999 with some words that tell what is to be done","status":"InProgress"',
      )
      expect(reply.text).toMatch(/Not shown: \d+ of 2001 tasks\./)
      // It was shown, and only that.
      expect((await plan.call(A, 'plan_todo_cross_off', { action: { type: 'Complete', id: 2_001 } })).success).toBe(
        true,
      )
    }),
  )

  test(
    '[11-F7] who never looked and is shown the plan is shown a part of it',
    withPlan(async (plan) => {
      await build(plan)
      const reply = await plan.call(A, 'toggle_todos', { indices: [3] })
      expect(reply.text.length).toBeLessThan(MAX_LISTING * 1.2)
      expect(summaryOf(reply)).toMatch(/\(not shown: \d+ more steps; list_todos with cursor/)
      expect((await plan.call(A, 'toggle_todos', { indices: [3] })).success).toBe(true)
      expect(notesOf(await plan.call(A, 'toggle_todos', { indices: [2_001] }))).toEqual([])
      expect((await plan.standing()).steps.at(-1)?.status).toBe('pending')
    }),
  )
}
