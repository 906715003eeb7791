import type { Outcome, ToolReply } from '../../shared/dialects/call.ts'
import { fileNamed } from '../../shared/dialects/call.ts'
import type { Commit } from '../../shared/dialects/desk.ts'
import { ToolDesk } from '../../shared/dialects/desk.ts'
import type { CallContext, Dialect, SentWith, Tool } from '../../shared/dialects/dialect.ts'
import { versionsIn, Views } from '../../shared/dialects/views.ts'
import { applyChange } from '../../shared/plan/apply.ts'
import type { StepChange } from '../../shared/plan/changes.ts'
import { checkOperations } from '../../shared/plan/check.ts'
import { growthOf } from '../../shared/plan/growth.ts'
import type { History } from '../../shared/plan/history.ts'
import { planMarkdown } from '../../shared/plan/markdown.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { StepId, ThreadId } from '../../shared/schema/ids.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import type { PlanSnapshot } from '../../shared/schema/plan.ts'
import type { Allowance } from './allowance.ts'
import type { Caller } from './caller.ts'
import type { Files } from './files.ts'
import { CallsInFlight } from './calls-in-flight.ts'
import type { Incidents } from './incidents.ts'
import type { Cause } from './live-plan.ts'
import { LivePlan } from './live-plan.ts'
import type { Log } from './log.ts'
import type { KeyedRecord } from './replays.ts'
import { Replays } from './replays.ts'
import type { Person } from './presence.ts'
import type { Session, Socket } from './session.ts'
import type { Outlook, Storage, StoredPlan, StoredView } from './storage.ts'
import { ThreadDeleted } from './storage.ts'
import { Sync } from './sync.ts'
import { inTurn, type Turns } from './turns.ts'

export interface RoomOptions {
  readonly thread: ThreadId
  readonly storage: Storage
  readonly files: Files
  readonly log: Log
  readonly incidents: Incidents
  /** Bytes that updates with a missing part may take, of all rooms. */
  readonly parking: Allowance
  /** Who works next. */
  readonly turns: Turns
  /** The Yjs client id under which the server writes here. */
  readonly clientId: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called when a version is on disk, after everybody who is connected was told. */
  readonly onCommitted: (version: number) => void
  /** Called once, with why, when the room can no longer be used. */
  readonly onFailed: (error: Error) => void
}

/** What a room is opened from. */
export interface StoredRoom {
  readonly plan: StoredPlan
  readonly views: readonly StoredView[]
}

/** What a room knows that is not stored: kept for when the thread is opened again. */
export interface Recollection {
  readonly history: History
  readonly views: Views
}

export interface ToolCall {
  readonly tool: Tool
  readonly dialect: Dialect
  /** As they came: read leniently here. */
  readonly args: unknown
  readonly caller: Caller
  /** An Idempotency-Key. */
  readonly key?: string
}

/** The line of those who look at the plan, whoever they are: it takes no longer than looking once. */
const READERS = ''

/** How the end of a room is told to its connections: all of them shall come back. */
const ENDINGS: Readonly<Record<Cause, readonly [code: number, reason: string]>> = {
  storage: [4503, 'storage failed'],
  room: [1011, 'internal error'],
}
const FULL =
  'The plan is full. Remove or shorten steps that are no longer needed: that always works. Nothing was changed.'
const nearlyFull = (percent: number): string =>
  `(The plan is ${percent} % full. Remove or shorten steps that are no longer needed before you add more.)`

/** One live thread: who calls, who is connected, what each of them was shown. */
export class Room {
  readonly #options: RoomOptions
  readonly #live: LivePlan
  readonly #sync: Sync
  readonly #desk: ToolDesk
  readonly #replays: Replays
  readonly #inFlight = new CallsInFlight()
  #stored: boolean
  /** The storing of an empty plan, while it is under way. */
  #creation: Promise<void> | undefined

