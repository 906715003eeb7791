import { Awareness } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { applyChange } from '../../shared/plan/apply.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import type { Writers } from '../../shared/plan/writers.ts'
import { writersOf } from '../../shared/plan/writers.ts'
import { PlanError } from '../../shared/schema/errors.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import { MAX_UPDATE_BYTES } from '../../shared/schema/limits.ts'

const OWN = Symbol('own')
const STORED = Symbol('stored')

/** One copy of a plan: under a client id of its own, which no other copy ever has. */
export class Replica {
  readonly doc = new Y.Doc()
  readonly awareness = new Awareness(this.doc)
  readonly #reader = new PlanReader(this.doc)
  #own: Uint8Array | null = null
  readonly #received: Uint8Array[] = []

  constructor() {
    this.doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin === OWN) this.#own = update
      else if (origin !== STORED) this.#received.push(update)
    })
  }

  get plan(): Plan {
    return this.#reader.plan
  }
  /** Parts that lean on something which is not there. */
  get hasGaps(): boolean {
    return this.doc.store.pendingStructs !== null || this.doc.store.pendingDs !== null
  }

  isRemoved(id: StepId): boolean {
    return this.#reader.fold.record(id)?.fields.removed === true
  }

  writersOf(ids: ReadonlySet<StepId>): ReadonlyMap<StepId, Writers> {
    return writersOf(this.doc, ids)
  }

  /** Writes a checked change as one update. @returns it */
  write(change: PlanChange): Uint8Array {
    this.#own = null
    applyChange(this.doc, change, OWN)
    if (this.#own === null) throw new Error('A change that is not empty wrote nothing.')
    return this.#own
  }

  /** Takes in what a store kept. One that cannot be read costs only itself. */
  restore(updates: readonly Uint8Array[]): void {
    this.doc.transact(() => {
      for (const update of updates) {
        try {
          Y.applyUpdate(this.doc, update, STORED)
        } catch {
          // What it lacks now the server has, or the own changes are made once more: see LivePlan.
        }
      }
    }, STORED)
  }

  /** What others wrote since this was last asked. */
  takeReceived(): Uint8Array[] {
    return this.#received.splice(0)
  }

  state(): Uint8Array {
    return Y.encodeStateAsUpdate(this.doc)
  }

  destroy(): void {
    this.awareness.destroy()
    this.#reader.destroy()
    this.doc.destroy()
  }
}

/** @throws PlanError if the server would not take it: what it cannot take ends the connection */
export function checkSize({ patches, tombstones, groups }: PlanChange): void {
  const size = JSON.stringify([patches, tombstones, groups])
  if (size.length * 3 > MAX_UPDATE_BYTES && new TextEncoder().encode(size).length > MAX_UPDATE_BYTES * 0.9)
    throw new PlanError('This is too much for one change. Make it in several.')
}
