import type { PlanEvent, StepChange, StepId, Writers } from '../../sdk/index.ts'

/** Milliseconds that a row says who changed it. */
const FLASH_MS = 8_000

export interface Actor {
  readonly id: string
  readonly name: string
}

/** That somebody else changed a step just now. */
export interface Flash {
  readonly who: string
  readonly what: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The version that brought it, once the server has told. */
  readonly version: number | null
  /** The writer calls itself as one does oneself: whether it was somebody else, the log will tell. */
  readonly isHeld: boolean
  /** Grows with every flash, so that a second one in a row is seen. */
  readonly turn: number
}

const VERBS = { pending: 're-opened', in_progress: 'started', completed: 'completed', cancelled: 'cancelled', blocked: 'blocked' } // prettier-ignore

/** What became of a step that is there, and who did just that; null if nobody did. */
export function whatWasDone(
  { before, after, moved }: StepChange,
  writers: Writers | undefined,
): { who: string; what: string } | null {
  if (after === null) return null
  const by = (what: string, ...fields: readonly (keyof typeof after)[]) => {
    const field = fields.find((one) => before !== null && before[one] !== after[one]) ?? fields[0]
    const writer = field === undefined ? undefined : writers?.get(field as never)
    return { what, who: writer || after.updatedBy || after.createdBy }
  }
  if (before === null) return { what: 'added', who: after.createdBy || after.updatedBy }
  if (before.status !== after.status) return by(VERBS[after.status], 'status')
  if (before.text !== after.text) return by('renamed', 'text')
  if (moved) return by('moved', 'parent')
  if (before.claim?.holder !== after.claim?.holder) return by(after.claim === null ? 'released' : 'claimed', 'claim')
  if (before.number !== after.number) return null
  return by('changed', 'details', 'group', 'required', 'alias')
}

/** What others changed lately, step by step. */
export class Flashes {
  readonly #own: Actor
  #flashes = new Map<StepId, Flash>()
  #shown: ReadonlyMap<StepId, Flash> = this.#flashes
  #turn = 0
  /** Steps whose change is here and whose version is not told yet. */
  readonly #untold: StepId[] = []

  /** @param own who sits here: what one does in another window is no news */
  constructor(own: Actor) {
    this.#own = own
  }

  get current(): ReadonlyMap<StepId, Flash> {
    return this.#shown
  }

  /**
   * @param writers who wrote what the changed steps show
   * @param isOneVersion what came is what one version brought: the log knows who made that
   */
  changed(
    { changes }: Extract<PlanEvent, { type: 'change' }>,
    at: number,
    writers: ReadonlyMap<StepId, Writers>,
    isOneVersion: boolean,
  ): void {
    const next = new Map(this.#flashes)
    for (const change of changes) {
      const { id, after } = change
      const done = after === null ? null : whatWasDone(change, writers.get(id))
      if (after === null) next.delete(id)
      if (done === null) continue
      next.set(id, { ...done, at, version: null, isHeld: done.who === this.#own.name, turn: ++this.#turn })
      if (isOneVersion) this.#untold.push(id)
    }
    this.#keep(next)
  }

  told(version: number): void {
    if (this.#untold.length === 0) return
    const next = new Map(this.#flashes)
    for (const id of this.#untold.splice(0)) {
      const flash = next.get(id)
      if (flash?.version === null) next.set(id, { ...flash, version })
    }
    this.#keep(next)
  }

  /** The log knows who it was; the step itself only says what its writer claims. */
  correct(actors: ReadonlyMap<number, Actor>): void {
    let next: Map<StepId, Flash> | null = null
    for (const [id, flash] of this.#flashes) {
      const actor = flash.version === null ? undefined : actors.get(flash.version)
      if (actor === undefined) continue
      const who = actor.name || actor.id
      if (actor.id !== this.#own.id && who === flash.who && !flash.isHeld) continue
      next ??= new Map(this.#flashes)
      if (actor.id === this.#own.id) next.delete(id)
      else next.set(id, { ...flash, who, isHeld: false })
    }
    if (next !== null) this.#keep(next)
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
    if (next !== null) this.#keep(next)
    return oldest === null ? null : oldest + FLASH_MS - now
  }

  #keep(flashes: Map<StepId, Flash>): void {
    this.#flashes = flashes
    this.#shown = new Map([...flashes].filter(([, { isHeld }]) => !isHeld))
  }
}
