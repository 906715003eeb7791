import { z } from 'zod'
import { MAX_DEPENDENCIES, MAX_NAME, MAX_TEXT, MAX_TITLE } from '../../schema/limits.ts'
import type { JsonObject, Refusal } from '../dialect.ts'
import { quoted } from '../lines.ts'

/** Parameters that several tools share; what each is for stands with the tool. */
export const taskId = z
  .union([z.string(), z.number()], { error: 'a task is named by its id, such as task-3' })
  // A number with a fraction must not be read as text: 1.1 may have been 1.10.
  .register(z.globalRegistry, { type: 'string' })
export const groupTitle = z.string().max(MAX_TITLE)
export const description = z.string().max(MAX_TEXT)
export const dependsOnList = z.array(z.string().max(MAX_NAME)).max(MAX_DEPENDENCIES)

type Fields = Record<string, unknown>

/** How the arguments of a tool with a wrapped object may come, and still mean one thing. */
interface Wrapping {
  /** The wrapper: `action` or `edit`. */
  readonly field: string
  /** The values of `type`, and other words for them, in lower case without blanks; absent if there is no `type`. */
  readonly types?: { readonly names: readonly string[]; readonly synonyms?: Readonly<Record<string, string>> }
  /** Puts what is inside the wrapper right. */
  readonly inside?: (fields: Fields, notes: string[]) => void
}

/** Puts fields that came without the wrapper, or with the type in its place, into it. */
export function rewrap({ field, types, inside }: Wrapping): (raw: unknown, notes: string[]) => unknown {
  return (raw, notes) => {
    const sent = recordIn(raw)
    if (sent === null) return raw
    const wrapper = sent[field]
    const wrapped = recordIn(wrapper)
    const { rev, action_and_reasoning: reasoning, ...beside } = sent
    Reflect.deleteProperty(beside, field)
    let fields: Fields
    if (wrapped !== null) {
      fields = { ...wrapped }
      if (typeof raw === 'string' || typeof wrapper === 'string') notes.push(`${field}: a string was read as an object`)
    } else if (types !== undefined && typeof wrapper === 'string') {
      fields = { ...beside, type: wrapper }
      notes.push(`${field}: ${quoted(wrapper)} was read as its type`)
    } else if (wrapper === undefined || wrapper === null) {
      fields = beside
      if (Object.keys(beside).length > 0) notes.push(`the arguments were read as ${field}`)
    } else return raw
    if (types !== undefined && typeof fields['type'] === 'string')
      fields['type'] = typeNamed(fields['type'], types, field, notes)
    inside?.(fields, notes)
    for (const key of ['id', 'depends_on']) if (fields[key] !== undefined) fields[key] = numberAsName(fields[key])
    const { rev: inner, ...rest } = fields
    const at = rev ?? inner
    return {
      ...(wrapped === null ? {} : beside),
      [field]: rest,
      ...(at === undefined ? {} : { rev: at }),
      ...(reasoning === undefined ? {} : { action_and_reasoning: reasoning }),
    }
  }
}

/** A task's bare number is a name of it like any other. */
function numberAsName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => (Array.isArray(one) ? one : numberAsName(one)))
  return Number.isInteger(value) ? String(value) : value
}

function recordIn(value: unknown): Fields | null {
  let read = value
  if (typeof value === 'string' && /^\s*\{/.test(value)) {
    try {
      read = JSON.parse(value)
    } catch {
      return null
    }
  }
  return typeof read === 'object' && read !== null && !Array.isArray(read) ? { ...read } : null
}

const folded = (text: string): string => text.toLowerCase().replace(/[\s_-]/g, '')

function typeNamed(
  given: string,
  { names, synonyms = {} }: NonNullable<Wrapping['types']>,
  field: string,
  notes: string[],
): string {
  if (names.includes(given)) return given
  const wanted = folded(given)
  const read =
    names.find((name) => folded(name) === wanted) ?? (Object.hasOwn(synonyms, wanted) ? synonyms[wanted] : undefined)
  if (read === undefined) return given
  notes.push(`${field}.type: ${quoted(given)} was read as ${read}`)
  return read
}

/** Refuses a call that leaves out what its action needs, and shows one that works. */
export function needs(what: string, example: JsonObject): Refusal {
  return { refused: `${what} Nothing was changed. A call that works: ${JSON.stringify(example)}` }
}

export const BLANK_DESCRIPTION = 'Description must be non-empty text.'
