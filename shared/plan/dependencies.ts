import type { StepId } from '../schema/ids.ts'
import { isStepId } from '../schema/ids.ts'
import type { Dependency } from '../schema/plan.ts'
import type { FoldedStep } from './document.ts'
import { isDependencyField } from './document.ts'
import type { Fold, StepRecord } from './fold.ts'
import { lives } from './fold.ts'
import type { Numbers } from './numbers.ts'
import { namedNumber } from './numbers.ts'

/** A dependency as a step's fields say it. */
interface Said {
  readonly rank: number
  /** The step's id, or null for a name. */
  readonly step: StepId | null
  readonly name: string
  /** The number that the name would be. */
  readonly number: number | null
}

interface Dependent {
  readonly said: readonly Said[]
  readonly hasNames: boolean
  /** Whether the list was made since the fields last changed. */
  isRead: boolean
}

const NONE: readonly Dependency[] = []

/** What the living steps wait for. Most wait for nothing, so only those that do are gone through. */
export class Dependencies {
  readonly #dependents = new Map<StepRecord, Dependent>()
  /** By the index of the record. */
  readonly #lists: (readonly Dependency[] | undefined)[] = []

  /** The fields of a step changed. */
  update(record: StepRecord): void {
    const said = lives(record) ? saidIn(record.fields) : []
    const hasNames = said.some(({ step }) => step === null)
    if (said.length > 0) this.#dependents.set(record, { said, hasNames, isRead: false })
    else {
      this.#dependents.delete(record)
      this.#lists[record.index] = undefined
    }
  }

  /** A name that fits a step's number reads as that step. A former list is given again where nothing changed. */
  read(fold: Fold, numbers: Numbers): { named: readonly StepId[]; removedNumbers: ReadonlyMap<StepId, number> } {
    const named: StepId[] = []
    const removedNumbers = new Map<StepId, number>()
    for (const [record, dependent] of this.#dependents) {
      if (dependent.hasNames) named.push(record.id)
      const list = this.#list(record, dependent, numbers)
      for (const dependency of list) {
        if (!('step' in dependency)) continue
        const target = fold.record(dependency.step)?.fields
        if (target?.removed === true && target.number !== undefined) removedNumbers.set(dependency.step, target.number)
      }
    }
    return { named, removedNumbers }
  }

  #list(record: StepRecord, dependent: Dependent, numbers: Numbers): readonly Dependency[] {
    const before = this.#lists[record.index]
    // What a name means depends on others; the rest of a list does not.
    if (before !== undefined && dependent.isRead && !dependent.hasNames) return before
    dependent.isRead = true
    const list = resolved(dependent.said, numbers)
    return before !== undefined && sameDependencies(before, list) ? before : (this.#lists[record.index] = list)
  }

  of(record: StepRecord): readonly Dependency[] {
    return this.#lists[record.index] ?? NONE
  }
}

function saidIn(fields: Readonly<FoldedStep>): Said[] {
  const said: Said[] = []
  for (const field of Object.keys(fields)) {
    if (!isDependencyField(field)) continue
    const rank = fields[field]
    if (typeof rank !== 'number') continue
    const key = field.slice(4)
    if (isStepId(key)) said.push({ rank, step: key, name: '', number: null })
    else said.push({ rank, step: null, name: key.slice(1), number: namedNumber(key.slice(1)) })
  }
  return said
}

/** In the order of ranks; of several that mean the same the first counts. */
function resolved(said: readonly Said[], numbers: Numbers): Dependency[] {
  const all = said.map(({ rank, step, name, number }) => {
    const target = step ?? (number === null ? undefined : numbers.holder(number)?.id)
    return target === undefined ? { key: `=${name}`, is: { name, rank } } : { key: target, is: { step: target, rank } }
  })
  // Ordered by what a name resolves to, so that binding it changes nothing.
  all.sort((a, b) => a.is.rank - b.is.rank || (a.key < b.key ? -1 : 1))
  const seen = new Set<string>()
  const dependencies: Dependency[] = []
  for (const { key, is } of all) {
    if (seen.has(key)) continue
    seen.add(key)
    dependencies.push(is)
  }
  return dependencies
}

const sameDependencies = (a: readonly Dependency[], b: readonly Dependency[]): boolean =>
  a.length === b.length && a.every((one, i) => sameDependency(one, b[i]))

const sameDependency = (a: Dependency, b: Dependency | undefined): boolean =>
  a.rank === b?.rank && ('step' in a ? 'step' in b && a.step === b.step : 'name' in b && a.name === b.name)
