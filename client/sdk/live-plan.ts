import type { ToolReply } from '../../shared/dialects/call.ts'
import { changesBetween, type StepChange } from '../../shared/plan/changes.ts'
import { checkOperations, isEmpty } from '../../shared/plan/check.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { Writers } from '../../shared/plan/writers.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import { PlanError } from '../../shared/schema/errors.ts'
import { TWIN_CODE, TWIN_REASON } from '../../shared/schema/closes.ts'
import { newStepId, type StepId } from '../../shared/schema/ids.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import type { PlanEvent, PlanSnapshot, PlanStatus, Present, SetAside } from './events.ts'
import { footprint } from './footprint.ts'
import { Journal, type OwnChange } from './journal.ts'
import { Link } from './link.ts'
import type { ConnectOptions, ToolHost } from './options.ts'
import { OwnChanges } from './own-changes.ts'
import { checkSize } from './replica.ts'
import { doAgain } from './retrace.ts'
import { watchNetwork } from './network.ts'
import { Standing } from './standing.ts'
import { inTime } from './waiters.ts'
import { type Deed, NOTHING_WRITTEN, UndoStack, type Undone, type Written } from './undo.ts'

/** Milliseconds that a store may take to open; a database can be held up by another tab. */
const STORE_PATIENCE_MS = 3_000
const NOT_LARGER = 4413
const NOT_VALID = 4422
const DELETED = 4404

/** A plan that follows the server and can be changed at any time, online or not. Made by `connectPlan`. */
export class LivePlan implements ToolHost {
  readonly actor: Actor
  readonly now: () => number
  readonly #options: ConnectOptions
  readonly #journal: Journal | null
  readonly #undo = new UndoStack()
  readonly #standing: Standing
  readonly #loaded: Promise<void>
  readonly #stopNetwork: () => void
  readonly #runTool: ((tool: string, args: unknown) => ToolReply) | null
  /** The copy that is shown and changed. */
  #link: Link
  /** A fresh copy on its way, after the server would not have the present one. */
  #next: Link | null = null
  #plan: Plan
  #presenceState: Readonly<Record<string, unknown>>
  #snapshot: PlanSnapshot | null = null
  #wantsOnline: boolean
  readonly #own = new OwnChanges()
  /** Why the last copy was refused. */
  #refusal: Pick<SetAside, 'code' | 'why'> = { code: 0, why: '' }

