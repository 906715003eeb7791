import { z } from 'zod'
import { MAX_DEPENDENCIES, MAX_NAME, MAX_TEXT, MAX_TITLE } from '../../schema/limits.ts'
import type { JsonObject, Refusal } from '../dialect.ts'
import { quoted } from '../lines.ts'
import { isAbsent } from '../reading/absent.ts'
import { literalIn } from '../reading/literal.ts'
import { isListName, isRecord, kindOf, spelling, textField } from '../reading/names.ts'
import type { Reading } from '../reading/reading.ts'

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
  readonly inside?: (fields: Fields, reading: Reading) => void
}

/** Puts fields that came without the wrapper, or with the type in its place, into it. */
export function rewrap({ field, types, inside }: Wrapping): (raw: unknown, reading: Reading) => unknown {
  return (raw, reading) => {
    const sent = recordIn(raw)
    if (sent === null) return raw
    const wrapper = sent[field]
    const wrapped = recordIn(wrapper)
    const { rev, action_and_reasoning: reasoning, explanation, ...beside } = sent
    Reflect.deleteProperty(beside, field)
    let fields: Fields
    if (wrapped !== null) {
      fields = { ...wrapped }
      for (const [key, value] of Object.entries(beside)) fields[key] ??= value
      if (typeof raw === 'string' || typeof wrapper === 'string')
        reading.tell('object', `${field}: a string was read as an object`)
    } else if (types !== undefined && typeof wrapper === 'string') {
      fields = { ...beside, type: wrapper }
      reading.tell('wrapper', `${field}: ${quoted(wrapper)} was read as its type`)
    } else if (wrapper === undefined || wrapper === null) {
      fields = beside
      if (Object.keys(beside).length > 0) reading.tell('wrapper', `the arguments were read as ${field}`)
    } else return raw
    for (const key of Object.keys(fields))
      if (wrapped === null && isListName(key) && Array.isArray(fields[key]))
        reading.problems.push(`${key} is a list, and one call is about one task`)
    if (types !== undefined && typeof fields['type'] === 'string')
      fields['type'] = typeNamed(fields['type'], types, field, reading)
    inside?.(fields, reading)
    renameFields(fields, reading)
    for (const key of ['id', 'depends_on', 'parent'])
      if (fields[key] !== undefined) fields[key] = numberAsName(fields[key])
    const { rev: inner, ...rest } = fields
    const at = rev ?? inner
    const why = reasoning ?? explanation
    return {
      [field]: rest,
      ...(at === undefined ? {} : { rev: at }),
      ...(why === undefined ? {} : { action_and_reasoning: why }),
    }
  }
}

/** Puts the other names of a task's id and of its dependencies right. */
function renameFields(fields: Fields, reading: Reading): void {
  const rename = (to: string, isOne: (name: string) => boolean): void => {
    if (!isAbsent(fields[to])) return
    const from = Object.keys(fields).find((key) => key !== to && isOne(key) && !isAbsent(fields[key]))
    if (from === undefined) return
    fields[to] = fields[from]
    Reflect.deleteProperty(fields, from)
    reading.named(from, to)
  }
  rename('id', (name) => ID_NAMES.has(spelling(name)))
  rename('depends_on', (name) => kindOf(name) === 'dependencies')
  rename('parent', (name) => kindOf(name) === 'parent')
}

const ID_NAMES: ReadonlySet<string> = new Set(['id', 'taskid', 'task'])

/** Puts a text that came under another name into `description`. @param ids whether a `task` may be an id */
export function renameText(fields: Fields, ids: boolean, reading: Reading): void {
  if (fields['description'] !== undefined && fields['description'] !== null) return
  const { task, ...others } = fields
  const key = textField(ids && isAbsent(fields['id']) ? others : { ...others, task }, 'description')
  if (key === undefined) return
  fields['description'] = fields[key]
  Reflect.deleteProperty(fields, key)
  reading.named(key, 'description')
}

/**
 * Takes away what an action does not look at: it is told, and refused where it is a change that the action does not make.
 * @param used the fields of each action, by its type
 */
export function dropUnused(fields: Fields, used: Readonly<Record<string, readonly string[]>>, reading: Reading): void {
  const type = fields['type']
  if (typeof type !== 'string' || !Object.hasOwn(used, type)) return
  const kept = new Set(used[type]?.map(spelling))
  for (const key of Object.keys(fields)) {
    const kind = kindOf(key)
    const isId = ID_NAMES.has(spelling(key)) && kept.has('id')
    if (key === 'type' || key === 'rev' || isId || kept.has(spelling(key)) || kind === 'word' || kind === 'flag')
      continue
    if (!isAbsent(fields[key])) {
      if (kind === 'dependencies') reading.problems.push(`${type} does not change ${key}: plan_todo_edit does`)
      else if (kind === 'children' || kind === 'parent' || kind === 'depth')
        reading.problems.push(`${type} does not change ${key}: Add makes tasks below others`)
      else reading.ignored(key)
    }
    Reflect.deleteProperty(fields, key)
  }
}

/** A task's bare number is a name of it like any other. */
function numberAsName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => (Array.isArray(one) ? one : numberAsName(one)))
  return Number.isInteger(value) ? String(value) : value
}

function recordIn(value: unknown): Fields | null {
  const read = typeof value === 'string' ? literalIn(value) : value
  return isRecord(read) ? { ...read } : null
}

/** Which tool does what its name says. */
const DOERS: Readonly<Record<string, string>> = {
  add: 'plan_todo_write',
  start: 'plan_todo_write',
  remove: 'plan_todo_write',
  clean: 'plan_todo_write',
  verifygroup: 'plan_todo_write',
  complete: 'plan_todo_cross_off',
  completed: 'plan_todo_cross_off',
  done: 'plan_todo_cross_off',
  cancel: 'plan_todo_cross_off',
  list: 'plan_todo_read',
  get: 'plan_todo_read',
  edit: 'plan_todo_edit',
  update: 'plan_todo_edit',
}

function typeNamed(
  given: string,
  { names, synonyms = {} }: NonNullable<Wrapping['types']>,
  field: string,
  reading: Reading,
): string {
  if (names.includes(given)) return given
  const wanted = spelling(given)
  const read =
    names.find((name) => spelling(name) === wanted) ?? (Object.hasOwn(synonyms, wanted) ? synonyms[wanted] : undefined)
  if (read === undefined) {
    const doer = Object.hasOwn(DOERS, wanted) ? DOERS[wanted] : undefined
    if (doer !== undefined) reading.problems.push(`${quoted(given)} is done by ${doer}`)
    return given
  }
  reading.tell('type', `${field}.type: ${quoted(given)} was read as ${read}`)
  return read
}

/** Refuses a call that leaves out what its action needs, and shows one that works. */
export function needs(what: string, example: JsonObject): Refusal {
  return { refused: `${what} Nothing was changed. A call that works: ${JSON.stringify(example)}` }
}

export const BLANK_DESCRIPTION = 'Description must be non-empty text.'
