/**
 * The client's side of the y-websocket wire, written anew so that a mistake of the server's own reader shows, and a
 * client over a socket in memory, for tests of rooms.
 */
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import * as Y from 'yjs'
import type { Caller } from '../../server/rooms/caller.ts'
import type { Room, ToolCall } from '../../server/rooms/room.ts'
import { Rooms } from '../../server/rooms/rooms.ts'
import type { Session, Socket } from '../../server/rooms/session.ts'
import type { Storage } from '../../server/rooms/storage.ts'
import type { Turns } from '../../server/rooms/turns.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { TOOLS } from '../../shared/dialects/registry.ts'
import { rootsOf } from '../../shared/plan/document.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import type { StepId, ThreadId } from '../../shared/schema/ids.ts'
import { newStepId } from '../../shared/schema/ids.ts'
import type { FaultyStorage } from './faulty-storage.ts'
import { faultyStorage } from './faulty-storage.ts'

/** What a server sends. */
export type ServerMessage =
  | { readonly type: 'stepOne' | 'stepTwo' | 'update'; readonly bytes: Uint8Array }
  | { readonly type: 'awareness'; readonly states: readonly AwarenessState[] }
  | { readonly type: 'version'; readonly version: number }

export interface AwarenessState {
  readonly client: number
  readonly clock: number
  /** JSON; 'null' for one that left. */
  readonly state: string
}

const SYNC_TYPES = ['stepOne', 'stepTwo', 'update'] as const

/** @throws Error if it is anything but one whole message */
export function readServerMessage(frame: Uint8Array): ServerMessage {
  const decoder = decoding.createDecoder(frame)
  const message = readBody(decoder)
  if (decoding.hasContent(decoder)) throw new Error('two messages in a frame')
  return message
}

function readBody(decoder: decoding.Decoder): ServerMessage {
  const type = decoding.readVarUint(decoder)
  if (type === 0) {
    const step = SYNC_TYPES[decoding.readVarUint(decoder)]
    if (step === undefined) throw new Error('an unknown sync message')
    return { type: step, bytes: decoding.readVarUint8Array(decoder) }
  }
  if (type === 1) {
    const inner = decoding.createDecoder(decoding.readVarUint8Array(decoder))
    const states = Array.from({ length: decoding.readVarUint(inner) }, () => ({
      client: decoding.readVarUint(inner),
      clock: decoding.readVarUint(inner),
      state: decoding.readVarString(inner),
    }))
    return { type: 'awareness', states }
  }
  if (type === 100) return { type: 'version', version: decoding.readVarUint(decoder) }
  throw new Error(`an unknown message type ${type}`)
}

const syncFrame = (step: number, bytes: Uint8Array): Uint8Array =>
  encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, 0)
    encoding.writeVarUint(encoder, step)
    encoding.writeVarUint8Array(encoder, bytes)
  })
export const stepOneFrame = (stateVector: Uint8Array): Uint8Array => syncFrame(0, stateVector)
export const stepTwoFrame = (update: Uint8Array): Uint8Array => syncFrame(1, update)
export const updateFrame = (update: Uint8Array): Uint8Array => syncFrame(2, update)

export const awarenessFrame = (...states: readonly AwarenessState[]): Uint8Array =>
  encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, 1)
    const body = encoding.encode((inner) => {
      encoding.writeVarUint(inner, states.length)
      for (const { client, clock, state } of states) {
        encoding.writeVarUint(inner, client)
        encoding.writeVarUint(inner, clock)
        encoding.writeVarString(inner, state)
      }
    })
    encoding.writeVarUint8Array(encoder, body)
  })
export const QUERY_AWARENESS = Uint8Array.of(3)

/** Writes a step at the end of a client's own document, as one update. */
export function writeStep(doc: Y.Doc, text: string, more: Readonly<Record<string, unknown>> = {}): StepId {
  const id = newStepId()
  const { outline, steps } = rootsOf(doc)
  doc.transact(() => {
    outline.push([id])
    steps.push([{ id, text, status: 'pending', parent: '', createdAt: 1, ...more }])
  })
  return id
}

/** Writes fields of a step, whether a client may or not. */
export function patchStep(doc: Y.Doc, id: StepId, fields: Readonly<Record<string, unknown>>): void {
  rootsOf(doc).steps.push([{ id, ...fields }])
}

export function readPlan(doc: Y.Doc): Plan {
  const reader = new PlanReader(doc)
  const { plan } = reader
  reader.destroy()
  return plan
}
export const textsIn = (doc: Y.Doc): string[] => readPlan(doc).steps.map(({ text }) => text)

export const isPending = ({ store }: Y.Doc): boolean => store.pendingStructs !== null || store.pendingDs !== null

