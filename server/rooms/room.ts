import type { Outcome, ToolReply } from '../../shared/dialects/call.ts'
import { acceptedReply, news, prepareCall, refusedReply } from '../../shared/dialects/call.ts'
import type { CallContext, Dialect, Situation, Tool } from '../../shared/dialects/dialect.ts'
import { applyChange } from '../../shared/plan/apply.ts'
import { checkOperations, isEmpty } from '../../shared/plan/check.ts'
import type { History } from '../../shared/plan/history.ts'
import { planMarkdown } from '../../shared/plan/markdown.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { ThreadId } from '../../shared/schema/ids.ts'
import { newGroupId, newStepId } from '../../shared/schema/ids.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import type { PlanSnapshot } from '../../shared/schema/plan.ts'
import type { Caller } from './caller.ts'
import { LivePlan } from './live-plan.ts'
import type { Log } from './log.ts'
import type { KeyedRecord } from './replays.ts'
import { Replays } from './replays.ts'
import type { Session, Socket } from './session.ts'
import type { Storage, StoredPlan } from './storage.ts'
import { Sync } from './sync.ts'
import { Views } from './views.ts'

export interface RoomOptions {
  readonly thread: ThreadId
  readonly storage: Storage
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called when a version is on disk, after everybody who is connected was told. */
  readonly onCommitted: (version: number) => void
  /** Called once, when the room can no longer be used. */
  readonly onFailed: () => void
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

const FULL = 'The plan is full. Remove steps that are no longer needed. Nothing was changed.'

/** One live thread: who calls, who is connected, what each of them was shown. */
export class Room {
  readonly #options: RoomOptions
  readonly #live: LivePlan
  readonly #sync: Sync
  readonly #views: Views
  readonly #replays: Replays
  #stored: boolean
  /** The storing of an empty plan, while it is under way. */
  #creation: Promise<void> | undefined

  constructor(options: RoomOptions, stored: StoredPlan | null, recollection: Recollection | null) {
    const { thread, storage, log, now } = options
    this.#options = options
    const onCommitted = (version: number, update: Uint8Array): void => {
      this.#sync.committed(version, update)
      options.onCommitted(version)
    }
    const onFailed = (): void => {
      this.#sync.close(4503, 'storage failed')
      options.onFailed()
    }
    this.#live = new LivePlan(
      { thread, storage, log, now, onCommitted, onFailed },
      stored,
      recollection?.history ?? null,
    )
    this.#sync = new Sync(this.#live, log)
    this.#views = recollection?.history === this.#live.history ? recollection.views : new Views()
    this.#replays = new Replays(thread, storage, now)
    this.#stored = stored !== null
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
  get recollection(): Recollection {
    return { history: this.#live.history, views: this.#views }
  }
  /** Updates that wait for a missing part. */
  get parked(): number {
    return this.#sync.parked
  }

  /**
   * A tool call. Resolves when all that the reply shows is on disk.
   * @throws KeyConflict, RoomFailed
   */
  async call(call: ToolCall): Promise<ToolReply> {
    this.#live.assertUsable()
    const { tool, args, caller, key } = call
    if (key === undefined) return this.#whenSafe(this.#run(call))
    const keyed = { actorId: caller.actor.id, key, tool: tool.name, args }
    return this.#replays.once(
      keyed,
      (record) => this.#whenSafe(this.#run(call, record)),
      (outcome) => this.#whenSafe({ ...acceptedReply(tool, outcome, this.#situation(call)), replayed: true }),
    )
  }

  /** Gives something out once every version that it can show is on disk. */
  async #whenSafe<T>(reply: T): Promise<T> {
    await this.#live.outbox.settled()
    return reply
  }

  #run(call: ToolCall, record?: KeyedRecord): ToolReply {
    this.#live.assertUsable()
    const { tool, dialect, args, caller } = call
    const { actor } = caller
    const context = this.#context(actor)
    const prepared = prepareCall(tool, args, context, { by: actor.name, at: this.#options.now() })
    if (prepared.kind === 'refused')
      return refusedReply(dialect, prepared.message, { ...this.#situation(call), notes: prepared.notes })
    const { change, reasoning, finish } = prepared
    let outcome: Outcome | null = null
    if (!isEmpty(change)) {
      if (this.#live.isFull()) return refusedReply(dialect, FULL, { ...this.#situation(call), notes: [] })
      const deed = { ...caller, tool: tool.name, reasoning }
      this.#live.change(
        deed,
        null,
        (doc) => applyChange(doc, change, this),
        (changes) => {
          outcome = finish(this.#live.plan, changes)
          return record && { ...record, reply: JSON.stringify(outcome) }
        },
      )
    }
    const reply = acceptedReply(tool, outcome ?? finish(this.#live.plan, []), this.#situation(call))
    if (tool.printsPlan) this.#views.shown(actor, this.#live.version, this.#live.plan)
    else this.#views.answered(actor, this.#live.version, this.#live.plan, this.#live.history)
    return reply
  }

  #context(actor: Actor): CallContext {
    const { plan, version, history } = this.#live
    const { view } = this.#views.of(actor, version)
    return { actor, plan, version, view, history, newStepId, newGroupId }
  }

  /** How things stand, with what others did since the caller was last told: it is told with this reply, and not again. */
  #situation({ caller: { actor }, dialect }: ToolCall): Omit<Situation, 'notes'> {
    const { plan, version, history } = this.#live
    const { told } = this.#views.of(actor, version)
    const digest = told === version ? null : news({ actor, history }, told, plan, dialect)
    this.#views.told(actor, version)
    return { plan, version, digest }
  }

  /** The block for a prompt; its reader has looked. */
  async block(dialect: Dialect, reader: Actor): Promise<string> {
    this.#live.assertUsable()
    const { plan, version } = this.#live
    this.#views.shown(reader, version, plan)
    return this.#whenSafe(dialect.block(plan, version))
  }

  async snapshot(): Promise<PlanSnapshot> {
    this.#live.assertUsable()
    const { plan, version } = this.#live
    const steps = plan.steps.map((step) => ({ ...step, dependencies: [...step.dependencies] }))
    return this.#whenSafe({ thread: this.#options.thread, version, title: plan.title, steps, groups: [...plan.groups] })
  }

  async markdown(): Promise<string> {
    this.#live.assertUsable()
    return this.#whenSafe(planMarkdown(this.#live.plan))
  }

  /**
   * Creates the plan with these operations, if nobody has yet. @returns whether this call did
   * @throws PlanError if the operations do not fit
   */
  async create(operations: readonly PlanOperation[], { actor, source }: Caller): Promise<boolean> {
    this.#live.assertUsable()
    const isNew = !this.isStored
    const { storage, thread, now } = this.#options
    if (this.#live.version === 0 && operations.length > 0) {
      const change = checkOperations(this.#live.plan, operations, { by: actor.name, at: now() })
      this.#live.change({ actor, source, tool: '', reasoning: '' }, null, (doc) => applyChange(doc, change, this))
    } else if (isNew) {
      this.#stored = true
      this.#creation = storage.create(thread, now()).then(
        () => {},
        (error: unknown) => this.#live.fail(error),
      )
    }
    // Who did not create it is not told that it is there before it is on disk either.
    await this.#creation
    await this.#live.outbox.settled()
    return isNew
  }

  /** Takes a connection in. @throws RoomFailed */
  join(socket: Socket, caller: Caller, wantsVersions: boolean): Session {
    this.#live.assertUsable()
    return this.#sync.join(socket, caller, wantsVersions)
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
