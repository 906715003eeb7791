import { z } from 'zod'
import type { GroupId, StepId } from '../../schema/ids.ts'
import { MAX_DETAILS, MAX_ITEMS } from '../../schema/limits.ts'
import type { NewStep } from '../../schema/operation.ts'
import type { DependencyTarget, Status } from '../../schema/plan.ts'
import type { CallContext, Refusal } from '../dialect.ts'
import { isBlank } from '../lines.ts'
import { leniently, placed, saidStatus } from '../parameters.ts'
import { placeOf } from '../reading/item.ts'
import { starterOf } from '../starter.ts'
import { BLANK_DESCRIPTION, description } from './arguments.ts'
import { readDependencies } from './dependencies.ts'

/** Tasks that stand in the task that is added. This dialect has no depth, but the plan has. */
const list = leniently(
  z
    .array(
      z.object({
        description,
        details: leniently(z.string().max(MAX_DETAILS).optional(), { hidden: true }),
        required: leniently(z.boolean().optional(), { hidden: true }),
        depth: leniently(z.int().optional(), { hidden: true }),
        status: saidStatus,
        placed,
      }),
    )
    .max(MAX_ITEMS),
  { steps: 'description' },
)
export const subtasks = leniently(list.optional(), {
  hidden: true,
  names: ['children', 'sub_tasks', 'sub_steps', 'items', 'steps', 'tasks'],
})

/** What Add may say besides what is offered. */
export interface AddFields {
  readonly group?: string | undefined
  readonly description?: string | undefined
  readonly details?: string | undefined
  readonly depends_on?: readonly string[] | undefined
  readonly status?: Status | undefined
  readonly parent?: string | number | undefined
  readonly subtasks?: z.infer<typeof subtasks>
}

/** A task and what stands in it. */
export function addedSteps(
  { description: text, details, status, subtasks: below = [] }: AddFields & { readonly description: string },
  group: GroupId,
  targets: readonly DependencyTarget[],
  at: number | undefined,
  context: CallContext,
): [NewStep, ...NewStep[]] | Refusal {
  const ids = below.map((): StepId => context.newStepId())
  const steps: [NewStep, ...NewStep[]] = [
    {
      id: context.newStepId(),
      text,
      depth: 0,
      group,
      ...(details === undefined ? {} : { details }),
      ...statusFields(status, context),
      ...(targets.length === 0 ? {} : { dependencies: targets }),
    },
  ]
  for (const [i, item] of below.entries()) {
    if (isBlank(item.description)) return { refused: BLANK_DESCRIPTION }
    const { waitsFor = [] } = placeOf(item) ?? {}
    const names = waitsFor.filter((name) => typeof name === 'string')
    const others = readDependencies(names, at, context)
    if ('refused' in others) return others
    const inside = waitsFor.flatMap((name): DependencyTarget[] => {
      const step = typeof name === 'number' ? ids[name] : undefined
      return step === undefined ? [] : [{ step }]
    })
    const dependencies = [...inside, ...others.list.map(({ target }) => target)]
    steps.push({
      id: ids[i] ?? context.newStepId(),
      text: item.description,
      depth: 1 + (item.depth ?? 0),
      ...(item.details === undefined ? {} : { details: item.details }),
      ...(item.required === true ? { required: true } : {}),
      ...statusFields(item.status, context),
      ...(dependencies.length === 0 ? {} : { dependencies }),
    })
  }
  return steps
}

const statusFields = (status: Status | undefined, { actor }: CallContext) => ({
  ...(status === undefined || status === 'pending' ? {} : { status }),
  ...(status === 'in_progress' ? { startedBy: starterOf(actor) } : {}),
})

/** Actions but Add set no state of their own choice, and make no tasks. */
export function refuseBeside({ type, status, subtasks: below }: { readonly type: string } & AddFields): Refusal | null {
  if (type === 'Add') return null
  if (below !== undefined) return { refused: `${type} makes no tasks: Add does. Nothing was changed.` }
  if (status === undefined || (type === 'Start' && status === 'in_progress')) return null
  const doers = 'Complete and Cancel of plan_todo_cross_off, and Start, set the state of a task'
  return { refused: `${type} does not set a task ${status}: ${doers}. Nothing was changed.` }
}
