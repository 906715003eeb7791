import { z } from 'zod'
import type { GroupId } from '../../schema/ids.ts'
import { MAX_GROUPS, MAX_STEPS } from '../../schema/limits.ts'
import type { NewStep, PlanOperation } from '../../schema/operation.ts'
import type { DependencyTarget, Step } from '../../schema/plan.ts'
import { listOperations } from '../../plan/diff.ts'
import { namedNumber } from '../../plan/numbers.ts'
import type { CallContext, Refusal } from '../dialect.ts'
import { defineTool } from '../dialect.ts'
import { leniently, reasoning } from '../parameters.ts'
import { isAsSeen, ownSteps, seenSteps, toldSteps } from '../seen.ts'
import { needs } from './arguments.ts'
import type { MarkdownTasks } from './markdown.ts'
import { readMarkdown } from './markdown.ts'
import { taskName } from '../../plan/task-names.ts'
import { checkRev } from './references.ts'
import type { Answer } from './reply.ts'
import { render } from './reply.ts'

const EXAMPLE = { markdown: '## backend\n- [x] Write the parser\n- [ ] Test it\n  - depends: task-1' }

export const load = defineTool({
  name: 'plan_load_from_md',
  title: 'Load tasks from markdown',
  description:
    'REPLACES your whole list of tasks by one read from markdown, given as text, or as the path of a file on the server where its ' +
    'operator allows that. "## Title" begins a group; "- [ ] text" and "- [x] text" are its tasks, pending or ' +
    'completed, numbered task-1, task-2 and so on through all groups; "- depends: task-1, task-2" below a task sets what it ' +
    'depends on. All else is passed over, and so is what stands before the first group and in code fences. ' +
    'Tasks that others made stay, and are named. Answers ok.',
  parameters: z.object({
    markdown: leniently(z.string().optional().describe('The text. Give this or path.'), { holdsNothing: true }),
    path: z
      .string()
      .optional()
      .describe('A file on the server, below the folder that its operator has set up for this.'),
    rev: z
      .int()
      .optional()
      .describe('The present version of the plan, to replace even tasks that others added and you have not seen.'),
    action_and_reasoning: reasoning,
  }),
  example: EXAMPLE,
  effects: { readOnly: false, destructive: true, idempotent: false },
  printsPlan: false,
  leavesNews: true,
  fileOf: (args) => pathIn(args),
  decide: (args, context): Answer => {
    const wrongRev = args.rev === undefined ? null : checkRev(args.rev, context)
    if (wrongRev !== null) return wrongRev
    const path = pathIn(args)
    if (path === undefined && args.markdown === undefined)
      return needs('There is nothing to load: give the text as markdown, or a path.', EXAMPLE)
    if (path !== undefined && args.markdown !== undefined && args.markdown !== '')
      return needs('Both markdown and path are given; give one of them.', EXAMPLE)
    const text = path === undefined ? args.markdown : textOf(context)
    if (typeof text !== 'string') return text ?? needs('There is nothing to load.', EXAMPLE)
    const unseen = args.rev === context.version ? null : refuseUnseen(context)
    if (unseen !== null) return unseen
    const content = readMarkdown(text)
    const tooMany =
      tooLarge('tasks', content.tasks.length, MAX_STEPS) ?? tooLarge('groups', content.groups.length, MAX_GROUPS)
    if (tooMany !== null) return tooMany
    const kept = keptSteps(args.rev === context.version, context)
    return {
      operations: replacement(content, kept, context),
      notes: [],
      outcome: () => ({ kind: 'ok', kept: keptNote(kept) }),
    }
  },
  render,
})

/** Told before anything is made of it. */
const tooLarge = (what: string, size: number, most: number): Refusal | null =>
  size <= most
    ? null
    : { refused: `A plan holds at most ${most} ${what}; this would make ${size}. Nothing was changed.` }

/** Some models send what they leave out as an empty string. */
function pathIn({ path }: { readonly path?: string | undefined }): string | undefined {
  return path === undefined || path.trim() === '' ? undefined : path
}

function textOf({ file }: CallContext): string | Refusal {
  if (file !== undefined && 'text' in file) return file.text
  const why = file?.error ?? 'no files are read here; send the text as markdown'
  return { refused: `Failed to read plan file: ${why}` }
}

/** What the caller has not seen it may not mean to take away; one that never looked has seen nothing. */
function refuseUnseen(context: CallContext): Refusal | null {
  const { plan, version } = context
  const seen = seenSteps(context)
  const unseen = plan.steps.filter(({ id }) => !seen.has(id))
  if (unseen.length === 0) return null
  const told = toldSteps(unseen, taskName)
  return {
    refused:
      `Loading replaces the whole plan, and would remove tasks that you have not seen: ${told}. Nothing was changed. ` +
      `List first, or repeat with rev ${version} to replace them all the same.`,
  }
}

/**
 * What stays by the rule of whole lists: the steps that are not the caller's own, and those that others have changed
 * since it saw them. Nothing where it says that it means the plan as it stands.
 */
function keptSteps(meansAll: boolean, context: CallContext): readonly Step[] {
  if (meansAll) return []
  const seen = seenSteps(context)
  const isOwn = ownSteps(context)
  return context.plan.steps.filter((now) => {
    const was = seen.get(now.id)
    return was === undefined || !isOwn(now.id) || !isAsSeen(was, now)
  })
}

const keptNote = (kept: readonly Step[]): string | null =>
  kept.length === 0
    ? null
    : `Kept, as they are not yours or were changed since you saw them: ${toldSteps(kept, taskName)}. To replace the ` +
      'whole plan, list first, then load with the version that is printed as rev.'

function replacement(
  { groups, tasks }: MarkdownTasks,
  kept: readonly Step[],
  { plan, newStepId, newGroupId }: CallContext,
): PlanOperation[] {
  const keptIds = new Set(kept.map(({ id }) => id))
  const keptGroups = new Set(kept.map((step) => plan.groupOf(step)))
  const removed = new Set(plan.steps.flatMap(({ id }) => (keptIds.has(id) ? [] : [id])))
  const present = new Map(plan.groups.flatMap(({ id, title }) => (keptGroups.has(id) ? [[title, id] as const] : [])))
  const added: PlanOperation[] = []
  const groupIds = groups.map((title): GroupId => {
    const known = present.get(title)
    if (known !== undefined) return known
    const id = newGroupId()
    added.push({ type: 'addGroup', id, title })
    return id
  })
  const ids = tasks.map(() => newStepId())
  const target = (name: string): DependencyTarget => {
    const step = ids[(namedNumber(name) ?? 0) - 1]
    return step === undefined ? { name } : { step }
  }
  const steps = tasks.flatMap(({ text, isDone, group, dependsOn }, i): NewStep[] => {
    const id = ids[i]
    if (id === undefined) return []
    const dependencies = dependsOn.map(target)
    const status = isDone ? 'completed' : 'pending'
    return [{ id, text, depth: 0, status, group: groupIds[group] ?? null, dependencies }]
  })
  return [
    ...listOperations(plan, [], removed),
    ...plan.groups.flatMap(({ id }) => (keptGroups.has(id) ? [] : [{ type: 'removeGroup', id } as const])),
    ...added,
    ...(steps.length === 0 ? [] : [{ type: 'addSteps', parent: null, steps } as const]),
  ]
}
