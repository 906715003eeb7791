import { describe, expect, test } from 'vitest'
import * as Y from 'yjs'
import { KeyConflict, RoomFailed } from '../../server/rooms/errors.ts'
import type { Storage } from '../../server/rooms/storage.ts'
import { Rooms } from '../../server/rooms/rooms.ts'
import {
  addCall,
  agent,
  callOf,
  human,
  quiet,
  readPlan,
  RoomClient,
  stateOf,
  T,
  testRooms,
  textsIn,
  textsOf,
  writeStep,
} from '../helpers/sockets.ts'

const add = addCall
const silent = { info: () => {}, warn: () => {}, error: () => {} }

describe('[RL-4] nothing leaves a room before it is on disk', () => {
  test('a reply, a list, the broadcast, the echo and a step 2 wait for the commit, and come in order', async () => {
    const { rooms, storage } = testRooms()
    const { room } = await rooms.hold(T)
    const watcher = new RoomClient(room, human('watcher'))
    const writer = new RoomClient(room, human('writer'))
    watcher.ask()
    writer.ask()
    watcher.pump()
    writer.pump()

    storage.hold('append')
    const left: string[] = []
    const told = (name: string) => (reply: { readonly text: string }) => left.push(`${name} ${reply.text}`)
    const first = room.call(add('one')).then(told('first'))
    const list = room.call(callOf('list_todos', {}, agent('bob'))).then(told('list'))
    writeStep(writer.doc, 'two')
    const second = room.call(add('three')).then(told('second'))
    const snapshot = room.snapshot()
    const block = room.block(callOf('list_todos', {}).dialect, agent('cyd').actor)
    const late = new RoomClient(room, human('late'))
    late.ask()
    await quiet()
    expect(left).toEqual([])
    expect(await stateOf(snapshot)).toBe('waiting')
    expect(await stateOf(block)).toBe('waiting')
    expect(await stateOf(room.markdown())).toBe('waiting')
    expect([watcher, writer, late].map((client) => client.pumpTypes())).toEqual([[], [], []])
    // Each was applied without waiting for the commit of the one before.
    expect(storage.calls.append).toBe(3)
    expect(room.version).toBe(0)

    storage.release('append', 1)
    await quiet()
    expect(room.version).toBe(1)
    expect(left.map((line) => line.split(' ')[0])).toEqual(['first', 'list'])
    expect(left[1]).toContain('one')
    expect(left[1]).not.toContain('two')
    expect(watcher.pumpTypes()).toEqual(['update'])
    expect(textsIn(watcher.doc)).toEqual(['one'])
    // Versions are committed one by one; who asked later is answered with what was there then.
    expect(late.pumpTypes()).toEqual(['update'])

    storage.release('append')
    await Promise.all([first, list, second])
    expect(left.map((line) => line.split(' ')[0])).toEqual(['first', 'list', 'second'])
    // Two wrote at once, without knowing of each other.
    const order = (await snapshot).steps.map(({ text }) => text)
    expect(order.toSorted()).toEqual(['one', 'three', 'two'])
    expect(await block).toContain('three')
    expect(watcher.pumpTypes()).toEqual(['update', 'update'])
    expect(writer.pumpTypes()).toEqual(['update', 'update', 'update'])
    // The last is the echo of its own answer, which brought nothing.
    expect(late.pumpTypes()).toEqual(['update', 'update', 'stepOne', 'stepTwo', 'update'])
    for (const client of [watcher, writer, late]) expect(textsIn(client.doc)).toEqual(order)
  })

  test('what has no effect is acknowledged only when what it saw is on disk: a refusal, an update that is known', async () => {
    const { rooms, storage } = testRooms()
    const { room } = await rooms.hold(T)
    const writer = new RoomClient(room, human('writer'))
    writer.pump()
    storage.hold('append')
    void room.call(add('one'))
    const refused = room.call(callOf('toggle_todos', { indices: 'what?' }, agent('bob')))
    const nothing = room.call(callOf('toggle_todos', { indices: [] }, agent('bob')))
    writer.send(Uint8Array.of(0, 2, 2, 0, 0))
    expect(await stateOf(refused)).toBe('waiting')
    expect(await stateOf(nothing)).toBe('waiting')
    expect(writer.pumpTypes()).toEqual([])
    storage.release('append')
    expect(await refused).toMatchObject({ success: false, version: 1 })
    expect(await nothing).toMatchObject({ version: 1 })
    const echo = writer.pump().at(-1)
    expect(echo).toEqual({ type: 'update', bytes: Uint8Array.of(0, 0) })
    expect(storage.calls.append).toBe(1)
  })

  test('who asks for versions is told each one after its commit, others are sent nothing that they do not know', async () => {
    const { rooms } = testRooms()
    const { room } = await rooms.hold(T)
    const asks = new RoomClient(room, human('a'), true)
    const plain = new RoomClient(room, human('b'))
    plain.answers = false
    await room.call(add('one'))
    await room.call(add('two'))
    expect(asks.pump().filter(({ type }) => type === 'version')).toEqual(
      [1, 2].map((version) => ({ type: 'version', version })),
    )
    expect(plain.pumpTypes()).toEqual(['stepOne', 'update', 'update'])
  })
})

