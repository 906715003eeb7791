import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import type { Room } from '../../server/rooms/room.ts'
import { applyChange } from '../../shared/plan/apply.ts'
import { checkOperations } from '../../shared/plan/check.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import { agent, callOf, human, patchStep, readPlan, RoomClient, T, testRooms, writeStep } from '../helpers/sockets.ts'

/** Adds until it is refused. @returns the last two replies */
async function fill(room: Room) {
  const steps = Array.from({ length: 80 }, () => ({ text: 'x'.repeat(3_900) }))
  let last = await room.call(callOf('add_todos', { steps }))
  for (let calls = 0; calls < 60; calls++) {
    const next = await room.call(callOf('add_todos', { steps }))
    if (!next.success) return { last, refusal: next }
    last = next
  }
  throw new Error('never full')
}

function operate(client: RoomClient, operations: readonly PlanOperation[]): void {
  const change = checkOperations(readPlan(client.doc), operations, { by: 'ada', at: 1 })
  client.doc.transact(() => applyChange(client.doc, change, 'test'), 'test')
}

test(
  '[11-F1] a full plan takes what takes away, shortens or only says how a step stands, by every door',
  { timeout: 60_000 },
  async () => {
    const { room } = await testRooms().rooms.hold(T)
    const { last, refusal } = await fill(room)
    expect(last.text).toMatch(/The plan is 9\d % full\. Remove or shorten/)
    expect(refusal.text).toContain('that always works')
    const ada = new RoomClient(room, human('ada'))
    ada.ask()
    await room.flush()
    ada.pump()
    const [first, second, third] = readPlan(ada.doc).steps
    if (first === undefined || second === undefined || third === undefined) throw new Error('no steps')
    operate(ada, [{ type: 'removeSteps', steps: [first.id], subSteps: true }])
    patchStep(ada.doc, second.id, { text: 'short' })
    patchStep(ada.doc, third.id, { status: 'completed' })
    await room.flush()
    expect(ada.socket.closed).toBeNull()
    const { steps } = await room.snapshot()
    expect(steps.some(({ id }) => id === first.id)).toBe(false)
    expect(steps.slice(0, 2)).toMatchObject([{ text: 'short' }, { status: 'completed' }])
    // Tools, of all three sets.
    const bob = agent('bob')
    await room.call(callOf('list_todos', {}, bob))
    expect(await room.call(callOf('toggle_todos', { indices: [1] }, bob))).toMatchObject({ success: true })
    expect(await room.call(callOf('remove_todos', { indices: [3] }, bob))).toMatchObject({ success: true })
    // What grows is told that it may not, until there is room.
    const text = 'y'.repeat(90_000)
    const eve = new RoomClient(room, human('eve'))
    for (let nth = 0; nth < 20 && eve.socket.closed === null; nth++) writeStep(eve.doc, text)
    expect(eve.socket.closed?.code).toBe(4413)
  },
)

test('[11-F19] a time that is no date is refused for good, and one that stands already is passed over', async () => {
  const { room } = await testRooms().rooms.hold(T)
  for (const createdAt of [1e20, -1, 8.64e15 + 1]) {
    const ada = new RoomClient(room, human('ada'))
    writeStep(ada.doc, 'from afar', { createdAt })
    expect(ada.socket.closed?.code).toBe(4422)
  }
  const stored = new Y.Doc()
  writeStep(stored, 'from afar', { createdAt: 1e20, updatedAt: 1e20 })
  expect(readPlan(stored).steps).toMatchObject([{ text: 'from afar', createdAt: 0, updatedAt: 0 }])
})

test('[11-F31] a step that a client which knows only Yjs writes without a time is shown', async () => {
  const { room } = await testRooms().rooms.hold(T)
  const ada = new RoomClient(room, human('ada'))
  const page = await readFile('ARCHITECTURE.md', 'utf8')
  const example = /```js\n(.*?)```/s.exec(page)?.[1] ?? ''
  // eslint-disable-next-line typescript/no-implied-eval, typescript/no-unsafe-call -- the example is code of ours, and shall be run as it stands
  new Function('doc', example)(ada.doc)
  await room.flush()
  expect(ada.socket.closed).toBeNull()
  expect((await room.snapshot()).steps).toMatchObject([
    { text: 'Buy milk', number: 1, status: 'pending', createdAt: 5, updatedAt: 5 },
  ])
})
