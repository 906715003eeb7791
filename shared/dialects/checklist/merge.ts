import type { Actor } from '../../schema/actor.ts'
import type { StepFields } from '../../schema/operation.ts'
import type { Status, Step } from '../../schema/plan.ts'
import type { ListedValues } from '../dialect.ts'
import { actorName, oneLine, quoted } from '../lines.ts'
import { starterOf } from '../starter.ts'
import type { Deed, Deeds } from './deeds.ts'
import { aliasIn } from './match.ts'
import type { TodoItem } from './read-items.ts'

export interface Merged {
  /** What of the step is to change. */
  readonly fields: StepFields
  /** What somebody else did to it that the caller could not know of, and what became of that. */
  readonly notes: readonly string[]
  /** What was given and does not count, since somebody else had changed that. */
  readonly overruled: ListedValues
}

type Field = 'text' | 'status' | 'details' | 'required'
type Values = Pick<Step, Field>

const BLANK = { status: 'pending', details: '', required: false } as const
const saidIn = ({ content, status, description, required }: TodoItem): Partial<Values> => ({
  ...(content === undefined ? {} : { text: content }),
  ...(status === undefined ? {} : { status }),
  ...(description === undefined ? {} : { details: description }),
  ...(required === undefined ? {} : { required }),
})

const isClosed = (status: Status): boolean => status === 'completed' || status === 'cancelled'

/**
 * What an item says of a step, field by field: what was given, against what the caller had seen and what stands now.
 * A field given as it was seen is no change. What somebody closed meanwhile is not opened by who does not know of it.
 * @param before what its caller gave in the list before, where that did not count
 * @param isPart what the item does not say stays as it is
 * @param seen undefined if the caller has never seen the step: then it says what it would of a new one
 */
export function mergeItem(
  item: TodoItem,
  seen: Step | undefined,
  now: Step,
  actor: Actor,
  deeds: Deeds,
  { before = {}, isPart }: { readonly before: ListedValues | undefined; readonly isPart: boolean },
): Merged {
  const overruled: ListedValues = {}
  const status = item.status ?? now.status
  const base: Values = seen ?? { text: now.text, ...BLANK }
  const given = givenValues(item, now, actor, deeds)
  const fields: Partial<Values> = {}
  const notes: string[] = []
  const told = (field: Field, became: string): number => notes.push(tell(field, became, item, now, deeds))
  const change = (field: Field): void => {
    const value = given[field]
    if (value === now[field] || (isPart && saidIn(item)[field] === undefined)) return
    const isNews = seen !== undefined && base[field] !== now[field]
    // The same again as in the list before, where it did not count: it does not count now.
    if (value !== undefined && before[field] === value) {
      Object.assign(overruled, { [field]: value })
      if (isNews) told(field, 'stays')
      return
    }
    if (value === undefined || isAsSeen(value, base[field])) {
      if (isNews && value !== undefined) Object.assign(overruled, { [field]: value })
      if (isNews) told(field, 'stays')
    } else if (field === 'status' && base.status !== now.status && isClosed(now.status) && !isClosed(status)) {
      Object.assign(overruled, { status })
      if (isNews) told(field, 'stays')
    } else {
      Object.assign(fields, { [field]: value })
      if (isNews) told(field, 'was replaced')
    }
  }
  change('text')
  change('status')
  change('details')
  change('required')
  if (seen === undefined) notes.push(tellOfUnseen(item, now, fields.status ?? now.status))
  const alias = aliasIn(item)
  return {
    fields: {
      ...fields,
      ...(alias === null || alias === now.alias ? {} : { alias }),
      ...(fields.status === 'in_progress' ? { startedBy: starterOf(actor) } : {}),
    },
    notes,
    overruled,
  }
}

/**
 * A list replaces the whole: a description or a mark that it leaves out is gone. But what somebody else gave a step is
 * not taken away by who only does not repeat it.
 */
function givenValues(item: TodoItem, now: Step, actor: Actor, deeds: Deeds): { [K in Field]: Step[K] | undefined } {
  const unsaid = <K extends 'details' | 'required'>(field: K, none: Step[K]): Step[K] | undefined => {
    if (now[field] === none) return none
    const doer = deeds.doer(now.id, field)
    const isOwn =
      doer === undefined ? now.createdBy === actor.name && now.updatedBy === actor.name : doer.id === actor.id
    return isOwn ? none : undefined
  }
  return {
    text: item.content ?? now.text,
    status: item.status ?? now.status,
    details: item.description ?? unsaid('details', ''),
    required: item.required ?? unsaid('required', false),
  }
}

/** Where the shape is a line, line breaks were not seen. */
const isAsSeen = (given: unknown, seen: unknown): boolean =>
  given === seen || (typeof seen === 'string' && given === oneLine(seen))

function tellOfUnseen(item: TodoItem, now: Step, status: Status): string {
  const stays = item.status === undefined || status === item.status ? '' : ` and stays ${status}`
  return `${quoted(now.text)} was there already, added by ${actorName({ name: now.createdBy })}: it is not added again${stays}`
}

/** `"x" is "X2" now: agent-b renamed it since you last looked` */
function tell(field: Field, became: string, item: TodoItem, now: Step, deeds: Deeds): string {
  const who = by(deeds, now, field)
  const what = quoted(item.content ?? now.text)
  switch (field) {
    case 'text':
      return became === 'stays'
        ? `${what} is ${quoted(now.text)} now: ${who} renamed it since you last looked`
        : `${quoted(now.text)}, as ${who} had renamed it since you last looked, is ${what} now`
    case 'status':
      return became === 'stays'
        ? `${what} stays ${now.status}: ${who} set that since you last looked`
        : `${what} is ${item.status ?? now.status} now; ${who} had set it to ${now.status} since you last looked`
    case 'details':
      return `the description of ${what} that ${who} gave since you last looked ${became}: ${quoted(now.details)}`
    case 'required':
      return `${what} ${now.required ? 'was made required' : 'was made optional'} by ${who} since you last looked, which ${became}`
  }
}

function by(deeds: Deeds, step: Step, deed: Deed): string {
  const doer = deeds.doer(step.id, deed)
  return doer === undefined ? actorName({ name: step.updatedBy }) : actorName(doer)
}