describe('[RL-4] a failed append', () => {
  test.each([false, true])(
    'fails what waits, closes connections with 4503, and the thread is opened anew (stored: %s)',
    async (stored) => {
      const { rooms, storage, memory, logged } = testRooms()
      const { room } = await rooms.hold(T)
      await room.call(add('before'))
      const writer = new RoomClient(room, human('writer'))
      writer.ask()
      writer.pump()

      storage.hold('append')
      storage.failNextAppend(new Error('disk full'), { stored })
      const first = room.call(add('keyed', agent('ada'), 'key-1'))
      await storage.called('append', 2)
      const second = room.call(add('after', agent('bob')))
      const list = room.call(callOf('list_todos', {}, agent('cyd')))
      const edit = writeStep(writer.doc, 'edit')
      const calls = [first, second, list, room.snapshot(), room.flush()]
      const outcomes = Promise.allSettled(calls)
      storage.release('append')
      for (const outcome of await outcomes) {
        expect(outcome.status).toBe('rejected')
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(RoomFailed)
      }
      expect(writer.socket.closed).toEqual({ code: 4503, reason: 'storage failed' })
      // Nothing of what could be lost was shown.
      expect(writer.pumpTypes().filter((type) => type !== 'awareness')).toEqual([])
      expect(logged).toContain('error the room lost its storage')
      // The old room answers nobody any more, and what still comes over its connections is passed over.
      await expect(room.call(add('too late'))).rejects.toBeInstanceOf(RoomFailed)
      await expect(room.snapshot()).rejects.toBeInstanceOf(RoomFailed)
      expect(() => room.join(writer.socket, human('late'), false)).toThrow(RoomFailed)
      writeStep(writer.doc, 'into the void')

      await quiet()
      const { room: anew } = await rooms.hold(T)
      expect(anew).not.toBe(room)
      const repeated = await anew.call(add('keyed', agent('ada'), 'key-1'))
      expect(repeated['replayed']).toBe(stored ? true : undefined)
      expect(repeated.success).toBe(true)
      const again = await anew.call(add('keyed', agent('ada'), 'key-1'))
      expect(again).toMatchObject({ replayed: true, changed: repeated['changed'] })
      // The client comes back with what it holds.
      const back = new RoomClient(anew, human('writer'))
      Y.applyUpdate(back.doc, Y.encodeStateAsUpdate(writer.doc))
      back.ask()
      await quiet()
      back.pump()
      await quiet()
      back.pump()
      const texts = await textsOf(anew)
      expect(texts.filter((text) => text === 'keyed')).toEqual(['keyed'])
      expect(texts).toContain('edit')
      expect(readPlan(back.doc).step(edit)?.text).toBe('edit')
      // The log is without a gap, and what is stored is what is shown.
      const log = await memory.activity(T, 0, 100)
      expect(log.map(({ version }) => version)).toEqual(log.map((_, index) => index + 1))
      expect(rooms.loaded).toBe(1)
    },
  )
})

