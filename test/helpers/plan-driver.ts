import { describe } from 'vitest'
import * as Y from 'yjs'
import type { Caller } from '../../server/rooms/caller.ts'
import type { Log } from '../../server/rooms/log.ts'
import { Rooms } from '../../server/rooms/rooms.ts'
import type { Room } from '../../server/rooms/room.ts'
import type { Storage } from '../../server/rooms/storage.ts'
import { Views } from '../../shared/dialects/views.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import type { ToolReply } from '../../shared/dialects/call.ts'
import { acceptedReply, news, prepareCall, refusedReply } from '../../shared/dialects/call.ts'
import type { Dialect } from '../../shared/dialects/dialect.ts'
import { summarize } from '../../shared/dialects/digest.ts'
import { DIALECTS, TOOLS } from '../../shared/dialects/registry.ts'
import { applyChange } from '../../shared/plan/apply.ts'
import { changesBetween } from '../../shared/plan/changes.ts'
import { isEmpty } from '../../shared/plan/check.ts'
import { History } from '../../shared/plan/history.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import { settle } from '../../shared/plan/settle.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { GroupId, StepId, ThreadId } from '../../shared/schema/ids.ts'
import type { Group, Step } from '../../shared/schema/plan.ts'

/** A name stands for an agent; the empty one for callers without a name. */
export type Who = string | Actor
export const agent = (name: string): Actor => ({ id: name, name, kind: 'agent' })
export const human = (name: string): Actor => ({ id: name, name, kind: 'human' })
export const actorOf = (who: Who): Actor => (typeof who === 'string' ? agent(who) : who)

export interface Standing {
  readonly version: number
  readonly steps: readonly Step[]
  readonly groups: readonly Group[]
}

/** What the log keeps of a call. */
export interface Deed {
  readonly version: number
  readonly actor: Actor
  readonly tool: string
  readonly reasoning: string
  readonly summary: string
}

/** One plan, as those who call tools on it know it. */
export interface PlanDriver {
  call(who: Who, tool: string, args?: unknown): Promise<ToolReply>
  /** The block for a prompt; its reader has looked. */
  block(reader: Who, dialect?: string): Promise<string>
  /** How the plan stands; looking at it is nobody's looking. */
  standing(): Promise<Standing>
  activity(): Promise<readonly Deed[]>
  close(): Promise<void>
}

/** A way in to a plan. */
export interface Way {
  readonly name: string
  open(): Promise<PlanDriver>
}

/** A moment that only moves when it is asked for, by one millisecond. */
function steadyClock(): () => number {
  let at = Date.UTC(2026, 0, 1)
  return () => at++
}

function toolNamed(name: string) {
  const found = TOOLS.get(name)
  if (found === undefined) throw new Error(`there is no tool ${name}`)
  return found
}

function dialectNamed(name: string): Dialect {
  const found = DIALECTS.get(name)
  if (found === undefined) throw new Error(`there is no dialect ${name}`)
  return found
}

/** The functions alone, put together as a room does, on a document that nobody else has. */
export const pureWay: Way = { name: 'pure', open: () => Promise.resolve(openPure()) }

