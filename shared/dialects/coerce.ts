import { z } from 'zod'
import { MAX_STEPS } from '../schema/limits.ts'
import { cut, oneLine, some } from './lines.ts'
import { isPlace } from './parameters.ts'

/** Spellings of statuses that agents are known to send. */
const STATUS_SYNONYMS: Readonly<Record<string, string>> = {
  todo: 'pending',
  open: 'pending',
  not_started: 'pending',
  doing: 'in_progress',
  started: 'in_progress',
  active: 'in_progress',
  inprogress: 'in_progress',
  done: 'completed',
  complete: 'completed',
  finished: 'completed',
  canceled: 'cancelled',
  cancel: 'cancelled',
  skipped: 'cancelled',
  failed: 'blocked',
  stuck: 'blocked',
}

/**
 * Reads arguments leniently where they can only mean one thing: JSON in a string, a single item for a list, a number
 * as text, null for absent. What was read that way is told in `notes`; what is left wrong is for validation to refuse.
 */
export function coerce(schema: z.ZodType, value: unknown, path: string, notes: string[]): unknown {
  if (schema instanceof z.ZodOptional)
    return value === null || value === undefined ? undefined : coerce(inner(schema), value, path, notes)
  if (isPlace(schema)) return coerceNumber(value, path, notes)
  if (schema instanceof z.ZodArray) return coerceList(inner(schema), value, path, notes)
  if (schema instanceof z.ZodObject) return coerceObject(schema, value, path, notes)
  if (schema instanceof z.ZodNumber) return coerceNumber(value, path, notes)
  if (schema instanceof z.ZodString) return coerceText(value, path, notes)
  if (schema instanceof z.ZodBoolean) return coerceBoolean(value, path, notes)
  if (schema instanceof z.ZodEnum) return coerceEnum(schema, value, path, notes)
  return value
}

function inner(schema: z.ZodOptional | z.ZodArray): z.ZodType {
  const found: unknown = schema instanceof z.ZodArray ? schema.element : schema.unwrap()
  if (!(found instanceof z.ZodType)) throw new Error('tool parameters use full zod schemas')
  return found
}

function coerceList(element: z.ZodType, value: unknown, path: string, notes: string[]): unknown {
  let list: unknown = value
  if (typeof value === 'string') {
    list = parseJson(value) ?? listInText(element, value)
    if (list !== value) notes.push(`${path}: a string was read as a list`)
    else return value
  } else if (value !== null && value !== undefined && !Array.isArray(value)) {
    notes.push(`${path}: a single item was read as a list of one`)
  }
  if (list === null || list === undefined) return list
  const items: readonly unknown[] = Array.isArray(list) ? list : [list]
  // Far too long a list is refused as it is: no need to read every item first.
  return items.length > MAX_STEPS ? items : items.map((item, i) => coerce(element, item, `${path}[${i}]`, notes))
}

/** A list in a string that is no JSON: `1,2`, or one item. The beginning of broken JSON is no item. */
function listInText(element: z.ZodType, text: string): unknown {
  if (element instanceof z.ZodNumber || isPlace(element)) return text.split(',').map((part) => part.trim())
  return /^\s*[[{]/.test(text) ? text : [text]
}

function coerceObject(schema: z.ZodObject, value: unknown, path: string, notes: string[]): unknown {
  const name = path === '' ? 'the arguments' : path
  let object: unknown = value
  if (typeof value === 'string') {
    const parsed = parseJson(value)
    const only = soleText(schema)
    if (isRecord(parsed)) object = parsed
    // Some models send nothing as an empty string.
    else if (path === '' && value.trim() === '') return {}
    else if (only !== null && !/^\s*\{/.test(value)) object = { [only]: value }
    if (object !== value) notes.push(`${name}: a string was read as an object`)
  }
  if (!isRecord(object)) return object
  const coerced: Record<string, unknown> = {}
  const strays = Object.keys(object).filter((key) => !Object.hasOwn(schema.shape, key))
  for (const [key, property] of Object.entries(schema.shape)) {
    if (!(property instanceof z.ZodType)) continue
    const sent = Object.hasOwn(object, key) ? key : strays.find((stray) => spelling(stray) === spelling(key))
    if (sent === undefined) continue
    const at = path === '' ? key : `${path}.${key}`
    if (sent !== key) {
      strays.splice(strays.indexOf(sent), 1)
      notes.push(`${at}: ${sent} was read as ${key}`)
    }
    const read = coerce(property, object[sent], at, notes)
    if (read !== undefined) coerced[key] = read
  }
  const ignored = strays.filter((key) => object[key] !== null && object[key] !== undefined)
  if (ignored.length > 0)
    notes.push(
      `${name}: ignored ${some(
        ignored.map((key) => cut(oneLine(key), 40)),
        5,
      )}, which is no field here`,
    )
  return coerced
}

/** Two spellings of one key: `parentIndex` and `parent_index`. */
const spelling = (key: string): string => key.toLowerCase().replace(/[\s_-]/g, '')

/** The one required property of an object if it is a text: then a bare string can only mean that. */
function soleText(schema: z.ZodObject): string | null {
  const required = Object.entries(schema.shape).filter(([, property]) => !(property instanceof z.ZodOptional))
  const only = required[0]
  return required.length === 1 && only !== undefined && only[1] instanceof z.ZodString ? only[0] : null
}

function coerceNumber(value: unknown, path: string, notes: string[]): unknown {
  if (typeof value !== 'string') return value
  const digits = /^\s*[#v]?\s?(-?\d{1,15})(?:\.0+)?\s*$/.exec(value)?.[1]
  if (digits === undefined) return value
  notes.push(`${path}: ${JSON.stringify(value)} was read as ${Number(digits)}`)
  return Number(digits)
}

function coerceText(value: unknown, path: string, notes: string[]): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') {
    notes.push(`${path}: ${String(value)} was read as text`)
    return String(value)
  }
  if (typeof value !== 'string') return value
  // A lone half of a surrogate pair has no place in UTF-8: it would come back as something else.
  const whole = value.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD')
  if (whole !== value) notes.push(`${path}: a broken character was replaced by U+FFFD`)
  return whole
}

function coerceBoolean(value: unknown, path: string, notes: string[]): unknown {
  const read =
    value === 'true' || value === 1 || value === 'yes'
      ? true
      : value === 'false' || value === 0 || value === 'no'
        ? false
        : value
  if (read !== value) notes.push(`${path}: ${JSON.stringify(value)} was read as ${String(read)}`)
  return read
}

function coerceEnum(schema: z.ZodEnum, value: unknown, path: string, notes: string[]): unknown {
  if (typeof value !== 'string' || schema.options.includes(value)) return value
  const plain = value
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  const wanted = STATUS_SYNONYMS[plain] ?? plain
  const fold = (option: unknown): string => String(option).toLowerCase()
  const found = schema.options.find((option) => fold(option) === wanted || fold(option) === wanted.replaceAll('_', ''))
  if (found === undefined) return value
  notes.push(`${path}: ${JSON.stringify(value)} was read as ${String(found)}`)
  return found
}

/** The object or list in a string of JSON, which may have been made a string of JSON once more. */
function parseJson(text: string): object | undefined {
  let value: unknown = text
  for (let layer = 0; layer < 3 && typeof value === 'string' && /^\s*[[{"]/.test(value); layer++) {
    try {
      value = JSON.parse(value)
    } catch {
      return undefined
    }
  }
  return typeof value === 'object' && value !== null ? value : undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
