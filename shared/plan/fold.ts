import type * as Y from 'yjs'
import type { GroupId, StepId } from '../schema/ids.ts'
import { isStepId } from '../schema/ids.ts'
import type { FoldedGroup, FoldedStep, GroupPatch, Roots, StepPatch } from './document.ts'
import { fieldsOf, groupFieldsOf, patchedGroup, patchedStep, patchesOf, rootsOf } from './document.ts'

/** A step as its patches say: living, removed, not yet created, or only named by others. */
export interface StepRecord {
  readonly id: StepId
  /** Its place among all records of the fold, for ever: what is kept for each of them can lie in arrays. */
  readonly index: number
  fields: Readonly<FoldedStep>
  /** The record of the step that `fields.parent` names. */
  parent: StepRecord | null
}

export interface GroupRecord {
  readonly id: GroupId
  readonly fields: Readonly<FoldedGroup>
}

/** What moved in a fold since it was last asked. */
export interface FoldChanges {
  /** Steps that were folded again, each with the fields that it had before. */
  readonly steps: ReadonlyMap<StepRecord, Readonly<FoldedStep>>
  /** The order, the set of living steps or somebody's parent. */
  readonly arrangement: boolean
  /** Groups or the title. */
  readonly headings: boolean
}

export const lives = ({ fields }: Pick<StepRecord, 'fields'>): boolean =>
  (fields.createdAt !== undefined || fields.text !== undefined) && fields.removed !== true

const NOTHING: Readonly<FoldedStep> = {}

/** Keeps the fold of all patches up to date from the document's events: only steps that were touched are folded again. */
export class Fold {
  /** The index of each record. It only ever grows, so whoever holds it may go on using it. */
  readonly indices: ReadonlyMap<StepId, number>
  readonly #indices = new Map<StepId, number>()
  readonly #records: StepRecord[] = []
  readonly #outline: (StepRecord | null)[] = []
  readonly #roots: Roots
  #groups: readonly GroupRecord[] = []
  #touched = new Map<StepRecord, Readonly<FoldedStep>>()
  #arrangement = true
  #headings = true

  constructor(doc: Y.Doc) {
    this.indices = this.#indices
    this.#roots = rootsOf(doc)
    this.#refold({ has: isStepId })
    this.#outline = this.#roots.outline.toArray().map((id) => this.#named(id))
    this.#foldGroups()
    this.#roots.steps.observe(this.#onSteps)
    this.#roots.outline.observe(this.#onOutline)
    this.#roots.groups.observe(this.#onGroups)
    this.#roots.meta.observe(this.#onMeta)
  }

  destroy(): void {
    this.#roots.steps.unobserve(this.#onSteps)
    this.#roots.outline.unobserve(this.#onOutline)
    this.#roots.groups.unobserve(this.#onGroups)
    this.#roots.meta.unobserve(this.#onMeta)
  }

  /** All records, each at its index. */
  get records(): readonly StepRecord[] {
    return this.#records
  }

  record(id: StepId): StepRecord | undefined {
    return this.#records[this.#indices.get(id) ?? -1]
  }

  get groups(): readonly GroupRecord[] {
    return this.#groups
  }

  get title(): string {
    const title: unknown = this.#roots.meta.get('title')
    return typeof title === 'string' ? title : ''
  }

  /** What `outline` names, position by position, doubled and dead ones too; null where it holds no id. */
  get outline(): readonly (StepRecord | null)[] {
    return this.#outline
  }

  /** For each number that several living steps bear, the one whose patch stands right. */
  numberHolders(contested: { has(number: number): boolean }): Map<number, StepRecord> {
    const holders = new Map<number, StepRecord>()
    for (const { patch } of patchesOf<StepPatch, StepId>(this.#roots.steps, this.#indices)) {
      if (patch.number === undefined || !contested.has(patch.number)) continue
      const record = this.record(patch.id)
      if (record !== undefined && lives(record) && record.fields.number === patch.number)
        holders.set(patch.number, record)
    }
    return holders
  }

  /** What changed since the last call. */
  takeChanges(): FoldChanges {
    const changes = { steps: this.#touched, arrangement: this.#arrangement, headings: this.#headings }
    this.#touched = new Map()
    this.#arrangement = false
    this.#headings = false
    return changes
  }

  readonly #onOutline = (event: Y.YArrayEvent<StepId>): void => {
    this.#arrangement = true
    let position = 0
    for (const { retain = 0, delete: gone = 0, insert } of event.changes.delta) {
      position += retain
      if (gone > 0) this.#outline.splice(position, gone)
      if (!Array.isArray(insert)) continue
      insertAll(
        this.#outline,
        position,
        insert.map((id: unknown) => this.#named(id)),
      )
      position += insert.length
    }
  }
  readonly #onMeta = (): void => {
    this.#headings = true
  }
  readonly #onGroups = (): void => {
    this.#foldGroups()
    this.#headings = true
  }
  readonly #onSteps = (event: Y.YArrayEvent<StepPatch>): void => {
    const affected = new Set<StepId>()
    for (const items of [event.changes.added, event.changes.deleted]) {
      for (const item of items) {
        for (const value of item.content.getContent()) {
          const id = patchedStep(value)
          if (id !== null) affected.add(id)
        }
      }
    }
    const standing = this.#refold(affected)
    for (const id of affected) if (!standing.has(id)) this.#replace(id, NOTHING)
  }

  /** Folds the patches of these steps again, in one pass. */
  #refold(affected: { has(id: StepId): boolean }): ReadonlyMap<StepId, FoldedStep> {
    const folded = new Map<StepId, FoldedStep>()
    for (const { patch } of patchesOf<StepPatch, StepId>(this.#roots.steps, affected)) {
      let fields = folded.get(patch.id)
      if (fields === undefined) folded.set(patch.id, (fields = {}))
      for (const key of fieldsOf(patch)) Reflect.set(fields, key, patch[key])
    }
    for (const [id, fields] of folded) this.#replace(id, fields)
    return folded
  }

  #named(id: unknown): StepRecord | null {
    const known = this.record(id as StepId)
    if (known !== undefined || !isStepId(id)) return known ?? null
    const record = { id, index: this.#records.length, fields: NOTHING, parent: null }
    this.#indices.set(id, record.index)
    this.#records.push(record)
    return record
  }

  #replace(id: StepId, fields: FoldedStep): void {
    const record = this.#named(id)
    if (record === null) return
    const before = record.fields
    const lived = lives(record)
    record.fields = fields
    if (!this.#touched.has(record)) this.#touched.set(record, before)
    // The parent of a removed step counts too: its children climb along it.
    if (lives(record) !== lived || (fields.removed === true) !== (before.removed === true)) this.#arrangement = true
    if (fields.parent === before.parent) return
    this.#arrangement = true
    record.parent = this.#named(fields.parent)
  }

  #foldGroups(): void {
    const groups = new Map<GroupId, FoldedGroup>()
    this.#roots.groups.forEach((patch: GroupPatch) => {
      const id = patchedGroup(patch)
      if (id === null) return
      let fields = groups.get(id)
      if (fields === undefined) groups.set(id, (fields = {}))
      for (const key of groupFieldsOf(patch)) Reflect.set(fields, key, patch[key])
    })
    this.#groups = [...groups].map(([id, fields]) => ({ id, fields }))
  }
}

/** Inserts however many at once; arguments are not unlimited. */
function insertAll<T>(into: T[], position: number, values: readonly T[]): void {
  if (values.length === 1) into.splice(position, 0, ...values)
  else {
    const tail = into.splice(position)
    for (const part of [values, tail]) for (const value of part) into.push(value)
  }
}
