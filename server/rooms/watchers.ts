import type { ThreadId } from '../../shared/schema/ids.ts'
import type { Incidents } from './incidents.ts'

/** Hears what becomes of a thread. */
export interface Watcher {
  /** A version is on disk. */
  readonly changed: (version: number) => void
  /** The thread was deleted: nothing more comes. */
  readonly removed: () => void
}

/** Who watches which thread, whether it is loaded or not. */
export class Watchers {
  readonly #incidents: Incidents
  readonly #watchers = new Map<ThreadId, Set<Watcher>>()

  constructor(incidents: Incidents) {
    this.#incidents = incidents
  }

  /** @returns how to stop */
  add(thread: ThreadId, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(thread) ?? new Set()
    this.#watchers.set(thread, watchers.add(watcher))
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0 && this.#watchers.get(thread) === watchers) this.#watchers.delete(thread)
    }
  }

  changed(thread: ThreadId, version: number): void {
    this.#tell(thread, (watcher) => watcher.changed(version))
  }

  removed(thread: ThreadId): void {
    this.#tell(thread, (watcher) => watcher.removed())
    this.#watchers.delete(thread)
  }

  /** One that throws does not keep the others from hearing it. */
  #tell(thread: ThreadId, tell: (watcher: Watcher) => void): void {
    for (const watcher of this.#watchers.get(thread) ?? []) {
      try {
        tell(watcher)
      } catch (error) {
        this.#incidents.note('callback', error, { thread })
      }
    }
  }
}
