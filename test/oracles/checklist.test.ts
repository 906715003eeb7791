import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openPure } from '../helpers/plan-driver.ts'

interface Item {
  readonly content: string
  readonly status: string
  readonly description?: string
  readonly required?: boolean
  readonly id?: string
}

const REMINDER = 'All tasks completed. Before responding, verify your work'
const STATUSES = ['pending', 'in_progress', 'completed', 'blocked', 'cancelled']

/** The published list: what was written last, and how often something was. */
class Checklist {
  list: readonly Item[] = []
  version = 0

  #progress(): string {
    const counted = this.list.filter(({ status }) => status !== 'cancelled')
    return `${counted.filter(({ status }) => status === 'completed').length}/${counted.length} completed`
  }

  /** The lines of the reply, and whether the reminder follows. */
  write(list: readonly Item[]): { lines: string[]; isReminded: boolean } {
    const old = new Map(this.list.map(({ content, status }) => [content, status]))
    const now = new Set(list.map(({ content }) => content))
    this.list = list
    this.version++
    const told = list.flatMap(({ content, status }) => {
      const was = old.get(content)
      if (was === undefined) return [`  + ${content} [${status}]`]
      return was === status ? [] : [`  ~ ${content} [${was} -> ${status}]`]
    })
    const gone = [...old.keys()].filter((content) => !now.has(content)).map((content) => `  - ${content}`)
    const counted = list.filter(({ status }) => status !== 'cancelled')
    const isDone = counted.length > 0 && counted.every(({ status }) => status === 'completed')
    return {
      lines: [`Updated todo list v${this.version}: ${this.#progress()}`, ...told, ...gone],
      isReminded: isDone && !list.some(({ content }) => /verify|test|check/i.test(content)),
    }
  }

  read(actor: string): object[] {
    return this.list.map(({ content, status, description, required = false }, at) => ({
      content,
      status,
      ...(description === undefined ? {} : { description }),
      id: `t${at + 1}`,
      required,
      ...(actor === '' ? {} : { updated_by: actor }),
    }))
  }

  block(actor: string): string {
    if (this.list.length === 0) return ''
    const lines = this.list.map(({ content, status, description, required = false }, at) => {
      const state = status === 'completed' ? 'done' : status
      const more = description === undefined ? '' : ` — ${description}`
      return `  t${at + 1} [${state}] ${content}${required ? ' (required)' : ''}${more}${actor === '' ? '' : ` @${actor}`}`
    })
    const blocked = this.list.filter(({ status }) => status === 'blocked').length
    const progress = `Progress: ${this.#progress()}${blocked > 0 ? `, ${blocked} blocked` : ''}.`
    return [`Current tasks (v${this.version}):`, ...lines, '', progress].join('\n')
  }
}

const item: fc.Arbitrary<Item> = fc.record(
  {
    content: fc.constantFrom('a', 'b', 'c', 'd', 'Write it', 'Run the TESTS', 'ship'),
    status: fc.oneof(fc.constantFrom(...STATUSES), fc.constant('completed')),
    description: fc.constantFrom('how', 'why'),
    required: fc.boolean(),
    id: fc.constantFrom('t1', 't2', 't5'),
  },
  { requiredKeys: ['content', 'status'] },
)
const different = fc.uniqueArray(item, { maxLength: 6, selector: ({ content }) => content })

/** What is refused, and how. */
const wrong = fc.oneof(
  fc.constantFrom('not json', '{', 7, true).map((todos) => [todos, 'Error: todos must be a valid JSON array'] as const),
  fc
    .constantFrom({ content: 'a' }, { status: 'pending' }, { content: ' ', status: 'pending' })
    .map((one) => [[one], "Error: each todo must have 'content' and 'status'"] as const),
  fc.constant([
    [{ content: 'a', status: 'weird' }],
    "Error: status must be one of ['blocked', 'completed', 'in_progress', 'pending']",
  ] as const),
)

const move = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(different, fc.boolean()).map(([list, asText]) => ({ list, asText })) },
  { weight: 1, arbitrary: wrong },
)
const actors = fc.constantFrom('', 'agent-a')

const readBack = async (plan: ReturnType<typeof openPure>, who: string): Promise<object[]> => {
  const { text } = await plan.call(who, 'read_todos')
  const list = JSON.parse(text) as { updated_at?: unknown }[]
  expect(text).toBe(JSON.stringify(list, null, 2))
  return list.map(({ updated_at: at, ...rest }) => {
    expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*Z$/)
    return rest
  })
}

test('checklist: a lone agent is served as published, call for call', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 3, maxLength: 20 }), actors, async (moves, who) => {
      const plan = openPure()
      const model = new Checklist()
      for (const one of moves) {
        if ('list' in one) {
          const reply = await plan.call(who, 'write_todos', { todos: one.asText ? JSON.stringify(one.list) : one.list })
          const { lines, isReminded } = model.write(one.list)
          const [shown, ...rest] = reply.text.split('\n\n')
          expect(shown).toBe(lines.join('\n'))
          expect(rest.some((part) => part.startsWith(REMINDER))).toBe(isReminded)
          expect(reply.version).toBe(model.version)
        } else {
          const reply = await plan.call(who, 'write_todos', { todos: one[0] })
          expect(reply.success).toBe(false)
          expect(reply.text.split('\n\n')[0]).toBe(one[1])
        }
        const read = await readBack(plan, who)
        expect(JSON.stringify(read)).toBe(JSON.stringify(model.read(who)))
        expect(await plan.block(who, 'checklist')).toBe(model.block(who))
      }
      await plan.close()
    }),
    { numRuns: 300 },
  )
})

test('checklist: a lone agent reads back what it wrote, equal contents included', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(item, { maxLength: 8 }), { minLength: 2, maxLength: 10 }),
      actors,
      async (lists, who) => {
        const plan = openPure()
        const model = new Checklist()
        for (const list of lists) {
          const reply = await plan.call(who, 'write_todos', { todos: list })
          expect(reply.text.split('\n')[0]).toBe(model.write(list).lines[0])
          expect(await readBack(plan, who)).toEqual(model.read(who))
        }
        await plan.close()
      },
    ),
    { numRuns: 100 },
  )
})
