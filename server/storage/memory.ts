import type { Revocation, RevocationStore } from '../auth/revocations.ts'
import type { ActivityEntry, IdempotencyRecord, LogEntry, Storage, StoredView, ThreadInfo } from '../rooms/storage.ts'
import { IN_ORDER, ThreadDeleted, VersionConflict } from '../rooms/storage.ts'
import { IDEMPOTENCY_MS, MAX_VIEWS } from '../../shared/schema/limits.ts'
import type { ThreadId } from '../../shared/schema/ids.ts'

interface Thread {
  createdAt: number
  updatedAt: number
  readonly log: LogEntry[]
  snapshot: { readonly version: number; readonly state: Uint8Array } | null
  readonly replies: Map<string, IdempotencyRecord>
  readonly views: Map<string, StoredView>
}

interface Waiting {
  readonly run: () => void
  readonly reject: (error: Error) => void
  /** The thread whose line this call stands in, or null for everything but appends. */
  readonly line: ThreadId | null
}

/**
 * Plans in memory, for tests and as the simplest reading of the port. Calls of one tick are run together and in order,
 * a microtask later, as a real storage would: an append cannot know yet that the one before it failed.
 */
export function createMemoryStorage(): Storage & RevocationStore {
  const threads = new Map<ThreadId, Thread>()
  const deleted = new Set<ThreadId>()
  const revoked = new Map<string, Revocation>()
  let waiting: Waiting[] = []
  let closed = false

  const flush = (): void => {
    const batch = waiting
    waiting = []
    const broken = new Map<ThreadId, Error>()
    for (const { run, reject, line } of batch) {
      const before = line === null ? undefined : broken.get(line)
      if (before !== undefined) {
        reject(before)
        continue
      }
      try {
        run()
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error))
        if (line !== null) broken.set(line, failure)
        reject(failure)
      }
    }
  }
  const inOrder = <T>(work: () => T, line: ThreadId | null = null): Promise<T> => {
    if (closed) return Promise.reject(new Error('The storage is closed.'))
    return new Promise<T>((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(flush)
      waiting.push({ run: () => resolve(work()), reject, line })
    })
  }
  const find = (thread: ThreadId): Thread | undefined => {
    if (deleted.has(thread)) throw new ThreadDeleted(`The thread ${thread} was deleted.`)
    return threads.get(thread)
  }
  const start = (thread: ThreadId, at: number): Thread => {
    const started: Thread = {
      createdAt: at,
      updatedAt: at,
      log: [],
      snapshot: null,
      replies: new Map(),
      views: new Map(),
    }
    threads.set(thread, started)
    return started
  }

  return {
    open: (thread) =>
      inOrder(() => {
        const found = find(thread)
        if (found === undefined) return null
        const { log, snapshot } = found
        return {
          version: log.length,
          snapshot: snapshot === null ? null : snapshot.state.slice(),
          updates: log.slice(snapshot?.version ?? 0).map((entry) => entry.update.slice()),
        }
      }),
    append: (thread, entry) => {
      // Callers may use their buffer again once they have given it.
      const kept = { ...entry, update: Uint8Array.from(entry.update) }
      return inOrder(() => {
        const found = find(thread)
        const length = found?.log.length ?? 0
        if (kept.version !== length + 1) {
          throw new VersionConflict(`The thread ${thread} is at version ${length}, not at ${kept.version - 1}.`)
        }
        const target = found ?? start(thread, kept.at)
        target.updatedAt = kept.at
        target.log.push(kept)
        if (kept.idempotency !== undefined) {
          const { actorId, key } = kept.idempotency
          target.replies.set(replyKey(actorId, key), { ...kept.idempotency, version: kept.version, at: kept.at })
        }
      }, thread)
    },
    create: (thread, at) =>
      inOrder(() => {
        if (find(thread) !== undefined) return false
        start(thread, at)
        return true
      }),
    snapshot: (thread, version, state) => {
      const kept = Uint8Array.from(state)
      return inOrder(() => {
        const found = threads.get(thread)
        if (found === undefined || version > found.log.length || version < (found.snapshot?.version ?? 0)) return
        found.snapshot = { version, state: kept }
      })
    },
    saveView: (thread, view) =>
      inOrder(() => {
        const views = threads.get(thread)?.views
        if (views === undefined) return
        views.delete(view.actorId)
        views.set(view.actorId, view)
        for (const oldest of views.keys()) if (views.size > MAX_VIEWS) views.delete(oldest)
      }),
    views: (thread) => inOrder(() => [...(threads.get(thread)?.views.values() ?? [])]),
    activity: (thread, after, limit) =>
      inOrder(() => {
        const log = find(thread)?.log ?? []
        return log
          .filter((entry) => entry.version > after)
          .slice(0, Math.max(0, limit))
          .map(asActivity)
      }),
    recall: (thread, actorId, key, now) =>
      inOrder(() => {
        const found = threads.get(thread)?.replies.get(replyKey(actorId, key))
        return found !== undefined && now - found.at < IDEMPOTENCY_MS ? found : null
      }),
    threads: (after, limit) =>
      inOrder(() =>
        [...threads]
          .map(([thread, { log, createdAt, updatedAt }]): ThreadInfo => {
            const outlook = log.at(-1)?.outlook
            const info = { thread, version: log.length, createdAt, updatedAt }
            return outlook === undefined ? info : { ...info, outlook }
          })
          .filter((info) => info.thread > after)
          .toSorted((a, b) => (a.thread < b.thread ? -1 : 1))
          .slice(0, Math.max(0, limit)),
      ),
    remove: (thread) =>
      inOrder(() => {
        if (find(thread) === undefined) return false
        threads.delete(thread)
        deleted.add(thread)
        return true
      }),
    revoke: (revocation) =>
      inOrder(() => {
        const { kind, id, at, until } = revocation
        const key = `${kind} ${id}`
        const before = revoked.get(key)
        revoked.set(key, {
          kind,
          id,
          at: Math.max(at, before?.at ?? at),
          until: Math.max(until, before?.until ?? until),
        })
      }),
    revocations: (now) =>
      inOrder(() => {
        for (const [key, { until }] of revoked) if (until <= now) revoked.delete(key)
        return [...revoked.values()]
      }),
    condition: () => IN_ORDER,
    ping: () => inOrder(() => undefined),
    close: () => {
      if (closed) return Promise.resolve()
      const finished = inOrder(() => undefined)
      closed = true
      return finished
    },
  }
}

const replyKey = (actorId: string, key: string): string => JSON.stringify([actorId, key])

function asActivity(entry: LogEntry): ActivityEntry {
  const { version, at, actor, source, tool, reasoning, summary, formerTexts } = entry
  const shown = { version, at, actor, source, tool, reasoning, summary }
  return formerTexts === undefined ? shown : { ...shown, formerTexts }
}
