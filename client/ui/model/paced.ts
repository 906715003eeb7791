import type { LivePlan, PlanEvent, PlanSnapshot, StepId } from '../../sdk/index.ts'
import { type Actor, type Flash, Flashes } from './flashes.ts'
import { Store } from './store.ts'

/** Milliseconds between two renderings of what others do: below that nobody sees a difference, and agents are fast. */
const PACE_MS = 150

export interface Seen extends PlanSnapshot {
  readonly flashes: ReadonlyMap<StepId, Flash>
  /** The copy that this browser kept was read, or there is none. */
  readonly isLoaded: boolean
}

/** A live plan at a pace that can be followed: one's own changes show at once, those of others a few times a second. */
export class PacedPlan extends Store<Seen> {
  readonly #live: LivePlan
  readonly #flashes: Flashes
  readonly #stop: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #expiry: ReturnType<typeof setTimeout> | undefined
  #shownAt = 0
  #isLoaded = false
  /** What comes with the first answer of the server is no news. */
  #isUpToDate = false

  constructor(live: LivePlan, own: Actor) {
    super({ ...live.getSnapshot(), flashes: new Map(), isLoaded: false })
    this.#live = live
    this.#flashes = new Flashes(own)
    this.#stop = live.subscribe((event) => this.#onEvent(event))
    void live.whenLoaded().then(() => {
      this.#isLoaded = true
      this.#show()
    })
  }

  correct(actors: ReadonlyMap<number, Actor>): void {
    const before = this.#flashes.current
    this.#flashes.correct(actors)
    if (this.#flashes.current !== before) this.#soon()
  }

  close(): void {
    this.#stop()
    clearTimeout(this.#timer)
    clearTimeout(this.#expiry)
  }

  #onEvent(event: PlanEvent): void {
    switch (event.type) {
      case 'change':
        if (event.origin === 'remote' && this.#isUpToDate) this.#flash(event)
        if (event.origin === 'remote') return this.#soon()
        return this.#show()
      case 'status':
        if (event.status.kind === 'online') this.#isUpToDate = true
        return this.#show()
      case 'version':
        this.#flashes.told(event.version)
        return this.#soon()
      case 'store':
        return this.#show()
      case 'unsaved':
      case 'presence':
      case 'setAside':
        return this.#soon()
    }
  }

  #flash(event: Extract<PlanEvent, { type: 'change' }>): void {
    const writers = this.#live.writersOf(new Set(event.changes.map(({ id }) => id)))
    // What comes with the answer to a reconnect was done by many, in many versions.
    this.#flashes.changed(event, Date.now(), writers, this.#live.status.kind === 'online')
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#show(), Math.max(0, this.#shownAt + PACE_MS - Date.now()))
  }

  #show(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#expiry)
    this.#timer = undefined
    const now = Date.now()
    this.#shownAt = now
    const left = this.#flashes.expire(now)
    if (left !== null) this.#expiry = setTimeout(() => this.#show(), left)
    this.set({ ...this.#live.getSnapshot(), flashes: this.#flashes.current, isLoaded: this.#isLoaded })
  }
}
