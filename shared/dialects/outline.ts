import { z } from 'zod'
import type { StepId } from '../schema/ids.ts'
import { MAX_ITEMS, MAX_TEXT } from '../schema/limits.ts'
import type { NewStep, PlanOperation } from '../schema/operation.ts'
import type { Status, Step } from '../schema/plan.ts'
import { STATUSES } from '../schema/plan.ts'
import type { Plan } from '../plan/plan.ts'
import type { CallContext, Decision, Dialect, Refusal, Rendered, Situation } from './dialect.ts'
import { defineTool } from './dialect.ts'
import { foldedNote, isFolded } from './fit.ts'
import { count, isBlank, outlineLines, quoted, some } from './lines.ts'
import { narrowing } from './listing/narrowing.ts'
import { listedOutline } from './listing/outline.ts'
import { narrowed } from './listing/select.ts'
import { placeNumber, reasoning, rev } from './parameters.ts'
import type { Reference, Resolved } from './references.ts'
import { range } from './references.ts'
import { resolveSteps } from './references/steps.ts'
import { hasLooked, seenAmong, statusSetters, unseenRemoval } from './seen.ts'

/** The envelope of every result. */
type Outcome = {
  readonly summary: string
  /** What `cursor` takes where the listing goes on. */
  readonly cursor?: string
}
type Answer = Decision<Outcome> | Refusal

const NOTHING_MATCHED = 'no matching todo steps found'
const EMPTY = '(no todo steps yet)'

const names: Pick<Dialect, 'nameStep' | 'nameRemoved'> = {
  nameStep: (plan, id) => `#${plan.placeOf(id) ?? '?'}`,
  nameRemoved: ({ before, placeBefore }) => `#${placeBefore ?? '?'} ${quoted(before?.text ?? '')}`,
}

function render({ summary, cursor }: Outcome, situation: Situation): Rendered {
  const { text, fields } = envelope(true, summary, situation)
  return cursor === undefined ? { text, fields } : { text, fields: { ...fields, cursor } }
}

function envelope(success: boolean, summary: string, { version, notes, digest }: Situation): Rendered {
  const text = {
    success,
    summary,
    version,
    ...(notes.length > 0 ? { notes } : {}),
    ...(digest === null ? {} : { digest }),
  }
  return { text: JSON.stringify(text), fields: { summary } }
}

const indices = z
  .array(placeNumber)
  .max(MAX_ITEMS)
  .describe('The steps, by the numbers that list_todos and the plan block print, counted from 1. One or many.')

const addTodos = defineTool({
  name: 'add_todos',
  title: 'Add steps',
  description:
    'Adds steps to the plan: one call takes a whole outline, in reading order, each step with its text and its depth. ' +
    'With parent_index everything goes below that step, as its last sub-steps; without it, to the end of the plan at top ' +
    'level. To add a single step, send a list with one element.',
  parameters: z.object({
    steps: z
      .array(
        z.object({
          text: z.string().max(MAX_TEXT).describe('What is to be done, in a few words.'),
          depth: z
            .int()
            .min(0)
            .optional()
            .describe(
              'How deep the step is nested: 0 is top level (the default), 1 a sub-step, and so on, one deeper at most ' +
                'from a step to the next.',
            ),
        }),
      )
      .max(MAX_ITEMS)
      .describe('The outline, depth first.'),
    parent_index: placeNumber
      .optional()
      .describe('The number, counted from 1, of an existing step to put the outline below. Leave it out to append.'),
    rev,
    action_and_reasoning: reasoning,
  }),
  example: {
    steps: [
      { text: 'Write the parser', depth: 0 },
      { text: 'Test it', depth: 1 },
    ],
  },
  effects: { readOnly: false, destructive: false, idempotent: false },
  printsPlan: false,
  decide: ({ steps, parent_index, rev: at }, context): Answer => {
    const blank = steps.flatMap(({ text }, i) => (isBlank(text) ? [`${i + 1}`] : []))
    if (blank.length > 0)
      return { refused: `Step ${some(blank, 20)} of this call has no text. Every step needs some. Nothing was added.` }
    const resolved = resolveSteps(parent_index === undefined ? [] : [parent_index], at, context, names)
    if ('refused' in resolved) return resolved
    const [parent] = resolved.references
    if (parent?.step === null) {
      const absence = parent.removal ?? `there is no step ${parent.label}`
      return { refused: `Nothing was added, for ${absence}: ${resolved.valid}. List the plan to see what is there.` }
    }
    const depths = nest(steps.map(({ depth }) => depth ?? 0))
    const lowered = steps.flatMap(({ depth = 0 }, i) =>
      depth === depths[i] ? [] : [`step ${i + 1} from depth ${depth} to ${depths[i]}`],
    )
    const notes =
      lowered.length > 0
        ? [`lowered, for a step is at most one deeper than the one before it: ${some(lowered, 20)}`]
        : []
    const added = steps.map(({ text }, i): NewStep => ({ id: context.newStepId(), text, depth: depths[i] ?? 0 }))
    const operations: PlanOperation[] =
      added.length === 0 ? [] : [{ type: 'addSteps', parent: parent?.step.id ?? null, steps: added }]
    return answer(operations, notes, (after) => {
      const there = added.filter(({ id }) => after.step(id) !== undefined)
      return `added ${count(there.length, 'todo step')}`
    })
  },
  render,
})

