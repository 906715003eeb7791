import type * as Y from 'yjs'
import type { GroupId, StepId } from '../schema/ids.ts'
import { isStepId } from '../schema/ids.ts'
import type { Dependency, Group, Step } from '../schema/plan.ts'
import type { Arrangement } from './arrange.ts'
import { arrange } from './arrange.ts'
import type { FoldedStep } from './document.ts'
import { isDependencyField } from './document.ts'
import type { FoldChanges, StepRecord } from './fold.ts'
import { Fold } from './fold.ts'
import { Places, Plan } from './plan.ts'

/** `task-<N>`: how a step's number is written as a name. */
export const numberName = (number: number): string => `task-${number}`
const NUMBER_NAME = /^task-([1-9][0-9]{0,6})$/
/** The number in a name `task-<N>`, or null. */
export const namedNumber = (name: string): number | null => Number(NUMBER_NAME.exec(name)?.[1] ?? 0) || null

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

/** Reads a document as a plan, and keeps reading it: `plan` is always the present one, at the cost of what changed. */
export class PlanReader {
  readonly fold: Fold
  #plan = Plan.empty
  #arrangement: Arrangement = { nodes: [], cut: [], missing: [], untidy: false }
  #findings: Findings | null = null

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
    const findings = this.#findings
    this.#findings = null
    return findings
  }

  #update(): void {
    const { steps: touched, arrangement, headings } = this.fold.takeChanges()
    if (!arrangement && !headings && touched.size === 0) return
    if (arrangement) this.#arrangement = arrange(this.fold)
    const structural = arrangement || headings || [...touched].some(([{ fields }, before]) => differInStructure(fields, before))
    if (structural) this.#rebuild(touched, arrangement)
    else this.#patch(touched)
  }

  /** Fields alone changed: one new step each, everything else is shared. */
  #patch(touched: FoldChanges['steps']): void {
    const steps = [...this.#plan.steps]
    for (const record of touched.keys()) {
      const position = this.#plan.places.of(record.id)
      const before = steps[position]
      if (before !== undefined) steps[position] = { ...before, ...ownFields(record) }
    }
    const { title, groups, removedNumbers, places } = this.#plan
    this.#plan = new Plan(title, steps, groups, removedNumbers, places)
  }

  #rebuild(touched: FoldChanges['steps'], arrangement: boolean): void {
    const { nodes } = this.#arrangement
    const { groups, sameGroup, revived } = this.#readGroups()
    const { numbers, unnumbered } = this.#readNumbers()
    const removedNumbers = new Map<StepId, number>()
    const named: StepId[] = []
    const known = new Set(groups.map((group) => group.id))
    const steps = nodes.map((node): Step => {
      const { record } = node
      const before = this.#plan.step(record.id)
      const parent = node.parent?.record.id ?? null
      const own = record.fields.group || null
      const group = own === null ? null : (sameGroup.get(own) ?? (known.has(own) ? own : null))
      const number = numberOf(record, numbers)
      const names = dependencyNames(record)
      const { dependencies, byName } = this.#readDependencies(names, before, numbers, removedNumbers)
      if (byName) named.push(record.id)
      if (
        before !== undefined &&
        !touched.has(record) &&
        before.depth === node.depth &&
        before.parent === parent &&
        before.group === group &&
        before.number === number &&
        before.dependencies === dependencies
      )
        return before
      return { id: record.id, number, parent, depth: node.depth, group, dependencies, ...ownFields(record) }
    })
    this.#findings = { arrangement: this.#arrangement, sameGroup, revived, unnumbered, named }
    const places = arrangement ? new Places(steps) : this.#plan.places
    this.#plan = new Plan(this.fold.title, steps, groups, removedNumbers, places)
  }

  /** Groups in the order of their first appearance; equal titles read as one. */
  #readGroups() {
    const named = new Set<GroupId>()
    for (const { record } of this.#arrangement.nodes) if (record.fields.group) named.add(record.fields.group)
    const groups: Group[] = []
    const byTitle = new Map<string, GroupId>()
    const sameGroup = new Map<GroupId, GroupId>()
    const revived: GroupId[] = []
    for (const { id, fields } of this.fold.groups) {
      if (fields.title === undefined || (fields.removed === true && !named.has(id))) continue
      if (fields.removed === true) revived.push(id)
      const first = byTitle.get(fields.title)
      if (first === undefined) {
        byTitle.set(fields.title, id)
        groups.push({ id, title: fields.title, testsVerified: fields.testsVerified ?? false })
      } else sameGroup.set(id, first)
    }
    return { groups, sameGroup, revived }
  }

  /** Who bears which number; of several that bear the same the one whose patch stands right. */
  #readNumbers() {
    const numbers = new Map<number, StepId>()
    const contested = new Set<number>()
    for (const { record } of this.#arrangement.nodes) {
      const { number } = record.fields
      if (number === undefined) continue
      if (numbers.has(number)) contested.add(number)
      numbers.set(number, record.id)
    }
    if (contested.size > 0) for (const [number, id] of this.fold.numberHolders(contested)) numbers.set(number, id)
    const unnumbered: StepId[] = []
    for (const { record } of this.#arrangement.nodes)
      if (numberOf(record, numbers) === null) unnumbered.push(record.id)
    return { numbers, unnumbered }
  }

  /** A name that fits a step's number reads as that step. The former list is given again where nothing changed. */
  #readDependencies(
    names: readonly (readonly [rank: number, key: string])[],
    before: Step | undefined,
    numbers: ReadonlyMap<number, StepId>,
    removedNumbers: Map<StepId, number>,
  ): { dependencies: readonly Dependency[]; byName: boolean } {
    if (names.length === 0) return { dependencies: before?.dependencies.length === 0 ? before.dependencies : [], byName: false }
    let byName = false
    const seen = new Set<string>()
    const dependencies: Dependency[] = []
    for (const [rank, key] of names) {
      const name = isStepId(key) ? null : key.slice(1)
      if (name !== null) byName = true
      const step = name === null ? (key as StepId) : numbers.get(namedNumber(name) ?? 0)
      const target = step ?? `=${name}`
      if (seen.has(target)) continue
      seen.add(target)
      dependencies.push(step === undefined ? { name: name ?? '', rank } : { step, rank })
      const removed = step === undefined ? undefined : this.fold.records.get(step)?.fields
      if (step !== undefined && removed?.removed === true && removed.number !== undefined)
        removedNumbers.set(step, removed.number)
    }
    const same = before?.dependencies.length === dependencies.length && before.dependencies.every((one, i) => sameDependency(one, dependencies[i]))
    return { dependencies: same ? before.dependencies : dependencies, byName }
  }
}

