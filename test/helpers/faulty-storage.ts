import type { Storage } from '../../server/rooms/storage.ts'

/** The calls that a test may fail, hold and count. */
export type FaultyCall = 'open' | 'append' | 'snapshot'

export interface FaultyStorage extends Storage {
  /** The next append rejects. With `stored` the entry is kept all the same, as after a lost answer. */
  failNextAppend(error: Error, options?: { readonly stored: boolean }): void
  failNextOpen(error: Error): void
  /** Calls of this kind wait at the door, in order, until `release`. */
  hold(call: FaultyCall): void
  /** Lets the waiting calls in, all of them or the first few; with a number the door stays shut behind them. */
  release(call: FaultyCall, count?: number): void
  /** Resolves when this kind of call was made `count` times in all, held ones included: instead of a sleep. */
  called(call: FaultyCall, count: number): Promise<void>
  /** How often each was called, held and failed ones included. */
  readonly calls: Readonly<Record<FaultyCall, number>>
}

interface Door {
  shut: boolean
  /** Held calls, in order. */
  held: (() => void)[]
  /** What the coming calls shall fail with, in order. */
  readonly failures: { readonly error: Error; readonly stored: boolean }[]
  watchers: { readonly count: number; readonly resolve: () => void }[]
}

/** Wraps a storage with faults that a test commands: no timer, no chance. */
export function faultyStorage(inner: Storage): FaultyStorage {
  const calls: Record<FaultyCall, number> = { open: 0, append: 0, snapshot: 0 }
  const doors: Record<FaultyCall, Door> = { open: newDoor(), append: newDoor(), snapshot: newDoor() }

  const pass = <T>(call: FaultyCall, run: () => Promise<T>): Promise<T> => {
    const door = doors[call]
    const failure = door.failures.shift()
    calls[call] += 1
    const reached = door.watchers.filter(({ count }) => count <= calls[call])
    door.watchers = door.watchers.filter((watcher) => !reached.includes(watcher))
    for (const { resolve } of reached) resolve()
    const enter = async (): Promise<T> => {
      if (failure === undefined) return run()
      if (failure.stored) await run()
      throw failure.error
    }
    if (!door.shut) return enter()
    return new Promise((resolve, reject) => {
      door.held.push(() => void enter().then(resolve, reject))
    })
  }

  return {
    open: (thread) => pass('open', () => inner.open(thread)),
    append: (thread, entry) => pass('append', () => inner.append(thread, entry)),
    snapshot: (thread, version, state) => pass('snapshot', () => inner.snapshot(thread, version, state)),
    saveView: (thread, view) => inner.saveView(thread, view),
    views: (thread) => inner.views(thread),
    create: (thread, at) => inner.create(thread, at),
    activity: (thread, after, limit) => inner.activity(thread, after, limit),
    recall: (thread, actorId, key, now) => inner.recall(thread, actorId, key, now),
    threads: (after, limit) => inner.threads(after, limit),
    remove: (thread, at) => inner.remove(thread, at),
    ping: () => inner.ping(),
    condition: () => inner.condition(),
    close: () => inner.close(),
    failNextAppend: (error, { stored } = { stored: false }) => {
      doors.append.failures.push({ error, stored })
    },
    failNextOpen: (error) => {
      doors.open.failures.push({ error, stored: false })
    },
    hold: (call) => {
      doors[call].shut = true
    },
    release: (call, count) => {
      const door = doors[call]
      if (count === undefined) door.shut = false
      const free = door.held.splice(0, count ?? door.held.length)
      for (const enter of free) enter()
    },
    called: (call, count) =>
      new Promise((resolve) => {
        if (calls[call] >= count) resolve()
        else doors[call].watchers.push({ count, resolve })
      }),
    calls,
  }
}

function newDoor(): Door {
  return { shut: false, held: [], failures: [], watchers: [] }
}
