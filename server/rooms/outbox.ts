/** Something that waits for a version to be on disk. */
interface Waiting {
  readonly version: number
  readonly release: () => void
  readonly fail: (error: Error) => void
}

/**
 * What leaves a room, in order. Everything carries the version it was cut at, and leaves when that version is
 * committed: nobody sees what could still be lost.
 */
export class Outbox {
  #applied: number
  #committed: number
  #failure: Error | null = null
  readonly #waiting: Waiting[] = []
  readonly #onThrown: (error: unknown) => void

  /** @param onThrown is told what a release threw: the others still leave, and the storage is not to blame */
  constructor(version: number, onThrown: (error: unknown) => void) {
    this.#applied = version
    this.#committed = version
    this.#onThrown = onThrown
  }

  /** The version of the plan in memory. */
  get applied(): number {
    return this.#applied
  }
  /** The version of the plan on disk. */
  get committed(): number {
    return this.#committed
  }
  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** A change was made in memory. @returns its version */
  advance(): number {
    return ++this.#applied
  }

  /** Runs `release` when all that was applied so far is committed; never if that fails. */
  post(release: () => void, fail: (error: Error) => void = () => {}): void {
    if (this.#failure !== null) fail(this.#failure)
    else if (this.#applied === this.#committed && this.#waiting.length === 0) release()
    else this.#waiting.push({ version: this.#applied, release, fail })
  }

  /** Resolves when all that was applied so far is committed. @throws the error that the outbox failed with */
  settled(): Promise<void> {
    return new Promise((resolve, reject) => this.post(resolve, reject))
  }

  /** All versions up to this one are on disk. */
  commit(version: number): void {
    this.#committed = Math.max(this.#committed, version)
    while (this.#waiting[0] !== undefined && this.#waiting[0].version <= this.#committed) {
      try {
        this.#waiting.shift()?.release()
      } catch (error) {
        this.#onThrown(error)
      }
    }
  }

  /** Nothing that waits may leave any more. */
  fail(error: Error): void {
    this.#failure ??= error
    for (const { fail } of this.#waiting.splice(0)) fail(error)
  }
}
