import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Room } from '../../server/rooms/room.ts'
import { MAX_PRESENT_AGENTS, PRESENT_AGENT_MS } from '../../shared/schema/limits.ts'
import { addCall, awarenessFrame, human, RoomClient, T, testRooms } from '../helpers/sockets.ts'

/** What a newcomer is shown of who is there. */
function present(at: Room): Record<string, unknown>[] {
  const spy = new RoomClient(at, human('spy'))
  const states = spy.pump().flatMap((message) => (message.type === 'awareness' ? message.states : []))
  spy.leave()
  return states.map(({ client, state }) => ({ client, ...(JSON.parse(state) as object) }))
}

const callBy = (name: string, text: string, reasoning = '') => {
  const call = addCall(text)
  const args = { ...(call.args as object), action_and_reasoning: reasoning }
  return { ...call, args, caller: { actor: { id: name, name, kind: 'agent' as const }, source: 'http' as const } }
}

async function room() {
  const { rooms } = testRooms()
  return (await rooms.hold(T)).room
}

describe('agents that only make calls', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('are present for a minute after each call, with the step and the reason, under one id', async () => {
    const here = await room()
    const { changed } = await here.call(callBy('scout', 'one', 'Looking for flats.'))
    await vi.advanceTimersByTimeAsync(200)
    const [first, ...others] = present(here)
    expect(others).toEqual([])
    expect(first).toMatchObject({ name: 'scout', kind: 'agent', id: 'scout', doing: 'Looking for flats.' })
    expect(first?.['step']).toBe((await here.snapshot()).steps[0]?.id)
    expect(changed).toHaveLength(1)

    await vi.advanceTimersByTimeAsync(PRESENT_AGENT_MS - 10_000)
    await here.call(callBy('scout', 'two'))
    await vi.advanceTimersByTimeAsync(30_000)
    const again = present(here)
    expect(again).toMatchObject([{ client: first?.['client'], name: 'scout' }])
    expect(again[0]?.['step']).toBe((await here.snapshot()).steps[1]?.id)

    await vi.advanceTimersByTimeAsync(PRESENT_AGENT_MS)
    expect(present(here)).toEqual([])
  })

  test('are renewed often enough for clients that forget after 30 s, and said to be gone at the end', async () => {
    const here = await room()
    const ada = new RoomClient(here, human('ada'))
    await here.call(callBy('scout', 'one'))
    const heard: { at: number; state: string }[] = []
    for (let at = 0; at <= PRESENT_AGENT_MS + 10_000; at += 1_000) {
      await vi.advanceTimersByTimeAsync(1_000)
      for (const message of ada.pump())
        if (message.type === 'awareness') for (const { state } of message.states) heard.push({ at, state })
    }
    expect(heard.length).toBeGreaterThan(4)
    heard.slice(1).forEach(({ at }, i) => expect(at - (heard[i]?.at ?? 0)).toBeLessThan(25_000))
    expect(heard.at(-1)?.state).toBe('null')
  })

  test('a burst of calls is told once', async () => {
    const here = await room()
    const ada = new RoomClient(here, human('ada'))
    for (let i = 0; i < 20; i++) await here.call(callBy('scout', `step ${i}`))
    await vi.advanceTimersByTimeAsync(200)
    expect(ada.pump().filter(({ type }) => type === 'awareness')).toHaveLength(1)
  })

  test('nobody can speak for one, and one with a connection speaks for itself', async () => {
    const here = await room()
    await here.call(callBy('scout', 'one'))
    await vi.advanceTimersByTimeAsync(200)
    const client = Number(present(here)[0]?.['client'])
    const eve = new RoomClient(here, human('eve'))
    eve.send(awarenessFrame({ client, clock: 99, state: JSON.stringify({ name: 'forged' }) }))
    expect(present(here)).toMatchObject([{ client, name: 'scout' }])
    eve.leave()

    const scout = new RoomClient(here, { actor: { id: 'scout', name: 'scout', kind: 'agent' }, source: 'ws' })
    scout.send(awarenessFrame({ client: 5, clock: 1, state: JSON.stringify({ name: 'scout' }) }))
    await here.call(callBy('scout', 'two'))
    await vi.advanceTimersByTimeAsync(200)
    expect(present(here)).toEqual([{ client: 5, name: 'scout' }])
  })

  test(`at most ${MAX_PRESENT_AGENTS} are shown: those that called last`, async () => {
    const here = await room()
    for (let i = 0; i < MAX_PRESENT_AGENTS + 3; i++) await here.call(callBy(`agent-${i}`, 'x'))
    await vi.advanceTimersByTimeAsync(200)
    const names = present(here).map(({ name }) => name)
    expect(names).toHaveLength(MAX_PRESENT_AGENTS)
    expect(names).not.toContain('agent-0')
    expect(names).toContain(`agent-${MAX_PRESENT_AGENTS + 2}`)
  })
})
