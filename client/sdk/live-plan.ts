import type { ToolReply } from '../../shared/dialects/call.ts'
import type { StepChange } from '../../shared/plan/changes.ts'
import { changesBetween } from '../../shared/plan/changes.ts'
import { checkOperations, isEmpty } from '../../shared/plan/check.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import { PlanError } from '../../shared/schema/errors.ts'
import { newStepId } from '../../shared/schema/ids.ts'
import { MAX_UPDATE_BYTES } from '../../shared/schema/limits.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import type { PlanEvent, PlanStatus, Present, SetAside } from './events.ts'
import { Listeners } from './events.ts'
import type { Footprint } from './footprint.ts'
import { footprint } from './footprint.ts'
import type { OwnChange } from './journal.ts'
import { Journal } from './journal.ts'
import { Link } from './link.ts'
import type { ConnectOptions, ToolHost } from './options.ts'
import { doAgain } from './retrace.ts'
import type { Undone } from './undo.ts'
import { UndoStack } from './undo.ts'
import { Waiters } from './waiters.ts'

/** Milliseconds that a store may take to open; a database can be held up by another tab. */
const STORE_PATIENCE_MS = 3_000
const NOT_LARGER = 4413
const NOT_VALID = 4422
const DELETED = 4404

/** All that a page shows, as one value that is the same until something changes. */
export interface PlanSnapshot {
  readonly plan: Plan
  readonly version: number | null
  readonly status: PlanStatus
  readonly unsaved: number
  readonly presence: readonly Present[]
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** What is wrong with the store, or null. */
  readonly storeProblem: string | null
}

/** A plan that follows the server and can be changed at any time, online or not. Made by `connectPlan`. */
export class LivePlan implements ToolHost {
  readonly actor: Actor
  readonly now: () => number
  readonly #options: ConnectOptions
  readonly #journal: Journal | null
  readonly #listeners = new Listeners<PlanEvent>()
  readonly #undo = new UndoStack()
  readonly #synced = new Waiters()
  readonly #saved = new Waiters()
  readonly #loaded: Promise<void>
  readonly #runTool: ((tool: string, args: unknown) => ToolReply) | null
  /** The copy that is shown and changed. */
  #link: Link
  /** A fresh copy on its way, after the server would not have the present one. */
  #next: Link | null = null
  #plan: Plan
  #version: number | null = null
  #status: PlanStatus = { kind: 'connecting' }
  #storeProblem: string | null = null
  #presenceState: Readonly<Record<string, unknown>>
  #snapshot: PlanSnapshot | null = null
  #wantsOnline: boolean
  /** Own changes that the server has not acknowledged, in order. */
  readonly #own = new Map<string, OwnChange>()
  /** Those of them that are still to be made on this copy. */
  #todo: OwnChange[] = []
  /** This copy came from the server alone: what it refuses now is a change of ours. */
  #isFresh = false
  /** Changes are made once more one by one, to find the one that is refused. */
  #isCautious = false

  /** @throws Error if there is no WebSocket */
  constructor(options: ConnectOptions) {
    const { name = '', id = name, kind = 'human', store, now = Date.now, connect = true } = options
    this.actor = { id, name, kind }
    this.now = now
    this.#options = options
    this.#wantsOnline = connect
    this.#presenceState = { name, kind }
    this.#link = this.#newLink()
    this.#plan = this.#link.replica.plan
    this.#journal = store === undefined ? null : new Journal(store, (problem) => this.#onStoreProblem(problem))
    this.#runTool = options.tools?.attach(this) ?? null
    if (!connect) this.#status = { kind: 'offline' }
    this.#loaded = this.#load()
    void this.#start()
  }

  /** The plan as it stands here: immutable, and sharing all that did not change with the one before. */
  get plan(): Plan {
    return this.#plan
  }
  get steps(): Plan['steps'] {
    return this.#plan.steps
  }
  get groups(): Plan['groups'] {
    return this.#plan.groups
  }
  /** The server's version; null until it has told it. */
  get version(): number | null {
    return this.#version
  }
  get status(): PlanStatus {
    return this.#status
  }
  /** How many changes made here the server has not on disk yet. */
  get unsaved(): number {
    return this.#link.unsaved.size + this.#todo.length
  }
  get presence(): readonly Present[] {
    return this.getSnapshot().presence
  }
  get canUndo(): boolean {
    return this.#undo.canUndo
  }
  get canRedo(): boolean {
    return this.#undo.canRedo
  }

  /** Calls `listener` after every change of anything, with what it was. @returns how to stop */
  readonly subscribe = (listener: (event: PlanEvent) => void): (() => void) => this.#listeners.add(listener)

