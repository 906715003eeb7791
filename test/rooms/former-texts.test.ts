import { expect, test } from 'vitest'
import * as Y from 'yjs'
import type { StepId } from '../../shared/schema/ids.ts'
import { agent, callOf, human, patchStep, quiet, RoomClient, T, testRooms, updateFrame } from '../helpers/sockets.ts'

/** A room with one step of `ada`, and two copies of it that are offline. */
async function openApart() {
  const inside = testRooms()
  const { room } = await inside.rooms.hold(T)
  const add = await room.call(callOf('plan_todo_write', { action: { type: 'Add', group: 'g', description: 'Parse' } }))
  const id = (add['changed'] as unknown as readonly { id: StepId }[])[0]?.id ?? ('' as StepId)
  const copies = ['bob', 'cleo'].map((name) => new RoomClient(room, human(name)))
  for (const copy of copies) {
    copy.ask()
    copy.pump()
    copy.sends = false
  }
  const [bob, cleo] = copies
  if (bob === undefined || cleo === undefined) throw new Error('two copies')
  const sync = async (copy: RoomClient): Promise<void> => {
    copy.send(updateFrame(Y.encodeStateAsUpdate(copy.doc)))
    await quiet()
  }
  const log = () => inside.memory.activity(T, 0, 100)
  return { room, id, bob, cleo, sync, log }
}

// Whose stands is decided by Yjs: of two at the same place, that of the greater client id stands right.
test.for([
  {
    first: 2,
    second: 1,
    loser: 'cleo',
    fate: 'outrun',
    told: 'bob changed #1; your description "by cleo" for #1 gave way to "by bob" of bob',
  },
  { first: 1, second: 2, loser: 'bob', fate: 'replaced', told: 'cleo changed #1 (your description was "by bob")' },
])('[11-F6] of two texts put offline on one step both are kept, and $loser, who gave way, is told', async (row) => {
  const { room, id, bob, cleo, sync, log } = await openApart()
  bob.doc.clientID = row.first
  cleo.doc.clientID = row.second
  for (const name of ['bob', 'cleo']) await room.call(callOf('list_todos', {}, human(name)))
  patchStep(bob.doc, id, { details: 'by bob', updatedBy: 'bob' })
  patchStep(cleo.doc, id, { details: 'by cleo', updatedBy: 'cleo' })
  await sync(bob)
  await sync(cleo)
  expect((await room.snapshot()).steps[0]?.details).not.toBe(`by ${row.loser}`)
  const former = (await log()).flatMap(({ actor, formerTexts = [] }) =>
    formerTexts.map((text) => ({ by: actor.name, ...text })),
  )
  expect(former).toEqual([{ by: 'cleo', step: id, field: 'details', text: `by ${row.loser}`, fate: row.fate }])
  const reply = await room.call(callOf('toggle_todos', { indices: [1] }, human(row.loser)))
  expect(reply['digest']).toBe(row.told)
})

test('[11-F6] a text that came too late for its step is kept', async () => {
  const { room, id, bob, sync, log } = await openApart()
  await room.call(callOf('list_todos', {}, agent('dora')))
  patchStep(bob.doc, id, { text: 'Parse dates', updatedBy: 'bob' })
  await room.call(callOf('remove_todos', { indices: [1] }, agent('dora')))
  await sync(bob)
  expect((await room.snapshot()).steps).toEqual([])
  const last = (await log()).at(-1)
  expect(last).toMatchObject({
    actor: { name: 'bob' },
    summary: 'brought 1 text that gave way: Parse dates',
    formerTexts: [{ step: id, field: 'text', text: 'Parse dates', fate: 'outrun' }],
  })
})

test('[10-F2] who rewords a task from an old view: the one before is told, and the log has both', async () => {
  const { room, id, log } = await openApart()
  const one = agent('agent-a')
  const two = agent('agent-b')
  const list = { action: { type: 'List' } }
  await room.call(callOf('plan_todo_write', { action: { type: 'Add', group: 'g', description: 'Test' } }, one))
  await room.call(callOf('plan_todo_read', list, one))
  await room.call(callOf('plan_todo_read', list, two))
  await room.call(
    callOf('plan_todo_edit', { edit: { id: 1, description: 'Parse dates', depends_on: ['task-2'] } }, one),
  )
  await room.call(callOf('plan_todo_edit', { edit: { id: 1, description: 'Parse times', depends_on: ['x'] } }, two))
  const { nags } = JSON.parse((await room.call(callOf('plan_todo_read', list, one))).text) as { nags: unknown[] }
  expect(nags).toContainEqual({
    message:
      'agent-b renamed task-1 (your words were "Parse dates"); ' +
      'agent-b changed task-1 (by you it waited for task-2)',
  })
  expect((await log()).at(-1)?.formerTexts).toEqual([
    { step: id, field: 'text', text: 'Parse dates', fate: 'replaced' },
    { step: id, field: 'dependencies', text: 'task-2', fate: 'replaced' },
  ])
})
