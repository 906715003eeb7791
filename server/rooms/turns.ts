import type { ThreadId } from '../../shared/schema/ids.ts'

/** Milliseconds of work after which the event loop goes on to what else waits: requests, frames, commits. */
const TURN_MS = 10
/** Milliseconds of them that one thread may have while others wait. */
const SHARE_MS = 4

/** Who works next: whatever changes or reads a plan waits here for its turn. */
export interface Turns {
  /**
   * Does work in its turn, after what waits in the same line of the same thread; at once if nothing waits.
   * @param line whoever wants it: works of one line are done in order, lines of a thread take turns
   * @param work never throws
   */
  post(thread: ThreadId, line: unknown, work: () => void): void
}

/** Work in its turn, and what comes of it. */
export function inTurn<T>(turns: Turns, thread: ThreadId, line: unknown, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    turns.post(thread, line, () => {
      try {
        resolve(work())
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)))
      }
    })
  })
}

/** By line, what waits; the line that comes next stands first. */
type Lines = Map<unknown, (() => void)[]>

/**
 * The event loop's time, shared between threads, and within a thread between those who want something of it. Nobody gets
 * more of it by asking more often: without this, a thousand frames that have arrived are a thousand changes before anybody
 * else is heard.
 */
export class FairTurns implements Turns {
  /** The thread that comes next stands first. */
  readonly #threads = new Map<ThreadId, Lines>()
  /** Milliseconds of work since the event loop came round. */
  #used = 0
  #isScheduled = false
  #isWorking = false

  post(thread: ThreadId, line: unknown, work: () => void): void {
    const isFree = this.#threads.size === 0 && this.#used < TURN_MS && !this.#isWorking
    if (isFree) this.#do(work)
    else {
      const lines: Lines = this.#threads.get(thread) ?? new Map()
      const waiting = lines.get(line)
      if (waiting === undefined) lines.set(line, [work])
      else waiting.push(work)
      this.#threads.set(thread, lines)
    }
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#used = 0
      this.#turn()
    })
  }

  #turn(): void {
    for (const [thread, lines] of this.#threads) {
      this.#share(lines)
      // Behind the others, where something is left of it.
      this.#threads.delete(thread)
      if (lines.size > 0) this.#threads.set(thread, lines)
      if (this.#used >= TURN_MS) break
    }
    if (this.#threads.size > 0) this.#schedule()
  }

  #share(lines: Lines): void {
    const until = this.#used + SHARE_MS
    for (const [line, waiting] of lines) {
      const work = waiting.shift()
      lines.delete(line)
      if (waiting.length > 0) lines.set(line, waiting)
      if (work !== undefined) this.#do(work)
      if (this.#used >= until) return
    }
  }

  #do(work: () => void): void {
    const began = performance.now()
    this.#isWorking = true
    try {
      work()
    } finally {
      this.#isWorking = false
      this.#used += performance.now() - began
    }
  }
}