/** The parent of a step is the nearest earlier one of the call with a smaller given depth; depths follow from that. */
function nest(given: readonly number[]): number[] {
  const path: number[] = []
  return given.map((depth) => {
    while ((path.at(-1) ?? -Infinity) >= depth) path.pop()
    path.push(depth)
    return path.length - 1
  })
}

const toggleTodos = defineTool({
  name: 'toggle_todos',
  title: 'Tick or untick steps',
  description:
    'Turns steps from not done to done, and from done back to not done, each by its number counted from 1. Takes a ' +
    'list; for a single step, a list with one element. Sub-steps and parents stay as they are.',
  parameters: z.object({ indices, rev, action_and_reasoning: reasoning }),
  example: { indices: [1, 2] },
  effects: { readOnly: false, destructive: false, idempotent: false },
  printsPlan: false,
  decide: ({ indices: places, rev: at }, context): Answer => {
    const resolved = resolveSteps(places, at, context, names)
    if ('refused' in resolved) return resolved
    const targets = once(resolved.references)
    if (targets.length === 0) return answer([], notesOnNothing(resolved, context), () => NOTHING_MATCHED)
    const notes = [...resolved.notes]
    const operations: PlanOperation[] = []
    const ids = targets.map(({ step }) => step.id)
    const statuses = statusesSeen(ids, context)
    const setters = statusSetters(ids, context)
    for (const { label, step } of targets) {
      const seen = statuses(step)
      const setter = setters.get(step.id) ?? 'somebody'
      const status: Status = seen === 'completed' ? 'pending' : 'completed'
      if (step.status === status)
        notes.push(
          `${label} was ${doneOrNot(status)} already: ${setter} has brought it there since you looked. List first to turn it back`,
        )
      else if (step.status === 'cancelled' && status === 'pending')
        notes.push(`${label} stays cancelled: ${setter} has cancelled it since you looked. List first to turn it back`)
      else operations.push({ type: 'setStep', id: step.id, fields: { status } })
    }
    return answer(
      operations,
      notes,
      (after) => {
        const turned = targets.filter(({ step }) => after.step(step.id)?.status !== step.status)
        const results = turned.map(({ label, step }) => `${label} now ${doneOrNot(after.step(step.id)?.status)}`)
        const what = `toggled ${count(turned.length, 'todo step')}`
        return turned.length === 0 ? what : `${what}: ${results.join(', ')}`
      },
      targets.flatMap(({ label, step }) => (label === names.nameStep(context.plan, step.id) ? [step.id] : [])),
    )
  },
  render,
})