function openPure(): PlanDriver {
  const doc = new Y.Doc()
  const reader = new PlanReader(doc)
  const history = new History(0)
  const views = new Views()
  const deeds: Deed[] = []
  const now = steadyClock()
  let ids = 0
  const newId = (kind: string): string => `${kind}-${String(++ids).padStart(8, '0')}`

  const call = (who: Who, name: string, args: unknown): ToolReply => {
    const actor = actorOf(who)
    const { tool, dialect } = toolNamed(name)
    const { version } = history
    const { plan } = reader
    const { view } = views.of(actor, version)
    const newStepId = (): StepId => newId('step') as StepId
    const newGroupId = (): GroupId => newId('group') as GroupId
    const context = { actor, plan, version, view, history, newStepId, newGroupId }
    const situation = () => {
      if (tool.leavesNews === true) return { plan: reader.plan, version: history.version, digest: null }
      const { told } = views.of(actor, history.version)
      const digest = told === history.version ? null : news({ actor, history }, told, reader.plan, dialect)
      views.told(actor, history.version)
      return { plan: reader.plan, version: history.version, digest }
    }
    const prepared = prepareCall(tool, args, context, { by: actor.name, at: now() })
    if (prepared.kind === 'refused')
      return refusedReply(dialect, prepared.message, { ...situation(), notes: prepared.notes })
    if (!isEmpty(prepared.change) || prepared.alwaysCounts) {
      applyChange(doc, prepared.change, 'test')
      settle(doc, reader, null)
      const { changes } = history.record(actor, plan, reader.plan)
      const summary = summarize(changes)
      deeds.push({ version: history.version, actor, tool: name, reasoning: prepared.reasoning, summary })
    }
    const outcome = prepared.finish(reader.plan, changesBetween(plan, reader.plan))
    const reply = acceptedReply(tool, outcome, situation())
    if (prepared.prints === 'plan') views.shown(actor, history.version, reader.plan)
    else views.answered(actor, history.version, reader.plan, history)
    return reply
  }

  return {
    call: (who, tool, args = {}) => Promise.resolve().then(() => call(who, tool, args)),
    block: (who, dialect = 'outline') => {
      views.shown(actorOf(who), history.version, reader.plan)
      return Promise.resolve(dialectNamed(dialect).block(reader.plan, history.version))
    },
    standing: () => Promise.resolve({ version: history.version, steps: reader.plan.steps, groups: reader.plan.groups }),
    activity: () => Promise.resolve(deeds),
    close: () => {
      reader.destroy()
      doc.destroy()
      return Promise.resolve()
    },
  }
}

const QUIET: Log = { info: () => {}, warn: () => {}, error: () => {} }
const THREAD = 'thread' as ThreadId

export interface RoomDriver extends PlanDriver {
  readonly rooms: Rooms
  readonly storage: Storage
  readonly thread: ThreadId
  use<T>(work: (room: Room) => T | Promise<T>): Promise<T>
}

/** Through a room with its storage in memory. */
export const roomWay: Way = { name: 'room', open: () => Promise.resolve(openRoom()) }

/** @param idleMs milliseconds that the room stays loaded without being used */
export function openRoom({ idleMs = 60_000 }: { readonly idleMs?: number } = {}): RoomDriver {
  const storage = createMemoryStorage()
  const rooms = new Rooms({ storage, log: QUIET, now: steadyClock(), idleMs })
  const thread = THREAD
  const use: RoomDriver['use'] = (work) => rooms.use(thread, work)
  return {
    rooms,
    storage,
    thread,
    use,
    call: (who, name, args = {}) => {
      const caller: Caller = { actor: actorOf(who), source: 'http' }
      return use((room) => room.call({ ...toolNamed(name), args, caller }))
    },
    block: (reader, dialect = 'outline') => use((room) => room.block(dialectNamed(dialect), actorOf(reader))),
    standing: () => use((room) => room.snapshot()),
    activity: () => storage.activity(thread, 0, 10_000),
    close: () => rooms.drain(),
  }
}

/** The ways that every table of cases runs; whatever is said of a plan holds in all of them. */
export const WAYS: readonly Way[] = [pureWay, roomWay]

/** Runs the same cases over every way in. */
export function everyWay(cases: (withPlan: WithPlan) => void): void {
  for (const way of WAYS)
    describe(`the ${way.name} way`, () => {
      cases((work) => usePlan(way, work))
    })
}

/** Makes a test that gets a plan of its own. */
export type WithPlan = (work: (plan: PlanDriver) => Promise<void>) => () => Promise<void>

function usePlan(way: Way, work: (plan: PlanDriver) => Promise<void>): () => Promise<void> {
  return async () => {
    const plan = await way.open()
    try {
      await work(plan)
    } finally {
      await plan.close()
    }
  }
}

/** What a reply shows to the model, read back. */
export interface Envelope {
  readonly success: boolean
  readonly summary: string
  readonly version: number
  readonly notes?: readonly string[]
  readonly digest?: string
}

export const envelopeOf = ({ text }: ToolReply): Envelope => JSON.parse(text) as Envelope
export const summaryOf = (reply: ToolReply): string => envelopeOf(reply).summary
export const notesOf = (reply: ToolReply): readonly string[] => envelopeOf(reply).notes ?? []
/** The lines of list_todos, as somebody sees them who never acts. */
export const outlineOf = async (plan: PlanDriver): Promise<readonly string[]> =>
  summaryOf(await plan.call('onlooker', 'list_todos')).split('\n')
