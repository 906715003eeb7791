import { MAX_STEPS } from '../../schema/limits.ts'
import type { Status } from '../../schema/plan.ts'
import { STATUSES } from '../../schema/plan.ts'
import { isBlank } from '../lines.ts'
import { isAbsent } from '../reading/absent.ts'
import type { ItemPlace } from '../reading/item.ts'
import { hasFields, placeOf } from '../reading/item.ts'
import { isRecord } from '../reading/names.ts'
import { shown } from '../reading/shown.ts'
import { flagOf } from '../reading/state.ts'

/** An item of the list as the caller wrote it. What is absent was not said: content and status only where a call merges. */
export interface TodoItem {
  readonly content?: string | undefined
  readonly status?: Status | undefined
  readonly description?: string | undefined
  readonly required?: boolean | undefined
  /** A number, `t<number>`, `task-<number>` or `#<number>` is a position in a list; any other is a lasting name. */
  readonly id?: string | undefined
  readonly place: ItemPlace
}

const NO_LIST = 'Error: todos must be a valid JSON array'
const INCOMPLETE = "Error: each todo must have 'content' and 'status'"
const NO_STATUS = "Error: status must be one of ['blocked', 'completed', 'in_progress', 'pending']"

interface Wrong {
  readonly error: string
  /** Where it is, and what is missing. */
  readonly notes: readonly string[]
}

/**
 * The items of a list, or what is wrong with the first that does not fit.
 * @param given as the shared reader left it: items that were read have a place
 * @param merges an item needs no more than an id or a content
 */
export function itemsOf(given: unknown, merges: boolean): { items: readonly TodoItem[] } | Wrong {
  if (!Array.isArray(given)) return { error: NO_LIST, notes: [] }
  if (given.length > MAX_STEPS)
    return { error: `Error: a list holds at most ${MAX_STEPS} todos, and this one has ${given.length}`, notes: [] }
  const items: TodoItem[] = []
  for (const value of given as readonly unknown[]) {
    const place = placeOf(value)
    if (!isRecord(value) || place === undefined) return { error: NO_LIST, notes: [] }
    if (place.keys === null)
      return { error: INCOMPLETE, notes: [`${place.at} is ${shown(value['raw'])}, not an object`] }
    const item = readItem(value, place, merges)
    if ('error' in item) return item
    items.push(item)
  }
  return { items }
}

function readItem(
  { content, status, description, required, id }: Readonly<Record<string, unknown>>,
  place: ItemPlace,
  merges: boolean,
): TodoItem | Wrong {
  const { at } = place
  const wrong = (error: string, note: string): Wrong => ({ error, notes: [note] })
  const text =
    typeof content === 'string' && !isBlank(content) && !(merges && isPlaceholder(content)) ? content : undefined
  const name = isAbsent(id) ? undefined : id
  const lacks = [
    ...(text === undefined && !(merges && name !== undefined) ? ['content'] : []),
    ...((status === undefined || status === null) && !merges ? ['status'] : []),
  ]
  if (lacks.length > 0) return wrong(INCOMPLETE, `${at} ${hasFields(place.keys)}, and lacks ${lacks.join(' and ')}`)
  const state = status ?? undefined
  if (state !== undefined && !isStatus(state)) return wrong(NO_STATUS, `the status of ${at} is ${shown(state)}`)
  const details = isAbsent(description) ? undefined : description
  if (details !== undefined && typeof details !== 'string')
    return wrong(`Error: 'description' of ${at} must be a text`, `it is ${shown(details)}`)
  const isRequired = isAbsent(required) ? undefined : flagOf(required)
  if (!isAbsent(required) && isRequired === undefined)
    return wrong(`Error: 'required' of ${at} must be true or false`, `it is ${shown(required)}`)
  if (name !== undefined && typeof name !== 'string')
    return wrong(`Error: 'id' of ${at} must be a text`, `it is ${shown(name)}`)
  return { content: text, status: state, description: details, required: isRequired, id: name?.trim(), place }
}

/** What models write in an item of which only something else is to change. */
const isPlaceholder = (content: string): boolean =>
  isAbsent(content) || /^[\s.…\-_]*$|^[<([]?(?:unchanged|same|same as before|no change)[>)\]]?$/i.test(content.trim())

const isStatus = (value: unknown): value is Status => (STATUSES as readonly unknown[]).includes(value)
