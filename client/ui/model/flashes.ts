import type { PlanEvent, StepId } from '../../sdk/index.ts'

/** Milliseconds that a row says who changed it. */
const FLASH_MS = 8_000

/** That somebody else changed a step just now. */
export interface Flash {
  readonly who: string
  readonly what: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The version that brought it, once the server has told. */
  readonly version: number | null
  /** Grows with every flash, so that a second one in a row is seen. */
  readonly turn: number
}

const VERBS = { pending: 're-opened', in_progress: 'started', completed: 'completed', cancelled: 'cancelled', blocked: 'blocked' } // prettier-ignore

/** What others changed lately, step by step. */
export class Flashes {
  #flashes = new Map<StepId, Flash>()
  #turn = 0
  /** Steps whose change is here and whose version is not told yet. */
  readonly #untold: StepId[] = []

  get current(): ReadonlyMap<StepId, Flash> {
    return this.#flashes
  }

  changed({ changes }: Extract<PlanEvent, { type: 'change' }>, at: number): void {
    const next = new Map(this.#flashes)
    for (const { id, before, after, moved } of changes) {
      if (after === null) {
        next.delete(id)
        continue
      }
      const what =
        before === null
          ? 'added'
          : before.status !== after.status
            ? VERBS[after.status]
            : before.text !== after.text
              ? 'renamed'
              : moved
                ? 'moved'
                : before.claim?.holder !== after.claim?.holder
                  ? after.claim === null
                    ? 'released'
                    : 'claimed'
                  : before.number !== after.number
                    ? null
                    : 'changed'
      if (what === null) continue
      next.set(id, { who: after.updatedBy || after.createdBy, what, at, version: null, turn: ++this.#turn })
      this.#untold.push(id)
    }
    this.#flashes = next
  }

  told(version: number): void {
    if (this.#untold.length === 0) return
    const next = new Map(this.#flashes)
    for (const id of this.#untold.splice(0)) {
      const flash = next.get(id)
      if (flash?.version === null) next.set(id, { ...flash, version })
    }
    this.#flashes = next
  }

  /** The log knows who it was; the step itself only says what its writer claims. */
  correct(names: ReadonlyMap<number, string>): void {
    let next: Map<StepId, Flash> | null = null
    for (const [id, flash] of this.#flashes) {
      const who = flash.version === null ? undefined : names.get(flash.version)
      if (who === undefined || who === flash.who) continue
      next ??= new Map(this.#flashes)
      next.set(id, { ...flash, who })
    }
    this.#flashes = next ?? this.#flashes
  }

  /** Forgets what is over. @returns milliseconds until the next one is, or null */
  expire(now: number): number | null {
    let oldest: number | null = null
    let next: Map<StepId, Flash> | null = null
    for (const [id, { at }] of this.#flashes) {
      if (now - at >= FLASH_MS) {
        next ??= new Map(this.#flashes)
        next.delete(id)
      } else oldest = Math.min(oldest ?? at, at)
    }
    this.#flashes = next ?? this.#flashes
    return oldest === null ? null : oldest + FLASH_MS - now
  }
}
