import type * as Y from 'yjs'
import type { GroupId, StepId } from '../schema/ids.ts'
import type { Step } from '../schema/plan.ts'
import type { Arrangement } from './arrange.ts'
import { arrange } from './arrange.ts'
import { Dependencies } from './dependencies.ts'
import type { FoldedStep } from './document.ts'
import { isDependencyField } from './document.ts'
import type { FoldChanges, StepRecord } from './fold.ts'
import { Fold, lives } from './fold.ts'
import type { GroupReading } from './groups.ts'
import { groupNamedBy, NO_GROUPS, readGroups, stillReads } from './groups.ts'
import { Numbers } from './numbers.ts'
import { Places, Plan } from './plan.ts'

/** What reading had to decide and settling writes down. */
export interface Findings {
  readonly arrangement: Arrangement
  /** Groups whose title an earlier group has too, each with that one. */
  readonly sameGroup: ReadonlyMap<GroupId, GroupId>
  /** Removed groups that a living step names. */
  readonly revived: readonly GroupId[]
  /** Living steps without a number of their own. */
  readonly unnumbered: readonly StepId[]
  /** Steps that depend on a name. */
  readonly named: readonly StepId[]
}

const NOTHING = new Int32Array(0)
const NO_STEPS: Arrangement = { records: [], parents: NOTHING, depths: NOTHING, cut: [], missing: [], untidy: false }

/** Reads a document as a plan, and keeps reading it: `plan` is always the present one, at the cost of what changed. */
export class PlanReader {
  readonly fold: Fold
  readonly #numbers = new Numbers()
  readonly #dependencies = new Dependencies()
  /** By the index of a record: the step that it read as, and the fields that were read. */
  readonly #steps: (Step | undefined)[] = []
  readonly #fields: (StepRecord['fields'] | undefined)[] = []
  #plan = Plan.empty
  #arrangement = NO_STEPS
  #groups: GroupReading = NO_GROUPS
  #findings: Findings = { arrangement: NO_STEPS, sameGroup: new Map(), revived: [], unnumbered: [], named: [] }
  #isFinding = false

  constructor(doc: Y.Doc) {
    this.fold = new Fold(doc)
  }

  destroy(): void {
    this.fold.destroy()
  }

  get plan(): Plan {
    this.#update()
    return this.#plan
  }

  /** What settling has to write down, or null if nothing that it looks at changed since it was last asked. */
  takeFindings(): Findings | null {
    this.#update()
    if (!this.#isFinding) return null
    this.#isFinding = false
    return this.#findings
  }

  #update(): void {
    const { steps: touched, arrangement, headings } = this.fold.takeChanges()
    if (!arrangement && !headings && touched.size === 0) return
    if (arrangement) this.#arrangement = arrange(this.fold.outline, this.fold.records)
    // Which patch of a contested number stands right can change without any field.
    let structural = arrangement || headings || this.#numbers.isContested
    for (const [record, before] of touched) if (this.#note(record, before)) structural = true
    if (structural) this.#rebuild(headings)
    else this.#patch(touched)
  }

  /** @returns whether other steps may read differently because of what changed in this one */
  #note(record: StepRecord, before: Readonly<FoldedStep>): boolean {
    const { fields } = record
    const lived = lives({ fields: before })
    const living = lives(record)
    this.#numbers.update(record, lived ? before.number : undefined, living ? fields.number : undefined)
    if (!living) this.#steps[record.index] = undefined
    if (fields.claim !== before.claim || fields.startedBy !== before.startedBy) this.#isFinding = true
    const rewired = differInDependencies(fields, before)
    if (rewired || lived !== living) this.#dependencies.update(record)
    return rewired || lived !== living || fields.number !== before.number || fields.group !== before.group
  }

  /** Fields alone changed: one new step each, everything else is shared. */
  #patch(touched: FoldChanges['steps']): void {
    const steps = [...this.#plan.steps]
    let changed = false
    for (const record of touched.keys()) {
      const position = this.#plan.places.of(record.id)
      const before = steps[position]
      if (before === undefined) continue
      const { parent, depth, group, number, dependencies } = before
      const step = this.#step(record, parent, depth, group, number, dependencies)
      if (step === before) continue
      steps[position] = step
      changed = true
    }
    if (!changed) return
    const { title, groups, removedNumbers, places } = this.#plan
    this.#plan = new Plan(title, steps, groups, removedNumbers, places)
  }

