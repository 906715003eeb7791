/** A whole number from 0 up to, not including, `below`. */
export type Next = (below: number) => number

/** Mulberry32: numbers from 0 up to 1, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * Runs something for many seeds, and prints the seed with what it did where it fails.
 * @param standard how often, unless PLANROOM_FUZZ_RUNS says otherwise
 * @param seeds that failed once, and are run first
 */
export async function seeded(
  standard: number,
  run: (next: Next, log: string[]) => Promise<void>,
  seeds: readonly number[] = [],
): Promise<void> {
  const runs = Number(process.env['PLANROOM_FUZZ_RUNS'] ?? standard)
  for (let i = 0; i < runs + seeds.length; i++) {
    const seed = seeds[i] ?? Math.floor(Math.random() * 2 ** 31)
    const number = random(seed)
    const log: string[] = []
    try {
      await run((below) => Math.floor(number() * below), log)
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}\n${log.join('\n')}`, { cause: error })
    }
  }
}

export const pick = <T>(next: Next, values: readonly T[]): T => values[next(values.length)] as T

export function shuffled<T>(next: Next, values: readonly T[]): T[] {
  const rest = [...values]
  return values.map(() => rest.splice(next(rest.length), 1)[0] as T)
}