/** Fields that matter to other steps or to settling; the rest concerns the step alone. */
const STRUCTURAL = ['number', 'group', 'claim', 'startedBy'] as const

function differInStructure(a: Readonly<FoldedStep>, b: Readonly<FoldedStep>): boolean {
  if (STRUCTURAL.some((key) => a[key] !== b[key])) return true
  const differs = (key: string): boolean => isDependencyField(key) && a[key] !== b[key]
  return Object.keys(a).some(differs) || Object.keys(b).some(differs)
}

const sameDependency = (a: Dependency, b: Dependency | undefined): boolean =>
  a.rank === b?.rank && ('step' in a ? 'step' in b && a.step === b.step : 'name' in b && a.name === b.name)

const numberOf = ({ id, fields }: StepRecord, numbers: ReadonlyMap<number, StepId>): number | null =>
  fields.number !== undefined && numbers.get(fields.number) === id ? fields.number : null

/** The keys of a step's dependencies in the order of their ranks. */
function dependencyNames({ fields }: StepRecord): [rank: number, key: string][] {
  const ranked: [number, string][] = []
  for (const key of Object.keys(fields)) {
    if (!isDependencyField(key)) continue
    const rank = fields[key]
    if (typeof rank === 'number') ranked.push([rank, key.slice(4)])
  }
  return ranked.sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1))
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
    createdAt: fields.createdAt ?? 0,
    updatedBy: fields.updatedBy ?? fields.createdBy ?? '',
    updatedAt: fields.updatedAt ?? fields.createdAt ?? 0,
  } as const
}

/** Reads a document once. */
export function readPlan(doc: Y.Doc): Plan {
  const reader = new PlanReader(doc)
  const { plan } = reader
  reader.destroy()
  return plan
}
