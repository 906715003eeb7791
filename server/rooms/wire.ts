/**
 * The messages of the y-websocket wire, one a frame. https://github.com/yjs/y-protocols/blob/master/PROTOCOL.md
 * A message that leaves here is always whole: clients throw at a truncated one.
 */
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { MAX_AWARENESS_BYTES, MAX_AWARENESS_MESSAGE_BYTES, MAX_STATE_VECTOR_BYTES } from '../../shared/schema/limits.ts'

const SYNC = 0
const AWARENESS = 1
const AUTH = 2
const QUERY_AWARENESS = 3
/** Ours: sent only to clients that asked for it. */
const VERSION = 100

const STEP_1 = 0
const STEP_2 = 1
const UPDATE = 2

export const stepOne = (stateVector: Uint8Array): Uint8Array => sync(STEP_1, stateVector)
export const stepTwo = (update: Uint8Array): Uint8Array => sync(STEP_2, update)
export const updateMessage = (update: Uint8Array): Uint8Array => sync(UPDATE, update)

function sync(step: number, payload: Uint8Array): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, SYNC)
    encoding.writeVarUint(encoder, step)
    encoding.writeVarUint8Array(encoder, payload)
  })
}

export function awarenessMessage(update: Uint8Array): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, AWARENESS)
    encoding.writeVarUint8Array(encoder, update)
  })
}

/** An awareness message about nobody: it keeps a silent connection from being taken for dead. */
export const KEEP_ALIVE: Uint8Array = awarenessMessage(encoding.encode((encoder) => encoding.writeVarUint(encoder, 0)))

export function versionMessage(version: number): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, VERSION)
    encoding.writeVarUint(encoder, version)
  })
}

/** One client's state in an awareness message; `state` is JSON. */
export interface AwarenessEntry {
  readonly client: number
  readonly clock: number
  readonly state: string
}

export type Message =
  | { readonly type: 'stepOne'; readonly stateVector: Uint8Array }
  | { readonly type: 'stepTwo' | 'update'; readonly update: Uint8Array }
  | { readonly type: 'awareness'; readonly entries: readonly AwarenessEntry[] }
  | { readonly type: 'queryAwareness' }
  | { readonly type: 'auth' }

/**
 * Reads what a client sent.
 * @throws Error if it is no message of this wire, or has something behind it
 */
export function readMessage(bytes: Uint8Array): Message {
  const decoder = decoding.createDecoder(bytes)
  const message = readBody(decoder, decoding.readVarUint(decoder))
  if (decoding.hasContent(decoder)) throw new Error('there is something behind the message')
  return message
}

function readBody(decoder: decoding.Decoder, type: number): Message {
  switch (type) {
    case SYNC: {
      const step = decoding.readVarUint(decoder)
      if (step > UPDATE) throw new Error(`there is no sync message ${step}`)
      const payload = decoding.readVarUint8Array(decoder)
      if (step === STEP_1) {
        if (payload.length > MAX_STATE_VECTOR_BYTES) throw new Error('the state vector is too large')
        return { type: 'stepOne', stateVector: payload }
      }
      return { type: step === STEP_2 ? 'stepTwo' : 'update', update: payload }
    }
    case AWARENESS: {
      const payload = decoding.readVarUint8Array(decoder)
      if (payload.length > MAX_AWARENESS_MESSAGE_BYTES) throw new Error('the awareness is too large')
      return { type: 'awareness', entries: readAwareness(decoding.createDecoder(payload)) }
    }
    case QUERY_AWARENESS:
      return { type: 'queryAwareness' }
    case AUTH:
      decoding.readVarUint(decoder)
      decoding.readVarString(decoder)
      return { type: 'auth' }
    default:
      throw new Error(`there is no message type ${type}`)
  }
}

function readAwareness(decoder: decoding.Decoder): AwarenessEntry[] {
  const entries: AwarenessEntry[] = []
  for (let left = decoding.readVarUint(decoder); left > 0; left--) {
    const client = decoding.readVarUint(decoder)
    const clock = decoding.readVarUint(decoder)
    const state = decoding.readVarString(decoder)
    JSON.parse(state)
    entries.push({ client, clock, state })
  }
  return entries
}

export const isTooLarge = (entry: AwarenessEntry): boolean => entry.state.length > MAX_AWARENESS_BYTES

export function awarenessUpdate(entries: readonly AwarenessEntry[]): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, entries.length)
    for (const { client, clock, state } of entries) {
      encoding.writeVarUint(encoder, client)
      encoding.writeVarUint(encoder, clock)
      encoding.writeVarString(encoder, state)
    }
  })
}