/** A socket that keeps what is sent to it. */
export class MemorySocket implements Socket {
  readonly frames: Uint8Array[] = []
  closed: { readonly code: number; readonly reason: string } | null = null
  /** Bytes that a slow reader is behind. */
  buffered = 0

  send(bytes: Uint8Array): void {
    if (this.closed !== null) throw new Error('sent to a closed socket')
    this.frames.push(bytes)
  }
  close(code: number, reason: string): void {
    if (this.closed !== null) throw new Error('closed twice')
    this.closed = { code, reason }
  }
}

/** A client of a room. What the room sends waits until `pump`, what the client writes goes at once. */
export class RoomClient {
  readonly doc = new Y.Doc()
  readonly socket = new MemorySocket()
  /** All that was received and pumped. */
  readonly received: ServerMessage[] = []
  readonly session: Session
  readonly #room: Room
  /** Whether steps 1 are answered. */
  answers = true
  /** Whether what is written goes out; otherwise it is lost on the way. */
  sends = true

  constructor(room: Room, caller: Caller, wantsVersions = false) {
    this.#room = room
    this.session = room.join(this.socket, caller, wantsVersions)
    this.doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== this && this.sends) this.send(updateFrame(update))
    })
  }

  send(frame: Uint8Array): void {
    this.#room.receive(this.session, frame)
  }

  /** Asks for the plan. */
  ask(): void {
    this.send(stepOneFrame(Y.encodeStateVector(this.doc)))
  }

  /** Takes in what has arrived, and what comes in answer. @returns it */
  pump(): ServerMessage[] {
    const arrived: ServerMessage[] = []
    for (let frame = this.socket.frames.shift(); frame !== undefined; frame = this.socket.frames.shift()) {
      const message = readServerMessage(frame)
      arrived.push(message)
      if (message.type === 'stepTwo' || message.type === 'update') Y.applyUpdate(this.doc, message.bytes, this)
      if (message.type === 'stepOne' && this.answers && this.socket.closed === null) {
        this.send(stepTwoFrame(Y.encodeStateAsUpdate(this.doc, message.bytes)))
      }
    }
    this.received.push(...arrived)
    return arrived
  }

  /** The kinds of what has arrived since the last time. */
  pumpTypes(): string[] {
    return this.pump().map(({ type }) => type)
  }

  leave(): void {
    this.#room.leave(this.session)
  }
}

/** Resolves when all that promises and the storage in memory have to do is done. */
export const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const T = 'thread-one' as ThreadId
export const agent = (name: string): Caller => ({ actor: { id: name, name, kind: 'agent' }, source: 'http' })
export const human = (name: string): Caller => ({ actor: { id: name, name, kind: 'human' }, source: 'ws' })

/** Nothing waits for its turn: how busy the machine is decides nothing about the order of things. */
const AT_ONCE: Turns = { post: (_thread, _line, work) => work() }

/** Rooms over a storage in memory whose faults the test commands. */
export interface TestRooms {
  readonly rooms: Rooms
  readonly storage: FaultyStorage
  /** The storage without faults. */
  readonly memory: Storage
  /** What was logged: level and message. */
  readonly logged: string[]
  /** Milliseconds since 1970, moved by hand. */
  readonly clock: { now: number }
}

export function testRooms(idleMs = 60_000, memory: Storage = createMemoryStorage()): TestRooms {
  const storage = faultyStorage(memory)
  const logged: string[] = []
  const clock = { now: 1_700_000_000_000 }
  const log = {
    info: (_: object, message: string) => void logged.push(`info ${message}`),
    warn: (_: object, message: string) => void logged.push(`warn ${message}`),
    error: (_: object, message: string) => void logged.push(`error ${message}`),
  }
  const rooms = new Rooms({ storage, log, now: () => clock.now, idleMs, turns: AT_ONCE })
  return { rooms, storage, memory, logged, clock }
}

/** A tool call as a door makes it. */
export function callOf(name: string, args: unknown, caller: Caller = agent('ada'), key?: string): ToolCall {
  const found = TOOLS.get(name)
  if (found === undefined) throw new Error(`no tool ${name}`)
  return { ...found, args, caller, ...(key === undefined ? {} : { key }) }
}
export const addCall = (text: string, caller?: Caller, key?: string): ToolCall =>
  callOf('add_todos', { steps: [{ text }] }, caller, key)

export const textsOf = async (room: Room): Promise<string[]> => (await room.snapshot()).steps.map(({ text }) => text)

/** How a promise stands once all is quiet. */
export async function stateOf(promise: Promise<unknown>): Promise<'waiting' | 'resolved' | 'rejected'> {
  let state: 'waiting' | 'resolved' | 'rejected' = 'waiting'
  promise.then(
    () => (state = 'resolved'),
    () => (state = 'rejected'),
  )
  await quiet()
  return state
}