  constructor(options: RoomOptions, stored: StoredRoom | null, recollection: Recollection | null) {
    const { thread, storage, log, incidents, clientId, now } = options
    this.#options = options
    const onCommitted = (version: number, update: Uint8Array): void => {
      this.#sync.committed(version, update)
      options.onCommitted(version)
    }
    const onFailed = (error: Error, cause: Cause): void => {
      if (error instanceof ThreadDeleted) this.#sync.close(4404, 'the thread was deleted')
      else this.#sync.close(...ENDINGS[cause])
      options.onFailed(error)
    }
    const live = { thread, storage, log, incidents, clientId, now, onCommitted, onFailed }
    const seen = new Map(stored?.views.flatMap(versionsIn).map((version) => [version, undefined as Plan | undefined]))
    this.#live = new LivePlan(live, stored?.plan ?? null, recollection?.history ?? null, (version, plan) => {
      if (seen.has(version)) seen.set(version, plan())
    })
    this.#sync = new Sync(this.#live, log, options.parking)
    const isRemembered = recollection?.history === this.#live.history
    this.#desk = new ToolDesk(this.#live, isRemembered ? recollection.views : new Views())
    if (!isRemembered) for (const view of stored?.views ?? []) this.#restore(view, (version) => seen.get(version))
    this.#replays = new Replays(thread, storage, now)
    this.#stored = stored !== null
  }

  /** A view that cannot be read is one that was not kept: references of its actor are refused until it looks again. */
  #restore(view: StoredView, planAt: (version: number) => Plan | undefined): void {
    try {
      this.#desk.views.restore(view, planAt)
    } catch (error) {
      const { thread, log } = this.#options
      log.warn({ thread, actor: view.actorId, err: error }, 'what an actor has seen could not be read')
    }
  }

  /** The version that is on disk. */
  get version(): number {
    return this.#live.outbox.committed
  }
  /** Whether the thread came into being: by a change or by being created. */
  get isStored(): boolean {
    return this.#stored || this.#live.version > 0
  }
  /** Nobody is connected, and all is on disk. */
  get isIdle(): boolean {
    return this.#sync.size === 0 && this.#live.outbox.isEmpty
  }
  /** Nothing of the thread is known here that another opening would not know. */
  get isBlank(): boolean {
    return !this.isStored && this.isIdle && this.#desk.views.isEmpty
  }
  /** Bytes, about, that it takes in all; and those of them that histories and views take. */
  get weight(): number {
    return this.#live.weight + this.remembered
  }
  get remembered(): number {
    return this.#live.history.weight + this.#desk.views.weight
  }
  /** Gives up what is furthest back of what is remembered. @returns whether there was something to give up */
  forgetSome(): boolean {
    return this.#live.history.halve()
  }
  get recollection(): Recollection {
    return { history: this.#live.history, views: this.#desk.views }
  }
  /** Updates that wait for a missing part. */
  get parked(): number {
    return this.#sync.parked
  }

  /**
   * A tool call. Resolves when all that the reply shows is on disk.
   * @throws KeyConflict, RoomFailed, StorageUnwritable
   */
  async call(call: ToolCall): Promise<ToolReply> {
    const { tool, dialect, args, caller, key } = call
    const path = fileNamed(tool, args)
    const file = path === undefined ? undefined : await this.#options.files.read(path)
    this.#live.assertUsable()
    if (key === undefined) return this.#sent(call, file)
    const keyed = { actorId: caller.actor.id, key, tool: tool.name, args }
    return this.#replays.once(
      keyed,
      (record) => this.#sent(call, file, record),
      (outcome) => this.#whenSafe(this.#desk.replay(tool, dialect, caller.actor, outcome)),
    )
  }

  /** Runs a call, and keeps in mind what its caller knew until the reply leaves. */
  #sent(call: ToolCall, file: CallContext['file'], record?: KeyedRecord): Promise<ToolReply> {
    this.#live.assertUsable()
    const { actor } = call.caller
    return this.#inFlight.during(actor.id, this.#desk.knowledge(actor), (sentWith) =>
      this.#inTurn(actor.id, () => this.#run(call, file, sentWith, record)),
    )
  }

  /** Does in its turn what keeps the event loop busy, and gives it out when that is safe. @param line who wants it */
  #inTurn<T>(line: string, work: () => T): Promise<T> {
    const { turns, thread } = this.#options
    return inTurn(turns, thread, line, () => {
      this.#live.assertUsable()
      return this.#whenSafe(work())
    })
  }

  /** Gives something out once every version that it can show is on disk. */
  async #whenSafe<T>(reply: T): Promise<T> {
    await this.#live.outbox.settled()
    return reply
  }

  #run(
    { tool, dialect, args, caller }: ToolCall,
    file: CallContext['file'],
    sentWith: SentWith | undefined,
    record?: KeyedRecord,
  ): ToolReply {
    const { actor } = caller
    let step: StepId | null = null
    let doing = tool.title
    let grows = false
    const commit: Commit = (change, reasoning, finish) => {
      const growth = growthOf(change, this.#live.plan)
      if (growth > 0 && this.#live.isFull(growth)) return { refused: FULL }
      grows = growth > 0
      let outcome: Outcome | undefined
      if (reasoning !== '') doing = reasoning
      const deed = { ...caller, tool: tool.name, reasoning }
      this.#live.change(
        deed,
        null,
        (doc) => applyChange(doc, change, this),
        (changes) => {
          step = changes.findLast(({ after }) => after !== null)?.id ?? null
          outcome = finish(changes)
          return record && { ...record, reply: JSON.stringify(outcome) }
        },
      )
      return outcome ?? finish([])
    }
    const reply = this.#desk.call({ tool, dialect, args, actor, file, sentWith, at: this.#options.now() }, commit)
    this.#keepView(actor)
    if (actor.kind === 'agent' && actor.id !== '') this.#sync.called(actor, { step, doing })
    const percent = grows ? this.#live.nearlyFull : null
    return percent === null ? reply : { ...reply, text: `${reply.text}\n\n${nearlyFull(percent)}` }
  }

  /** The block for a prompt, folded to fit if a limit is given; its reader has looked. */
  async block(dialect: Dialect, reader: Actor, maxTokens?: number): Promise<string> {
    return this.#inTurn(reader.id, () => {
      const text = this.#desk.block(dialect, reader, maxTokens)
      this.#keepView(reader)
      return text
    })
  }

  /**
   * What the actor has seen goes to disk along with the next commit; nobody waits for it. Lost in a crash, it makes a
   * later reference refused rather than wrong: the view before it says what the numbers meant then.
   */
  #keepView(actor: Actor): void {
    if (!this.isStored || !this.#live.isWritable) return
    const { storage, thread, log } = this.#options
    const view = this.#desk.views.store(actor, this.#live.version, this.#live.plan)
    if (view === null) return
    storage.saveView(thread, view).catch((error: unknown) => {
      log.warn({ thread, actor: actor.name, error }, 'what an actor has seen could not be kept')
    })
  }

  /** How the plan looks from outside, and who is there. */
  get outlook(): Outlook {
    return this.#live.outlook
  }
  people(most: number): Person[] {
    return this.#sync.people(most)
  }

  async snapshot(): Promise<PlanSnapshot> {
    return this.#inTurn(READERS, () => {
      const { plan, version } = this.#live
      const steps = plan.steps.map((step) => ({ ...step, dependencies: [...step.dependencies] }))
      return { thread: this.#options.thread, version, title: plan.title, steps, groups: [...plan.groups] }
    })
  }

  /** What a version changed, as long as it is remembered; else null. */
  async changesOf(version: number): Promise<readonly StepChange[] | null> {
    this.#live.assertUsable()
    return this.#whenSafe(this.#live.history.since(version - 1)?.[0]?.changes ?? null)
  }

  async markdown(): Promise<string> {
    return this.#inTurn(READERS, () => planMarkdown(this.#live.plan))
  }

  /**
   * Creates the plan with these operations, if nobody has yet. @returns whether this call did
   * @throws PlanError if the operations do not fit
   */
  async create(operations: readonly PlanOperation[], { actor, source }: Caller): Promise<boolean> {
    this.#live.assertUsable()
    const isNew = !this.isStored
    if (isNew) this.#live.assertWritable()
    const { storage, thread, now } = this.#options
    if (isNew && operations.length > 0) {
      const change = checkOperations(this.#live.plan, operations, { by: actor.name, at: now() })
      this.#live.change({ actor, source, tool: '', reasoning: '' }, null, (doc) => applyChange(doc, change, this))
    } else if (isNew) {
      this.#stored = true
      this.#creation = storage.create(thread, now()).then(
        () => {},
        (error: unknown) => this.#live.fail(error, 'storage'),
      )
    }
    // Who did not create it is not told that it is there before it is on disk either.
    await this.#creation
    await this.#live.outbox.settled()
    return isNew
  }

  /** Takes a connection in. One that may not write can follow and be seen. @throws RoomFailed */
  join(socket: Socket, caller: Caller, wantsVersions: boolean, mayWrite = true): Session {
    this.#live.assertUsable()
    return this.#sync.join(socket, caller, wantsVersions, mayWrite)
  }

  leave(session: Session): void {
    this.#sync.leave(session)
  }

  /** One frame of a connection. */
  receive(session: Session, frame: Uint8Array): void {
    this.#sync.receive(session, frame)
  }

  /** Resolves when all that was changed is on disk. @throws RoomFailed */
  flush(): Promise<void> {
    return this.#live.outbox.settled()
  }

  /** Ends the room: connections are closed with the code, whatever waits or comes fails with `reason`. */
  close(reason: Error, code: number, words: string): void {
    this.#live.close(reason)
    this.#sync.close(code, words)
  }
}
