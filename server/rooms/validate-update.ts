/**
 * The judge of what comes in over a socket. Nothing can be taken back from a Yjs document, so an update is understood
 * in full before it is applied: an update that is `ok` leaves nothing pending in the document, makes no root that a
 * plan does not have, and puts into each root only what belongs there.
 */
import * as Y from 'yjs'
import { isGroupPatch, isMetaValue, isStepPatch } from '../../shared/plan/document.ts'
import { isStepId } from '../../shared/schema/ids.ts'
import { MAX_CLOCK_AHEAD, MAX_STRUCTS } from '../../shared/schema/limits.ts'
import { OrderRehearsal } from './update-order.ts'
import type { Refused } from './update-scan.ts'
import { foreignContent, knownTo, malformed, parentById, refused, scanUpdate } from './update-scan.ts'
import type { Place, Section, Struct } from './update-structure.ts'
import { endOf, IncomingStructs } from './update-structure.ts'

/** An update leans on something that the document does not have yet: to be parked outside the document. */
export interface Missing {
  readonly kind: 'missing'
  /** The first element that it waits for; there may be others. */
  readonly client: number
  readonly clock: number
  /** What it cost to find that out, in steps of the rehearsal. */
  readonly steps: number
}
export type Verdict = { readonly kind: 'ok' } | Missing | Refused

export interface UpdateContext {
  /** Client ids under which the update must not bring new structs: the room's own, and those announced by other actors' live connections. */
  readonly reserved: (clientId: number) => boolean
}

const foreignRoot = refused(4422, 'The update writes to a place that a plan does not have.')
const mixedRoots = refused(4422, 'The update ties together values from different places of the plan.')
const collected = refused(4422, 'The update brings parts without a place, as left by a nested value that was deleted.')
const clockJump = refused(4422, 'The update is too far ahead of this plan to be a copy of it.')
const reservedClient = refused(
  4500,
  'The update writes under a client id that somebody else is using. Please reconnect.',
)
const tooEntangled = refused(4422, 'The update is too entangled to be merged into this plan.')
const planTooLarge = refused(4413, 'The plan would be too large with this update.')
const unfit: Readonly<Record<Place['kind'], Refused>> = {
  ids: refused(4422, 'The update brings something that is not a step id into the outline.'),
  stepPatches: refused(4422, 'The update brings a step with fields or values that a plan does not have.'),
  groupPatches: refused(4422, 'The update brings a group with fields or values that a plan does not have.'),
  values: refused(4422, "The update brings a value that is not one of the plan's own settings."),
}

/**
 * Judges a remote Yjs update (V1) before it is applied. Pure: neither the document nor the update is changed, and it
 * never throws. The size in bytes is the caller's to check, and so are the limits of the document as a whole.
 * Takes about one and a half times as long as Y.decodeUpdate; a forged update on which Yjs would spend minutes is cut off
 * within a few tenths of a second.
 */
export function validateUpdate(doc: Y.Doc, update: Uint8Array, context: UpdateContext): Verdict {
  const decoded = decode(doc, update)
  if ('kind' in decoded) return decoded
  const incoming = new IncomingStructs(doc, decoded.structs)
  const news = countNew(incoming)
  if ('kind' in news) return news

  const order = orderOf(incoming)
  const rehearsal = rehearse(incoming, order)
  if (rehearsal === 'circular') return malformed
  if (rehearsal !== 'missing' && rehearsal !== 'complete') return rehearsal
  const farAhead = rehearsal === 'missing' ? judgeNeeds(incoming) : null
  const deletes = farAhead ?? judgeDeletes(incoming, order, decoded.ds)
  if (deletes !== null && 'code' in deletes) return deletes

  if (news.clients.some((client) => context.reserved(client))) return reservedClient
  if (news.structs > 0 && news.structs + countStructs(doc) > MAX_STRUCTS) return planTooLarge
  const needed = rehearsal === 'missing' ? incoming.missing : deletes
  if (needed === null) return { kind: 'ok' }
  return { kind: 'missing', client: needed.client, clock: needed.clock, steps: order.steps }
}

function decode(doc: Y.Doc, update: Uint8Array): ReturnType<typeof Y.decodeUpdate> | Refused {
  try {
    return scanUpdate(update, knownTo(doc)) ?? Y.decodeUpdate(update)
  } catch {
    return malformed
  }
}

/** Checks what can be said of each struct by itself, and counts what the document does not have. */
function countNew(incoming: IncomingStructs): { clients: number[]; structs: number } | Refused {
  const clients: number[] = []
  let structs = 0
  let elements = 0
  for (const section of incoming.sections.values()) {
    const before = structs
    for (const struct of section.structs) {
      const isNew = endOf(struct) > section.known && !(struct instanceof Y.Skip)
      const problem = judgeAlone(incoming, struct, section.known, isNew)
      if (problem !== null) return problem
      if (!isNew) continue
      structs++
      elements += endOf(struct) - Math.max(section.known, struct.id.clock)
    }
    if (structs > before) clients.push(section.client)
  }
  return elements > MAX_CLOCK_AHEAD ? planTooLarge : { clients, structs }
}

/**
 * The form of a struct. Known ones must have it too, though their content is passed over: Yjs makes the root that they
 * name, follows their origins and throws at one that points at itself.
 */
