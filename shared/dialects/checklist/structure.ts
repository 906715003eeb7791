import type { StepId } from '../../schema/ids.ts'
import type { StepFields } from '../../schema/operation.ts'
import type { Dependency, DependencyTarget, Step } from '../../schema/plan.ts'
import type { Plan } from '../../plan/plan.ts'
import type { Refusal } from '../dialect.ts'
import { quoted } from '../lines.ts'
import type { CallersList } from './callers-list.ts'
import type { TodoItem } from './read-items.ts'
import { numberedPlace } from './show.ts'

/** An item, and the step that it means; null for a new one. */
export interface Listed {
  readonly item: TodoItem
  readonly step: Step | null
  readonly id: StepId
  /** Its place in the list, from 1. */
  readonly line: number
}

interface Structure {
  /** The step that an item is to stand below, where it says so. */
  readonly parent: (i: number) => StepId | undefined
  /** What it is to wait for, where it says so and that is not so yet. */
  readonly dependencies: (i: number) => Pick<StepFields, 'dependencies'>
}

/**
 * What the items of a list say of nesting and dependencies. Both may name other items, or steps of the plan as the caller
 * saw it.
 * @param replaces a list of dependencies is all that there are to be
 */
export function structureOf(
  listed: readonly Listed[],
  list: CallersList,
  plan: Plan,
  replaces: boolean,
): Structure | Refusal {
  const ids = new Map(listed.map(({ line, id }) => [line - 1, id]))
  const parents: (StepId | undefined)[] = []
  const targets: (readonly StepId[])[] = []
  for (const { item } of listed) {
    const { at, parent, under, waitsFor } = item.place
    const named = [...(under === null ? [] : [under]), ...waitsFor].filter((one) => typeof one === 'string')
    const unknown = named.find((name) => stepNamed(name, list, plan) === undefined)
    if (unknown !== undefined) return { refused: unknownName(at, unknown) }
    parents.push(parent !== null ? ids.get(parent) : under === null ? undefined : stepNamed(under, list, plan))
    targets.push(
      waitsFor.flatMap((name) => (typeof name === 'number' ? ids.get(name) : stepNamed(name, list, plan)) ?? []),
    )
  }
  return {
    parent: (i) => parents[i],
    dependencies: (i) => {
      const wanted = targets[i] ?? []
      const step = listed[i]?.step ?? null
      if (wanted.length === 0) return {}
      if (step === null) return { dependencies: wanted.map((id) => ({ step: id })) }
      return merged(wanted, step.dependencies, replaces)
    },
  }
}

/** Where others have a part in the plan, a list only adds: what it does not name somebody else may have added. */
function merged(
  wanted: readonly StepId[],
  now: readonly Dependency[],
  replaces: boolean,
): Pick<StepFields, 'dependencies'> {
  const kept = now.filter((one) => !replaces || !('step' in one) || wanted.includes(one.step))
  const added = wanted.filter((id) => !now.some((one) => 'step' in one && one.step === id))
  if (added.length === 0 && kept.length === now.length) return {}
  const targets = kept.map((one): DependencyTarget => ('step' in one ? { step: one.step } : { name: one.name }))
  return { dependencies: [...targets, ...added.map((step) => ({ step }))] }
}

/** A step that the caller has seen, by its lasting id or its position. */
function stepNamed(name: string, { places, seen }: CallersList, plan: Plan): StepId | undefined {
  const place = numberedPlace(name)
  const id = place === null ? [...seen.values()].find(({ alias }) => alias === name)?.id : places[place - 1]
  return id !== undefined && plan.step(id) !== undefined ? id : undefined
}

const unknownName = (at: string, name: string): string =>
  `Error: ${at} names ${quoted(name)}, which is neither an item of this list (by its id or position) nor a task that you ` +
  'have seen. Nothing was changed.'
