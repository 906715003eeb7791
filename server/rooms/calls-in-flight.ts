import type { SentWith } from '../../shared/dialects/dialect.ts'

/**
 * The calls of which the replies have not left yet. What a caller means by a number in its next call is what it knew
 * before the oldest of them: it has not seen the reply.
 */
export class CallsInFlight {
  /** By actor, the oldest first: replies leave in the order of their calls. */
  readonly #calls = new Map<string, SentWith[]>()

  /**
   * Runs a call until its reply leaves.
   * @param knowledge what the actor knows now
   * @param run is given what the actor knew when it sent the call, where that is not what it knows now
   */
  async during<T>(actorId: string, knowledge: SentWith, run: (sentWith?: SentWith) => Promise<T>): Promise<T> {
    const calls = this.#calls.get(actorId) ?? []
    const oldest = calls[0]
    calls.push(knowledge)
    this.#calls.set(actorId, calls)
    try {
      return await run(oldest)
    } finally {
      calls.splice(calls.indexOf(knowledge), 1)
      if (calls.length === 0) this.#calls.delete(actorId)
    }
  }
}
