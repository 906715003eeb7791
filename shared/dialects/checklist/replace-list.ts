import type { StepId } from '../../schema/ids.ts'
import type { Step } from '../../schema/plan.ts'
import type { WantedStep } from '../../plan/diff.ts'
import { listOperations } from '../../plan/diff.ts'
import type { Plan } from '../../plan/plan.ts'
import { progressOf } from '../../plan/progress.ts'
import type { CallContext, Decision, JsonObject, ListedValues, Refusal } from '../dialect.ts'
import { actorName, quoted, some } from '../lines.ts'
import { starterOf } from '../starter.ts'
import { callersList } from './callers-list.ts'
import { Deeds } from './deeds.ts'
import { aliasIn, doubledAlias, matchItems } from './match.ts'
import { mergeItem } from './merge.ts'
import { namedItems } from './named-items.ts'
import type { TodoItem } from './read-items.ts'
import { changeLines, needsVerifying, todoId } from './show.ts'

/** What came of a write, kept for a repeat of it. */
export interface WriteOutcome extends JsonObject {
  readonly version: number
  readonly progress: string
  readonly lines: readonly string[]
  readonly remind: boolean
}

/** Notes on what others did to listed steps; the digest tells the rest. */
const MOST_TOLD = 20
/** Items told to stand elsewhere than the caller counted. */
const MOST_MOVED = 8

/** Replaces the list as the caller last saw it; what it has not seen stays. */
export function replaceList(
  given: readonly TodoItem[],
  rev: number | undefined,
  context: CallContext,
  readNotes: readonly string[],
): Decision<WriteOutcome> | Refusal {
  const { plan, history, newStepId, version } = context
  const list = callersList(rev, context)
  if ('refused' in list) return list
  const named = namedItems(given, rev, list, context)
  if ('refused' in named) return { ...named, notes: readNotes }
  const { items } = named
  const matched = matchItems(named, list, plan)
  const meant = new Set(matched)
  const deeds = new Deeds(history, () => new Set(matched.filter((id) => id !== null)))
  const listed: { item: TodoItem; step: Step | null; line: number }[] = []
  const notes: string[] = []
  for (const [i, item] of items.entries()) {
    const id = matched[i] ?? null
    const step = id === null ? null : plan.step(id)
    if (step !== undefined) listed.push({ item, step, line: i + 1 })
    else notes.push(removalNote(item, id, deeds))
  }
  const removed = new Set<StepId>()
  for (const [id, seen] of list.seen) {
    const now = plan.step(id)
    if (meant.has(id) || now === undefined || !list.isOwn(id) || list.folded.has(id)) continue
    if (isAsSeen(seen, now)) removed.add(id)
    else if (context.lastList?.includes(id) !== false) notes.push(stayingNote(seen, now))
  }
  const doubled = doubledAlias(listed, removed, plan)
  if (doubled !== null) return { refused: doubled, notes: readNotes }
  const unseen = new Map(plan.steps.flatMap((step) => (list.seen.has(step.id) ? [] : [[step.text, step] as const])))
  const overruled = new Map<StepId, ListedValues>()
  const wanted = listed.map(({ item, step }, i): WantedStep => {
    if (step === null) {
      const double = unseen.get(item.content)
      if (double !== undefined) notes.push(doubleNote(double, plan))
      const group = groupBetween(listed, i)
      const fields = { ...newFields(item, context), ...(group === null ? {} : { group }) }
      return { id: newStepId(), isNew: true, fields }
    }
    const known = list.overruled.get(step.id)
    const merged = mergeItem(item, list.seen.get(step.id), step, context.actor, deeds, known)
    if (Object.keys(merged.overruled).length > 0) overruled.set(step.id, merged.overruled)
    notes.push(...merged.notes)
    return { id: step.id, isNew: false, fields: merged.fields }
  })
  const kept = new Set<StepId>()
  for (const { id } of plan.steps) if (!meant.has(id) && !removed.has(id)) kept.add(id)
  return {
    operations: listOperations(plan, wanted, removed),
    notes: [...readNotes, ...(notes.length <= MOST_TOLD ? notes : [some(notes, MOST_TOLD, '; ')])],
    outcome: (after) => {
      const { completed, total } = progressOf(after.steps)
      const lines = changeLines(plan, after, kept, (id) => !context.listed.has(id))
      return { version: version + 1, progress: `${completed}/${total}`, lines, remind: needsVerifying(after) }
    },
    prints: { listed: wanted.map(({ id }) => id), seen: list.seen, overruled },
    alwaysCounts: true,
    noteAfter: (after) => movedNote(new Map(wanted.map(({ id }, i) => [id, listed[i]?.line ?? 0])), after),
  }
}

const newFields = ({ content, status, description, required, ...item }: TodoItem, { actor }: CallContext) => {
  const alias = aliasIn({ content, status, ...item })
  return {
    text: content,
    ...(status === 'pending' ? {} : { status }),
    ...(description === undefined ? {} : { details: description }),
    ...(required === true ? { required } : {}),
    ...(alias === null ? {} : { alias }),
    ...(status === 'in_progress' ? { startedBy: starterOf(actor) } : {}),
  }
}

/** Removal wins over a list that does not know of it. */
function removalNote({ content }: TodoItem, id: StepId | null, deeds: Deeds): string {
  const doer = id === null ? undefined : deeds.doer(id, 'removed')
  const who = doer === undefined ? '' : ` by ${actorName(doer)}`
  return `${quoted(content)} was removed${who} since you last looked, and is left out; list it once more to add it again`
}

/** Whether a step is as its caller saw it, but for what became of its work. */
const isAsSeen = (seen: Step, now: Step): boolean =>
  seen.text === now.text && seen.details === now.details && seen.required === now.required

/** Nobody takes away what it does not know: told once, when it leaves the list. */
function stayingNote(seen: Step, now: Step): string {
  const what = seen.text === now.text ? quoted(now.text) : `${quoted(seen.text)}, now ${quoted(now.text)},`
  return `${what} was left out and stays: ${actorName({ name: now.updatedBy })} changed it since you last looked. read_todos, then leave it out to remove it`
}

/** A step that its caller has not seen is not meant by its content. */
function doubleNote(double: Step, plan: Plan): string {
  const which = `${todoId(double, plan.placeOf(double.id))} ${quoted(double.text)}`
  return `${which} of ${actorName({ name: double.createdBy })} says the same: you had not seen it, so yours is a new task`
}

/** The group of the tasks before and behind a new one at top level, where that is the same. */
function groupBetween(listed: readonly { readonly step: Step | null }[], i: number): Step['group'] {
  let [from, to] = [i - 1, i + 1]
  while (from >= 0 && listed[from]?.step === null) from--
  while (to < listed.length && listed[to]?.step === null) to++
  const before = listed[from]?.step ?? null
  const behind = listed[to]?.step ?? null
  if (before?.parent !== null || behind?.parent !== null) return null
  return before.group === behind.group ? before.group : null
}

/** Which items have another id than their place in the list. */
function movedNote(lines: ReadonlyMap<StepId, number>, after: Plan): string | null {
  const moved = [...lines].flatMap(([id, line]) => {
    const step = after.step(id)
    const place = after.placeOf(id)
    return step === undefined || step.alias !== null || place === line ? [] : [`item ${line} is ${todoId(step, place)}`]
  })
  return moved.length === 0 ? null : `ids count all tasks of the plan: ${some(moved, MOST_MOVED)}`
}
