import { expect, test } from 'vitest'
import type { History, HistoryEntry } from '../../shared/plan/history.ts'
import type { Caller } from '../../server/rooms/caller.ts'
import type { Room } from '../../server/rooms/room.ts'
import { agent, callOf, T, testRooms } from '../helpers/sockets.ts'

const [ADA, BOB, CY] = [agent('ada'), agent('bob'), agent('cy')]
const SIZE = 200

/** Counts how often a call looks into the changes of a version. */
function counting(history: History): { visits: number } {
  const counted = { visits: 0 }
  const since = history.since.bind(history)
  const look = (entry: HistoryEntry, key: string | symbol): unknown => {
    if (key === 'changes') counted.visits++
    return Reflect.get(entry, key) as unknown
  }
  history.since = (version) => since(version)?.map((entry) => new Proxy(entry, { get: look })) ?? null
  return counted
}

/** A plan of which bob removed half since ada looked, with many versions since; cy has changed all of it many times. */
async function fill(room: Room): Promise<string[]> {
  const call = (name: string, args: object, who: Caller) => room.call(callOf(name, args, who))
  await call('add_todos', { steps: Array.from({ length: 2 * SIZE }, (_, nth) => ({ text: `step ${nth}` })) }, ADA)
  const ids = (await room.snapshot()).steps.map(({ id }) => id)
  for (const who of [ADA, BOB, CY]) await call('list_todos', {}, who)
  await call('remove_todos', { indices: Array.from({ length: SIZE }, (_, nth) => SIZE + nth + 1) }, BOB)
  const all = Array.from({ length: SIZE }, (_, nth) => nth + 1)
  for (let nth = 0; nth < 60; nth++) await call('toggle_todos', { indices: all }, nth % 2 === 0 ? BOB : CY)
  return ids
}

test(
  '[11-F22] a call goes through the history as often for hundreds of steps as for one',
  { timeout: 60_000 },
  async () => {
    const { rooms } = testRooms()
    await rooms.use(T, async (room) => {
      const ids = await fill(room)
      const counted = counting(room.recollection.history)
      const visits = async (name: string, args: object, who: Caller): Promise<number> => {
        const before = counted.visits
        await room.call(callOf(name, args, who))
        return counted.visits - before
      }
      const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, nth) => from + nth)
      const add = (depends: readonly string[], rev?: number): object => ({
        action: {
          type: 'Add',
          description: 'x',
          group: 'g',
          depends_on: depends,
          ...(rev === undefined ? {} : { rev }),
        },
      })
      const cases: [what: string, name: string, args: (count: number) => object, who?: Caller][] = [
        ['living', 'toggle_todos', (count) => ({ indices: numbers(1, count) }), CY],
        ['living, as another saw them', 'toggle_todos', (count) => ({ indices: numbers(1, count) })],
        ['removed', 'remove_todos', (count) => ({ indices: numbers(SIZE + 1, count) })],
        ['removed, by version', 'remove_todos', (count) => ({ indices: numbers(SIZE + 1, count), rev: 1 })],
        [
          'removed, written to',
          'update_todos',
          (count) => ({ updates: numbers(SIZE + 1, count).map((index) => ({ index, text: 'x' })), rev: 1 }),
        ],
        ['tasks by number', 'plan_todo_write', (count) => add(numbers(1, count).map((nth) => `task-${nth}`))],
        ['removed tasks', 'plan_todo_write', (count) => add(numbers(SIZE + 1, count).map((nth) => `task-${nth}`))],
        [
          'removed, by version',
          'plan_todo_write',
          (count) =>
            add(
              numbers(SIZE + 1, count).map((nth) => `task-${nth}`),
              1,
            ),
        ],
        ['unknown tasks', 'plan_todo_write', (count) => add(numbers(5_000, count).map((nth) => `task-${nth}`))],
        ['removed ids', 'plan_todo_write', (count) => add(ids.slice(SIZE, SIZE + count))],
        ['unknown ids', 'plan_todo_write', (count) => add(numbers(10, count).map((nth) => `no-such-step-${nth}`))],
      ]
      for (const [what, name, args, who = ADA] of cases) {
        const one = await visits(name, args(1), who)
        const many = await visits(name, args(SIZE), who)
        // The call before has added a version or two.
        expect(many, `${name}: ${what}`).toBeLessThanOrEqual(one + 30)
      }
    })
  },
)
