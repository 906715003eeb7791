import type { HistoryEntry } from '../plan/history.ts'
import type { StepId } from '../schema/ids.ts'
import type { Step } from '../schema/plan.ts'
import type { CallContext, View } from './dialect.ts'
import { actorName, quoted, some } from './lines.ts'

/** Steps named where a caller is told of what it has not seen; the rest is counted. */
const MOST_NAMED = 10

/** A step as this actor last saw it: as it was printed to it, or as it wrote it; undefined if it never did. */
export function lastSeen(view: View | null, id: StepId): Step | undefined {
  return view?.later.get(id) ?? (view?.unseen.has(id) === true ? undefined : view?.plan.step(id))
}

/** What an actor takes a step for of which it knows the text alone. */
const UNKNOWN = { status: 'pending', details: '', required: false } as const

/** A copy that is still being written. */
type Draft = { -readonly [Key in keyof Step]: Step[Key] }

/**
 * Adds to what an actor has seen what it wrote itself: of a step that it changed only that is new to it, the rest may be
 * others' news. Changes are written over one copy of each step, since there may be hundreds of versions of hundreds.
 * @param seen by step; it is changed
 * @param asked the steps that count; null for all
 * @param learns a step of which it had seen nothing is known to it once it has written its text
 */
export function addWritten(
  seen: Map<StepId, Step>,
  entries: readonly HistoryEntry[],
  actorId: string,
  asked: ReadonlySet<StepId> | null,
  learns = false,
): void {
  const drafts = new Map<StepId, Draft>()
  for (const entry of entries) {
    if (entry.actor.id !== actorId) continue
    for (const { id, before, after } of entry.changes) {
      if (asked?.has(id) === false) continue
      if (before === null || after === null) {
        drafts.delete(id)
        if (after === null) seen.delete(id)
        else seen.set(id, after)
        continue
      }
      let draft = drafts.get(id)
      if (draft === undefined) {
        const known = seen.get(id)
        if (known === undefined && !(learns && before.text !== after.text)) continue
        draft = { ...(known ?? { ...before, ...UNKNOWN }) }
        drafts.set(id, draft)
        seen.set(id, draft)
      }
      write(draft, before, after)
    }
  }
}

function write(draft: Draft, before: Step, after: Step): void {
  // Field by field, without a list of them: this is done a hundred thousand times in one call.
  for (const key in after) {
    const field = key as keyof Step
    if (after[field] !== before[field]) Object.assign(draft, { [field]: after[field] })
  }
}

/** All that was printed to this actor, and what it wrote since, each as it saw it; in the order in which it saw them. */
export function seenSteps({ view, history, actor }: CallContext): Map<StepId, Step> {
  const seen = new Map<StepId, Step>()
  if (view === null) return seen
  for (const id of [...view.plan.steps.map((step) => step.id), ...view.later.keys()]) {
    const step = lastSeen(view, id)
    if (step !== undefined) seen.set(id, step)
  }
  addWritten(seen, history.since(view.version) ?? [], actor.id, null)
  return seen
}

/** One of them, without going through all. */
export const seenStep = (id: StepId, context: CallContext): Step | undefined => seenAmong([id], context).get(id)

/** Some of them, in one pass over the history however many are asked for. */
export function seenAmong(ids: readonly StepId[], { view, history, actor }: CallContext): Map<StepId, Step> {
  const asked = new Set(ids)
  const seen = new Map<StepId, Step>()
  for (const id of asked) {
    const step = lastSeen(view, id)
    if (step !== undefined) seen.set(id, step)
  }
  if (view !== null) addWritten(seen, history.since(view.version) ?? [], actor.id, asked)
  return seen
}

/** Whether a caller has looked at the plan; one that never did means the plan as it stands. */
export const hasLooked = ({ view, forgotten }: CallContext): boolean => view !== null || forgotten === true

/** Whether a step was made by the caller: the history knows it, and for what is older the name that stands in it. */
function stepsMade({ history, plan, actor }: CallContext): (id: StepId) => boolean {
  const makers = new Map<StepId, string>()
  for (const entry of history.since(history.start) ?? [])
    for (const { id, before } of entry.changes) if (before === null) makers.set(id, entry.actor.id)
  return (id) => {
    const maker = makers.get(id)
    return maker === undefined ? plan.step(id)?.createdBy === actor.name : maker === actor.id
  }
}

/**
 * Whether a step is the caller's own to leave out: it had it in a list before, or made it; any step where nobody else
 * has a part in the plan.
 */
export function ownSteps(context: CallContext): (id: StepId) => boolean {
  const { listed, history, plan, actor } = context
  if (!history.isShared(actor, plan)) return () => true
  const isMade = stepsMade(context)
  return (id) => listed.has(id) || isMade(id)
}

/** Whether a step is as its caller saw it, but for what became of its work. */
export const isAsSeen = (seen: Step, now: Step): boolean =>
  seen.text === now.text && seen.details === now.details && seen.required === now.required

/** Those of some steps that a caller who has looked has not seen. */
export function unseenAmong(steps: readonly Step[], context: CallContext): Step[] {
  if (!hasLooked(context) || steps.length === 0) return []
  const seen = seenSteps(context)
  return steps.filter(({ id }) => !seen.has(id))
}

/** `task-3 "Write" and 2 more`, or with the names of another dialect. */
export const toldSteps = (steps: readonly Step[], nameOf: (step: Step) => string): string =>
  some(
    steps.map((step) => `${nameOf(step)} ${quoted(step.text)}`),
    MOST_NAMED,
  )

/**
 * Why steps cannot be removed with all that is below them, or null: nobody means to take away what it has not seen.
 * @param explicit those that were named by an id, or by a version and what stood where then: these are meant, seen or not
 */
export function unseenRemoval(
  named: readonly StepId[],
  explicit: readonly StepId[],
  context: CallContext,
  nameOf: (step: Step) => string,
): string | null {
  const all = [...new Set(named.flatMap((id) => context.plan.subtree(id)))]
  const looked = hasLooked(context)
  const meant = new Set(looked ? explicit : named)
  const isAlone = !context.history.isShared(context.actor, context.plan)
  const strange = isAlone ? [] : looked ? unseenAmong(all, context) : madeByOthers(all, context)
  const unseen = strange.filter(({ id }) => !meant.has(id))
  if (unseen.length === 0) return null
  const what = toldSteps(unseen, nameOf)
  return `This would remove steps that you have not seen: ${what}. Nothing was changed. List first.`
}

/** A caller that never looked knows what it made itself. */
function madeByOthers(steps: readonly Step[], context: CallContext): Step[] {
  const isMade = stepsMade(context)
  return steps.filter(({ id }) => !isMade(id))
}

/** Who brought a step to its status since the caller looked. */
export const statusSetter = (id: StepId, context: CallContext): string =>
  statusSetters([id], context).get(id) ?? 'somebody'

/** Who brought steps to their statuses since the caller looked, in one pass over the history. */
export function statusSetters(
  ids: readonly StepId[],
  { view, history, actor }: CallContext,
): ReadonlyMap<StepId, string> {
  const open = new Set(ids)
  const setters = new Map<StepId, string>()
  for (const entry of (history.since(view?.version ?? history.start) ?? []).toReversed()) {
    if (open.size === 0) break
    if (entry.actor.id === actor.id) continue
    for (const { id, before, after } of entry.changes) {
      if (before?.status === after?.status || !open.delete(id)) continue
      setters.set(id, actorName(entry.actor))
    }
  }
  return setters
}
