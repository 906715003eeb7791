import { z } from 'zod'
import { MAX_STEPS } from '../schema/limits.ts'
import { statusOfName } from '../plan/status-words.ts'
import { cut, oneLine, some } from './lines.ts'
import { isPlace, lenienceOf } from './parameters.ts'
import { isAbsent } from './reading/absent.ts'
import { readItems } from './reading/items.ts'
import { literalIn } from './reading/literal.ts'
import { itemsIn, listIn } from './reading/lists.ts'
import { isRecord, kindOf, spelling, textField } from './reading/names.ts'
import type { Reading } from './reading/reading.ts'
import { flagOf, stateIn } from './reading/state.ts'
import { textIn } from './reading/text.ts'

/**
 * Reads arguments leniently where they can only mean one thing: a literal in a string, a single item for a list, a number
 * as text, another name, the word for nothing. What was read that way is told in `reading`; what is left wrong is for
 * validation to refuse.
 */
export function coerce(schema: z.ZodType, value: unknown, path: string, reading: Reading): unknown {
  if (schema instanceof z.ZodOptional) return coerceOptional(schema, value, path, reading)
  if (isPlace(schema)) return coerceNumber(value, path, reading)
  if (schema instanceof z.ZodArray) return coerceList(schema, value, path, reading)
  if (lenienceOf(schema).steps !== undefined) return coerceSteps(schema, value, path, reading)
  if (schema instanceof z.ZodObject) return coerceObject(schema, value, path, reading)
  if (schema instanceof z.ZodNumber) return coerceNumber(value, path, reading)
  if (schema instanceof z.ZodString) return textIn(value, path, reading)
  if (schema instanceof z.ZodBoolean) return coerceBoolean(value, path, reading)
  if (schema instanceof z.ZodEnum) return coerceEnum(schema, value, reading)
  return value
}

function inner(schema: z.ZodOptional | z.ZodArray): z.ZodType {
  const found: unknown = schema instanceof z.ZodArray ? schema.element : schema.unwrap()
  if (!(found instanceof z.ZodType)) throw new Error('tool parameters use full zod schemas')
  return found
}

