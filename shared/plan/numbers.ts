import type { Fold, StepRecord } from './fold.ts'

/** `task-<N>`: how a step's number is written as a name. */
export const numberName = (number: number): string => `task-${number}`
const NUMBER_NAME = /^task-([1-9][0-9]{0,6})$/
/** The number in a name `task-<N>`, or null. */
export const namedNumber = (name: string): number | null => Number(NUMBER_NAME.exec(name)?.[1] ?? 0) || null

/** Who bears which number among the living; of several that bear the same the one whose patch stands right. */
export class Numbers {
  readonly #holders = new Map<number, StepRecord>()
  /** The bearers of each number that has more than one. */
  readonly #contested = new Map<number, Set<StepRecord>>()

  get isContested(): boolean {
    return this.#contested.size > 0
  }

  holder(number: number): StepRecord | undefined {
    return this.#holders.get(number)
  }

  /** The number that a living step bears and nobody else has the better claim to. */
  of(record: StepRecord): number | null {
    const { number } = record.fields
    return number !== undefined && (this.#contested.size === 0 || this.#holders.get(number) === record) ? number : null
  }

  /** A step had a number while it lived and now has another, or none. */
  update(record: StepRecord, before: number | undefined, after: number | undefined): void {
    if (before === after) return
    if (before !== undefined) this.#leave(record, before)
    if (after !== undefined) this.#enter(record, after)
  }

  #leave(record: StepRecord, number: number): void {
    const rivals = this.#contested.get(number)
    if (rivals === undefined) {
      this.#holders.delete(number)
      return
    }
    rivals.delete(record)
    if (rivals.size > 1) return
    this.#contested.delete(number)
    for (const last of rivals) this.#holders.set(number, last)
  }

  #enter(record: StepRecord, number: number): void {
    const holder = this.#holders.get(number)
    if (holder === undefined) this.#holders.set(number, record)
    else {
      const rivals = this.#contested.get(number)
      if (rivals === undefined) this.#contested.set(number, new Set([holder, record]))
      else rivals.add(record)
    }
  }

  /** To be called when all updates are in. */
  decide(fold: Fold): void {
    if (this.isContested)
      for (const [number, record] of fold.numberHolders(this.#contested)) this.#holders.set(number, record)
  }
}