  /** Goes through all steps, but makes only those anew that read differently. */
  #rebuild(headings: boolean): void {
    const { records, parents, depths } = this.#arrangement
    const { steps: before, title, groups, removedNumbers, places } = this.#plan
    if (headings || !stillReads(this.#groups, this.fold.groups, records))
      this.#groups = readGroups(this.fold.groups, records)
    this.#numbers.decide(this.fold)
    const dependencies = this.#dependencies.read(this.fold, this.#numbers)
    const unnumbered: StepId[] = []
    let sameTree = before.length === records.length
    let sameSteps = sameTree
    const steps = records.map((record, position) => {
      const parent = records[parents[position] as number]?.id ?? null
      const named = groupNamedBy(record)
      const group = named ? (this.#groups.names.get(named) ?? null) : null
      const number = this.#numbers.of(record)
      if (number === null) unnumbered.push(record.id)
      const depth = depths[position] as number
      const step = this.#step(record, parent, depth, group, number, this.#dependencies.of(record))
      const was = before[position]
      if (step !== was) {
        sameSteps = false
        // The same ids at the same depths are the same tree.
        if (was?.id !== step.id || was.depth !== step.depth) sameTree = false
      }
      return step
    })
    this.#findings = { arrangement: this.#arrangement, ...this.#groups, unnumbered, named: dependencies.named }
    this.#isFinding = true
    const sameNumbers = removedNumbers.size + dependencies.removedNumbers.size === 0
    if (sameSteps && sameNumbers && groups === this.#groups.groups && title === this.fold.title) return
    this.#plan = new Plan(
      this.fold.title,
      sameSteps ? before : steps,
      this.#groups.groups,
      sameNumbers ? removedNumbers : dependencies.removedNumbers,
      sameTree ? places : this.#places(),
    )
  }

  #places(): Places {
    const positions = new Int32Array(this.fold.records.length).fill(-1)
    this.#arrangement.records.forEach(({ index }, position) => (positions[index] = position))
    return new Places(this.fold.indices, positions, this.#arrangement.depths)
  }

  /** A record as a step; the one that it was if it reads the same. */
  #step(
    record: StepRecord,
    parent: StepId | null,
    depth: number,
    group: GroupId | null,
    number: number | null,
    dependencies: Step['dependencies'],
  ): Step {
    const before = this.#steps[record.index]
    const sameFields = this.#fields[record.index] === record.fields
    if (
      before !== undefined &&
      before.parent === parent &&
      before.depth === depth &&
      before.group === group &&
      before.number === number &&
      before.dependencies === dependencies &&
      (sameFields || sameOwnFields(before, record))
    )
      return before
    const step = { id: record.id, number, parent, depth, group, dependencies, ...ownFields(record) }
    this.#steps[record.index] = step
    this.#fields[record.index] = record.fields
    return step
  }
}

function differInDependencies(a: Readonly<FoldedStep>, b: Readonly<FoldedStep>): boolean {
  const differs = (key: string): boolean => isDependencyField(key) && a[key] !== b[key]
  return Object.keys(a).some(differs) || Object.keys(b).some(differs)
}

/** What a step says of itself, whatever stands around it. */
function ownFields({ fields }: StepRecord) {
  return {
    text: fields.text ?? '',
    details: fields.details ?? '',
    status: fields.status ?? 'pending',
    required: fields.required ?? false,
    alias: fields.alias || null,
    startedBy: fields.startedBy || null,
    claim: fields.claim ?? null,
    createdBy: fields.createdBy ?? '',
    createdAt: fields.createdAt ?? fields.updatedAt ?? 0,
    updatedBy: fields.updatedBy ?? fields.createdBy ?? '',
    updatedAt: fields.updatedAt ?? fields.createdAt ?? 0,
  } as const
}

function sameOwnFields(step: Step, record: StepRecord): boolean {
  const own = ownFields(record)
  return (Object.keys(own) as (keyof typeof own)[]).every((key) => step[key] === own[key])
}

/** Reads a document once. */
export function readPlan(doc: Y.Doc): Plan {
  const reader = new PlanReader(doc)
  const { plan } = reader
  reader.destroy()
  return plan
}
