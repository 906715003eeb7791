import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { FairTurns, inTurn } from '../../server/rooms/turns.ts'
import type { ThreadId } from '../../shared/schema/ids.ts'
import { quiet } from '../helpers/sockets.ts'

const [ONE, TWO] = ['one' as ThreadId, 'two' as ThreadId]

/** Turns whose work takes as long as it says, by a clock that the test moves. */
function turns() {
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  const fair = new FairTurns()
  const done: string[] = []
  const post = (thread: ThreadId, line: string, milliseconds: number): void =>
    fair.post(thread, line, () => {
      now += milliseconds
      done.push(line)
    })
  /** One round of the event loop. */
  const round = async (): Promise<string[]> => {
    const before = done.length
    await quiet()
    return done.slice(before)
  }
  return { fair, done, post, round }
}

describe('[11-F3] turns', () => {
  test('work is done at once where nothing waits, and after a turn of work the event loop goes on first', async () => {
    const { done, post, round } = turns()
    for (let nth = 0; nth < 5; nth++) post(ONE, 'a', 3)
    // The fourth began before the turn was over; the fifth waits.
    expect(done).toHaveLength(4)
    expect(await round()).toEqual(['a'])
    post(ONE, 'a', 3)
    expect(done).toHaveLength(6)
  })

  test('a thread with a thousand works and one with one: the one is done next, not last', async () => {
    const { post, round } = turns()
    for (let nth = 0; nth < 1_000; nth++) post(ONE, 'a', 1)
    post(TWO, 'b', 1)
    const first = await round()
    expect(first).toContain('b')
    expect(first.length).toBeLessThan(20)
  })

  test('lines of one thread take turns, each in its own order', async () => {
    const { post, round, done } = turns()
    post(ONE, 'fill', 20)
    for (const nth of [1, 2, 3]) post(ONE, 'a', nth)
    post(ONE, 'b', 1)
    post(ONE, 'c', 1)
    while (done.length < 6) await round()
    expect(done).toEqual(['fill', 'a', 'b', 'c', 'a', 'a'])
  })

  test('work that throws is told to who asked, and the others go on', async () => {
    const { fair } = turns()
    const failing = inTurn(fair, ONE, 'a', () => {
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await inTurn(fair, ONE, 'a', () => 7)).toBe(7)
  })
})
