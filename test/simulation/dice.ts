/** Choices of a run, from the numbers that fast-check gives: it makes them smaller where a run fails. */
export class Dice {
  readonly #numbers: readonly number[]
  #next = 0

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers
  }

  /** An integer from 0, below `end`. */
  below(end: number): number {
    return (this.#numbers[this.#next++] ?? 0) % Math.max(1, end)
  }

  /** Whether something happens that happens once in so many times. */
  once(inTimes: number): boolean {
    return this.below(inTimes) === inTimes - 1
  }

  of<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)]
  }
}
