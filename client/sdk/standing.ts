import type { PlanEvent, PlanStatus } from './events.ts'
import { Listeners } from './events.ts'
import { Waiters } from './waiters.ts'

const whyOf = (status: PlanStatus): string | undefined => (status.kind === 'offline' ? status.why : undefined)

/** How a live plan stands, and who is told when that changes. */
export class Standing {
  readonly #listeners = new Listeners<PlanEvent>()
  readonly #synced = new Waiters()
  readonly #saved = new Waiters()
  readonly #onTell: () => void
  #status: PlanStatus
  #version: number | null = null
  #storeProblem: string | null = null
  #toldUnsaved = 0

  /** @param onTell called before listeners are told of anything */
  constructor(status: PlanStatus, onTell: () => void) {
    this.#status = status
    this.#onTell = onTell
  }

  get status(): PlanStatus {
    return this.#status
  }
  get version(): number | null {
    return this.#version
  }
  get storeProblem(): string | null {
    return this.#storeProblem
  }

  /** Why it will never be online again, or null. */
  get end(): string | null {
    const status = this.#status
    if (status.kind === 'refused') return `The server refused this copy: ${status.why} (${status.code})`
    if (status.kind === 'deleted') return 'The thread was deleted.'
    return status.kind === 'closed' ? 'This live plan was closed.' : null
  }

  subscribe(listener: (event: PlanEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  tell(event: PlanEvent): void {
    this.#onTell()
    this.#listeners.tell(event)
  }

  setStatus(status: PlanStatus): void {
    if (status.kind === this.#status.kind && whyOf(status) === whyOf(this.#status)) return
    this.#status = status
    const { end } = this
    if (status.kind === 'online') this.#synced.resolve()
    if (end !== null) {
      this.#synced.reject(end)
      this.#saved.reject(end)
    }
    this.tell({ type: 'status', status })
    if (status.kind === 'closed') this.#listeners.clear()
  }

  setVersion(version: number): void {
    if (version === this.#version) return
    this.#version = version
    this.tell({ type: 'version', version })
  }

  setStoreProblem(problem: string | null): void {
    if (problem === this.#storeProblem) return
    this.#storeProblem = problem
    this.tell({ type: 'store', problem })
  }

  setUnsaved(unsaved: number): void {
    if (unsaved === 0) this.#saved.resolve()
    if (unsaved === this.#toldUnsaved) return
    this.#toldUnsaved = unsaved
    this.tell({ type: 'unsaved', unsaved })
  }

  whenSynced(): Promise<void> {
    return this.#synced.wait(this.#status.kind === 'online', this.end)
  }
  whenSaved(unsaved: number): Promise<void> {
    return this.#saved.wait(unsaved === 0, this.end)
  }
}
