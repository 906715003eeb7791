import { expect } from 'vitest'
import type { ToolReply } from '../../shared/dialects/call.ts'
import type { Todo } from '../../shared/dialects/checklist/show.ts'
import type { PlanDriver } from '../helpers/plan-driver.ts'
import { human } from '../helpers/plan-driver.ts'

/** A plan, as those who call tools on it know it. */
export interface ChecklistDriver {
  /** @param actor the name of an agent; '' for callers without one */
  call(tool: string, args: unknown, actor?: string): Promise<ToolReply>
  /** The block for a prompt, read by nobody who calls. */
  block(): Promise<string>
}

/** Over any way in; Ann is a person. */
export const checklistDriver = (plan: PlanDriver): ChecklistDriver => ({
  call: (tool, args, actor = '') => plan.call(actor === 'Ann' ? human('Ann') : actor, tool, args),
  block: () => plan.block('a reader', 'checklist'),
})

export interface ChecklistCase {
  /** The ids of the rows, and what they say. */
  readonly title: string
  readonly run: (plan: ChecklistDriver) => Promise<void>
}

type Item = Readonly<Record<string, unknown>>
export const todo = (content: string, status = 'pending', more: Item = {}): Item => ({ content, status, ...more })
export const write = (plan: ChecklistDriver, todos: unknown, actor = 'a', more: Item = {}): Promise<ToolReply> =>
  plan.call('write_todos', { todos, ...more }, actor)
export const todosIn = ({ todos }: ToolReply): Todo[] => todos as unknown as Todo[]
/** How the list stands, looked at by one who never writes. */
export const listOf = async (plan: ChecklistDriver): Promise<Todo[]> =>
  todosIn(await plan.call('read_todos', {}, 'onlooker'))
/** The list as `content status`, a word for completed. */
const short = async (plan: ChecklistDriver): Promise<string[]> =>
  (await listOf(plan)).map(({ content, status }) => (status === 'pending' ? content : `${content} ${status}`))
const add = (plan: ChecklistDriver, steps: readonly Item[], actor: string, more: Item = {}): Promise<ToolReply> =>
  plan.call('add_todos', { steps, ...more }, actor)

const NO_LIST = 'Error: todos must be a valid JSON array'
const INCOMPLETE = "Error: each todo must have 'content' and 'status'"
const NO_STATUS = "Error: status must be one of ['blocked', 'completed', 'in_progress', 'pending']"

async function refused(plan: ChecklistDriver, todos: unknown, error: string): Promise<void> {
  const before = await listOf(plan)
  const { version } = await plan.call('read_todos', {}, 'onlooker')
  const reply = await write(plan, todos)
  expect(reply).toMatchObject({ success: false, error, version })
  expect(reply.text.split('\n\n')[0]).toBe(error)
  expect(await listOf(plan)).toEqual(before)
}

