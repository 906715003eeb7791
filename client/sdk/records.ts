/** What a client keeps of a plan, as records for a store. */
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import type { Footprint } from './footprint.ts'

export type PlanRecord =
  /** Something that was read from the server, or all that there is. */
  | { readonly kind: 'update'; readonly update: Uint8Array }
  /** A change of this client's that the server may not have: what it wrote, and what it did. */
  | { readonly kind: 'own'; readonly id: string; readonly footprint: Footprint; readonly update: Uint8Array }
  /** Own changes that the server has. */
  | { readonly kind: 'saved'; readonly ids: readonly string[] }
  /** A change to be made once more on a copy that does not have it; an own change of the same id has done so. */
  | { readonly kind: 'todo'; readonly id: string; readonly footprint: Footprint }

const KINDS = ['update', 'own', 'saved', 'todo'] as const

export function encodeRecord(record: PlanRecord): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, KINDS.indexOf(record.kind))
    if ('ids' in record) encoding.writeVarString(encoder, JSON.stringify(record.ids))
    if ('id' in record) encoding.writeVarString(encoder, record.id)
    if ('footprint' in record) encoding.writeVarString(encoder, JSON.stringify(record.footprint))
    if ('update' in record) encoding.writeVarUint8Array(encoder, record.update)
  })
}

/** @returns null if it is no record of this kind: perhaps a newer version of this code wrote it */
export function decodeRecord(bytes: Uint8Array): PlanRecord | null {
  try {
    const decoder = decoding.createDecoder(bytes)
    const kind = KINDS[decoding.readVarUint(decoder)]
    switch (kind) {
      case 'update':
        return { kind, update: decoding.readVarUint8Array(decoder) }
      case 'own': {
        const id = decoding.readVarString(decoder)
        const footprint = JSON.parse(decoding.readVarString(decoder)) as Footprint
        return { kind, id, footprint, update: decoding.readVarUint8Array(decoder) }
      }
      case 'saved':
        return { kind, ids: JSON.parse(decoding.readVarString(decoder)) as string[] }
      case 'todo': {
        const id = decoding.readVarString(decoder)
        return { kind, id, footprint: JSON.parse(decoding.readVarString(decoder)) as Footprint }
      }
      case undefined:
    }
  } catch {
    // As below.
  }
  return null
}
