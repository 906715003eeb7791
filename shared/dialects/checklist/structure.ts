import type { StepId } from '../../schema/ids.ts'
import type { StepFields } from '../../schema/operation.ts'
import type { DependencyTarget, Step } from '../../schema/plan.ts'
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
 */
export function structureOf(listed: readonly Listed[], list: CallersList, plan: Plan): Structure | Refusal {
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
      const stands = new Set(listed[i]?.step?.dependencies.map((one) => ('step' in one ? one.step : one.name)) ?? [])
      if (wanted.length === 0 || (wanted.length === stands.size && wanted.every((id) => stands.has(id)))) return {}
      return { dependencies: wanted.map((step): DependencyTarget => ({ step })) }
    },
  }
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
