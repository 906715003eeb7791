/** Milliseconds to wait after a number of failed attempts. */
export type Backoff = (failures: number) => number

/** The first wait, and the longest: somebody who comes back from a tunnel looks at the screen. */
const FIRST_MS = 400
const MOST_MS = 30_000

/**
 * Doubles with each failure, and lies anywhere in the upper half of that: a server that comes back meets its clients
 * one after the other.
 * @param random in [0, 1)
 */
export function backoffWithJitter(random: () => number = Math.random): Backoff {
  return (failures) => {
    const most = Math.min(MOST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1))
    return most / 2 + (most / 2) * random()
  }
}