const doneOrNot = (status: Status | undefined): string => (status === 'completed' ? 'done' : 'pending')

/**
 * The statuses that the caller last saw or set, in one pass over the history. It flips what it saw: two agents that both
 * tick an open step mean the same thing. What was only counted before it is taken for open, so that nothing is opened
 * again unseen.
 */
function statusesSeen(ids: readonly StepId[], context: CallContext): (step: Step) => Status {
  if (!hasLooked(context)) {
    const written = statusesWritten(ids, context)
    return (step) => written.get(step.id) ?? step.status
  }
  const seen = seenAmong(ids, context)
  const isAlone = !context.history.isShared(context.actor, context.plan)
  return (step) => seen.get(step.id)?.status ?? (isAlone ? step.status : 'pending')
}

/** What an actor that never looked set itself, as far as the history reaches. */
function statusesWritten(ids: readonly StepId[], { history, actor }: CallContext): ReadonlyMap<StepId, Status> {
  const open = new Set(ids)
  const written = new Map<StepId, Status>()
  for (const entry of (history.since(history.start) ?? []).toReversed()) {
    if (open.size === 0) break
    if (entry.actor.id !== actor.id) continue
    for (const { id, before, after } of entry.changes) {
      if (before?.status === after?.status || !open.delete(id)) continue
      if (after !== null) written.set(id, after.status)
    }
  }
  return written
}

const updateTodos = defineTool({
  name: 'update_todos',
  title: 'Rewrite steps',
  description:
    'Gives steps a new text; each keeps its place, its depth and whether it is done. Takes a list of {index, text}, ' +
    'index counted from 1; for a single step, a list with one element.',
  parameters: z.object({
    updates: z
      .array(
        z.object({
          index: placeNumber.describe('The number of the step, counted from 1.'),
          text: z.string().max(MAX_TEXT).describe('Its new text.'),
        }),
      )
      .max(MAX_ITEMS)
      .describe('The steps to rewrite.'),
    rev,
    action_and_reasoning: reasoning,
  }),
  example: { updates: [{ index: 1, text: 'Write the parser for dates' }] },
  effects: { readOnly: false, destructive: false, idempotent: true },
  printsPlan: false,
  decide: ({ updates, rev: at }, context): Answer => {
    const blank = updates
      .filter(({ text }) => isBlank(text))
      .map(({ index }) => (typeof index === 'number' ? `#${index}` : index))
    if (blank.length > 0)
      return { refused: `The new text of ${some(blank, 20)} is blank. Every step needs text. Nothing was changed.` }
    const resolved = resolveSteps(
      updates.map((update) => update.index),
      at,
      context,
      names,
    )
    if ('refused' in resolved) return resolved
    const texts = new Map<StepId, string>()
    resolved.references.forEach(({ step }, i) => {
      if (step !== null) texts.set(step.id, updates[i]?.text ?? step.text)
    })
    if (texts.size === 0) return answer([], notesOnNothing(resolved, context), () => NOTHING_MATCHED)
    const operations = [...texts].map(([id, text]): PlanOperation => ({ type: 'setStep', id, fields: { text } }))
    return answer(operations, resolved.notes, (after) => {
      const updated = [...texts].filter(([id, text]) => after.step(id)?.text === text)
      return `updated ${count(updated.length, 'todo step')}`
    })
  },
  render,
})

