import { describe } from 'vitest'
import * as Y from 'yjs'
import { createApp } from '../../server/app.ts'
import type { Access } from '../../server/auth/access.ts'
import { openAccess } from '../../server/auth/access.ts'
import type { Caller } from '../../server/rooms/caller.ts'
import type { Files } from '../../server/rooms/files.ts'
import type { Log } from '../../server/rooms/log.ts'
import { Rooms } from '../../server/rooms/rooms.ts'
import type { Room } from '../../server/rooms/room.ts'
import type { Storage } from '../../server/rooms/storage.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import type { Outcome, ToolReply } from '../../shared/dialects/call.ts'
import { fileNamed } from '../../shared/dialects/call.ts'
import type { DeskPlan } from '../../shared/dialects/desk.ts'
import { ToolDesk } from '../../shared/dialects/desk.ts'
import type { Dialect } from '../../shared/dialects/dialect.ts'
import { summarize } from '../../shared/dialects/digest.ts'
import { DIALECTS, TOOLS } from '../../shared/dialects/registry.ts'
import { applyChange } from '../../shared/plan/apply.ts'
import { checkOperations } from '../../shared/plan/check.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import { History } from '../../shared/plan/history.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import { settle } from '../../shared/plan/settle.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { ThreadId } from '../../shared/schema/ids.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import type { Group, Step } from '../../shared/schema/plan.ts'

/** A name stands for an agent; the empty one for callers without a name. */
export type Who = string | Actor
export const agent = (name: string): Actor => ({ id: name, name, kind: 'agent' })
export const human = (name: string): Actor => ({ id: name, name, kind: 'human' })
const actorOf = (who: Who): Actor => (typeof who === 'string' ? agent(who) : who)

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
  block(reader: Who, dialect?: string, maxTokens?: number): Promise<string>
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

/** What can be read below the operator's folder, in every way. */
const FILES: Readonly<Record<string, string>> = { 'plan.md': '## backend\n- [ ] From a file\n' }
const fileAt = (path: string): { text: string } | { error: string } => {
  const text = FILES[path]
  return text === undefined ? { error: `there is no file ${path}` } : { text }
}
const files: Files = { read: (path) => Promise.resolve(fileAt(path)) }

/** The functions alone, on a document that nobody else has. */
const pureWay: Way = { name: 'pure', open: () => Promise.resolve(openPure()) }

export interface PureDriver extends PlanDriver {
  readonly plan: Plan
  readonly version: number
  /** Changes the plan in a way for which there is no tool here. */
  apply(operations: readonly PlanOperation[], who: Who): void
  /** Without it the plan is as an offline copy has it: nobody numbers what is new. */
  settles: boolean
}

