import { PlanError } from '../schema/errors.ts'
import type { StepId } from '../schema/ids.ts'
import {
  MAX_DEPENDENCIES,
  MAX_DETAILS,
  MAX_GROUPS,
  MAX_NAME,
  MAX_STEPS,
  MAX_TEXT,
  MAX_TITLE,
} from '../schema/limits.ts'
import type { NewStep, PlanOperation, RestoredStep, Stamp, StepFields } from '../schema/operation.ts'
import type { DependencyTarget } from '../schema/plan.ts'
import type { DependencyField, FoldedStep } from './document.ts'
import { dependencyField } from './document.ts'
import type { PlanChange } from './draft.ts'
import { Draft } from './draft.ts'
import type { Plan } from './plan.ts'
import { isSame } from './standing.ts'

/**
 * Tries operations on a plan, in order. Nothing is written.
 * @returns what has to be written; empty if the plan is that way already
 * @throws PlanError for the first operation that does not fit; then none of them may be written
 */
export function checkOperations(plan: Plan, operations: readonly PlanOperation[], stamp: Stamp): PlanChange {
  const draft = new Draft(plan, stamp)
  for (const operation of operations) tryOperation(draft, operation)
  if (draft.size > MAX_STEPS && draft.size > plan.steps.length)
    throw new PlanError(
      `A plan holds at most ${MAX_STEPS} steps; this would make ${draft.size}. Remove finished steps first.`,
    )
  if (draft.groupCount > MAX_GROUPS && draft.groupCount > plan.groups.length)
    throw new PlanError(
      `A plan holds at most ${MAX_GROUPS} groups; this would make ${draft.groupCount}. Remove empty groups first.`,
    )
  return draft.finish()
}

/** Whether a change would write nothing. */
export const isEmpty = (change: PlanChange): boolean =>
  change.patches.length + change.tombstones.length + change.outline.length + change.groups.length === 0 &&
  change.title === null

function tryOperation(draft: Draft, operation: PlanOperation): void {
  switch (operation.type) {
    case 'addSteps':
      return addSteps(draft, operation)
    case 'moveSteps':
      for (const id of operation.steps) draft.require(id)
      return draft.put(unique(operation.steps), operation)
    case 'setStep':
      draft.require(operation.id)
      return draft.set(operation.id, changedFields(draft, operation.id, operation.fields))
    case 'removeSteps':
      return removeSteps(draft, operation.steps, operation.subSteps)
    case 'restoreSteps':
      return restoreSteps(draft, operation.steps)
    case 'addGroup':
      if (draft.group(operation.id) !== undefined) throw new PlanError(`There is a group ${operation.id} already.`)
      checkGroupTitle(draft, operation.title)
      // Perhaps it was there once, and comes back.
      return draft.setGroup(operation.id, { title: operation.title, removed: false })
    case 'setGroup':
      return setGroup(draft, operation)
    case 'removeGroup':
      if (draft.group(operation.id) === undefined) throw new PlanError(`There is no group ${operation.id}.`)
      if (draft.isGroupInUse(operation.id)) throw new PlanError('Only a group without steps can be removed.')
      return draft.setGroup(operation.id, { removed: true })
    case 'setTitle':
      if (operation.title.length > MAX_TITLE) throw new PlanError(`A title has at most ${MAX_TITLE} characters.`)
      return draft.setTitle(operation.title)
  }
}

function addSteps(draft: Draft, operation: Extract<PlanOperation, { type: 'addSteps' }>): void {
  /** The last step seen at each depth. */
  const path: StepId[] = []
  const roots: StepId[] = []
  for (const step of operation.steps) {
    if (!Number.isInteger(step.depth) || step.depth < 0 || step.depth > path.length)
      throw new PlanError('The depth of a step is at most one more than that of the step before it.')
    draft.add(step.id, newFields(draft, step))
    path.length = step.depth
    const parent = path.at(-1)
    if (parent === undefined) roots.push(step.id)
    else draft.nest(step.id, parent)
    path.push(step.id)
  }
  const run = operation.steps.map((step) => step.id)
  if (roots.length > 0) draft.put(roots, operation, run)
}

function newFields(draft: Draft, { id, text, depth: _depth, ...fields }: NewStep): FoldedStep {
  checkText('A step', text, MAX_TEXT)
  return { text, ...changedFields(draft, id, fields) }
}