const removeTodos = defineTool({
  name: 'remove_todos',
  title: 'Remove steps',
  description:
    'Takes steps out of the plan, by their numbers counted from 1; for a single step, a list with one element. A step ' +
    'takes ALL of its sub-steps along. For steps that no longer apply, not for finished ones.',
  parameters: z.object({ indices, rev, action_and_reasoning: reasoning }),
  example: { indices: [3] },
  effects: { readOnly: false, destructive: true, idempotent: false },
  printsPlan: false,
  decide: ({ indices: places, rev: at }, context): Answer => {
    const resolved = resolveSteps(places, at, context, names)
    if ('refused' in resolved) return resolved
    const targets = once(resolved.references)
    const steps = targets.map(({ step }) => step.id)
    if (steps.length === 0) return answer([], notesOnNothing(resolved, context), () => NOTHING_MATCHED)
    const explicit = targets.flatMap(({ step, isExplicit }) => (isExplicit ? [step.id] : []))
    const unseen = unseenRemoval(steps, explicit, context, ({ id }) => names.nameStep(context.plan, id))
    if (unseen !== null) return { refused: unseen }
    return answer([{ type: 'removeSteps', steps, subSteps: true }], resolved.notes, (after) => {
      const gone = context.plan.steps.filter(({ id }) => after.step(id) === undefined)
      return `removed ${count(gone.length, 'todo step')}`
    })
  },
  render,
})

const listTodos = defineTool({
  name: 'list_todos',
  title: 'List the plan',
  description:
    'Prints the plan as it stands: a line a step, with its number, its place in the outline and its status. The prompt ' +
    'usually holds the plan already. Of a very long plan the first steps are printed, and how to see the rest.',
  parameters: z.object({
    parent: placeNumber.optional().describe('Only this step and what is below it: its number, counted from 1.'),
    status: z.enum(STATUSES).optional().describe('Only steps of this status.'),
    ...narrowing,
    action_and_reasoning: reasoning,
  }),
  example: {},
  effects: { readOnly: true, destructive: false, idempotent: true },
  printsPlan: true,
  decide: ({ action_and_reasoning: _, ...given }, context): Answer => {
    const { plan } = context
    const nameOf = ({ id }: Step): string => names.nameStep(plan, id)
    const steps = narrowed(plan.steps, given, context, ({ status }) => status, nameOf)
    if ('refused' in steps) return steps
    const listed = listedOutline(plan, steps, given)
    if ('refused' in listed) return listed
    const { lines, prints, next } = listed
    const cursor = next === null ? {} : { cursor: next }
    return { operations: [], notes: [], prints, outcome: () => ({ summary: lines.join('\n') || EMPTY, ...cursor }) }
  },
  render,
})

/** A step named twice counts once. */
function once(references: readonly Reference[]): (Reference & { readonly step: Step })[] {
  const found = new Map<StepId, Reference & { readonly step: Step }>()
  for (const { step, ...rest } of references)
    if (step !== null && !found.has(step.id)) found.set(step.id, { step, ...rest })
  return [...found.values()]
}

/** Where no index matched, the notes always say which would. */
function notesOnNothing({ references, notes, valid }: Resolved, { plan }: CallContext): string[] {
  if (references.length === 0) return [`no index was given: ${valid}`]
  return references.some(({ removal }) => removal === null) ? [...notes] : [...notes, range(plan.steps.length)]
}

function answer(
  operations: readonly PlanOperation[],
  notes: readonly string[],
  summary: (after: Plan) => string,
  calledByPlace: readonly StepId[] = [],
): Decision<Outcome> {
  return {
    operations,
    notes,
    outcome: (after) => ({ summary: summary(after) }),
    tellsPlaces: true,
    calledByPlace,
  }
}

/** The plan as an outline of numbered steps, in batches. */
export const outline: Dialect = {
  name: 'outline',
  tools: [addTodos, toggleTodos, updateTodos, removeTodos, listTodos],
  ...names,
  refuse: (message, situation) => envelope(false, message, situation),
  block: (plan, version, folded) => {
    const counts = (status: Status): number => plan.steps.filter((step) => step.status === status).length
    const open = plan.steps.length - counts('completed') - counts('cancelled')
    const heading = `Plan, version ${version}: ${count(plan.steps.length, 'step')}, ${counts('completed')} done, ${open} open`
    const lines = outlineLines(plan).filter((_, i) => !isFolded(plan.steps[i], folded))
    return [heading, ...(plan.steps.length === 0 ? [EMPTY] : lines), ...foldedNote(plan, folded)].join('\n')
  },
}