describe('Idempotency-Key', () => {
  test('a repeat while the first is in flight waits for it and is answered from what came of it', async () => {
    const { rooms, storage } = testRooms()
    const { room } = await rooms.hold(T)
    storage.hold('append')
    const first = room.call(add('once', agent('ada'), 'k'))
    const repeats = [room.call(add('once', agent('ada'), 'k')), room.call(add('once', agent('ada'), 'k'))]
    await storage.called('append', 1)
    for (const repeat of repeats) expect(await stateOf(repeat)).toBe('waiting')
    storage.release('append')
    const answer = await first
    expect(answer).not.toHaveProperty('replayed')
    for (const repeat of repeats)
      expect(await repeat).toMatchObject({ success: true, replayed: true, changed: answer['changed'] })
    expect(await textsOf(room)).toEqual(['once'])
  })

  test('the same key with other arguments, another tool, or while another is in flight is a conflict; the order of keys is none', async () => {
    const { rooms, storage } = testRooms()
    const { room } = await rooms.hold(T)
    storage.hold('append')
    const first = room.call(
      callOf('add_todos', { steps: [{ text: 'a', depth: 0 }], action_and_reasoning: 'x' }, agent('ada'), 'k'),
    )
    await storage.called('append', 1)
    await expect(room.call(add('b', agent('ada'), 'k'))).rejects.toBeInstanceOf(KeyConflict)
    storage.release('append')
    await first
    await expect(room.call(add('b', agent('ada'), 'k'))).rejects.toBeInstanceOf(KeyConflict)
    await expect(room.call(callOf('list_todos', {}, agent('ada'), 'k'))).rejects.toBeInstanceOf(KeyConflict)
    const same = callOf('add_todos', { action_and_reasoning: 'x', steps: [{ depth: 0, text: 'a' }] }, agent('ada'), 'k')
    expect(await room.call(same)).toMatchObject({ replayed: true })
    // A key belongs to its actor.
    expect(await room.call(add('b', agent('bob'), 'k'))).not.toHaveProperty('replayed')
    expect(await textsOf(room)).toEqual(['a', 'b'])
  })

  test('calls that change nothing are not recorded: refused ones and those without effect run again', async () => {
    const { rooms, storage, memory, clock } = testRooms()
    const { room } = await rooms.hold(T)
    const toggle = callOf('toggle_todos', { indices: [1] }, agent('ada'), 'k')
    expect(await room.call(toggle)).not.toHaveProperty('replayed')
    expect(storage.calls.append).toBe(0)
    expect(await memory.recall(T, 'ada', 'k', clock.now)).toBeNull()
    const refused = callOf('toggle_todos', { indices: 'what?' }, agent('ada'), 'r')
    expect((await room.call(refused)).success).toBe(false)
    expect(await room.call(refused)).not.toHaveProperty('replayed')
    await room.call(add('one', agent('bob')))
    await room.call(callOf('list_todos', {}))
    // The very same call, and now there is something to do.
    const answer = await room.call(toggle)
    expect(answer).not.toHaveProperty('replayed')
    expect((await room.snapshot()).steps[0]?.status).toBe('completed')
    expect(await room.call(toggle)).toMatchObject({ replayed: true })
    expect((await room.snapshot()).steps[0]?.status).toBe('completed')
  })

  test('a key is kept for a day', async () => {
    const { rooms, clock } = testRooms()
    const { room } = await rooms.hold(T)
    await room.call(add('one', agent('ada'), 'k'))
    clock.now += 24 * 60 * 60 * 1_000 - 1
    expect(await room.call(add('one', agent('ada'), 'k'))).toMatchObject({ replayed: true })
    clock.now += 1
    expect(await room.call(add('one', agent('ada'), 'k'))).not.toHaveProperty('replayed')
  })

  test('a repeat is answered after a restart too', async () => {
    const { rooms, storage } = testRooms()
    const answer = await rooms.use(T, (room) => room.call(add('one', agent('ada'), 'k')))
    await rooms.drain()
    const second = new Rooms({ storage, log: silent, now: () => 1_700_000_000_001 })
    const repeat = await second.use(T, (room) => room.call(add('one', agent('ada'), 'k')))
    expect(repeat).toMatchObject({ replayed: true, version: 1, changed: answer['changed'] })
  })
})

describe('creating a plan', () => {
  const seed = [{ text: 'a' }, { text: 'b', depth: 1 }]

  test('[RL-5] (a) twenty at once with a seed make one copy, and one of them is told that it did', async () => {
    const { rooms, storage } = testRooms()
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => rooms.create(T, seed, agent(`agent ${nth}`))),
    )
    expect(results.filter(({ created }) => created)).toHaveLength(1)
    for (const { snapshot } of results)
      expect(snapshot.steps.map(({ text, number }) => [text, number])).toEqual([
        ['a', 1],
        ['b', 2],
      ])
    expect(storage.calls.append).toBe(1)
  })

  test('an empty plan that is being created is shown to nobody before it is on disk', async () => {
    const { memory } = testRooms()
    let keep = (): void => {}
    const kept = new Promise<void>((resolve) => {
      keep = resolve
    })
    const slow: Storage = {
      ...memory,
      create: async (thread, at) => {
        await kept
        return memory.create(thread, at)
      },
    }
    const slowRooms = new Rooms({ storage: slow, log: silent })
    const first = slowRooms.create(T, [], agent('ada'))
    const second = slowRooms.create(T, [], agent('bob'))
    expect(await stateOf(first)).toBe('waiting')
    expect(await stateOf(second)).toBe('waiting')
    keep()
    expect([(await first).created, (await second).created]).toEqual([true, false])
  })
})
