import { z } from 'zod'

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
  if (schema instanceof z.ZodOptional) return value === null || value === undefined ? undefined : coerce(inner(schema), value, path, notes)
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
    const parsed = parseJson(value)
    const parts = element instanceof z.ZodNumber && parsed === undefined ? value.split(',').map((part) => part.trim()) : null
    list = parsed ?? parts ?? [value]
    notes.push(`${path}: a string was read as a list`)
  }
  if (list === null || list === undefined) return list
  if (!Array.isArray(list)) {
    if (list === value) notes.push(`${path}: a single item was read as a list of one`)
    list = [list]
  }
  return Array.isArray(list) ? list.map((item, i) => coerce(element, item, `${path}[${i}]`, notes)) : list
}

function coerceObject(schema: z.ZodObject, value: unknown, path: string, notes: string[]): unknown {
  let object: unknown = value
  if (typeof value === 'string') {
    const parsed = parseJson(value)
    const only = soleText(schema)
    if (isRecord(parsed)) object = parsed
    else if (only !== null) object = { [only]: value }
    if (object !== value) notes.push(`${path === '' ? 'the arguments' : path}: a string was read as an object`)
  }
  if (!isRecord(object)) return object
  const coerced: Record<string, unknown> = {}
  for (const [key, property] of Object.entries(schema.shape)) {
    if (!(property instanceof z.ZodType) || !Object.hasOwn(object, key)) continue
    const read = coerce(property, object[key], path === '' ? key : `${path}.${key}`, notes)
    if (read !== undefined) coerced[key] = read
  }
  return coerced
}

/** The one required property of an object if it is a text: then a bare string can only mean that. */
function soleText(schema: z.ZodObject): string | null {
  const required = Object.entries(schema.shape).filter(([, property]) => !(property instanceof z.ZodOptional))
  const only = required[0]
  return required.length === 1 && only !== undefined && only[1] instanceof z.ZodString ? only[0] : null
}

function coerceNumber(value: unknown, path: string, notes: string[]): unknown {
  if (typeof value !== 'string') return value
  const digits = /^\s*[#v]?(-?\d{1,15})(?:\.0+)?\s*$/.exec(value)?.[1]
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
  const read = value === 'true' || value === 1 || value === 'yes' ? true : value === 'false' || value === 0 || value === 'no' ? false : value
  if (read !== value) notes.push(`${path}: ${JSON.stringify(value)} was read as ${String(read)}`)
  return read
}

function coerceEnum(schema: z.ZodEnum, value: unknown, path: string, notes: string[]): unknown {
  if (typeof value !== 'string' || schema.options.includes(value)) return value
  const plain = value.trim().toLowerCase().replace(/[\s-]+/g, '_')
  const wanted = STATUS_SYNONYMS[plain] ?? plain
  const fold = (option: unknown): string => String(option).toLowerCase()
  const found = schema.options.find((option) => fold(option) === wanted || fold(option) === wanted.replaceAll('_', ''))
  if (found === undefined) return value
  notes.push(`${path}: ${JSON.stringify(value)} was read as ${String(found)}`)
  return found
}

function parseJson(text: string): unknown {
  if (!/^\s*[[{\d"#-]/.test(text)) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
