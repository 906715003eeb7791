import type { Footprint } from './footprint.ts'
import { decodeRecord, encodeRecord } from './records.ts'
import type { PlanStore } from './store.ts'

/** Records behind the last full state at which all is written anew. */
const COMPACT_AFTER = 500

/** A change of this client's that the server has not acknowledged. */
export interface OwnChange {
  readonly id: string
  readonly footprint: Footprint
  /** null: it is yet to be made on this copy. */
  readonly update: Uint8Array | null
}

/** What a store held. */
export interface Recollected {
  /** In the order in which they were kept. */
  readonly updates: readonly Uint8Array[]
  /** The same. */
  readonly unsaved: readonly OwnChange[]
}

/** Keeps what happens to a copy of a plan. A store that fails costs the keeping, not the plan. */
export class Journal {
  readonly #store: PlanStore
  readonly #state: () => Uint8Array
  readonly #onProblem: (problem: string | null) => void
  /** Own changes that were not acknowledged, as they are kept. */
  readonly #unsaved = new Map<string, Uint8Array>()
  #records = 0
  #isOpen = false
  /** What came before the store was read. */
  readonly #early: Uint8Array[] = []
  #work: Promise<void> = Promise.resolve()

  /**
   * @param state all that the copy holds
   * @param onProblem told what is wrong with the store, and null when it works again
   */
  constructor(store: PlanStore, state: () => Uint8Array, onProblem: (problem: string | null) => void) {
    this.#store = store
    this.#state = state
    this.#onProblem = onProblem
  }

  /** Never throws: what cannot be read is left out. */
  async load(): Promise<Recollected> {
    const updates: Uint8Array[] = []
    const unsaved = new Map<string, { change: OwnChange; bytes: Uint8Array }>()
    try {
      for (const bytes of await this.#store.load()) {
        this.#records++
        const record = decodeRecord(bytes)
        if (record === null) continue
        if (record.kind === 'update' || record.kind === 'own') updates.push(record.update)
        if (record.kind === 'saved') for (const id of record.ids) unsaved.delete(id)
        if (record.kind !== 'own' && record.kind !== 'todo') continue
        const { id, footprint } = record
        unsaved.set(id, { change: { id, footprint, update: record.kind === 'own' ? record.update : null }, bytes })
      }
      this.#isOpen = true
    } catch (error) {
      this.#onProblem(wordsOf(error))
    }
    for (const [id, { bytes }] of unsaved) this.#unsaved.set(id, bytes)
    for (const bytes of this.#early.splice(0)) this.#do(() => this.#store.append(bytes))
    return { updates, unsaved: [...unsaved.values()].map(({ change }) => change) }
  }

  heard(update: Uint8Array): void {
    this.#append(encodeRecord({ kind: 'update', update }))
  }

  /** In one record: either the change and what it did are kept, or neither. */
  changed(id: string, footprint: Footprint, update: Uint8Array): void {
    const bytes = encodeRecord({ kind: 'own', id, footprint, update })
    this.#unsaved.set(id, bytes)
    this.#append(bytes)
  }

  saved(ids: readonly string[]): void {
    for (const id of ids) this.#unsaved.delete(id)
    if (ids.length > 0) this.#append(encodeRecord({ kind: 'saved', ids }))
  }

  /** All anew: the state, and the own changes that were not acknowledged. */
  #whole(): Uint8Array[] {
    return [encodeRecord({ kind: 'update', update: this.#state() }), ...this.#unsaved.values()]
  }

  /**
   * Goes on with another copy: the old one is kept aside, and what is to be made again on the new one is noted.
   * @returns where the old one lies, or null if it could not be kept
   */
  async startOver(todo: readonly OwnChange[]): Promise<string | null> {
    if (!this.#isOpen) return null
    this.#unsaved.clear()
    for (const { id, footprint } of todo) this.#unsaved.set(id, encodeRecord({ kind: 'todo', id, footprint }))
    const records = this.#whole()
    let aside: string | null = null
    // What comes meanwhile waits: if the old copy cannot be kept aside, it stays where it is.
    this.#isOpen = false
    this.#work = this.#work.then(async () => {
      try {
        aside = await this.#store.setAside()
        await this.#store.replace(records)
        this.#records = records.length
      } catch (error) {
        this.#onProblem(wordsOf(error))
      }
      this.#isOpen = true
      for (const record of this.#early.splice(0)) this.#append(record)
    })
    await this.#work
    return aside
  }

  async clear(): Promise<void> {
    this.#unsaved.clear()
    this.#records = 0
    this.#do(() => this.#store.clear())
    await this.#work
  }

  /** Resolves when all is kept, or the store has failed. */
  flush(): Promise<void> {
    return this.#work
  }

  async close(): Promise<void> {
    await this.#work
    this.#isOpen = false
    await this.#store.close().catch((error: unknown) => this.#onProblem(wordsOf(error)))
  }

  #append(record: Uint8Array): void {
    if (!this.#isOpen) return void this.#early.push(record)
    this.#records++
    this.#do(() => this.#store.append(record))
    // Many changes that the server has not seen stay, and do not make it long.
    if (this.#records <= COMPACT_AFTER + 2 * this.#unsaved.size) return
    const records = this.#whole()
    this.#records = records.length
    this.#do(() => this.#store.replace(records))
  }

  /** At once, so that all is done in order, and what a file store is given it has written when this returns. */
  #do(work: () => Promise<void>): void {
    if (!this.#isOpen) return
    const done = work().then(
      () => this.#onProblem(null),
      (error: unknown) => this.#onProblem(wordsOf(error)),
    )
    this.#work = Promise.all([this.#work, done]).then(() => {})
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
