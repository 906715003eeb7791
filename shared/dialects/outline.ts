import { z } from 'zod'
import type { StepId } from '../schema/ids.ts'
import { MAX_DETAILS, MAX_ITEMS, MAX_TEXT } from '../schema/limits.ts'
import type { PlanOperation } from '../schema/operation.ts'
import type { Status, Step } from '../schema/plan.ts'
import { STATUSES } from '../schema/plan.ts'
import type { Plan } from '../plan/plan.ts'
import type { CallContext, Decision, Dialect, Refusal, Rendered, Situation } from './dialect.ts'
import { defineTool } from './dialect.ts'
import { foldedNote, isFolded } from './fit.ts'
import { added, namedIn } from './outline/added.ts'
import { statusOperations, wordOf } from './outline/set-status.ts'
import { statusesSeen } from './outline/statuses-seen.ts'
import { count, isBlank, outlineLines, quoted, some } from './lines.ts'
import { narrowing } from './listing/narrowing.ts'
import { listedOutline } from './listing/outline.ts'
import { narrowed } from './listing/select.ts'
import { leniently, placed, placeNumber, reasoning, rev, saidStatus } from './parameters.ts'
import { LIST_NAMES, TEXT_NAMES } from './reading/names.ts'
import type { Reference, Resolved } from './references.ts'
import { range } from './references.ts'
import { resolveSteps } from './references/steps.ts'
import { statusSetters, unseenRemoval } from './seen.ts'

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

/** What else an item calls the step that it is about. */
const INDEX_NAMES = ['id', 'number', 'step_number']

const indices = leniently(
  z
    .array(placeNumber)
    .max(MAX_ITEMS)
    .describe('The steps, by the numbers that list_todos and the plan block print, counted from 1. One or many.'),
  { names: ['index', ...LIST_NAMES] },
)

const addTodos = defineTool({
  name: 'add_todos',
  title: 'Add steps',
  description:
    'Adds steps to the plan: one call takes a whole outline, in reading order, each step with its text and its depth. ' +
    'With parent_index everything goes below that step, as its last sub-steps; without it, to the end of the plan at top ' +
    'level. To add a single step, send a list with one element.',
  parameters: z.object({
    steps: leniently(
      z
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
            description: leniently(z.string().max(MAX_DETAILS).optional(), { hidden: true }),
            required: leniently(z.boolean().optional(), { hidden: true }),
            status: saidStatus,
            placed,
          }),
        )
        .max(MAX_ITEMS)
        .describe('The outline, depth first.'),
      { steps: 'text', names: LIST_NAMES },
    ),
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
    const named = namedIn(steps)
    const given = [...(parent_index === undefined ? [] : [parent_index]), ...named]
    const resolved = resolveSteps(given, at, context, names)
    if ('refused' in resolved) return resolved
    const missing = resolved.references.find(({ step }) => step === null)
    if (missing !== undefined) {
      const absence = missing.removal ?? `there is no step ${missing.label}`
      return { refused: `Nothing was added, for ${absence}: ${resolved.valid}. List the plan to see what is there.` }
    }
    const found = resolved.references.map(({ step }) => step?.id ?? null)
    const parent = parent_index === undefined ? null : (found.shift() ?? null)
    const idOf = (name: string): StepId | undefined => found[named.indexOf(name)] ?? undefined
    const { operations, notes, steps: made } = added(steps, parent, idOf, context)
    return answer(operations, notes, (after) => {
      const there = made.filter(({ id }) => after.step(id) !== undefined)
      return `added ${count(there.length, 'todo step')}`
    })
  },
  render,
})

const toggleTodos = defineTool({
  name: 'toggle_todos',
  title: 'Tick or untick steps',
  description:
    'Turns steps from not done to done, and from done back to not done, each by its number counted from 1. Takes a ' +
    'list; for a single step, a list with one element. Sub-steps and parents stay as they are.',
  parameters: z.object({ indices, status: saidStatus, rev, action_and_reasoning: reasoning }),
  example: { indices: [1, 2] },
  effects: { readOnly: false, destructive: false, idempotent: false },
  printsPlan: false,
  decide: ({ indices: places, status: wanted, rev: at }, context): Answer => {
    const resolved = resolveSteps(places, at, context, names)
    if ('refused' in resolved) return resolved
    const targets = once(resolved.references)
    if (targets.length === 0) return answer([], notesOnNothing(resolved, context), () => NOTHING_MATCHED)
    if (wanted !== undefined) return setTo(wanted, targets, resolved.notes, context)
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

/** Brings steps to a state that the call names, instead of turning them over. */
function setTo(status: Status, targets: Targets, skipped: readonly string[], context: CallContext): Answer {
  const ids = targets.map(({ step }) => step.id)
  const setters = statusSetters(ids, context)
  const { operations, notes, changed } = statusOperations(status, targets, statusesSeen(ids, context), setters, context)
  return answer(operations, [...skipped, ...notes], (after) => {
    const turned = changed.filter(({ step }) => after.step(step.id)?.status === status)
    const what = `toggled ${count(turned.length, 'todo step')}`
    const word = wordOf(status)
    return turned.length === 0 ? what : `${what}: ${turned.map(({ label }) => `${label} now ${word}`).join(', ')}`
  })
}

type Targets = readonly { readonly label: string; readonly step: Step }[]
const doneOrNot = (status: Status | undefined): string => (status === 'completed' ? 'done' : 'pending')

const STATE = 'toggle_todos with done: true or false sets it'

const updateTodos = defineTool({
  name: 'update_todos',
  title: 'Rewrite steps',
  description:
    'Gives steps a new text; each keeps its place, its depth and whether it is done. Takes a list of {index, text}, ' +
    'index counted from 1; for a single step, a list with one element.',
  parameters: z.object({
    updates: leniently(
      z
        .array(
          leniently(
            z.object({
              index: leniently(placeNumber.describe('The number of the step, counted from 1.'), { names: INDEX_NAMES }),
              text: leniently(z.string().max(MAX_TEXT).describe('Its new text.'), { names: TEXT_NAMES }),
              status: saidStatus,
            }),
            {
              changes: {
                fields: ['text'],
                state: STATE,
                structure: 'remove_todos and add_todos put a step elsewhere',
              },
            },
          ),
        )
        .max(MAX_ITEMS)
        .describe('The steps to rewrite.'),
      { names: LIST_NAMES },
    ),
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
    const lost = resolved.references.findIndex(({ step }, i) => {
      const said = updates[i]?.status
      return said !== undefined && step !== null && step.status !== said
    })
    if (lost >= 0) {
      const { label = '', step } = resolved.references[lost] ?? {}
      return {
        refused: `${label} is ${wordOf(step?.status ?? 'pending')}, and an update does not change that: ${STATE}. Nothing was changed.`,
      }
    }
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
  parameters: z.object({ indices, status: saidStatus, rev, action_and_reasoning: reasoning }),
  example: { indices: [3] },
  effects: { readOnly: false, destructive: true, idempotent: false },
  printsPlan: false,
  decide: ({ indices: places, status, rev: at }, context): Answer => {
    if (status !== undefined)
      return { refused: `Steps are removed whatever their state is, and none is set: ${STATE}. Nothing was changed.` }
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
