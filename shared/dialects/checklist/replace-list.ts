import type { StepId } from '../../schema/ids.ts'
import type { Step } from '../../schema/plan.ts'
import type { WantedStep } from '../../plan/diff.ts'
import { listOperations, partOperations } from '../../plan/diff.ts'
import type { Plan } from '../../plan/plan.ts'
import { progressOf } from '../../plan/progress.ts'
import type { CallContext, Decision, JsonObject, ListedValues, Refusal, WrittenList } from '../dialect.ts'
import { actorName, quoted, some } from '../lines.ts'
import { isAsSeen } from '../seen.ts'
import { starterOf } from '../starter.ts'
import { callersList } from './callers-list.ts'
import { Deeds } from './deeds.ts'
import { aliasIn, doubledAlias, matchItems } from './match.ts'
import { mergeItem } from './merge.ts'
import { namedItems } from './named-items.ts'
import type { TodoItem } from './read-items.ts'
import { changeLines, needsVerifying, todoId } from './show.ts'
import type { Listed } from './structure.ts'
import { structureOf } from './structure.ts'

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

interface Manner {
  readonly rev: number | undefined
  /** Nothing is removed, and what an item does not say stays as it is. */
  readonly merges: boolean
}

/** Replaces the list as the caller last saw it, or a part of it; what it has not seen stays. */
export function replaceList(
  given: readonly TodoItem[],
  { rev, merges }: Manner,
  context: CallContext,
): Decision<WriteOutcome> | Refusal {
  const { plan, history, newStepId, version } = context
  const list = callersList(rev, context)
  if ('refused' in list) return list
  const named = namedItems(given, rev, list, context)
  if ('refused' in named) return named
  const { items } = named
  const matched = matchItems(named, list, plan, merges)
  const meant = new Set(matched)
  const deeds = new Deeds(history, () => new Set(matched.filter((id) => id !== null)))
  const listed: Listed[] = []
  const notes: string[] = []
  for (const [i, item] of items.entries()) {
    const id = matched[i] ?? null
    if (id === null && (item.content === undefined || item.status === undefined)) return unknownItem(item)
    const step = id === null ? null : plan.step(id)
    if (step !== undefined) listed.push({ item, step, id: id ?? newStepId(), line: i + 1 })
    else notes.push(removalNote(item, id, deeds))
  }
  const removed = new Set<StepId>()
  for (const [id, seen] of merges ? [] : list.seen) {
    const now = plan.step(id)
    if (meant.has(id) || now === undefined || !list.isOwn(id) || list.folded.has(id)) continue
    if (isAsSeen(seen, now)) removed.add(id)
    else if (context.lastList?.includes(id) !== false) notes.push(stayingNote(seen, now))
  }
  const doubled = doubledAlias(listed, removed, plan)
  if (doubled !== null) return { refused: doubled }
  const structure = structureOf(listed, list, plan, !history.isShared(context.actor, plan))
  if ('refused' in structure) return structure
  const unseen = new Map(plan.steps.flatMap((step) => (list.seen.has(step.id) ? [] : [[step.text, step] as const])))
  const overruled = new Map<StepId, ListedValues>()
  const wanted = listed.map(({ item, step, id }, i): WantedStep => {
    const placing = structure.parent(i)
    if (step === null) {
      const double = unseen.get(item.content ?? '')
      if (double !== undefined) notes.push(doubleNote(double, plan))
      const group = placing === undefined ? groupBetween(listed, i, plan) : null
      const fields = { ...newFields(item, context), ...(group === null ? {} : { group }), ...structure.dependencies(i) }
      return { id, isNew: true, fields, ...(placing === undefined ? {} : { parent: placing }) }
    }
    const known = { before: list.overruled.get(step.id), isPart: merges }
    const merged = mergeItem(item, list.seen.get(step.id), step, context.actor, deeds, known)
    if (Object.keys(merged.overruled).length > 0) overruled.set(step.id, merged.overruled)
    notes.push(...merged.notes)
    const fields = { ...merged.fields, ...structure.dependencies(i) }
    return { id, isNew: false, fields, ...(placing === undefined ? {} : { parent: placing }) }
  })
  const kept = new Set<StepId>()
  if (!merges) for (const { id } of plan.steps) if (!meant.has(id) && !removed.has(id)) kept.add(id)
  return {
    operations: merges ? partOperations(plan, wanted) : listOperations(plan, wanted, removed),
    notes: notes.length <= MOST_TOLD ? notes : [some(notes, MOST_TOLD, '; ')],
    outcome: (after) => {
      const { completed, total } = progressOf(after.steps)
      const lines = changeLines(plan, after, kept, (id) => !context.listed.has(id))
      return { version: version + 1, progress: `${completed}/${total}`, lines, remind: needsVerifying(after) }
    },
    prints: merges
      ? partKnown(listed, list.seen, overruled)
      : { listed: wanted.map(({ id }) => id), isPart: false, seen: list.seen, overruled },
    alwaysCounts: true,
    noteAfter: (after) => (merges ? null : movedNote(new Map(listed.map(({ id, line }) => [id, line])), after)),
  }
}

/** An item that only says what changes must be of a step that its caller knows. */
function unknownItem({ content, id, place }: TodoItem): Refusal {
  const { at } = place
  const what =
    content === undefined
      ? `${at} names no task that you have seen (id ${quoted(id ?? '')})`
      : `${at} is a new task (${quoted(content)}), and lacks status`
  return { refused: "Error: each todo must have 'content' and 'status'", notes: [`${what}. Nothing was changed`] }
}

/** What is known by a part of a list: of a step that it did not name in full, what was seen before. */
function partKnown(
  listed: readonly Listed[],
  seen: ReadonlyMap<StepId, Step>,
  overruled: ReadonlyMap<StepId, ListedValues>,
): WrittenList {
  const known = new Map(seen)
  const named: StepId[] = []
  for (const { id, item, step } of listed) {
    const was = seen.get(id)
    if (step === null || was === undefined || item.content !== undefined) named.push(id)
    else known.set(id, { ...was, status: item.status ?? was.status })
  }
  return { listed: named, isPart: true, seen: known, overruled }
}

const newFields = ({ content = '', status, description, required, id }: TodoItem, { actor }: CallContext) => {
  const alias = aliasIn({ id })
  return {
    text: content,
    ...(status === undefined || status === 'pending' ? {} : { status }),
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
  return `${quoted(content ?? '')} was removed${who} since you last looked, and is left out; list it once more to add it again`
}

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

/** The group of the top-level tasks between which a new one comes to stand, where that is the same. */
function groupBetween(listed: readonly { readonly step: Step | null }[], i: number, plan: Plan): Step['group'] {
  const before = listed.slice(0, i).findLast(({ step }) => step !== null)?.step
  // What follows a sub-step becomes one itself, and is in its group by that.
  if (before?.parent !== null) return null
  const siblings = plan.children(null)
  const behind =
    listed.slice(i + 1).find(({ step }) => step?.parent === null)?.step ??
    plan.step(siblings[siblings.indexOf(before.id) + 1] ?? before.id)
  return behind !== before && behind?.group === before.group ? before.group : null
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