  /** @throws Error if there is no WebSocket, or `url` is none of a server */
  constructor(options: ConnectOptions) {
    const { name = '', id = name, kind = 'human', store, now = Date.now, connect = true } = options
    this.actor = { id, name, kind }
    this.now = now
    this.#options = options
    this.#wantsOnline = connect
    this.#presenceState = { name, kind }
    this.#standing = new Standing({ kind: connect ? 'connecting' : 'offline' }, () => {
      this.#snapshot = null
    })
    this.#link = this.#newLink()
    this.#plan = this.#link.replica.plan
    const state = (): Uint8Array => this.#link.replica.state()
    this.#journal = store === undefined ? null : new Journal(store, state, (it) => this.#standing.setStoreProblem(it))
    this.#runTool = options.tools?.attach(this) ?? null
    this.#loaded = this.#load()
    this.#stopNetwork = watchNetwork(() => (this.#next ?? this.#link).connection)
    void this.#loaded.then(() => this.#open())
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
    return this.#standing.version
  }
  get status(): PlanStatus {
    return this.#standing.status
  }
  /** How many changes made here the server has not on disk yet. */
  get unsaved(): number {
    return this.#link.unsaved.size + this.#own.waiting
  }
  get presence(): readonly Present[] {
    return this.getSnapshot().presence
  }
  /** Who wrote what these steps show, field by field, as far as the document tells. */
  writersOf(ids: ReadonlySet<StepId>): ReadonlyMap<StepId, Writers> {
    return this.#link.replica.writersOf(ids)
  }
  get lastDeed(): Deed | null {
    return this.#undo.last
  }
  get canUndo(): boolean {
    return this.#undo.canUndo
  }
  get canRedo(): boolean {
    return this.#undo.canRedo
  }

  /** Calls `listener` after every change of anything, with what it was. @returns how to stop */
  readonly subscribe = (listener: (event: PlanEvent) => void): (() => void) => this.#standing.subscribe(listener)

  /** For useSyncExternalStore(live.subscribe, live.getSnapshot). */
  readonly getSnapshot = (): PlanSnapshot =>
    (this.#snapshot ??= {
      plan: this.#plan,
      version: this.#standing.version,
      status: this.#standing.status,
      unsaved: this.unsaved,
      presence: this.#link.presence,
      canUndo: this.canUndo,
      canRedo: this.canRedo,
      storeProblem: this.#standing.storeProblem,
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
   * Takes back the last own change, or `deed` whatever came after it, as far as nobody else has changed the same since: see
   * `leftOut`.
   * @returns null if there is none, or it was taken back already
   */
  undo(deed?: Deed): Undone | null {
    return this.#retrace((plan, write) => this.#undo.undo(plan, write, deed))
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
    return this.#standing.whenSynced()
  }

  /** Resolves when the server has on disk all that was changed here. @throws Error if that will never be */
  whenSaved(): Promise<void> {
    return this.#loaded.then(() => this.#standing.whenSaved(this.unsaved))
  }

  /** Resolves when the store has kept all that was changed here. */
  whenKept(): Promise<void> {
    return this.#loaded.then(() => this.#journal?.flush())
  }

  /** Ends the connection; changes go on here. */
  goOffline(): void {
    if (this.#standing.end !== null) return
    this.#wantsOnline = false
    this.#link.connection.pause()
    this.#next?.connection.pause()
    this.#standing.setStatus({ kind: 'offline' })
  }

  goOnline(): void {
    if (this.#standing.end !== null || this.#wantsOnline) return
    this.#wantsOnline = true
    void this.#loaded.then(() => this.#open())
  }

  /** Forgets what the store keeps of this plan, as after it was deleted; what was set aside stays. */
  forget(): Promise<void> {
    return this.#loaded.then(() => this.#journal?.clear())
  }

  /** Ends it all, once the store has kept what was changed. What the server does not have yet goes there next time. */
  async close(): Promise<void> {
    if (this.#standing.status.kind === 'closed') return
    this.#stopNetwork()
    this.#standing.setStatus({ kind: 'closed' })
    this.#link.close()
    this.#next?.close()
    await this.#loaded
    await this.#journal?.close()
  }

  async #load(): Promise<void> {
    if (this.#journal === null) return
    const restored = this.#journal.load().then(({ updates, unsaved }) => {
      if (this.#standing.status.kind === 'closed') return
      const before = this.#plan
      this.#link.replica.restore(updates)
      this.#own.restore(unsaved)
      for (const { id, update } of unsaved) if (update !== null) this.#link.unsaved.add(id, update)
      this.#show('store', before)
      this.#standing.setUnsaved(this.unsaved)
      if (this.#standing.status.kind === 'online') this.#rerun()
    })
    await inTime(restored, STORE_PATIENCE_MS, () => this.#standing.setStoreProblem('It does not open.'))
  }

  #open(): void {
    this.#link.meetSiblings(this.#options.store?.channel)
    if (this.#wantsOnline && this.#standing.end === null) (this.#next ?? this.#link).connection.open()
  }

  #newLink(): Link {
    const link: Link = new Link(this.#options, this.#presenceState, {
      onSynced: () => this.#onSynced(link),
      onReceived: () => this.#onReceived(link),
      onSafe: (ids) => this.#onSafe(link, ids),
      onVersion: (version) => this.#standing.setVersion(version),
      onOffline: (why) => this.#onOffline(why),
      onTwin: () => this.#startOver(link, TWIN_CODE, TWIN_REASON),
      onRefused: (code, why) => this.#onRefused(link, code, why),
      onPresence: () => {
        if (link === this.#link) this.#standing.tell({ type: 'presence', presence: link.presence })
      },
    })
    return link
  }

  #check(operations: readonly PlanOperation[]): PlanChange {
    return checkOperations(this.#plan, operations, { by: this.actor.name, at: this.now() })
  }

  #write(change: PlanChange, id: string = newStepId()) {
    if (this.#standing.status.kind === 'closed') throw new Error('This live plan was closed.')
    if (isEmpty(change)) return null
    checkSize(change)
    const before = this.#plan
    const update = this.#link.replica.write(change)
    this.#plan = this.#link.replica.plan
    const changes = changesBetween(before, this.#plan)
    const did = footprint(before, this.#plan, changes)
    this.#link.unsaved.add(id, update)
    this.#own.made({ id, footprint: did, update })
    this.#journal?.changed(id, did, update)
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
    this.#standing.tell({ type: 'change', origin, before, after: this.#plan, changes })
    if (origin === 'local') this.#standing.setUnsaved(this.unsaved)
  }

  #onReceived(link: Link): void {
    const updates = link.replica.takeReceived()
    if (link !== this.#link) return
    const before = this.#plan
    for (const update of updates) this.#journal?.heard(update)
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
    if (link !== this.#link || this.#standing.end !== null) return
    // The server has answered with all it has, and still something is missing: it was lost in the store.
    if (link.replica.hasGaps) return this.#startOver(link, NOT_VALID, 'A part of this copy was lost.')
    this.#standing.setStatus({ kind: 'online' })
    this.#rerun()
    this.#standing.setUnsaved(this.unsaved)
  }

  #onSafe(link: Link, ids: readonly string[]): void {
    if (link !== this.#link) return
    this.#own.saved(ids)
    this.#journal?.saved(ids)
    this.#rerun()
    this.#standing.setUnsaved(this.unsaved)
  }

  #onOffline(why: string): void {
    if (this.#standing.end === null && this.#wantsOnline) this.#standing.setStatus({ kind: 'offline', why })
  }

  #onRefused(link: Link, code: number, why: string): void {
    if (link !== (this.#next ?? this.#link) || this.#standing.end !== null) return
    if (code === DELETED) return this.#standing.setStatus({ kind: 'deleted' })
    if (code !== NOT_LARGER && code !== NOT_VALID) return this.#standing.setStatus({ kind: 'refused', code, why })
    this.#startOver(link, code, why)
  }

  #startOver(link: Link, code: number, why: string): void {
    // A client id that another document has is no fault of what was written under it.
    if (code !== TWIN_CODE && (link === this.#next || !this.#own.refused(link.unsaved.ids())))
      return this.#standing.setStatus({ kind: 'refused', code, why })
    if (link === this.#next) link.close()
    this.#refusal = { code, why }
    link.retire()
    this.#next = this.#newLink()
    this.#standing.setStatus({ kind: 'offline', why })
    if (this.#wantsOnline) this.#next.connection.open()
  }

  /** The fresh copy is there: the old one is kept aside, and what the server does not have is done again. */
  #takeOver(link: Link): void {
    this.#link.close()
    this.#link = link
    this.#next = null
    link.replica.takeReceived()
    link.meetSiblings(this.#options.store?.channel)
    const todo = this.#own.startOver()
    const kept = this.#journal?.startOver(todo) ?? Promise.resolve(null)
    // Seen as one change: what is done again was there before.
    const before = this.#plan
    this.#plan = link.replica.plan
    this.#rerun(before)
    const refusal = this.#refusal
    const lost = this.#own.takeLost()
    this.#standing.setStatus({ kind: 'online' })
    this.#standing.setUnsaved(this.unsaved)
    if (refusal.code === TWIN_CODE && lost.length === 0) return
    void kept.then((where) => this.#standing.tell({ type: 'setAside', setAside: { ...refusal, where, lost } }))
  }

  /** Makes own changes on this copy that it does not have. */
  #rerun(before = this.#plan): void {
    const done = this.#own.makeWaiting(
      () => this.#link.unsaved.size > 0,
      (change) => this.#makeAgain(change),
    )
    this.#journal?.saved(done)
    if (this.#plan !== before) this.#tellChange('local', before, changesBetween(before, this.#plan))
  }

  #makeAgain({ id, footprint: did }: OwnChange): 'made' | 'nothing' | 'impossible' {
    const { replica } = this.#link
    const { operations } = doAgain(did, this.#plan, (step) => replica.isRemoved(step))
    try {
      return operations.length > 0 && this.#write(this.#check(operations), id) !== null ? 'made' : 'nothing'
    } catch (error) {
      if (error instanceof PlanError) return 'impossible'
      throw error
    }
  }
}

/** Follows a plan on a server, and lets it be changed here at any time. */
export const connectPlan = (options: ConnectOptions): LivePlan => new LivePlan(options)
