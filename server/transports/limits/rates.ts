import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** Points in a span of time, counted by a name: an actor, an address. A name is forgotten when its time is over. */
export class Rate {
  readonly #limiter: RateLimiterMemory

  constructor(points: number, seconds: number) {
    this.#limiter = new RateLimiterMemory({ points, duration: seconds })
  }

  /** @returns null, or in how many seconds to come back */
  async take(name: string | null, points = 1): Promise<number | null> {
    if (name === null) return null
    try {
      await this.#limiter.consume(name, points)
      return null
    } catch (error) {
      if (error instanceof RateLimiterRes) return secondsOf(error)
      throw error
    }
  }

  /** Counts what was done already. @returns in how many seconds to come back, if that was too much */
  async charge(name: string | null, points: number): Promise<number | null> {
    if (name === null) return null
    const counted = await this.#limiter.penalty(name, Math.ceil(points))
    return counted.consumedPoints > this.#limiter.points ? secondsOf(counted) : null
  }

  /** @returns null, or in how many seconds to come back */
  async wait(name: string | null): Promise<number | null> {
    const counted = name === null ? null : await this.#limiter.get(name)
    return counted !== null && counted.consumedPoints > this.#limiter.points ? secondsOf(counted) : null
  }
}

const secondsOf = ({ msBeforeNext }: RateLimiterRes): number => Math.max(1, Math.ceil(msBeforeNext / 1_000))
