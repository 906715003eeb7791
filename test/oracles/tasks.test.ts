import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openPure } from '../helpers/plan-driver.ts'
import type { Said } from './tasks-model.ts'
import { Tasks } from './tasks-model.ts'

interface Move {
  readonly tool: string
  readonly args: object
  readonly play: (model: Tasks) => Said
}

const id = fc.oneof(
  { weight: 15, arbitrary: fc.integer({ min: 1, max: 7 }).map((n) => `task-${n}`) },
  fc.constantFrom('ghost', 'task-99'),
)
const ids = fc.array(id, { maxLength: 3 })
const group = fc.constantFrom('Backend', 'Frontend', 'Docs')
const description = fc.oneof({ weight: 9, arbitrary: fc.constantFrom('one', ' two ', 'three') }, fc.constant('  '))
const status = fc.constantFrom('Pending', 'InProgress', 'Completed', 'Cancelled')

const write = (action: object, play: Move['play']): Move => ({ tool: 'plan_todo_write', args: { action }, play })
const crossOff = (type: 'Complete' | 'Cancel', name: string): Move => ({
  tool: 'plan_todo_cross_off',
  args: { action: { type, id: name } },
  play: (model) => model.crossOff(name, type === 'Complete' ? 'Completed' : 'Cancelled'),
})
const read = (action: object, play: Move['play']): Move => ({ tool: 'plan_todo_read', args: { action }, play })

const adding = fc
  .tuple(group, description, fc.option(ids))
  .map(([title, text, depends]) =>
    write({ type: 'Add', group: title, description: text, depends_on: depends }, (model) =>
      model.add(title, text, depends ?? []),
    ),
  )
const editing = fc
  .tuple(id, fc.option(description), fc.option(group), fc.option(ids))
  .map(([name, text, title, depends]): Move => ({
    tool: 'plan_todo_edit',
    args: { edit: { id: name, description: text, group: title, depends_on: depends } },
    play: (model) => model.edit(name, text, title, depends),
  }))
const listing = fc
  .tuple(fc.option(fc.oneof(group, fc.constant('Nowhere'))), fc.option(status))
  .map(([title, state]) => read({ type: 'List', group: title, status: state }, (model) => model.list(title, state)))

const item = fc.record({ text: fc.constantFrom('x', 'y z'), isDone: fc.boolean(), depends: fc.option(fc.nat(4)) })
const markdown = fc.uniqueArray(fc.tuple(group, fc.array(item, { maxLength: 3 })), { selector: ([title]) => title })
const loading = markdown.map((groups): Move => {
  const lines = groups.flatMap(([title, items]) => [
    `## ${title}`,
    'some words',
    ...items.flatMap(({ text, isDone, depends }) => [
      `- [${isDone ? 'x' : ' '}] ${text}`,
      ...(depends === null ? [] : [`  - depends: task-${depends + 1}, task-${depends + 2}`]),
    ]),
  ])
  const given = groups.map(([title, items]) => ({
    title,
    items: items.map(({ text, isDone, depends }) => ({
      text,
      isDone,
      depends: depends === null ? [] : [`task-${depends + 1}`, `task-${depends + 2}`],
    })),
  }))
  return {
    tool: 'plan_load_from_md',
    args: { markdown: ['# Plan', '- [ ] before any group', ...lines].join('\n') },
    play: (model) => model.load(given),
  }
})

const move = fc.oneof(
  { weight: 8, arbitrary: adding },
  { weight: 4, arbitrary: editing },
  { weight: 3, arbitrary: id.map((name) => write({ type: 'Start', id: name }, (model) => model.start(name))) },
  { weight: 2, arbitrary: id.map((name) => write({ type: 'Remove', id: name }, (model) => model.remove(name))) },
  { weight: 4, arbitrary: id.map((name) => crossOff('Complete', name)) },
  { weight: 2, arbitrary: id.map((name) => crossOff('Cancel', name)) },
  { weight: 2, arbitrary: group.map((of) => write({ type: 'VerifyGroup', group: of }, (model) => model.verify(of))) },
  {
    weight: 1,
    arbitrary: fc.boolean().map((keep) => write({ type: 'Clean', keep_pending: keep }, (model) => model.clean(keep))),
  },
  { weight: 2, arbitrary: listing },
  { weight: 1, arbitrary: id.map((name) => read({ type: 'Get', id: name }, (model) => model.get(name))) },
  { weight: 1, arbitrary: loading },
)

test('tasks: a lone agent is served as published, call for call', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 5, maxLength: 40 }),
      fc.constantFrom('', 'agent-a'),
      async (moves, who) => {
        const plan = openPure()
        const model = new Tasks()
        let version = 0
        for (const { tool, args, play } of moves) {
          const before = model.text()
          const said = play(model)
          const reply = await plan.call(who, tool, args)
          if (tool === 'plan_load_from_md') {
            expect(reply.text).toBe('ok')
            version = reply.version ?? NaN
          } else {
            if (before !== model.text()) version++
            if (typeof said === 'string') {
              expect(reply.success).toBe(false)
              expect(reply.text.split('\n\n')[0]).toBe(said)
            } else expect(reply.text).toBe(JSON.stringify({ ...said, version }))
          }
          const block = (await plan.block(who, 'tasks')).split('\n')
          // The second line is in our own words, and so is the mark of a dependency that was removed.
          const lines = [block[0], ...block.slice(2)].map((line) => line?.replaceAll(' (missing)', ''))
          expect(lines).toEqual(model.block())
        }
        await plan.close()
      },
    ),
    { numRuns: 300 },
  )
})
