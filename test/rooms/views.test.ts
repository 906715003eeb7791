import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Storage } from '../../server/rooms/storage.ts'
import { ThreadDeleted } from '../../server/rooms/storage.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { Views } from '../../shared/dialects/views.ts'
import { MAX_VIEWS, SNAPSHOT_EVERY } from '../../shared/schema/limits.ts'
import { agent, envelopeOf, openPure, openRoom, summaryOf } from '../helpers/plan-driver.ts'
import type { PlanDriver, RoomDriver } from '../helpers/plan-driver.ts'

const A = 'agent-a'
const B = 'agent-b'
type Item = Readonly<Record<string, unknown>>
const todo = (content: string, status = 'pending', more: Item = {}): Item => ({ content, status, ...more })

/** A storage that outlives the rooms over it. */
interface Disk {
  readonly storage: Storage
  /** As a process does that starts anew. */
  reopen(): Promise<Disk>
}
async function memoryDisk(): Promise<Disk> {
  const disk: Disk = { storage: createMemoryStorage(), reopen: () => Promise.resolve(disk) }
  return disk
}
async function sqliteDisk(): Promise<Disk> {
  const directory = await mkdtemp(join(tmpdir(), 'planroom-views-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const open = async (): Promise<Disk> => {
    const storage = await openSqliteStorage({ directory })
    onTestFinished(() => storage.close())
    const reopen = async () => {
      await storage.close()
      return open()
    }
    return { storage, reopen }
  }
  return open()
}

/** A plan in a room, and what it is after a restart. */
interface Server {
  plan: RoomDriver
  restart(): Promise<void>
}
async function start(newDisk: () => Promise<Disk>): Promise<Server> {
  let disk = await newDisk()
  const server: Server = {
    plan: openRoom({ storage: disk.storage }),
    restart: async () => {
      await server.plan.close()
      disk = await disk.reopen()
      server.plan = openRoom({ storage: disk.storage })
    },
  }
  return server
}

const steps = async (plan: PlanDriver) =>
  (await plan.standing()).steps.map(({ text, status }) => (status === 'pending' ? text : `${text} ${status}`))
type Deed = readonly [who: string, tool: string, args?: object]
const run = async (plan: PlanDriver, deeds: readonly Deed[]) => {
  for (const [who, tool, args = {}] of deeds) expect(await plan.call(who, tool, args)).toMatchObject({ success: true })
}
const adds = (who: string, texts: string): Deed => [who, 'add_todos', { steps: texts.split(' ') }]
const LISTED: readonly Deed[] = [adds(B, 'a b c d'), [A, 'list_todos']]

/** What others did between the looking and the call, and the call. */
const SCENARIOS: readonly (readonly [name: string, before: readonly Deed[], call: Deed])[] = [
  ['nobody did anything', [], [A, 'toggle_todos', { indices: [2] }]],
  ['a step before it went', [[B, 'remove_todos', { indices: [1] }]], [A, 'toggle_todos', { indices: [2] }]],
  ['the step itself went', [[B, 'remove_todos', { indices: [4] }]], [A, 'toggle_todos', { indices: [4] }]],
  ['a step behind it went', [[B, 'remove_todos', { indices: [3] }]], [A, 'remove_todos', { indices: [2] }]],
  [
    'it was renamed',
    [[B, 'update_todos', { updates: [{ index: 2, text: 'B' }] }]],
    [A, 'toggle_todos', { indices: [2] }],
  ],
  ['it was completed', [[B, 'toggle_todos', { indices: [2] }]], [A, 'toggle_todos', { indices: [2] }]],
  ['something came behind all', [adds(B, 'e')], [A, 'remove_todos', { indices: [5] }]],
  [
    'something came below it',
    [[B, 'add_todos', { steps: ['e'], parent_index: 2 }]],
    [A, 'remove_todos', { indices: [2] }],
  ],
  [
    'its number was given again',
    [
      [B, 'remove_todos', { indices: [4] }],
      [B, 'plan_todo_write', { action: { type: 'Add', group: 'g', description: 'new' } }],
    ],
    [A, 'plan_todo_cross_off', { action: { type: 'Complete', id: 'task-4' } }],
  ],
  [
    'others added, and the list is written',
    [adds(B, 'e')],
    [A, 'write_todos', { todos: [todo('a'), todo('c', 'completed'), todo('new')] }],
  ],
  [
    'others added, and all is cleaned',
    [adds(B, 'e')],
    [A, 'plan_todo_write', { action: { type: 'Clean', keep_pending: false } }],
  ],
  ['others added, and a plan is loaded', [adds(B, 'e')], [A, 'plan_load_from_md', { markdown: '## g\n- [ ] x' }]],
  [
    'it was completed, and is started',
    [[B, 'toggle_todos', { indices: [2] }]],
    [A, 'plan_todo_write', { action: { type: 'Start', id: 'task-2' } }],
  ],
  [
    'the caller added something of its own meanwhile',
    [adds(B, 'e'), adds(A, 'mine'), adds(B, 'f')],
    [A, 'toggle_todos', { indices: [6] }],
  ],
]

describe.each([
  ['memory', memoryDisk, ['before', 'behind', 'both']],
  ['SQLite', sqliteDisk, ['both']],
] as const)('[RB-B5] views over restarts, with %s', (_name, newDisk, whens) => {
  test.each(SCENARIOS)('refused, or done as without a restart: %s', async (_what, before, [who, tool, args]) => {
    const still = await start(newDisk)
    await run(still.plan, [...LISTED, ...before])
    const expected = await still.plan.call(who, tool, args)
    const wanted = await steps(still.plan)
    await still.plan.close()
    // Restarted before the others changed something, behind it, and both.
    for (const when of whens) {
      const server = await start(newDisk)
      await run(server.plan, LISTED)
      if (when !== 'behind') await server.restart()
      await run(server.plan, before)
      if (when !== 'before') await server.restart()
      const present = await server.plan.standing()
      const reply = await server.plan.call(who, tool, args)
      if (reply.success) {
        expect(expected.success, when).toBe(true)
        expect(await steps(server.plan), when).toEqual(wanted)
      } else expect(await server.plan.standing(), when).toEqual(present)
      await server.plan.close()
    }
  })

  test('the step that stood there is named, though who moved it is not known any more', async () => {
    const server = await start(newDisk)
    await run(server.plan, [...LISTED, [B, 'remove_todos', { indices: [1] }]])
    await server.restart()
    expect(summaryOf(await server.plan.call(A, 'toggle_todos', { indices: [2] }))).toBe(
      '#2 was "b" (now #1) in version 1 and is now "c": the plan has changed since. Nothing was changed. List first.',
    )
    await server.plan.close()
  })

  test('[RB-B5] ids, numbers and order are the same, and an old id still names its step', async () => {
    const server = await start(newDisk)
    await run(server.plan, LISTED)
    const before = await server.plan.standing()
    await server.restart()
    expect(await server.plan.standing()).toEqual(before)
    const id = before.steps[2]?.id
    await run(server.plan, [[A, 'plan_todo_cross_off', { action: { type: 'Complete', id } }]])
    expect(await steps(server.plan)).toEqual(['a', 'b', 'c completed', 'd'])
    await server.plan.close()
  })

  test('[O31] contents as they were seen survive: a stale pending opens nothing again', async () => {
    const server = await start(newDisk)
    await run(server.plan, [[A, 'write_todos', { todos: [todo('x')] }]])
    await server.restart()
    await run(server.plan, [
      [B, 'list_todos'],
      [B, 'toggle_todos', { indices: [1] }],
    ])
    await server.restart()
    const reply = await server.plan.call(A, 'write_todos', { todos: [todo('x'), todo('y')] })
    expect(await steps(server.plan)).toEqual(['x completed', 'y'])
    expect(reply.text).toContain('"x" stays completed: agent-b set that since you last looked')
    await server.plan.close()
  })

  test('[O32] contents as they were seen survive: a renamed step is not doubled', async () => {
    const server = await start(newDisk)
    await run(server.plan, [[A, 'write_todos', { todos: [todo('x')] }]])
    await run(server.plan, [
      [B, 'list_todos'],
      [B, 'update_todos', { updates: [{ index: 1, text: 'X2' }] }],
    ])
    await server.restart()
    await run(server.plan, [[A, 'write_todos', { todos: [todo('x', 'completed')] }]])
    expect(await steps(server.plan)).toEqual(['X2 completed'])
    await server.plan.close()
  })

  test('what was folded stays unseen: a list that does not hold it takes nothing of it away', async () => {
    const server = await start(newDisk)
    const texts = Array.from({ length: 300 }, (_, i) => `step ${i} with some words`)
    await run(server.plan, [[B, 'add_todos', { steps: texts }]])
    const block = await server.plan.block(A, 'checklist', 500)
    const shown = texts.filter((text) => block.includes(` ${text} `))
    expect(shown.length).toBeGreaterThan(5)
    expect(block).toContain(`(not shown: ${300 - shown.length} open steps)`)
    await server.restart()
    const [kept = ''] = shown
    const reply = await server.plan.call(A, 'write_todos', { todos: [todo(kept, 'completed')] })
    // Nor of what was printed: it never listed that.
    expect((await steps(server.plan)).toSorted()).toEqual(
      texts.map((text) => (text === kept ? `${kept} completed` : text)).toSorted(),
    )
    expect(reply.text).toContain('  = and 279 more: read_todos shows them')
    await server.plan.close()
  })

  test('older than the snapshot, a view is forgotten: refused until the actor lists, over further restarts too', async () => {
    const server = await start(newDisk)
    await run(server.plan, LISTED)
    const renamed = (i: number): Deed => [B, 'update_todos', { updates: [{ index: 1, text: `a${i}` }] }]
    for (let i = 0; i < SNAPSHOT_EVERY + 5; i++) await run(server.plan, [renamed(i)])
    await server.restart()
    const refusal = {
      success: false,
      summary:
        'What you were shown was too long ago to know what your reference meant. Nothing was changed. List first.',
    }
    const before = await server.plan.standing()
    expect(await server.plan.call(A, 'toggle_todos', { indices: [2] })).toMatchObject(refusal)
    await server.restart()
    expect(await server.plan.call(A, 'toggle_todos', { indices: [2] })).toMatchObject(refusal)
    expect(await server.plan.call(A, 'plan_todo_cross_off', { action: { type: 'Cancel', id: 2 } })).toMatchObject({
      success: false,
    })
    expect(await server.plan.standing()).toEqual(before)
    // A list takes nothing away of which it is not known whether it was seen.
    await run(server.plan, [[A, 'write_todos', { todos: [todo('z')] }]])
    expect((await steps(server.plan)).length).toBe(5)
    // What the reply shows as kept it has not seen, and was not told where it stands.
    expect(summaryOf(await server.plan.call(A, 'toggle_todos', { indices: [2] }))).toMatch(
      /^#2 was left out of what you were shown\. Nothing was changed\./,
    )
    await run(server.plan, [
      [A, 'list_todos'],
      [A, 'toggle_todos', { indices: [2] }],
    ])
    await server.plan.close()
  })

  test('of a thread the views of 64 actors are kept; who is forgotten for others is refused, not misunderstood', async () => {
    const server = await start(newDisk)
    await run(server.plan, [adds(B, 'a b c d')])
    const names = Array.from({ length: MAX_VIEWS + 6 }, (_, i) => `agent-${i}`)
    for (const name of [...names, B]) await run(server.plan, [[name, 'list_todos']])
    await run(server.plan, [[B, 'remove_todos', { indices: [1] }]])
    expect((await server.plan.storage.views(server.plan.thread)).length).toBe(MAX_VIEWS)
    const first = await server.plan.call('agent-0', 'toggle_todos', { indices: [2] })
    expect(summaryOf(first)).toMatch(/^What you were shown was too long ago/)
    const last = await server.plan.call(names.at(-1) ?? '', 'toggle_todos', { indices: [2] })
    expect(summaryOf(last)).toMatch(/^#2 was "b" \(now #1\) in version 1 and is now "c"/)
    await server.restart()
    const again = await server.plan.call(names.at(-1) ?? '', 'toggle_todos', { indices: [2] })
    expect(summaryOf(again)).toMatch(/^#2 was "b" \(now #1\) in version 1 and is now "c"/)
    expect(await steps(server.plan)).toEqual(['b', 'c', 'd'])
    await server.plan.close()
  })

  test('what an actor was told of is not told again', async () => {
    const server = await start(newDisk)
    await run(server.plan, [...LISTED, [B, 'toggle_todos', { indices: [2] }]])
    expect((await server.plan.call(A, 'list_todos')).digest).toBe('agent-b completed #2')
    await server.restart()
    const reply = await server.plan.call(A, 'list_todos')
    expect(envelopeOf(reply).digest).toBeUndefined()
    await server.plan.close()
  })

  test('the views of a deleted thread are gone with it', async () => {
    const server = await start(newDisk)
    await run(server.plan, LISTED)
    const { rooms, storage, thread } = server.plan
    expect((await storage.views(thread)).length).toBe(2)
    await rooms.remove(thread)
    expect(await storage.views(thread)).toEqual([])
    await server.restart()
    await expect(server.plan.call(A, 'toggle_todos', { indices: [1] })).rejects.toThrow(ThreadDeleted)
    await server.plan.close()
  })
})

test('a room that is unloaded and opened again knows views to the last word', async () => {
  const plan = openRoom({ idleMs: 0 })
  const unloaded = () => vi.waitFor(() => expect(plan.rooms.loaded).toBe(0), { interval: 1 })
  await run(plan, [[A, 'write_todos', { todos: [todo('x'), todo('y')] }]])
  await unloaded()
  await run(plan, [
    [B, 'list_todos'],
    [B, 'toggle_todos', { indices: [1] }],
  ])
  await unloaded()
  const reply = await plan.call(A, 'write_todos', { todos: [todo('x')] })
  expect(await steps(plan)).toEqual(['x completed'])
  expect(reply.text).toContain('"x" stays completed: agent-b set that since you last looked')
  await plan.close()
})

describe('keeping a view', () => {
  /** A storage that counts what it is given to keep. */
  function counted() {
    const storage = createMemoryStorage()
    const saved: string[] = []
    const saveView: Storage['saveView'] = (thread, view) => {
      saved.push(view.actorId)
      return storage.saveView(thread, view)
    }
    return { saved, storage: { ...storage, saveView } }
  }

  test('costs nothing where nothing is new', async () => {
    const { storage, saved } = counted()
    const plan = openRoom({ storage })
    await run(plan, LISTED)
    expect(saved).toEqual([B, A])
    await run(plan, [
      [A, 'list_todos'],
      [A, 'read_todos'],
      [A, 'toggle_todos', { indices: [9] }],
    ])
    await plan.block(A)
    expect(saved).toEqual([B, A])
    await run(plan, [[A, 'toggle_todos', { indices: [1] }]])
    expect(saved).toEqual([B, A, A])
    await plan.close()
  })

  test('of 10,000 listed steps keeps no step: the plan is found again by its version', async () => {
    const plan = openPure()
    for (let i = 0; i < 20; i++)
      await run(plan, [[B, 'add_todos', { steps: Array.from({ length: 500 }, (_, at) => `step ${i} ${at}`) }]])
    const views = new Views()
    views.shown(agent(A), 20, plan.plan)
    expect(views.store(agent(A), 20, plan.plan)?.state.length).toBeLessThan(200)
    await plan.close()
  })
})
