import type { GroupId, StepId } from '../schema/ids.ts'
import { newGroupId, newStepId } from '../schema/ids.ts'
import { MAX_DEPENDENCIES, MAX_DETAILS, MAX_ITEMS, MAX_NAME, MAX_TEXT, MAX_TITLE } from '../schema/limits.ts'
import type { NewStep, PlanOperation } from '../schema/operation.ts'
import type { MarkdownPlan, MarkdownStep } from './markdown-file.ts'
import type { Plan } from './plan.ts'

/** Steps that are removed, and characters as JSON that are added, at once: an update of both is far below what one may have. */
const MAX_REMOVED = 2_000
const MAX_BATCH_CHARS = 200_000

export interface MarkdownImport {
  /** To be made one after the other, each as one change. */
  readonly batches: readonly (readonly PlanOperation[])[]
  /** What does not fit the limits of a plan, and was made to. */
  readonly notes: readonly { readonly line: number; readonly text: string }[]
}

/**
 * The operations that bring what was read into a plan, behind what it has.
 * @param replace what the plan has is removed first
 */
export function importMarkdown(read: MarkdownPlan, plan: Plan, replace: boolean): MarkdownImport {
  const notes: { line: number; text: string }[] = []
  const cut = (line: number, what: string, text: string, most: number): string => {
    // Half of a pair of surrogates is no text.
    const whole = text.replace(/\p{Surrogate}/gu, '\uFFFD')
    if (whole !== text) notes.push({ line, text: `${what} held half of a character, which became U+FFFD` })
    if (whole.length <= most) return whole
    notes.push({ line, text: `${what} is longer than ${most} characters, and was cut` })
    return `${whole.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
  }
  const removals = replace ? emptied(plan) : []
  const head: PlanOperation[] = [...(removals.at(-1) ?? [])]
  if (read.title !== null && (replace || plan.title === ''))
    head.push({ type: 'setTitle', title: cut(1, 'The title', read.title, MAX_TITLE) })
  const groups = new Map<string, GroupId>(replace ? [] : plan.groups.map(({ id, title }) => [title, id]))
  const groupId = (title: string): GroupId | undefined => groups.get(title)
  for (const { title, testsVerified } of read.groups) {
    const short = cut(0, `The title of the group "${title.slice(0, 40)}"`, title, MAX_TITLE)
    let id = groupId(short)
    if (id === undefined) {
      id = newGroupId()
      groups.set(short, id)
      head.push({ type: 'addGroup', id, title: short })
    }
    groups.set(title, id)
    if (testsVerified) head.push({ type: 'setGroup', id, testsVerified })
  }
  const ids = read.steps.map(() => newStepId())
  const steps = read.steps.map((step, i): NewStep => {
    const { line, depth, status, required } = step
    const text = cut(line, 'The text', step.text, MAX_TEXT)
    // What a text has no room for is not lost.
    const rest = text.length < step.text.length ? [step.text] : []
    const details = cut(
      line,
      'The details',
      [...rest, ...(step.details === '' ? [] : [step.details])].join('\n\n'),
      MAX_DETAILS,
    )
    const group = step.group === null ? undefined : groupId(step.group)
    const dependencies = dependenciesOf(step, ids, (name) => cut(line, 'The name of a dependency', name, MAX_NAME))
    return {
      id: ids[i] as StepId,
      text,
      depth,
      status,
      ...(details === '' ? {} : { details }),
      ...(required ? { required } : {}),
      ...(group === undefined ? {} : { group }),
      ...(step.alias === null ? {} : { alias: cut(line, 'The id', step.alias, MAX_NAME) }),
      ...(step.owner === null ? {} : { startedBy: cut(line, 'The owner', step.owner, MAX_NAME) }),
      ...(dependencies.length === 0 ? {} : { dependencies }),
    }
  })
  const [first = [], ...others] = batchesOf(steps)
  const batches = [...removals.slice(0, -1), [...head, ...first], ...others].filter((batch) => batch.length > 0)
  return { batches, notes }
}

/** Takes everything away, from behind: whatever stands below a step stands behind it. */
function emptied(plan: Plan): PlanOperation[][] {
  const batches: PlanOperation[][] = []
  for (let end = plan.steps.length; end > 0; end -= MAX_REMOVED) {
    const steps = plan.steps.slice(Math.max(0, end - MAX_REMOVED), end).map(({ id }) => id)
    batches.push([{ type: 'removeSteps', steps, subSteps: true }])
  }
  const groups = plan.groups.map(({ id }) => ({ type: 'removeGroup', id }) as const)
  return [...batches.slice(0, -1), [...(batches.at(-1) ?? []), ...groups]]
}

function dependenciesOf(
  { dependencies }: MarkdownStep,
  ids: readonly StepId[],
  cut: (name: string) => string,
): DependencyList {
  return dependencies.slice(0, MAX_DEPENDENCIES).flatMap((one): DependencyList => {
    if ('name' in one) return one.name.trim() === '' ? [] : [{ name: cut(one.name) }]
    const step = ids[one.step]
    return step === undefined ? [] : [{ step }]
  })
}
type DependencyList = NonNullable<NewStep['dependencies']>

/** Steps in pre-order as additions below the steps that came before. */
function batchesOf(steps: readonly NewStep[]): PlanOperation[][] {
  const batches: PlanOperation[][] = []
  /** The last step at each depth. */
  let path: StepId[] = []
  let batch: Extract<PlanOperation, { type: 'addSteps' }>[] = []
  let run: NewStep[] = []
  let base = 0
  let count = 0
  let chars = 0
  for (const step of steps) {
    const size = JSON.stringify(step).length
    const isFull = count >= MAX_ITEMS || (count > 0 && chars + size > MAX_BATCH_CHARS)
    if (isFull) {
      batches.push(batch)
      batch = []
      count = chars = 0
    }
    path = path.slice(0, step.depth)
    if (isFull || run.length === 0 || step.depth < base) {
      base = step.depth
      run = []
      batch.push({ type: 'addSteps', parent: path.at(-1) ?? null, steps: run })
    }
    run.push({ ...step, depth: step.depth - base })
    path.push(step.id)
    count += 1
    chars += size
  }
  return batch.length === 0 ? batches : [...batches, batch]
}
