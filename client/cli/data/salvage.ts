import * as Y from 'yjs'
import type { KeptBytes } from '../../../server/storage/sqlite/inspect.ts'
import type { GroupPatch, StepPatch } from '../../../shared/plan/document.ts'
import { isGroupPatch, isStepPatch, rootsOf } from '../../../shared/plan/document.ts'
import { PlanReader } from '../../../shared/plan/read.ts'
import { settle } from '../../../shared/plan/settle.ts'
import type { StepId } from '../../../shared/schema/ids.ts'
import { isStepId } from '../../../shared/schema/ids.ts'

/** A thing of the log that is not what it should be. */
export interface Damage {
  readonly version: number
  readonly problem: string
  /** What it did, and who; '' if nobody knows. */
  readonly about: string
  /** The plan is whole without it. */
  readonly isHarmless: boolean
}
export interface Salvage {
  readonly damages: readonly Damage[]
  /** Whether the server opens the thread as it lies. */
  readonly opens: boolean
  /** Of the plan as far as it is there. */
  readonly steps: number
  /** The document as far as it is there. */
  readonly state: () => Uint8Array
}

interface Row {
  readonly version: number
  readonly bytes: Uint8Array
}

/**
 * Rebuilds a thread from its rows, however damaged. What came after a lost row and leans on it is done again as new
 * changes, in the order of the log: so a lost row costs what it changed, and no more. (Yjs by itself would let everything
 * wait that the same writer did later.) A client that still has the lost part brings it along when it comes back.
 */
export function salvage(version: number, snapshot: KeptBytes | null, entries: Iterable<KeptBytes>): Salvage {
  const doc = new Y.Doc()
  const damages: Damage[] = []
  const base = snapshot?.bytes ?? null
  const hasBase = snapshot !== null && base !== null && tryOn(doc, base) === null
  const from = hasBase ? snapshot.version : 0
  if (snapshot !== null && !hasBase) {
    const problem = snapshot.problem ?? 'The snapshot cannot be read by Yjs'
    damages.push({ version: snapshot.version, problem, about: '', isHarmless: true })
  }
  const late: Row[] = []
  let holes = 0
  for (const { version: at, bytes, isLetGo, problem, about } of entries) {
    const isNeeded = at > from && at <= version
    let wrong =
      problem ?? (isLetGo && isNeeded ? `The bytes of version ${at} were let go, and no snapshot holds them` : null)
    if (wrong === null && bytes !== null) {
      const failed = isNeeded ? tryOn(doc, bytes) : undecodable(bytes)
      if (failed !== null) wrong = `Version ${at} cannot be read by Yjs: ${failed}`
      else if (isNeeded && hasGaps(doc)) late.push({ version: at, bytes })
    }
    if (wrong === null) continue
    damages.push({ version: at, problem: wrong, about, isHarmless: !isNeeded })
    if (isNeeded) holes += 1
  }
  // Something that is missing and that no row is known to have held.
  if (holes === 0 && hasGaps(doc))
    damages.push({
      version: late[0]?.version ?? from,
      problem: 'The log leans on something that it does not hold',
      about: '',
      isHarmless: false,
    })
  const opens = holes === 0 && !hasGaps(doc)
  doAgain(doc, late)
  const reader = new PlanReader(doc)
  const steps = reader.plan.steps.length
  return {
    damages,
    opens,
    steps,
    state: () => {
      settle(doc, reader, null)
      return Y.encodeStateAsUpdate(doc)
    },
  }
}

const hasGaps = ({ store }: Y.Doc): boolean => store.pendingStructs !== null || store.pendingDs !== null

/** @returns why it cannot be read, or null */
function undecodable(bytes: Uint8Array): string | null {
  try {
    Y.decodeUpdate(bytes)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Nothing of what cannot be read is applied. */
function tryOn(doc: Y.Doc, bytes: Uint8Array): string | null {
  const why = undecodable(bytes)
  if (why !== null) return why
  try {
    Y.applyUpdate(doc, bytes)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** What waits for something that is gone is let go, and what it said is written anew. */
function doAgain(doc: Y.Doc, late: readonly Row[]): void {
  doc.store.pendingStructs = null
  doc.store.pendingDs = null
  if (late.length === 0) return
  const steps: StepPatch[] = []
  const groups: GroupPatch[] = []
  /** Each id that was put into the outline, with the one that it was put behind. */
  const placed = new Map<StepId, StepId | null>()
  const idAt = new Map<string, StepId>()
  const roots = rootsOf(doc)
  const knownGroups = new Set(roots.groups.toArray().map((patch) => patch?.id))
  for (const { bytes } of late) {
    for (const struct of Y.decodeUpdate(bytes).structs) {
      if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentAny)) continue
      const { client, clock } = struct.id
      const has = Y.getState(doc.store, client)
      let before =
        struct.origin === null
          ? null
          : (idAt.get(`${struct.origin.client} ${struct.origin.clock}`) ?? idIn(doc, struct.origin))
      for (const [i, value] of struct.content.arr.entries() as Iterable<[number, unknown]>) {
        if (isStepId(value)) {
          idAt.set(`${client} ${clock + i}`, value)
          if (clock + i >= has) {
            placed.delete(value)
            placed.set(value, before)
          }
          before = value
        } else if (clock + i < has) continue
        else if (isGroupPatch(value) && (!isStepPatch(value) || knownGroups.has(value.id))) {
          groups.push(value)
          knownGroups.add(value.id)
        } else if (isStepPatch(value)) steps.push(value)
      }
    }
  }
  doc.transact(() => {
    if (groups.length > 0) roots.groups.push(groups)
    if (steps.length > 0) roots.steps.push(steps)
    for (const [id, before] of placed) {
      const ids = roots.outline.toArray()
      if (!ids.includes(id))
        roots.outline.insert(before === null ? ids.length : ids.indexOf(before) + 1 || ids.length, [id])
    }
  })
}

/** The step's id that stands in the document under an id of Yjs, or null. */
function idIn({ store }: Y.Doc, origin: Y.ID): StepId | null {
  if (origin.clock >= Y.getState(store, origin.client)) return null
  const item = Y.getItem(store, origin)
  if (!(item instanceof Y.Item) || !(item.content instanceof Y.ContentAny)) return null
  const value: unknown = item.content.arr[origin.clock - item.id.clock]
  return isStepId(value) ? value : null
}
