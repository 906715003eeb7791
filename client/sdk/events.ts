import type { StepChange } from '../../shared/plan/changes.ts'
import type { Plan } from '../../shared/plan/plan.ts'

/** How it stands between this copy and the server. */
export type PlanStatus =
  /** On the way for the first time. */
  | { readonly kind: 'connecting' }
  | { readonly kind: 'online' }
  /** Changes go on; tries to connect too, unless it was told to be offline. */
  | {
      readonly kind: 'offline'
      /** What the last attempt came to; absent where it was told to be offline. */
      readonly why?: string
    }
  /** The server will not have it, for good: codes 4400 to 4499. */
  | { readonly kind: 'refused'; readonly code: number; readonly why: string }
  /** The thread was deleted, for everybody and for good. What this copy holds can still be read. */
  | { readonly kind: 'deleted' }
  | { readonly kind: 'closed' }

/** A copy that the server did not take: it was kept, and this client went on with a fresh one. */
export interface SetAside {
  readonly code: number
  readonly why: string
  /** Where it lies in the store; null if there is no store, or it failed. */
  readonly where: string | null
  /** Own changes that could not be made on the fresh copy either, as lines to show. */
  readonly lost: readonly string[]
}

export type PlanEvent =
  | {
      readonly type: 'change'
      /** Made through this live plan, by anybody else, or read from the store. */
      readonly origin: 'local' | 'remote' | 'store'
      readonly before: Plan
      readonly after: Plan
      /** What became of each step. Empty if only groups or the title changed. */
      readonly changes: readonly StepChange[]
    }
  | { readonly type: 'status'; readonly status: PlanStatus }
  /** The server told its version. */
  | { readonly type: 'version'; readonly version: number }
  | { readonly type: 'unsaved'; readonly unsaved: number }
  | { readonly type: 'presence'; readonly presence: readonly Present[] }
  | { readonly type: 'setAside'; readonly setAside: SetAside }
  /** The store fails, or (null) works again. */
  | { readonly type: 'store'; readonly problem: string | null }

/** All that a page shows, as one value that is the same until something changes. */
export interface PlanSnapshot {
  readonly plan: Plan
  readonly version: number | null
  readonly status: PlanStatus
  readonly unsaved: number
  readonly presence: readonly Present[]
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** What is wrong with the store, or null. */
  readonly storeProblem: string | null
}

/** Somebody who is there. */
export interface Present {
  readonly client: number
  readonly isSelf: boolean
  /** What it says of itself: `name` and `kind`, and whatever was set. */
  readonly state: Readonly<Record<string, unknown>>
}

/** Calls listeners; one that throws does not keep the others from hearing. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>()

  add(listener: (event: Event) => void): () => void {
    // The same function may be added twice; each has its own end.
    const own = (event: Event): void => listener(event)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  tell(event: Event): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        // oxlint-disable-next-line no-console -- it is the page's mistake, and nobody else would ever tell
        console.error('A listener of a live plan failed.', error)
      }
    }
  }

  clear(): void {
    this.#listeners.clear()
  }
}