export function openPure(): PureDriver {
  const doc = new Y.Doc()
  const reader = new PlanReader(doc)
  const history = new History(0)
  const deeds: Deed[] = []
  const now = steadyClock()
  const live: DeskPlan = {
    history,
    get plan() {
      return reader.plan
    },
    get version() {
      return history.version
    },
  }
  const desk = new ToolDesk(live)

  const write = (actor: Actor, change: PlanChange) => {
    const before = reader.plan
    applyChange(doc, change, 'test')
    if (driver.settles) settle(doc, reader, null)
    return history.record(actor, before, reader.plan).changes
  }
  const call = (who: Who, name: string, args: unknown): ToolReply => {
    const actor = actorOf(who)
    const { tool, dialect } = toolNamed(name)
    const path = fileNamed(tool, args)
    const file = path === undefined ? {} : { file: fileAt(path) }
    return desk.call({ tool, dialect, args, actor, ...file, at: now() }, (change, reasoning, finish) => {
      const changes = write(actor, change)
      deeds.push({ version: history.version, actor, tool: name, reasoning, summary: summarize(changes) })
      // As if it was stored and read back.
      return JSON.parse(JSON.stringify(finish(changes))) as Outcome
    })
  }

  const driver: PureDriver = {
    settles: true,
    get plan() {
      return reader.plan
    },
    get version() {
      return history.version
    },
    apply: (operations, who) =>
      void write(actorOf(who), checkOperations(reader.plan, operations, { by: actorOf(who).name, at: now() })),
    call: (who, tool, args = {}) => Promise.resolve().then(() => call(who, tool, args)),
    block: (who, dialect = 'outline', maxTokens) =>
      Promise.resolve(desk.block(dialectNamed(dialect), actorOf(who), maxTokens)),
    standing: () => Promise.resolve({ version: history.version, steps: reader.plan.steps, groups: reader.plan.groups }),
    activity: () => Promise.resolve(deeds),
    close: () => {
      reader.destroy()
      doc.destroy()
      return Promise.resolve()
    },
  }
  return driver
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
const roomWay: Way = { name: 'room', open: () => Promise.resolve(openRoom()) }

export interface RoomSettings {
  /** Milliseconds that the room stays loaded without being used. */
  readonly idleMs?: number
  readonly storage?: Storage
  readonly thread?: ThreadId
}

export function openRoom({ idleMs = 60_000, storage = createMemoryStorage(), thread = THREAD }: RoomSettings = {}) {
  const rooms = new Rooms({ storage, files, log: QUIET, now: steadyClock(), idleMs })
  const use: RoomDriver['use'] = (work) => rooms.use(thread, work)
  const driver: RoomDriver = {
    rooms,
    storage,
    thread,
    use,
    call: (who, name, args = {}) => {
      const caller: Caller = { actor: actorOf(who), source: 'http' }
      return use((room) => room.call({ ...toolNamed(name), args, caller }))
    },
    block: (reader, dialect = 'outline', maxTokens) =>
      use((room) => room.block(dialectNamed(dialect), actorOf(reader), maxTokens)),
    standing: () => use((room) => room.snapshot()),
    activity: () => storage.activity(thread, 0, 10_000),
    close: () => rooms.drain(),
  }
  return driver
}

/** Through the door of HTTP, without a network: every request goes the whole way from its bytes to the bytes of its answer. */
const httpWay: Way = { name: 'HTTP', open: () => Promise.resolve(openHttp()) }

function openHttp(): PlanDriver {
  const config = { host: '127.0.0.1', port: 0, idleMs: 60_000, allowedHosts: ['planroom.test'] }
  const app = createApp({ config, storage: createMemoryStorage(), log: QUIET, access: SAYS_WHO })
  const ask = async (path: string, init: RequestInit = {}): Promise<string | null> => {
    const response = await app.fetch(new Request(`http://planroom.test/threads/${THREAD}${path}`, init))
    const text = await response.text()
    // A plan without a version is not there yet.
    if (response.status === 404) return null
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`)
    return text
  }
  return {
    call: async (who, tool, args = {}) => {
      const actor = actorOf(who)
      const headers: HeadersInit =
        actor.kind === 'agent'
          ? { 'X-Agent-Name': inBytes(actor.name), 'X-Agent-Id': inBytes(actor.id) }
          : { Authorization: `Bearer ${Buffer.from(JSON.stringify(actor)).toString('base64url')}` }
      // What is no object and no list is no body of a call, but the text of it may be.
      const isBody = typeof args === 'string' || typeof args === 'object'
      const body = JSON.stringify(isBody ? args : JSON.stringify(args))
      return JSON.parse((await ask(`/tools/${tool}`, { method: 'POST', headers, body })) ?? '') as ToolReply
    },
    block: async (reader, dialect = 'outline', maxTokens) => {
      const { id } = actorOf(reader)
      const query = new URLSearchParams({ dialect, for: id, max_tokens: maxTokens === undefined ? '' : `${maxTokens}` })
      return (await ask(`/context?${String(query)}`)) ?? ''
    },
    standing: async () => JSON.parse((await ask('')) ?? '{"version":0,"steps":[],"groups":[]}') as Standing,
    activity: async () =>
      (JSON.parse((await ask('/activity?limit=500')) ?? '{"entries":[]}') as { entries: Deed[] }).entries,
    close: () => app.close(),
  }
}

/** A token is the actor itself; without one callers say who they are. */
const SAYS_WHO: Access = {
  ...openAccess,
  identify: async (token) => {
    const anybody = await openAccess.identify(null)
    return token === null
      ? anybody
      : { ...anybody, actor: JSON.parse(Buffer.from(token, 'base64url').toString()) as Actor }
  },
}

/** A header holds bytes: what is beyond ASCII goes as UTF-8, as curl sends it. */
const inBytes = (text: string): string => Buffer.from(text).toString('latin1')

/** The ways that every table of cases runs; whatever is said of a plan holds in all of them. */
export const WAYS: readonly Way[] = [pureWay, roomWay, httpWay]

/** Makes a test that gets a plan of its own. */
export type WithPlan = (work: (plan: PlanDriver) => Promise<void>) => () => Promise<void>
/** A table of cases, whatever way leads to the plan. */
export type Cases = (withPlan: WithPlan) => void

/** Runs the same cases over several ways in. */
export function everyWay(cases: Cases, ways = WAYS): void {
  for (const way of ways)
    describe(`the ${way.name} way`, () => {
      cases((work) => () => usePlan(way, work))
    })
}

/** Opens a plan, works with it, and closes it whatever happens. */
export async function usePlan(way: Way, work: (plan: PlanDriver) => Promise<void>): Promise<void> {
  const plan = await way.open()
  try {
    await work(plan)
  } finally {
    await plan.close()
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