  /** For useSyncExternalStore(live.subscribe, live.getSnapshot). */
  readonly getSnapshot = (): PlanSnapshot =>
    (this.#snapshot ??= {
      plan: this.#plan,
      version: this.#version,
      status: this.#status,
      unsaved: this.unsaved,
      presence: this.#link.presence,
      canUndo: this.canUndo,
      canRedo: this.canRedo,
      storeProblem: this.#storeProblem,
    })

  /**
   * Changes the plan here, as one update, and sends it when there is a connection.
   * @returns what became of the steps
   * @throws PlanError, and then nothing was changed
   */
  apply(operations: readonly PlanOperation[]): readonly StepChange[] {
    return this.commit(this.#check(operations))
  }

  commit(change: PlanChange): readonly StepChange[] {
    const done = this.#write(change)
    if (done === null) return []
    this.#undo.record(done.footprint)
    this.#tellChange('local', done.before, done.changes)
    return done.changes
  }

  /**
   * Calls a tool on this copy, online or not. What it changed is sent like any other change.
   * @throws Error if the live plan was given no tools, or has none of this name
   */
  async call(tool: string, args: unknown): Promise<ToolReply> {
    if (this.#runTool === null) throw new Error('Pass `tools: planTools` of planroom/client/tools to connectPlan.')
    await this.#loaded
    return this.#runTool(tool, args)
  }

  /**
   * Takes back the last own change, as far as nobody else has changed the same since: see `leftOut`.
   * @returns null if there is none
   */
  undo(): Undone | null {
    return this.#retrace((plan, write) => this.#undo.undo(plan, write))
  }

  /** Does again what was undone last. @returns null if there is nothing */
  redo(): Undone | null {
    return this.#retrace((plan, write) => this.#undo.redo(plan, write))
  }

  /** Tells others what one is at, such as the step that has the focus; up to 4 KiB as JSON. */
  setPresence(state: Readonly<Record<string, unknown>>): void {
    const { name, kind } = this.actor
    this.#presenceState = { name, kind, ...state }
    this.#link.replica.awareness.setLocalState(this.#presenceState)
  }

  /** Resolves when what the store kept is there. */
  whenLoaded(): Promise<void> {
    return this.#loaded
  }

  /** Resolves when this copy has all that the server has. @throws Error if that will never be */
  whenSynced(): Promise<void> {
    return this.#synced.wait(this.#status.kind === 'online', this.#end())
  }

  /** Resolves when the server has on disk all that was changed here. @throws Error if that will never be */
  whenSaved(): Promise<void> {
    return this.#loaded.then(() => this.#saved.wait(this.unsaved === 0, this.#end()))
  }

  /** Resolves when the store has kept all that was changed here. */
  async whenKept(): Promise<void> {
    await this.#loaded
    await this.#journal?.flush()
  }

  /** Ends the connection; changes go on here. */
  goOffline(): void {
    if (this.#end() !== null) return
    this.#wantsOnline = false
    this.#link.connection.pause()
    this.#next?.connection.pause()
    this.#setStatus({ kind: 'offline' })
  }

  goOnline(): void {
    if (this.#end() !== null || this.#wantsOnline) return
    this.#wantsOnline = true
    void this.#loaded.then(() => this.#open())
  }

  /** Forgets what the store keeps of this plan, as after it was deleted; what was set aside stays. */
  async forget(): Promise<void> {
    await this.#loaded
    await this.#journal?.clear()
  }

  /** Ends it all, once the store has kept what was changed. What the server does not have yet goes there next time. */
  async close(): Promise<void> {
    if (this.#status.kind === 'closed') return
    globalThis.removeEventListener?.('online', this.#onNetwork)
    this.#setStatus({ kind: 'closed' })
    this.#listeners.clear()
    this.#link.close()
    this.#next?.close()
    await this.#loaded
    await this.#journal?.close()
  }

  // How it begins

  async #load(): Promise<void> {
    if (this.#journal === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#onStoreProblem('It does not open.')
        resolve()
      }, STORE_PATIENCE_MS)
    })
    const restored = this.#journal.load().then(({ updates, unsaved }) => {
      if (this.#status.kind === 'closed') return
      const before = this.#plan
      this.#link.replica.restore(updates)
      const early = [...this.#own.values()]
      this.#own.clear()
      for (const change of [...unsaved, ...early]) this.#own.set(change.id, change)
      for (const { id, update } of unsaved) if (update !== null) this.#link.unsaved.add(id, update)
      this.#todo.push(...unsaved.filter(({ update }) => update === null))
      this.#show('store', before)
      this.#tellUnsaved()
      if (this.#status.kind === 'online') this.#rerun()
    })
    await Promise.race([restored, late]).finally(() => clearTimeout(timer))
  }

  async #start(): Promise<void> {
    globalThis.addEventListener?.('online', this.#onNetwork)
    await this.#loaded
    this.#open()
  }

  #open(): void {
    if (this.#wantsOnline && this.#end() === null) (this.#next ?? this.#link).connection.open()
  }

  readonly #onNetwork = (): void => (this.#next ?? this.#link).connection.hurry()

  #newLink(): Link {
    const link: Link = new Link(this.#options, this.#presenceState, {
      onSynced: () => this.#onSynced(link),
      onReceived: () => this.#onReceived(link),
      onSafe: (ids) => this.#onSafe(link, ids),
      onVersion: (version) => this.#onVersion(version),
      onOffline: () => this.#onOffline(),
      onRefused: (code, why) => this.#onRefused(link, code, why),
      onPresence: () => this.#tellPresence(link),
    })
    return link
  }

  // What is changed here

  #check(operations: readonly PlanOperation[]): PlanChange {
    return checkOperations(this.#plan, operations, { by: this.actor.name, at: this.now() })
  }

  #write(change: PlanChange, id: string = newStepId()) {
    if (this.#status.kind === 'closed') throw new Error('This live plan was closed.')
    if (isEmpty(change)) return null
    const size = JSON.stringify([change.patches, change.tombstones, change.groups])
    if (size.length * 3 > MAX_UPDATE_BYTES && new TextEncoder().encode(size).length > MAX_UPDATE_BYTES * 0.9)
      throw new PlanError('This is too much for one change. Make it in several.')
    const before = this.#plan
    const update = this.#link.replica.write(change)
    this.#plan = this.#link.replica.plan
    const changes = changesBetween(before, this.#plan)
    const did = footprint(before, this.#plan, changes)
    this.#link.unsaved.add(id, update)
    this.#own.set(id, { id, footprint: did, update })
    this.#journal?.changed(id, did, update)
    this.#compactIfLong()
    return { before, changes, footprint: did }
  }

  #retrace(run: (plan: () => Plan, write: (operations: readonly PlanOperation[]) => Written) => Undone | null) {
    const before = this.#plan
    const undone = run(
      () => this.#plan,
      (operations) => this.#write(this.#check(operations)) ?? NOTHING_WRITTEN,
    )
    if (this.#plan !== before) this.#tellChange('local', before, undone?.changes ?? [])
    else this.#snapshot = null
    return undone
  }

  #tellChange(origin: 'local' | 'remote' | 'store', before: Plan, changes: readonly StepChange[]): void {
    this.#tell({ type: 'change', origin, before, after: this.#plan, changes })
    if (origin === 'local') this.#tellUnsaved()
  }

  #compactIfLong(): void {
    if (this.#journal?.isLong === true) this.#journal.compact(this.#link.replica.state())
  }

  // What comes from the server

  #onReceived(link: Link): void {
    const updates = link.replica.takeReceived()
    if (link !== this.#link) return
    const before = this.#plan
    for (const update of updates) this.#journal?.heard(update)
    this.#compactIfLong()
    this.#show('remote', before)
  }

  #show(origin: 'remote' | 'store', before: Plan): void {
    this.#plan = this.#link.replica.plan
    if (this.#plan === before) return
    const changes = changesBetween(before, this.#plan)
    if (origin === 'remote') this.#undo.changedElsewhere(changes)
    this.#tellChange(origin, before, changes)
  }

  #onSynced(link: Link): void {
    if (link === this.#next) return this.#takeOver(link)
    if (link !== this.#link || this.#end() !== null) return
    // The server has answered with all it has, and still something is missing: it was lost in the store.
    if (link.replica.hasGaps) return this.#startOver(link, NOT_VALID, 'A part of this copy was lost.')
    this.#setStatus({ kind: 'online' })
    this.#rerun()
    this.#tellUnsaved()
  }

  #onSafe(link: Link, ids: readonly string[]): void {
    if (link !== this.#link) return
    for (const id of ids) this.#own.delete(id)
    this.#journal?.saved(ids)
    this.#rerun()
    this.#tellUnsaved()
  }

  #onVersion(version: number): void {
    if (version === this.#version) return
    this.#version = version
    this.#tell({ type: 'version', version })
  }

  #onOffline(): void {
    if (this.#end() === null) this.#setStatus({ kind: 'offline' })
  }

  #onRefused(link: Link, code: number, why: string): void {
    if (link !== (this.#next ?? this.#link) || this.#end() !== null) return
    if (code === DELETED) return this.#setStatus({ kind: 'deleted' })
    if (code !== NOT_LARGER && code !== NOT_VALID) return this.#setStatus({ kind: 'refused', code, why })
    this.#startOver(link, code, why)
  }

  // When the server will not have this copy

  #startOver(link: Link, code: number, why: string): void {
    const sent = link.unsaved.ids()
    const isHopeless = link === this.#next || (this.#isFresh && sent.length === 0)
    if (isHopeless) return this.#setStatus({ kind: 'refused', code, why })
    this.#refusal = { code, why }
    if (this.#isFresh && sent.length === 1) this.#lose(sent)
    else if (this.#isFresh) this.#isCautious = true
    link.connection.pause()
    this.#next = this.#newLink()
    this.#setStatus({ kind: 'offline' })
    if (this.#wantsOnline) this.#next.connection.open()
  }

  #refusal: Pick<SetAside, 'code' | 'why'> = { code: 0, why: '' }
  #lost: string[] = []

  #lose(ids: readonly string[]): void {
    for (const id of ids) {
      this.#lost.push(...linesOf(this.#own.get(id)?.footprint))
      this.#own.delete(id)
    }
  }

  /** The fresh copy is there: the old one is kept aside, and what the server does not have is done again. */
  #takeOver(link: Link): void {
    this.#link.close()
    this.#link = link
    this.#next = null
    this.#isFresh = true
    link.replica.takeReceived()
    this.#todo = [...this.#own.values()]
    const kept = this.#journal?.startOver(link.replica.state(), this.#todo) ?? Promise.resolve(null)
    // Seen as one change: what is done again was there before.
    const before = this.#plan
    this.#plan = link.replica.plan
    this.#rerun(before)
    const refusal = this.#refusal
    const lost = this.#lost.splice(0)
    this.#setStatus({ kind: 'online' })
    this.#tellUnsaved()
    void kept.then((where) => this.#tell({ type: 'setAside', setAside: { ...refusal, where, lost } }))
  }

  /** Makes own changes on this copy that it does not have. */
  #rerun(before = this.#plan): void {
    if (this.#todo.length === 0 && this.#link.unsaved.size === 0) this.#isCautious = false
    while (this.#todo.length > 0 && !(this.#isCautious && this.#link.unsaved.size > 0)) {
      const [next, ...rest] = this.#todo as [OwnChange, ...OwnChange[]]
      this.#todo = rest
      if (this.#redoOne(next)) continue
      this.#own.delete(next.id)
      this.#journal?.saved([next.id])
    }
    if (this.#plan !== before) this.#tellChange('local', before, changesBetween(before, this.#plan))
  }

  /** @returns false if there is nothing left of it to do */
  #redoOne({ id, footprint: did }: OwnChange): boolean {
    const { replica } = this.#link
    const { operations } = doAgain(did, this.#plan, (step) => replica.isRemoved(step))
    try {
      return operations.length > 0 && this.#write(this.#check(operations), id) !== null
    } catch (error) {
      if (!(error instanceof PlanError)) throw error
      this.#lost.push(...linesOf(did))
      return false
    }
  }

  // What is told

  /** Why it will never be online again, or null. */
  #end(): string | null {
    const status = this.#status
    if (status.kind === 'refused') return `The server refused this copy: ${status.why} (${status.code})`
    if (status.kind === 'deleted') return 'The thread was deleted.'
    return status.kind === 'closed' ? 'This live plan was closed.' : null
  }

  #setStatus(status: PlanStatus): void {
    if (status.kind === this.#status.kind) return
    this.#status = status
    const end = this.#end()
    if (status.kind === 'online') this.#synced.resolve()
    if (end !== null) {
      this.#synced.reject(end)
      this.#saved.reject(end)
    }
    this.#tell({ type: 'status', status })
  }

  #tellPresence(link: Link): void {
    if (link === this.#link) this.#tell({ type: 'presence', presence: link.presence })
  }

  #onStoreProblem(problem: string | null): void {
    if (problem === this.#storeProblem) return
    this.#storeProblem = problem
    this.#tell({ type: 'store', problem })
  }

  #toldUnsaved = 0
  #tellUnsaved(): void {
    const { unsaved } = this
    if (unsaved === 0) this.#saved.resolve()
    if (unsaved === this.#toldUnsaved) return
    this.#toldUnsaved = unsaved
    this.#tell({ type: 'unsaved', unsaved })
  }

  #tell(event: PlanEvent): void {
    this.#snapshot = null
    this.#listeners.tell(event)
  }
}

interface Written {
  readonly changes: readonly StepChange[]
  readonly footprint: Footprint
}
const NOTHING_WRITTEN: Written = { changes: [], footprint: { steps: [], groups: [], title: null, groupTitles: {} } }

const linesOf = (did: Footprint | undefined): string[] =>
  (did?.steps ?? []).map(({ before, after }) => (after ?? before)?.fields.text ?? '')

/** Follows a plan on a server, and lets it be changed here at any time. */
export const connectPlan = (options: ConnectOptions): LivePlan => new LivePlan(options)
