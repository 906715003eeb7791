import type * as Y from 'yjs'
import type { GroupId, StepId } from '../schema/ids.ts'
import { isStepId } from '../schema/ids.ts'
import type { FoldedGroup, FoldedStep, GroupPatch, Roots, StepPatch } from './document.ts'
import { fieldsOf, foldGroup, patchedGroup, patchedStep, patchesOf, rootsOf } from './document.ts'

/** A step as its patches say, living, removed or not yet created. */
export interface StepRecord {
  readonly id: StepId
  fields: Readonly<FoldedStep>
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

export const lives = ({ fields }: StepRecord): boolean => fields.createdAt !== undefined && fields.removed !== true

const NOTHING: Readonly<FoldedStep> = {}

/** Keeps the fold of all patches up to date from the document's events: only steps that were touched are folded again. */
export class Fold {
  readonly records: ReadonlyMap<StepId, StepRecord>
  readonly #records = new Map<StepId, StepRecord>()
  readonly #roots: Roots
  #groups: readonly GroupRecord[] = []
  #touched = new Map<StepRecord, Readonly<FoldedStep>>()
  #arrangement = true
  #headings = true

  constructor(doc: Y.Doc) {
    this.records = this.#records
    this.#roots = rootsOf(doc)
    this.#refold({ has: isStepId })
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

  get groups(): readonly GroupRecord[] {
    return this.#groups
  }

  get title(): string {
    const title: unknown = this.#roots.meta.get('title')
    return typeof title === 'string' ? title : ''
  }

  /** The ids of `outline` as they stand, doubled and dead ones too. */
  outline(): StepId[] {
    return this.#roots.outline.toArray()
  }

  /** For each number that several living steps bear, the one whose patch stands right. */
  numberHolders(contested: ReadonlySet<number>): Map<number, StepId> {
    const holders = new Map<number, StepId>()
    for (const { patch } of patchesOf<StepPatch, StepId>(this.#roots.steps, this.#records)) {
      if (patch.number === undefined || !contested.has(patch.number)) continue
      const record = this.#records.get(patch.id)
      if (record !== undefined && lives(record) && record.fields.number === patch.number)
        holders.set(patch.number, patch.id)
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

  readonly #onOutline = (): void => {
    this.#arrangement = true
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
    for (const id of affected) if (!standing.has(id)) this.#replace(id, undefined)
  }

  /** Folds the patches of these steps again, in one pass. */
  #refold(affected: { has(id: StepId): boolean }): Set<StepId> {
    const folded = new Map<StepId, FoldedStep>()
    for (const { patch } of patchesOf<StepPatch, StepId>(this.#roots.steps, affected)) {
      let fields = folded.get(patch.id)
      if (fields === undefined) folded.set(patch.id, (fields = {}))
      for (const key of fieldsOf(patch)) Reflect.set(fields, key, patch[key])
    }
    for (const [id, fields] of folded) this.#replace(id, fields)
    return new Set(folded.keys())
  }

  #replace(id: StepId, fields: FoldedStep | undefined): void {
    const known = this.#records.get(id)
    const record = known ?? { id, fields: NOTHING }
    const before = record.fields
    const lived = lives(record)
    if (fields === undefined) this.#records.delete(id)
    else if (known === undefined) this.#records.set(id, record)
    record.fields = fields ?? NOTHING
    if (!this.#touched.has(record)) this.#touched.set(record, before)
    // The parent of a removed step counts too: its children climb along it.
    if (lives(record) !== lived || record.fields.parent !== before.parent) this.#arrangement = true
  }

  #foldGroups(): void {
    const groups = new Map<GroupId, FoldedGroup>()
    this.#roots.groups.forEach((patch: GroupPatch) => {
      const id = patchedGroup(patch)
      if (id === null) return
      let fields = groups.get(id)
      if (fields === undefined) groups.set(id, (fields = {}))
      foldGroup(fields, patch)
    })
    this.#groups = [...groups].map(([id, fields]) => ({ id, fields }))
  }
}
