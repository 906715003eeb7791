import type { Footprint } from './footprint.ts'
import type { OwnChange } from './journal.ts'

/**
 * The changes made here that the server has not acknowledged, in order, and what becomes of them when it refuses the
 * copy that they were made on: they are made once more on a fresh one. If that is refused as well, one after the other,
 * so that the one that is at fault is found; it is left out, and all others arrive.
 */
export class OwnChanges {
  readonly #changes = new Map<string, OwnChange>()
  /** Those that are still to be made on this copy. */
  #todo: OwnChange[] = []
  /** This copy came from the server alone: what it refuses now is a change of ours. */
  #isFresh = false
  #isCautious = false
  /** What was left out, as lines to show. */
  readonly #lost: string[] = []

  /** How many are still to be made on this copy. */
  get waiting(): number {
    return this.#todo.length
  }

  made(change: OwnChange): void {
    this.#changes.set(change.id, change)
  }

  saved(ids: readonly string[]): void {
    for (const id of ids) this.#changes.delete(id)
  }

  /** Those of an earlier time come before those of now. */
  restore(unsaved: readonly OwnChange[]): void {
    const early = [...this.#changes.values()]
    this.#changes.clear()
    for (const change of [...unsaved, ...early]) this.#changes.set(change.id, change)
    this.#todo.push(...unsaved.filter(({ update }) => update === null))
  }

  /**
   * The server will not have this copy.
   * @param sent the ids of the changes that it has not acknowledged
   * @returns whether to try once more, with a fresh copy
   */
  refused(sent: readonly string[]): boolean {
    if (!this.#isFresh) return true
    const [culprit] = sent
    if (culprit === undefined) return false
    if (sent.length === 1) this.#lose(culprit)
    else this.#isCautious = true
    return true
  }

  /** The fresh copy is there. @returns what is to be made on it */
  startOver(): readonly OwnChange[] {
    this.#isFresh = true
    this.#todo = [...this.#changes.values()]
    return this.#todo
  }

  /**
   * Makes what is still to be made on this copy, as far as it may be.
   * @param isBusy whether some change waits for the server
   * @param make @returns whether anything was written
   * @returns the ids of those of which nothing was left to make
   */
  makeWaiting(isBusy: () => boolean, make: (change: OwnChange) => 'made' | 'nothing' | 'impossible'): string[] {
    if (this.#todo.length === 0 && !isBusy()) this.#isCautious = false
    const done: string[] = []
    while (this.#todo.length > 0 && !(this.#isCautious && isBusy())) {
      const [next, ...rest] = this.#todo as [OwnChange, ...OwnChange[]]
      this.#todo = rest
      const result = make(next)
      if (result === 'made') continue
      if (result === 'impossible') this.#lose(next.id)
      this.#changes.delete(next.id)
      done.push(next.id)
    }
    return done
  }

  /** What was left out since this was last asked. */
  takeLost(): string[] {
    return this.#lost.splice(0)
  }

  #lose(id: string): void {
    this.#lost.push(...linesOf(this.#changes.get(id)?.footprint))
    this.#changes.delete(id)
  }
}

const linesOf = (did: Footprint | undefined): string[] =>
  (did?.steps ?? []).map(({ before, after }) => (after ?? before)?.fields.text ?? '')
