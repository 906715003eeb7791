import type { StepId } from '../../schema/ids.ts'
import type { NewStep, PlanOperation } from '../../schema/operation.ts'
import type { DependencyTarget, Status } from '../../schema/plan.ts'
import type { CallContext } from '../dialect.ts'
import { some } from '../lines.ts'
import { placeOf } from '../reading/item.ts'
import { starterOf } from '../starter.ts'

/** A step of a call that adds some, as it was read. */
export interface GivenStep {
  readonly text: string
  readonly depth?: number | undefined
  readonly description?: string | undefined
  readonly required?: boolean | undefined
  readonly status?: Status | undefined
  readonly placed?: unknown
}

/** The steps of the plan that the steps of a call name, as they were named; each once. */
export const namedIn = (steps: readonly GivenStep[]): string[] => [
  ...new Set(
    steps.flatMap(({ placed }) => {
      const place = placeOf({ placed })
      return [place?.under, ...(place?.waitsFor ?? [])].filter((name) => typeof name === 'string')
    }),
  ),
]

interface Added {
  readonly steps: readonly NewStep[]
  readonly operations: readonly PlanOperation[]
  readonly notes: readonly string[]
}

/**
 * Steps that are added, each below the step that it names, and all others below `parent`.
 * @param found a step of the plan by how it was named
 */
export function added(
  given: readonly GivenStep[],
  parent: StepId | null,
  found: (name: string) => StepId | undefined,
  { newStepId, actor }: CallContext,
): Added {
  const ids = given.map(() => newStepId())
  const depths = nest(given.map(({ depth }) => depth ?? 0))
  const lowered = given.flatMap(({ depth = 0 }, i) =>
    depth === depths[i] ? [] : [`step ${i + 1} from depth ${depth} to ${depths[i]}`],
  )
  const target = (name: number | string): DependencyTarget => {
    const step = typeof name === 'number' ? ids[name] : found(name)
    return step === undefined ? { name: String(name) } : { step }
  }
  const steps = given.map(({ text, description, required, status, placed }, i): NewStep => {
    const waitsFor = placeOf({ placed })?.waitsFor ?? []
    return {
      id: ids[i] ?? newStepId(),
      text,
      depth: depths[i] ?? 0,
      ...(description === undefined ? {} : { details: description }),
      ...(required === true ? { required } : {}),
      ...(status === undefined || status === 'pending' ? {} : { status }),
      ...(status === 'in_progress' ? { startedBy: starterOf(actor) } : {}),
      ...(waitsFor.length === 0 ? {} : { dependencies: waitsFor.map(target) }),
    }
  })
  const runs: { under: StepId | null; steps: NewStep[] }[] = []
  let under = parent
  for (const [i, step] of steps.entries()) {
    const name = placeOf({ placed: given[i]?.placed })?.under ?? null
    if (step.depth === 0) under = name === null ? parent : (found(name) ?? parent)
    const last = runs.at(-1)
    if (last?.under === under) last.steps.push(step)
    else runs.push({ under, steps: [step] })
  }
  return {
    steps,
    operations: runs.map((run) => ({ type: 'addSteps', parent: run.under, steps: run.steps })),
    notes:
      lowered.length > 0
        ? [`lowered, for a step is at most one deeper than the one before it: ${some(lowered, 20)}`]
        : [],
  }
}

/** The parent of a step is the nearest earlier one of the call with a smaller given depth; depths follow from that. */
function nest(given: readonly number[]): number[] {
  const path: number[] = []
  return given.map((depth) => {
    while ((path.at(-1) ?? -Infinity) >= depth) path.pop()
    path.push(depth)
    return path.length - 1
  })
}
