import type { ActivityEntry } from '../../server/rooms/storage.ts'
import type { LivePlan } from '../sdk/live-plan.ts'
import type { Api } from './api.ts'

interface Beginning {
  readonly version: number
  readonly tell: (entries: readonly ActivityEntry[]) => void
}

/** Entries in one question for them. */
const PAGE = 200

/**
 * Tells what happens to a plan from now on, as its log has it: who did it, when, and why. The document itself does not say
 * that: it knows who touched a step last.
 */
export class Happenings {
  readonly #api: Api
  readonly #live: LivePlan
  readonly #thread: string
  readonly #tell: (entries: readonly ActivityEntry[]) => void
  #told: number
  #isAsking = false
  #isStale = false

  /**
   * @param from from which version on; `tell` is called with the next entries in order, never with none
   */
  constructor(api: Api, live: LivePlan, thread: string, from: Beginning) {
    this.#api = api
    this.#live = live
    this.#thread = thread
    this.#tell = from.tell
    this.#told = from.version
  }

  /** The plan has a new version. What cannot be asked for now is asked for with the next one. */
  ask(): void {
    this.#isStale = true
    if (!this.#isAsking) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isAsking = true
    try {
      while (this.#isStale && this.#told < (this.#live.version ?? 0)) {
        this.#isStale = false
        const path = `/threads/${this.#thread}/activity?after=${this.#told}&limit=${PAGE}`
        const { entries } = await this.#api.json<{ readonly entries: readonly ActivityEntry[] }>(path)
        const last = entries.at(-1)
        if (last === undefined) continue
        this.#told = last.version
        this.#isStale = this.#told < (this.#live.version ?? 0)
        this.#tell(entries)
      }
    } catch {
      // The server is away: it is asked again once it is back, which is a new status, or says a version.
    } finally {
      this.#isAsking = false
    }
  }
}