const alone: readonly ChecklistCase[] = [
  {
    title: '[O7] one of two is done',
    run: async (plan) => {
      const reply = await write(plan, [todo('a', 'completed'), todo('b')])
      expect(reply.text).toBe('Updated todo list v1: 1/2 completed\n  + a [completed]\n  + b [pending]')
      expect(await plan.block()).toBe(
        'Current tasks (v1):\n  t1 [done] a @a\n  t2 [pending] b @a\n\nProgress: 1/2 completed.',
      )
    },
  },
  {
    title: '[O8] three of each, in the block too',
    run: async (plan) => {
      const reply = await write(
        plan,
        [
          todo('a', 'completed', { description: 'two\nlines' }),
          todo('b', 'in_progress', { required: true }),
          todo('c', 'blocked'),
          todo('d', 'cancelled'),
        ],
        '',
      )
      expect(reply.text).toContain('1/3 completed')
      expect(await plan.block()).toBe(
        [
          'Current tasks (v1):',
          '  t1 [done] a — two lines',
          '  t2 [in_progress] b (required)',
          '  t3 [blocked] c',
          '  t4 [cancelled] d',
          '',
          'Progress: 1/3 completed, 1 blocked.',
        ].join('\n'),
      )
    },
  },
  {
    title: '[O1] there is no block while there is nothing',
    run: async (plan) => expect(await plan.block()).toBe(''),
  },
  {
    title: '[O10] a second write replaces the list',
    run: async (plan) => {
      await write(plan, [todo('A')])
      expect((await write(plan, [todo('B')])).text).toBe('Updated todo list v2: 0/1 completed\n  + B [pending]\n  - A')
      expect(await short(plan)).toEqual(['B'])
    },
  },
  {
    title: '[O11] the list may be a string of JSON',
    run: async (plan) => {
      const list = JSON.stringify([todo('Step 1', 'completed'), todo('Step 2')])
      const reply = await write(plan, list)
      expect(reply.text).toBe('Updated todo list v1: 1/2 completed\n  + Step 1 [completed]\n  + Step 2 [pending]')
    },
  },
  {
    title: '[O12] what is no list is refused',
    run: async (plan) => {
      await write(plan, [todo('kept')])
      for (const todos of ['not json', '', '{"content":"a"}', '"x"', '5', 5, true, null, undefined, {}, todo('a')])
        await refused(plan, todos, NO_LIST)
    },
  },
  {
    title: '[O13] a status that there is not is refused, and the first failure wins',
    run: async (plan) => {
      await write(plan, [todo('kept')])
      for (const status of ['weird', 5, true, ['pending'], {}])
        await refused(plan, [{ content: 'a', status }], NO_STATUS)
      await refused(plan, [todo('a'), todo('b', 'weird'), { content: 'c' }], NO_STATUS)
      await refused(plan, [todo('a'), { content: 'c' }, todo('b', 'weird')], INCOMPLETE)
    },
  },
  {
    title: '[O14][RB-G10] every item needs content and status',
    run: async (plan) => {
      await write(plan, [todo('kept')])
      for (const item of [
        { content: 'a' },
        { status: 'pending' },
        {},
        [],
        null,
        'a',
        7,
        todo(''),
        todo(' \n'),
        todo('a', ''),
      ])
        await refused(
          plan,
          [todo('fine'), item],
          item instanceof Object && 'status' in item && item.status === '' ? NO_STATUS : INCOMPLETE,
        )
      await refused(plan, [{ content: 'a', status: null }], INCOMPLETE)
    },
  },
  {
    title: '[O15] a write as tester',
    run: async (plan) => {
      const reply = await write(plan, [todo('x'), todo('y')], 'tester')
      expect(reply.text).toMatch(/^Updated todo list v1: 0\/2 completed\n/)
      expect(reply.version).toBe(1)
      expect(todosIn(reply).map((one) => one.updated_by)).toEqual(['tester', 'tester'])
    },
  },
  {
    title: '[O16] a status that changes shows',
    run: async (plan) => {
      await write(plan, [todo('work')])
      const reply = await write(plan, [todo('work', 'completed'), todo('test it')])
      expect(reply.text).toBe(
        'Updated todo list v2: 1/2 completed\n  ~ work [pending -> completed]\n  + test it [pending]',
      )
    },
  },
  {
    title: '[O17] what is gone shows',
    run: async (plan) => {
      await write(plan, [todo('a'), todo('b')])
      expect((await write(plan, [todo('a')])).text).toBe('Updated todo list v2: 0/1 completed\n  - b')
    },
  },
  {
    title: '[O18] all done: a reminder to verify',
    run: async (plan) => {
      const { text } = await write(plan, [todo('ship it', 'completed'), todo('dropped', 'cancelled')])
      expect(text).toContain('\n\nAll tasks completed. Before responding, verify your work')
      expect(text).toMatch(/^Updated todo list v1: 1\/1 completed\n/)
    },
  },
  {
    title: '[O19] no reminder where something speaks of checking, is open, or nothing is there',
    run: async (plan) => {
      for (const list of [
        [todo('ship', 'completed'), todo('VERIFY all', 'completed')],
        [todo('run the latest', 'completed')],
        [todo('ship', 'completed'), todo('blocked', 'blocked')],
        [todo('ship', 'cancelled')],
        [],
      ])
        expect((await write(plan, list)).text).not.toContain('All tasks completed')
    },
  },
  {
    title: '[O20] read_todos: the list as JSON, and [] when empty',
    run: async (plan) => {
      expect((await plan.call('read_todos', {}, 'a')).text).toBe('[]')
      await write(plan, [todo('x', 'in_progress', { description: 'more', id: 'mine', required: true })], 'a')
      await plan.call('read_todos', {}, '')
      await write(plan, [todo('x', 'in_progress', { description: 'more', required: true }), todo('y')], '')
      const reply = await plan.call('read_todos', undefined, 'a')
      const [x, y] = todosIn(reply)
      expect(x?.updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(reply.text).toBe(`[
  {
    "content": "x",
    "status": "in_progress",
    "description": "more",
    "id": "mine",
    "required": true,
    "updated_by": "a",
    "updated_at": "${x?.updated_at}"
  },
  {
    "content": "y",
    "status": "pending",
    "id": "t2",
    "required": false,
    "updated_at": "${y?.updated_at}"
  }
]`)
    },
  },
  {
    title: '[O28] an item in the middle',
    run: async (plan) => {
      await write(plan, [todo('a'), todo('c')])
      await write(plan, [todo('a'), todo('b'), todo('c')])
      expect(await short(plan)).toEqual(['a', 'b', 'c'])
    },
  },
  {
    title: '[O29] another order',
    run: async (plan) => {
      await write(plan, [todo('a'), todo('b')])
      expect((await write(plan, [todo('b'), todo('a')])).text).toBe('Updated todo list v2: 0/2 completed')
      expect(await short(plan)).toEqual(['b', 'a'])
    },
  },
  {
    title: '[O30] two items of equal content are two steps, each with its own status',
    run: async (plan) => {
      await write(plan, [todo('x'), todo('x', 'completed')])
      expect(await short(plan)).toEqual(['x', 'x completed'])
      expect((await write(plan, [todo('x', 'in_progress'), todo('x', 'completed')])).text).toBe(
        'Updated todo list v2: 1/2 completed\n  ~ x [pending -> in_progress]',
      )
      expect(await short(plan)).toEqual(['x in_progress', 'x completed'])
      expect((await write(plan, [todo('x', 'completed')])).text).toContain('\n  - x\n')
    },
  },
  {
    title: 'a write of the same list is a version, and stamps nothing',
    run: async (plan) => {
      await write(plan, [todo('a', 'pending', { description: 'd', required: true })], 'a')
      const before = await listOf(plan)
      const reply = await write(plan, [todo('a', 'pending', { description: 'd', required: true })], 'a')
      expect(reply).toMatchObject({ success: true, text: 'Updated todo list v2: 0/1 completed', version: 2 })
      expect(await listOf(plan)).toEqual(before)
      expect((await write(plan, [])).text).toBe('Updated todo list v3: 0/0 completed\n  - a')
    },
  },
  {
    title: 'what an item leaves out is gone, as in a list that is replaced',
    run: async (plan) => {
      await write(plan, [todo('a', 'pending', { description: 'd', required: true })])
      await write(plan, [todo('a')])
      const [a] = await listOf(plan)
      expect(a).toMatchObject({ required: false })
      expect(a).not.toHaveProperty('description')
    },
  },
  {
    title: 'an id gives a task another content, which shows as + and -',
    run: async (plan) => {
      await write(plan, [todo('a', 'in_progress'), todo('b', 'pending', { id: 'second' })])
      const reply = await write(plan, [todo('A', 'in_progress', { id: 't1' }), todo('B', 'pending', { id: 'second' })])
      expect(reply.text).toBe('Updated todo list v2: 0/2 completed\n  + A [in_progress]\n  + B [pending]\n  - a\n  - b')
      expect((await listOf(plan)).map(({ id }) => id)).toEqual(['t1', 'second'])
      expect(reply['changed']).toHaveLength(2)
    },
  },
  {
    title: 'a place is never stored, and one that there is not names nothing',
    run: async (plan) => {
      await write(plan, [todo('a', 'pending', { id: 't7' }), todo('b', 'pending', { id: 't1' })])
      expect((await listOf(plan)).map(({ id }) => id)).toEqual(['t1', 't2'])
    },
  },
  {
    title: 'a model that numbers its lines anew keeps its tasks',
    run: async (plan) => {
      await write(plan, [todo('a', 'pending', { id: 't1' }), todo('b', 'pending', { id: 't2' })])
      await plan.call('list_todos', {}, 'b')
      await plan.call('toggle_todos', { indices: [1] }, 'b')
      await write(
        plan,
        ['NEW', 'a', 'b'].map((content, i) => todo(content, 'pending', { id: `t${i + 1}` })),
      )
      expect(await short(plan)).toEqual(['NEW', 'a completed', 'b'])
    },
  },
  {
    title: 'an id that names another task is refused',
    run: async (plan) => {
      await write(plan, [todo('a', 'pending', { id: 'one' })], 'b')
      const reply = await write(plan, [todo('mine', 'pending', { id: 'one' })], 'a')
      expect(reply.success).toBe(false)
      expect(reply.text).toMatch(/^Error: the id "one" of "mine" belongs to another step, "a"\./)
      expect(reply.text).toContain('Nothing was changed.')
      const doubled = [todo('x', 'pending', { id: 'same' }), todo('y', 'pending', { id: 'same' })]
      expect((await write(plan, doubled, 'a')).success).toBe(false)
      expect(await short(plan)).toEqual(['a'])
      // An id that its task gives up, or that goes with it, is free.
      const reused = [todo('c', 'pending', { id: 'one' }), todo('a', 'pending', { id: 'two' })]
      expect((await write(plan, reused, 'b')).success).toBe(true)
    },
  },
  {
    title: '[RB-G8] synonyms of statuses are read as meant, and told',
    run: async (plan) => {
      const given = ['done', 'complete', 'DONE', 'todo', 'in-progress', 'canceled', 'cancelled', 'blocked']
      const reply = await write(
        plan,
        given.map((status, i) => todo(`test ${i}`, status)),
      )
      expect(todosIn(reply).map(({ status }) => status)).toEqual(
        'completed completed completed pending in_progress cancelled cancelled blocked'.split(' '),
      )
      // One note tells of all of them.
      expect(reply.text.split('\n\n')[1]).toBe(
        'Note: "done" was read as completed, "complete" as completed, "DONE" as completed, "todo" as pending, ' +
          '"in-progress" as in_progress and 1 more',
      )
    },
  },
  {
    title: '[RB-G5][RB-G6][RB-G11] sloppy fields are read as meant',
    run: async (plan) => {
      const reply = await write(plan, [
        { content: 12345, status: 'pending', description: null, required: 'true', id: 7, activeForm: 'Doing' },
      ])
      expect(todosIn(reply)[0]).toMatchObject({ content: '12345', required: true, id: 't1' })
      // What read_todos shows can be sent back as it is.
      const again = await write(plan, (await plan.call('read_todos', {}, 'a')).text)
      expect(again.text).toBe('Updated todo list v2: 0/1 completed')
      for (const wrong of [{ required: 'perhaps' }, { description: {} }, { id: [7] }])
        expect((await write(plan, [todo('x', 'pending', wrong)])).text).toMatch(/^Error: '/)
    },
  },
  {
    title: '[L5] a list may have as many items as a plan',
    run: async (plan) => {
      const many = Array.from({ length: 10_001 }, (_, i) => todo(`x${i}`))
      expect((await write(plan, many)).text).toBe('Error: a list holds at most 10000 todos, and this one has 10001')
      expect((await write(plan, many.slice(0, 600))).text).toMatch(/^Updated todo list v1: 0\/600 completed/)
      expect((await write(plan, many.slice(0, 599))).text).toBe('Updated todo list v2: 0/599 completed\n  - x599')
      expect((await write(plan, [todo('x'.repeat(4_001))])).text).toMatch(/^Error: A step has at most 4000 characters/)
    },
  },
]

const together: readonly ChecklistCase[] = [
  {
    title: '[L1][O37] two agents that each keep a list of their own never remove each other’s steps',
    run: async (plan) => {
      const lists = { a: [todo('a1'), todo('a2')], b: [todo('b1'), todo('b2')] }
      await write(plan, lists.a, 'a')
      await plan.call('read_todos', {}, 'b')
      for (const who of ['b', 'a', 'b', 'a'] as const) await write(plan, lists[who], who)
      expect((await short(plan)).sort()).toEqual(['a1', 'a2', 'b1', 'b2'])
    },
  },
  {
    title: '[L2][O39] of equal contents the one goes that was left out',
    run: async (plan) => {
      const texts = ['Parser', 'Write tests', 'Printer', 'Write tests', 'Linter', 'Write tests']
      const list = texts.map((text, i) => todo(text, i === 1 ? 'completed' : 'pending'))
      await write(plan, list, 'a')
      await write(plan, list.toSpliced(1, 1), 'a')
      expect(await short(plan)).toEqual(['Parser', 'Printer', 'Write tests', 'Linter', 'Write tests'])
    },
  },
  {
    title: '[L3][O35] positions are not names: two lists that are both numbered from 1 are both there',
    run: async (plan) => {
      const numbered = (...texts: string[]) => texts.map((text, i) => todo(text, 'pending', { id: `${i + 1}` }))
      await write(plan, numbered('a', 'b'), 'a')
      expect((await write(plan, numbered('x', 'y'), 'b')).success).toBe(true)
      expect((await short(plan)).sort()).toEqual(['a', 'b', 'x', 'y'])
      await plan.call('read_todos', {}, 'c')
      const before = todosIn(await plan.call('read_todos', {}, 'c')).map(({ content }) => content)
      expect(before).toContain('a')
      await write(plan, numbered('a2', 'b'), 'a')
      expect((await short(plan)).sort()).toEqual(['a2', 'b', 'x', 'y'])
    },
  },
  {
    title: '[L4][O40] a content that somebody else has is a new step for who never saw that',
    run: async (plan) => {
      await write(plan, [todo('Set up CI')], 'b')
      const reply = await write(plan, [todo('Set up CI', 'completed')], 'c')
      expect((await short(plan)).sort()).toEqual(['Set up CI', 'Set up CI completed'])
      expect(reply.text).toContain('"Set up CI" of b says the same')
    },
  },
  {
    title: '[O33][O34][T1] a list that is numbered anew is read by its contents',
    run: async (plan) => {
      const numbered = (...items: [string, string][]) =>
        items.map(([text, status], i) => todo(text, status, { id: `${i + 1}` }))
      await write(plan, numbered(['a', 'pending'], ['new', 'pending'], ['b', 'pending'], ['c', 'pending']), 'A')
      await plan.call('list_todos', {}, 'B')
      await plan.call('toggle_todos', { indices: [3] }, 'B')
      const reply = await write(plan, numbered(['a', 'completed'], ['b', 'pending'], ['c', 'in_progress']), 'A')
      expect(await short(plan)).toEqual(['a completed', 'b completed', 'c in_progress'])
      expect(reply.text).toContain('Note: "b" stays completed: B set that since you last looked')
    },
  },
  {
    title: '[12-1] what a list left out gets no new name by the numbers of the next one',
    run: async (plan) => {
      const numbered = (...texts: string[]) => texts.map((text, i) => todo(text, 'pending', { id: `${i + 1}` }))
      await write(plan, numbered('x', 'y'), 'A')
      await plan.call('list_todos', {}, 'B')
      await plan.call('update_todos', { updates: [{ index: 1, text: 'x2' }] }, 'B')
      const left = await write(plan, numbered('y'), 'A')
      expect(left.text).toBe(
        [
          'Updated todo list v3: 0/2 completed',
          '  = x2 [pending]',
          '',
          'Note: "x", now "x2", was left out and stays: B changed it since you last looked. read_todos, then leave it out to remove it',
          'Note: ids count all tasks of the plan: item 1 is t2',
          'Since you last looked: B renamed t1 "x2" (your words were "x")',
        ].join('\n'),
      )
      await write(plan, numbered('new', 'y'), 'A')
      expect((await short(plan)).sort()).toEqual(['new', 'x2', 'y'])
      await plan.call('read_todos', {}, 'A')
      await write(plan, numbered('new', 'y'), 'A')
      expect(await short(plan)).toEqual(['new', 'y'])
    },
  },
  {
    title: '[12-1] a list that is numbered anew counts in the order in which its caller wrote it, however steps nest',
    run: async (plan) => {
      const numbered = (...texts: string[]) => texts.map((text, i) => todo(text, 'pending', { id: `${i + 1}` }))
      await add(plan, [{ text: 'P' }, { text: 'C', depth: 1 }, { text: 'Q' }], 'B')
      const child = (await listOf(plan))[1]
      await plan.call('read_todos', {}, 'A')
      await write(plan, numbered('P', 'Q', 'C'), 'A')
      const reply = await write(plan, numbered('P', 'Q', 'C2'), 'A')
      expect(reply['changed']).toMatchObject([{ text: 'C2', index: 2 }])
      expect((await listOf(plan))[1]).toMatchObject({ content: 'C2', id: child?.id })
      expect(await short(plan)).toEqual(['P', 'C2', 'Q'])
    },
  },
  {
    title: '[F4] what did not count is told again once it stands differently, and once only',
    run: async (plan) => {
      await write(plan, [todo('x')], 'A')
      await plan.call('list_todos', {}, 'B')
      await plan.call('toggle_todos', { indices: [1] }, 'B')
      const stays = (reply: ToolReply) => (reply['notes'] ?? []) as readonly string[]
      const said = 'stays completed: B set that since you last looked'
      expect(stays(await write(plan, [todo('x', 'blocked')], 'A'))).toEqual([`"x" ${said}`])
      await plan.call('toggle_todos', { indices: [1] }, 'B')
      const again = 'stays pending: B set that since you last looked'
      expect(stays(await write(plan, [todo('x', 'blocked')], 'A'))).toEqual([`"x" ${again}`])
      expect(stays(await write(plan, [todo('x', 'blocked')], 'A'))).toEqual([])
      expect(await short(plan)).toEqual(['x'])
    },
  },
  {
    title: '[F5] what is left between two known items is what is left between their steps',
    run: async (plan) => {
      const numbered = (...texts: string[]) => texts.map((text, i) => todo(text, 'pending', { id: `t${i + 1}` }))
      const numbers = ({ changed }: ToolReply) =>
        (changed as readonly { text?: string; number?: number }[]).map(({ text, number }) => [text, number])
      const first = numbers(await write(plan, numbered('One', 'Two', 'Three'), 'a'))
      expect(first).toEqual([
        ['One', 1],
        ['Two', 2],
        ['Three', 3],
      ])
      const changed = numbers(await write(plan, numbered('Two', 'Three, reworded', 'Four'), 'a'))
      expect(changed.slice(0, 2)).toEqual([
        ['Three, reworded', 3],
        ['Four', 4],
      ])
    },
  },
  {
    title: '[O31] a stale pending does not re-open what somebody completed, and a note says who',
    run: async (plan) => {
      await write(plan, [todo('x')], 'a')
      await plan.call('read_todos', {}, 'b')
      await write(plan, [todo('x', 'completed')], 'b')
      const reply = await write(plan, [todo('x'), todo('y')], 'a')
      expect(await short(plan)).toEqual(['x completed', 'y'])
      expect(reply.text).toBe(
        [
          'Updated todo list v3: 1/2 completed',
          '  + y [pending]',
          '',
          'Note: "x" stays completed: b set that since you last looked',
          'Since you last looked: b completed t1 "x"',
        ].join('\n'),
      )
      // [F4] The same stale list again changes nothing; once it has looked, what it says is meant.
      const again = await write(plan, [todo('x'), todo('y')], 'a')
      expect(again.text).toBe('Updated todo list v4: 1/2 completed')
      await plan.call('read_todos', {}, 'a')
      await write(plan, [todo('x'), todo('y')], 'a')
      expect(await short(plan)).toEqual(['x', 'y'])
    },
  },
  {
    title: 'who starts what somebody completed meanwhile is told, and does not re-open it',
    run: async (plan) => {
      await write(plan, [todo('x')], 'a')
      await plan.call('list_todos', {}, 'b')
      await plan.call('toggle_todos', { indices: [1] }, 'b')
      const reply = await write(plan, [todo('x', 'in_progress')], 'a')
      expect(await short(plan)).toEqual(['x completed'])
      expect(reply['notes']).toEqual(['"x" stays completed: b set that since you last looked'])
    },
  },
  {
    title: 'who wrote one field of a step has not seen what somebody else did to another',
    run: async (plan) => {
      await write(plan, [todo('x'), todo('y')], 'a')
      await plan.call('list_todos', {}, 'b')
      await plan.call('toggle_todos', { indices: [1] }, 'b')
      await plan.call('update_todos', { updates: [{ index: 1, text: 'X' }] }, 'a')
      await write(plan, [todo('X'), todo('y')], 'a')
      expect(await short(plan)).toEqual(['X completed', 'y'])
    },
  },
  {
    title: '[O32] a step that somebody renamed is matched by the content that was seen',
    run: async (plan) => {
      await write(plan, [todo('x')], 'a')
      await plan.call('list_todos', {}, 'Ann')
      await plan.call('update_todos', { updates: [{ index: 1, text: 'X2' }] }, 'Ann')
      const reply = await write(plan, [todo('x', 'completed'), todo('test')], 'a')
      expect(await short(plan)).toEqual(['X2 completed', 'test'])
      expect(reply.text).toContain('  ~ X2 [pending -> completed]\n')
      expect(reply['notes']).toEqual(['"x" is "X2" now: Ann renamed it since you last looked'])
    },
  },
  {
    title: '[RB-A4][L4] two lists by two actors that never looked: nothing is dropped, and a double is told',
    run: async (plan) => {
      const [one, two] = await Promise.all([
        write(plan, [todo('a'), todo('both', 'completed')], 'a'),
        write(plan, [todo('both'), todo('b')], 'b'),
      ])
      expect([one.success, two.success]).toEqual([true, true])
      expect((await short(plan)).sort()).toEqual(['a', 'b', 'both', 'both completed'])
      expect(`${one.text}${two.text}`).toMatch(/ {2}= (a|b) \[pending\]/)
      expect(`${one.text}${two.text}`).toMatch(/Note: t\d "both" of (a|b) says the same: you had not seen it/)
    },
  },
  {
    title: '[RB-A5] what others added stays and is shown, what was seen and left out goes',
    run: async (plan) => {
      const ten = Array.from({ length: 10 }, (_, i) => todo(`item ${i}`))
      await write(plan, ten, 'a')
      await add(plan, [{ text: 'mine' }, { text: 'too' }], 'b')
      const seven = [...ten.slice(0, 5), ...ten.slice(8)]
      const reply = await write(plan, seven, 'a')
      expect(await short(plan)).toEqual([...seven.map((one) => one['content']), 'mine', 'too'])
      expect(reply.text).toMatch(
        /^Updated todo list v3: 0\/9 completed\n {2}- item 5\n {2}- item 6\n {2}- item 7\n {2}= mine \[pending\]\n {2}= too \[pending\]\nKept, as you never listed them\. List a step once to take it over; left out after that, it is removed\.\n\n/,
      )
      // That line makes nothing seen.
      await write(plan, seven, 'a')
      expect(await short(plan)).toEqual([...seven.map((one) => one['content']), 'mine', 'too'])
      // [O38] Once listed, it is its own doing.
      await plan.call('read_todos', {}, 'a')
      await write(plan, [...seven, todo('mine')], 'a')
      await write(plan, seven, 'a')
      expect(await short(plan)).toEqual([...seven.map((one) => one['content']), 'too'])
    },
  },
  {
    title: '[RB-A13] what a person wrote can be taken away, and the reply says so',
    run: async (plan) => {
      await write(plan, [todo('x'), todo('y')], 'a')
      await plan.call('list_todos', {}, 'Ann')
      await plan.call('update_todos', { updates: [{ index: 1, text: 'approved' }] }, 'Ann')
      await plan.call('read_todos', {}, 'a')
      const reply = await write(plan, [todo('easier'), todo('y')], 'a')
      expect(await short(plan)).toEqual(['easier', 'y'])
      expect(reply.text).toMatch(/\nNote: [^\n]*"approved" by Ann/)
    },
  },
  {
    title: 'an actor that never looked removes nothing',
    run: async (plan) => {
      await write(plan, [todo('a'), todo('b', 'completed')], 'a')
      const reply = await write(plan, [todo('c', 'pending', { id: 't1' })], 'b')
      expect(await short(plan)).toEqual(['c', 'a', 'b completed'])
      expect(reply.text).toMatch(/1\/3 completed\n {2}\+ c \[pending\]\n {2}= a \[pending\]\n {2}= b \[completed\]/)
    },
  },
  {
    title: 'steps kept stay behind the step they followed; a new one is the next sibling of the item before it',
    run: async (plan) => {
      await write(plan, [todo('a'), todo('b'), todo('c')], 'a')
      await plan.call('read_todos', {}, 'b')
      await write(plan, [todo('k'), todo('a'), todo('a2'), todo('b'), todo('c')], 'b')
      await write(plan, [todo('c'), todo('b'), todo('a'), todo('new')], 'a')
      expect(await short(plan)).toEqual(['k', 'c', 'b', 'a', 'new', 'a2'])
    },
  },
  {
    title: 'what somebody removed is not brought back by a stale list, but by the next one',
    run: async (plan) => {
      await write(plan, [todo('a'), todo('b')], 'a')
      await plan.call('list_todos', {}, 'b')
      await plan.call('remove_todos', { indices: [1] }, 'b')
      const reply = await write(plan, [todo('a'), todo('b'), todo('c')], 'a')
      expect(await short(plan)).toEqual(['b', 'c'])
      expect(reply.text).toContain('Note: "a" was removed by b since you last looked')
      await write(plan, [todo('a'), todo('b'), todo('c')], 'a')
      expect(await short(plan)).toEqual(['a', 'b', 'c'])
    },
  },
  {
    title: 'a nested plan keeps its tree; children of what is removed climb',
    run: async (plan) => {
      await add(
        plan,
        [
          ['p', 0],
          ['p1', 1],
          ['p2', 1],
          ['q', 0],
        ].map(([text, depth]) => ({ text, depth })),
        'a',
      )
      await write(
        plan,
        ['p', 'p2', 'new', 'p1', 'q'].map((one) => todo(one)),
        'a',
      )
      expect((await plan.call('list_todos', {}, 'onlooker'))['summary']).toBe(
        ['#1  1  [ ] p', '#2  1.1  [ ] p2', '#3  1.2  [ ] new', '#4  1.3  [ ] p1', '#5  2  [ ] q'].join('\n'),
      )
      await write(
        plan,
        ['q', 'p1', 'p2'].map((one) => todo(one)),
        'a',
      )
      expect((await plan.call('list_todos', {}, 'onlooker'))['summary']).toBe(
        ['#1  1  [ ] q', '#2  2  [ ] p1', '#3  3  [ ] p2'].join('\n'),
      )
    },
  },
  {
    title: 'a description that somebody else gave is not taken away by who does not repeat it',
    run: async (plan) => {
      await write(plan, [todo('x')], 'a')
      await plan.call('read_todos', {}, 'b')
      await write(plan, [todo('x', 'pending', { description: 'from b', required: true })], 'b')
      const reply = await write(plan, [todo('x')], 'a')
      expect(reply.text).toContain('Note: the description of "x" that b gave since you last looked stays: "from b"')
      await write(plan, [todo('x')], 'a')
      expect((await listOf(plan))[0]).toMatchObject({ description: 'from b', required: true })
      // A blank one is none, as it is for everything that may be left out.
      await write(plan, [todo('x', 'pending', { description: '', required: false })], 'a')
      expect((await listOf(plan))[0]).toMatchObject({ description: 'from b', required: false })
    },
  },
  {
    title: '[12-1] a new item of a numbered list renames nothing of others that it leaves out',
    run: async (plan) => {
      await write(plan, [todo('a1'), todo('a2')], 'a')
      await plan.call('list_todos', {}, 'b')
      await add(plan, [{ text: 'of b' }, { text: 'too' }], 'b', { parent_index: 1 })
      for (const ids of [
        [1, 2, 3],
        [0, 1, 2],
        [7, 2, 9],
      ]) {
        await plan.call('read_todos', {}, 'a')
        const list = ['a1', `new ${ids[0]}`, 'a2'].map((content, i) => todo(content, 'pending', { id: ids[i] }))
        await write(plan, list, 'a')
        expect((await short(plan)).toSorted()).toEqual(['a1', 'a2', `new ${ids[0]}`, 'of b', 'too'])
      }
    },
  },
  {
    title: 'rev says what t1 means',
    run: async (plan) => {
      await write(plan, [todo('a'), todo('b')], 'a')
      await add(plan, [{ text: 'first' }], 'b')
      await plan.call('read_todos', {}, 'a')
      await write(plan, [todo('first'), todo('a'), todo('b')], 'a')
      await write(plan, [todo('first'), todo('A', 'pending', { id: 't1' }), todo('b')], 'a', { rev: 1 })
      expect(await short(plan)).toEqual(['first', 'A', 'b'])
      const future = await write(plan, [], 'a', { rev: 99 })
      expect(future).toMatchObject({
        success: false,
        error: expect.stringMatching(/^Error: rev 99 is in the future/) as unknown,
      })
    },
  },
  {
    title: 'no digest in read_todos: it waits for the next reply',
    run: async (plan) => {
      await write(plan, [todo('a')], 'a')
      await add(plan, [{ text: 'b' }], 'b')
      expect(await plan.call('read_todos', {}, 'a')).not.toHaveProperty('digest')
      const reply = await write(plan, 'no list', 'a')
      expect(reply.text).toBe(`${NO_LIST}\n\nSince you last looked: b added t2 "b"`)
      expect((await write(plan, 'no list', 'a')).text).toBe(NO_LIST)
    },
  },
]

export const CHECKLIST_CASES: readonly ChecklistCase[] = [...alone, ...together]
