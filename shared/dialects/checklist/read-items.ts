import { z } from 'zod'
import { MAX_STEPS } from '../../schema/limits.ts'
import type { Status } from '../../schema/plan.ts'
import { STATUSES } from '../../schema/plan.ts'
import { coerce } from '../coerce.ts'
import { isBlank, some } from '../lines.ts'

/** An item of the list as the caller wrote it. What is absent was not said. */
export interface TodoItem {
  readonly content: string
  readonly status: Status
  readonly description?: string | undefined
  readonly required?: boolean | undefined
  /** A number, `t<number>`, `task-<number>` or `#<number>` is a position in a list; any other is a lasting name. */
  readonly id?: string | undefined
}

const NO_LIST = 'Error: todos must be a valid JSON array'
const INCOMPLETE = "Error: each todo must have 'content' and 'status'"
const NO_STATUS = "Error: status must be one of ['blocked', 'completed', 'in_progress', 'pending']"

/** Read leniently field by field; what must be there is checked by hand, for the exact words of the errors. */
const Item = z.object({
  content: z.string(),
  status: z.enum(STATUSES),
  description: z.string().optional(),
  required: z.boolean().optional(),
  id: z.string().optional(),
})

/** Notes on how items were read; more of them say the same. */
const MOST_COERCED = 10

/** The items of a list, which may be a string of JSON; or what is wrong with the first that does not fit. */
export function readItems(raw: unknown): { items: readonly TodoItem[]; notes: readonly string[] } | { error: string } {
  const list = parseList(raw)
  if (list === null) return { error: NO_LIST }
  if (list.length > MAX_STEPS)
    return { error: `Error: a list holds at most ${MAX_STEPS} todos, and this one has ${list.length}` }
  const notes: string[] = []
  const items: TodoItem[] = []
  for (const [i, value] of list.entries()) {
    const item = readItem(value, `todos[${i}]`, notes)
    if (typeof item === 'string') return { error: item }
    items.push(item)
  }
  return { items, notes: notes.length <= MOST_COERCED ? notes : [some(notes, MOST_COERCED, '; ')] }
}

/** What read_todos shows besides may come back. */
const SHOWN_ONLY: ReadonlySet<string> = new Set(['updated_by', 'updated_at'])

function parseList(raw: unknown): readonly unknown[] | null {
  let value = raw
  // Some models make a string of a string of JSON.
  for (let layer = 0; layer < 3 && typeof value === 'string'; layer++) {
    try {
      value = JSON.parse(value.replace(/^\uFEFF/, ''))
    } catch {
      return null
    }
  }
  return Array.isArray(value) ? value : null
}

function readItem(value: unknown, path: string, notes: string[]): TodoItem | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return INCOMPLETE
  const own = Object.fromEntries(Object.entries(value).filter(([key]) => !SHOWN_ONLY.has(key)))
  const read = coerce(Item, own, path, notes) as Readonly<Record<string, unknown>>
  const { content, status, description, required, id } = read
  if (typeof content !== 'string' || isBlank(content) || status === undefined || status === null) return INCOMPLETE
  if (!isStatus(status)) return NO_STATUS
  if (description !== undefined && typeof description !== 'string')
    return `Error: 'description' of ${path} must be a text`
  if (required !== undefined && typeof required !== 'boolean')
    return `Error: 'required' of ${path} must be true or false`
  if (id !== undefined && typeof id !== 'string') return `Error: 'id' of ${path} must be a text`
  return { content, status, description, required, id: id === undefined || isBlank(id) ? undefined : id.trim() }
}

const isStatus = (value: unknown): value is Status => (STATUSES as readonly unknown[]).includes(value)