function judgeAlone(incoming: IncomingStructs, struct: Struct, known: number, isNew: boolean): Refused | null {
  const end = endOf(struct)
  if (end > known + MAX_CLOCK_AHEAD) return clockJump
  if (struct instanceof Y.Skip) return null
  if (struct.length === 0) return malformed // Yjs would store it, and two structs would have one clock
  if (struct instanceof Y.GC) return isNew ? collected : null
  const { id, origin, rightOrigin } = struct
  if (isOwnFuture(origin, id) || isOwnFuture(rightOrigin, id)) return malformed
  if (origin === null && rightOrigin === null) {
    const place = placeOf(incoming, struct)
    if ('code' in place) return place
  }
  if (!(struct.content instanceof Y.ContentAny || struct.content instanceof Y.ContentDeleted)) return foreignContent
  return null
}

const isOwnFuture = (needed: Y.ID | null, id: Y.ID): boolean =>
  needed !== null && needed.client === id.client && needed.clock >= id.clock

export const orderOf = (incoming: IncomingStructs): OrderRehearsal =>
  new OrderRehearsal(
    (client, clock) => incoming.itemAt(client, clock),
    (place) => incoming.startOf(place),
  )

/** Goes through an update as Yjs will. Exported for tests, which compare the order that comes out with that of Yjs. */
export function rehearse(incoming: IncomingStructs, order: OrderRehearsal) {
  return incoming.rehearse((item, section, index) => {
    if (endOf(item) <= section.known) {
      order.cut(item)
    } else {
      const problem = judgeNew(incoming, item, section, index)
      if (problem !== null) return problem
      const place = section.places[index]
      if (place !== undefined) order.insert(item, place, Math.max(0, section.known - item.id.clock))
    }
    return order.tooDear ? tooEntangled : null
  })
}

/** Judges a new struct once all that it leans on has its place, and gives it its own. */
function judgeNew(incoming: IncomingStructs, item: Y.Item, section: Section, index: number): Refused | null {
  const place = placeOf(incoming, item)
  if ('code' in place) return place
  const seen = Math.max(0, section.known - item.id.clock)
  // The tail of a struct of which the head is known joins the head, wherever the update says that it stands.
  if (seen > 0 && incoming.placeOf(section.client, section.known - 1) !== place) return mixedRoots
  section.places[index] = place
  return item.content instanceof Y.ContentAny && !fits(place, item.content.arr, seen) ? unfit[place.kind] : null
}

/** The place that Yjs will give an item: that of its left neighbour, else of its right one, else the one that it names. */
function placeOf(incoming: IncomingStructs, { origin, rightOrigin, parent, parentSub }: Y.Item): Place | Refused {
  if (origin === null && rightOrigin === null) {
    const name: unknown = parent // after decodeUpdate the name of a root, where Yjs's types promise a type
    return typeof name === 'string' ? (incoming.placeNamed(name, parentSub) ?? foreignRoot) : parentById
  }
  const left = origin === null ? null : incoming.placeOf(origin.client, origin.clock)
  const right = rightOrigin === null ? null : incoming.placeOf(rightOrigin.client, rightOrigin.clock)
  // Beside something that has no place Yjs would drop the item and leave a hole.
  if ((origin !== null && left === null) || (rightOrigin !== null && right === null)) return foreignRoot
  if (left !== null && right !== null && left !== right) return mixedRoots
  return left ?? right ?? foreignRoot
}

function fits({ kind, key }: Place, values: readonly unknown[], from: number): boolean {
  if (kind === 'values') return values.length === 1 && key !== null && isMetaValue(key, values[0])
  const check = kind === 'ids' ? isStepId : kind === 'stepPatches' ? isStepPatch : isGroupPatch
  for (let i = from; i < values.length; i++) if (!check(values[i])) return false
  return true
}

/** Whether what the update waits for may still come, or lies so far ahead that it is a forgery. */
function judgeNeeds(incoming: IncomingStructs): Refused | null {
  for (const { structs } of incoming.sections.values()) {
    for (const struct of structs) {
      if (!(struct instanceof Y.Item)) continue
      for (const needed of [struct.origin, struct.rightOrigin]) {
        if (needed !== null && needed.clock > incoming.endOf(needed.client) + MAX_CLOCK_AHEAD) return clockJump
      }
    }
  }
  return null
}

type Ranges = readonly { readonly clock: number; readonly len: number }[]
/** @returns the first element that is deleted before it is there, if any */
function judgeDeletes(
  incoming: IncomingStructs,
  order: OrderRehearsal,
  deletes: { clients: Map<number, Ranges> },
): Refused | Y.ID | null {
  let missing: Y.ID | null = null
  for (const [client, ranges] of deletes.clients) {
    const state = incoming.endOf(client)
    let last = 0
    let covered = 0
    for (const { clock, len } of ranges) {
      const end = clock + len
      if (len === 0) return malformed // an empty range at the end would stay pending for ever
      if (end > state + MAX_CLOCK_AHEAD) return clockJump
      if (end > state) missing ??= Y.createID(client, end - 1)
      else order.cutDeleted(client, clock, end)
      if (order.tooDear) return tooEntangled
      last = Math.max(last, end)
      covered += len
    }
    // Ranges of one client do not overlap. Forged ones that all cover the whole plan would cost their product.
    if (covered > last) return malformed
  }
  return missing
}

function countStructs(doc: Y.Doc): number {
  let structs = 0
  for (const known of doc.store.clients.values()) structs += known.length
  return structs
}