function coerceOptional(schema: z.ZodOptional, value: unknown, path: string, reading: Reading): unknown {
  const wanted = inner(schema)
  const isList = wanted instanceof z.ZodArray || lenienceOf(wanted).steps !== undefined
  const given = isList && typeof value === 'string' ? (literalIn(value) ?? value) : value
  const isNothing = isEmpty(given) || (wanted instanceof z.ZodString && isBlankText(given))
  if (isAbsent(given) && !(isNothing && lenienceOf(schema).holdsNothing === true)) return undefined
  return coerce(wanted, value, path, reading)
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0
const isBlankText = (value: unknown): boolean => typeof value === 'string' && value.trim() === ''

function coerceList(schema: z.ZodArray, value: unknown, path: string, reading: Reading): unknown {
  const element = inner(schema)
  const { steps } = lenienceOf(schema)
  let list: unknown = value
  if (typeof value === 'string') {
    list =
      (steps === undefined ? undefined : itemsIn(value, steps, path, reading)) ??
      literalIn(value) ??
      listInText(element, value)
    if (list === value) return value
    reading.tell('list', `${path}: a string was read as a list`)
  } else if (steps !== undefined && listIn(value) !== undefined) list = listIn(value)
  else if (value !== null && value !== undefined && !Array.isArray(value)) {
    reading.tell('single', `${path}: a single item was read as a list of one`)
  }
  if (list === null || list === undefined) return list
  const items: readonly unknown[] = Array.isArray(list) ? list : [list]
  // Far too long a list is refused as it is: no need to read every item first.
  if (items.length > MAX_STEPS) return items
  const read = steps === undefined ? items : readItems(items, path, steps, reading)
  return read.map((item, i) => coerce(element, item, `${path}[${i}]`, reading))
}

/** A list of steps for which the tool has errors of its own: what is no list stays as it came. */
function coerceSteps(schema: z.ZodType, value: unknown, path: string, reading: Reading): unknown {
  const { steps = 'text' } = lenienceOf(schema)
  const list = typeof value === 'string' ? itemsIn(value, steps, path, reading) : listIn(value)
  return list === undefined || list.length > MAX_STEPS ? (list ?? value) : readItems(list, path, steps, reading)
}

/** A list in a string that is none of these: `1,2`, or one item. The beginning of a broken literal is no item. */
function listInText(element: z.ZodType, text: string): unknown {
  if (element instanceof z.ZodNumber || isPlace(element)) return text.split(',').map((part) => part.trim())
  return /^\s*[[{]/.test(text) ? text : [text]
}

function coerceObject(schema: z.ZodObject, value: unknown, path: string, reading: Reading): unknown {
  const object = objectIn(schema, value, path, reading)
  if (!isRecord(object)) return object
  const coerced: Record<string, unknown> = {}
  const strays = new Set(Object.keys(object).filter((key) => !Object.hasOwn(schema.shape, key)))
  const state: unknown = schema.shape['status']
  if (lenienceOf(state).state === true && state instanceof z.ZodType) {
    const said = coerce(state, stateIn(object, path === '' ? 'the call' : path, reading), at(path, 'status'), reading)
    if (said !== undefined) coerced['status'] = said
    for (const key of strays) if (['word', 'flag'].includes(kindOf(key) ?? '')) strays.delete(key)
  }
  for (const [key, property] of Object.entries(schema.shape)) {
    if (!(property instanceof z.ZodType) || Object.hasOwn(coerced, key)) continue
    const sent = sentAs(key, property, object, strays)
    if (sent === undefined) continue
    if (sent !== key) {
      strays.delete(sent)
      reading.named(sent, key)
    }
    const read = coerce(property, object[sent], at(path, key), reading)
    if (read !== undefined) coerced[key] = read
  }
  for (const key of strays) {
    if (isAbsent(object[key])) continue
    const taken = Object.keys(coerced).find(
      (name) => lenienceOf(schema.shape[name]).names?.some(isSpelled(key)) === true,
    )
    if (taken === undefined || !Array.isArray(coerced[taken])) reading.ignored(key)
    else reading.problems.push(`${at(path, taken)} and ${at(path, key)} are both given: send one list`)
  }
  expectChange(
    schema,
    coerced,
    [...strays].filter((key) => !isAbsent(object[key])),
    path,
    reading,
  )
  return coerced
}

/** Who sends a change of something that a tool does not change is told who does; silence would pass for success. */
function expectChange(
  schema: z.ZodObject,
  coerced: Readonly<Record<string, unknown>>,
  strays: readonly string[],
  path: string,
  reading: Reading,
): void {
  const { changes } = lenienceOf(schema)
  if (changes === undefined) return
  for (const key of strays)
    if (STRUCTURE.has(kindOf(key) ?? ''))
      reading.problems.push(`${at(path, key)} is not changed here: ${changes.structure}`)
  if (changes.fields.some((field) => coerced[field] !== undefined)) return
  if (coerced['status'] !== undefined) reading.problems.push(`${path} has only a state to change: ${changes.state}`)
  else if (strays.length > 0)
    reading.problems.push(
      `${path} names only ${some(
        strays.map((key) => cut(oneLine(key), 40)),
        5,
      )}, and what can be changed is ${changes.fields.join(', ')}`,
    )
}

const STRUCTURE: ReadonlySet<string> = new Set(['children', 'parent', 'depth', 'dependencies'])

const at = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)
const isSpelled = (key: string) => (name: string) => spelling(name) === spelling(key)

/** Under which name a property came: its own, another spelling, else another name. */
function sentAs(
  key: string,
  property: z.ZodType,
  object: Readonly<Record<string, unknown>>,
  strays: ReadonlySet<string>,
): string | undefined {
  const own = Object.hasOwn(object, key) ? key : [...strays].find(isSpelled(key))
  const names = lenienceOf(property).names ?? []
  if (names.length === 0 || (own !== undefined && !isAbsent(object[own]))) return own
  const isSent = (stray: string): boolean => !isAbsent(object[stray])
  return names.flatMap((name) => [...strays].filter(isSpelled(name)).filter(isSent))[0] ?? own
}

/** What was sent for an object: itself, a literal of it, its only list or its only text. */
function objectIn(schema: z.ZodObject, value: unknown, path: string, reading: Reading): unknown {
  const literal = typeof value === 'string' ? literalIn(value) : value
  const list = path === '' && Array.isArray(literal) ? soleList(schema) : null
  if (list !== null) {
    reading.tell('list', `the arguments: a list was read as ${list}`)
    return { [list]: literal }
  }
  if (typeof value !== 'string') return path === '' && isRecord(value) ? wrapped(schema, value, reading) : value
  let object: unknown = value
  const only = soleText(schema)
  if (isRecord(literal)) object = literal
  // Some models send nothing as an empty string.
  else if (path === '' && value.trim() === '') return {}
  else if (only !== null && !/^\s*\{/.test(value)) object = { [only]: value }
  if (object !== value)
    reading.tell('object', `${path === '' ? 'the arguments' : path}: a string was read as an object`)
  return object
}

/** The fields of the one item of a list, sent in place of the list. */
function wrapped(schema: z.ZodObject, sent: Record<string, unknown>, reading: Reading): Record<string, unknown> {
  const list = soleList(schema)
  const property: unknown = list === null ? undefined : schema.shape[list]
  if (list === null || !(property instanceof z.ZodArray) || !(property.element instanceof z.ZodObject)) return sent
  const { names = [], steps } = lenienceOf(property)
  const isList = (key: string): boolean => [list, ...names].some(isSpelled(key)) && typeof sent[key] === 'object'
  if (Object.keys(sent).some(isList)) return sent
  const isSent = ([name, one]: [string, unknown]): boolean =>
    name === steps
      ? textField(sent, steps) !== undefined
      : Object.keys(sent).some((key) => [name, ...(lenienceOf(one).names ?? [])].some(isSpelled(key)))
  const required = Object.entries(property.element.shape).filter(([, one]) => !(one instanceof z.ZodOptional))
  if (!required.every(isSent)) return sent
  const isOurs = (key: string): boolean => key !== 'status' && Object.keys(schema.shape).some(isSpelled(key))
  const entries = Object.entries(sent)
  reading.tell('single', `${list}: a single item was read as a list of one`)
  return {
    ...Object.fromEntries(entries.filter(([key]) => isOurs(key))),
    [list]: [Object.fromEntries(entries.filter(([key]) => !isOurs(key)))],
  }
}

/** The one required property of an object if it is a text: then a bare string can only mean that. */
function soleText(schema: z.ZodObject): string | null {
  const required = Object.entries(schema.shape).filter(([, property]) => !(property instanceof z.ZodOptional))
  const only = required[0]
  return required.length === 1 && only !== undefined && only[1] instanceof z.ZodString ? only[0] : null
}

/** The one list of an object that can be had for itself: then a bare list can only mean that. */
function soleList(schema: z.ZodObject): string | null {
  const lists = Object.entries(schema.shape).flatMap(([key, property]) =>
    property instanceof z.ZodArray || lenienceOf(property).steps !== undefined ? [key] : [],
  )
  return lists.length === 1 ? (lists[0] ?? null) : null
}

function coerceNumber(value: unknown, path: string, reading: Reading): unknown {
  if (typeof value !== 'string') return value
  const digits = /^\s*[#v]?\s?(-?\d{1,15})(?:\.0+)?\s*$/.exec(value)?.[1]
  if (digits === undefined) return value
  reading.tell('number', `${path}: ${JSON.stringify(value)} was read as ${Number(digits)}`)
  return Number(digits)
}

function coerceBoolean(value: unknown, path: string, reading: Reading): unknown {
  const read = flagOf(value)
  if (read === undefined || read === value) return value
  reading.valued(`${path} ${JSON.stringify(value)}`, String(read))
  return read
}

function coerceEnum(schema: z.ZodEnum, value: unknown, reading: Reading): unknown {
  if (typeof value !== 'string' || schema.options.includes(value)) return value
  const wanted = spelling(statusOfName(value) ?? value.trim())
  const found = schema.options.find((option) => spelling(String(option)) === wanted)
  if (found === undefined) return value
  reading.valued(JSON.stringify(value), String(found))
  return found
}