/** Puts steps back, parents first; siblings that follow each other in one go, whatever stands between them in the list. */
function restoreSteps(draft: Draft, steps: readonly RestoredStep[]): void {
  const families = new Map<StepId | null, RestoredStep[]>()
  for (const step of steps) {
    const family = families.get(step.parent)
    if (family === undefined) families.set(step.parent, [step])
    else family.push(step)
  }
  for (const family of families.values()) {
    for (let at = 0; at < family.length;) {
      const first = family[at] as RestoredStep
      const run: StepId[] = []
      for (let step: RestoredStep | undefined = first; step !== undefined; step = family[++at]) {
        if (run.length > 0 && step.after !== run.at(-1)) break
        restoreStep(draft, step)
        run.push(step.id)
      }
      draft.put(run, first)
    }
  }
}

function restoreStep(draft: Draft, step: RestoredStep): void {
  checkFields(step.fields)
  const defaults = {
    text: '',
    details: '',
    status: 'pending',
    group: null,
    required: false,
    alias: null,
    startedBy: null,
    claim: null,
  } as const
  const { dependencies = [], ...fields } = { ...defaults, ...step.fields }
  draft.add(step.id, {
    ...fields,
    group: fields.group ?? '',
    alias: fields.alias ?? '',
    startedBy: fields.startedBy ?? '',
    parent: step.parent ?? '',
    ...dependencyFields(new Map(), dependencies),
    createdBy: step.createdBy,
    createdAt: step.createdAt,
    removed: false,
  })
}

function removeSteps(draft: Draft, steps: readonly StepId[], subSteps: boolean): void {
  const gone = new Set<StepId>()
  for (const id of steps) {
    draft.require(id)
    for (const below of subSteps ? draft.subtree(id) : [id]) gone.add(below)
  }
  if (gone.size > 0) draft.remove(gone)
}

function checkGroupTitle(draft: Draft, title: string): void {
  checkText('A group title', title, MAX_TITLE)
  if (draft.groupTitled(title) !== null) throw new PlanError(`There is a group "${title}" already.`)
}

function setGroup(draft: Draft, operation: Extract<PlanOperation, { type: 'setGroup' }>): void {
  const group = draft.group(operation.id)
  if (group === undefined) throw new PlanError(`There is no group ${operation.id}.`)
  if (operation.title !== undefined && operation.title !== group.title) {
    checkGroupTitle(draft, operation.title)
    draft.setGroup(operation.id, { title: operation.title })
  }
  if (operation.testsVerified !== undefined && operation.testsVerified !== (group.testsVerified ?? false))
    draft.setGroup(operation.id, { testsVerified: operation.testsVerified })
}

function checkFields({ text, details, alias }: StepFields): void {
  if (text !== undefined) checkText('A step', text, MAX_TEXT)
  checkLength('details', details, MAX_DETAILS)
  checkLength('alias', alias, MAX_NAME)
}

/** The fields of a patch that says what is new, and nothing that stands already. */
function changedFields(draft: Draft, id: StepId, fields: StepFields): FoldedStep {
  const { dependencies, ...plain } = fields
  checkFields(plain)
  const { group } = plain
  if (group !== undefined && group !== null && draft.group(group) === undefined)
    throw new PlanError(`There is no group ${group}.`)
  const changed: FoldedStep = {}
  for (const [name, value] of Object.entries(plain)) {
    if (value === undefined) continue
    const key = name as keyof typeof plain
    const wanted = value === null && key !== 'claim' ? '' : value
    if (!isSame(wanted, draft.field(id, key))) Reflect.set(changed, key, wanted)
  }
  if (dependencies !== undefined) Object.assign(changed, dependencyFields(draft.ranks(id), dependencies))
  return changed
}

/** Ranks are kept where they are in order still, so that concurrent changes of a list of dependencies both show. */
function dependencyFields(
  ranks: ReadonlyMap<DependencyField, number>,
  wanted: readonly DependencyTarget[],
): FoldedStep {
  if (wanted.length > MAX_DEPENDENCIES) throw new PlanError(`A step has at most ${MAX_DEPENDENCIES} dependencies.`)
  for (const target of wanted) if ('name' in target) checkText('The name of a dependency', target.name, MAX_NAME)
  const keys = unique(wanted.map(dependencyField))
  const changed: FoldedStep = {}
  for (const key of ranks.keys()) if (!keys.includes(key)) changed[key] = null
  let last = -Infinity
  for (const key of keys) {
    const rank = ranks.get(key)
    const next = rank !== undefined && rank > last ? rank : Math.max(last + 1, 0)
    if (next !== rank) changed[key] = next
    last = next
  }
  return changed
}

function checkText(what: string, text: string, most: number): void {
  if (text.trim() === '') throw new PlanError(`${what} needs text that is not blank.`)
  if (text.length > most) throw new PlanError(`${what} has at most ${most} characters; this one has ${text.length}.`)
}

function checkLength(what: string, text: string | null | undefined, most: number): void {
  if (text !== undefined && text !== null && text.length > most)
    throw new PlanError(`The ${what} of a step may have ${most} characters, not ${text.length}.`)
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]
