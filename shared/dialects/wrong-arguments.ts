import { z } from 'zod'
import type { Plan } from '../plan/plan.ts'
import type { Tool } from './dialect.ts'
import { count } from './lines.ts'
import { isPlace, lenienceOf } from './parameters.ts'
import { hasFields, placeOf } from './reading/item.ts'
import { isRecord } from './reading/names.ts'
import { shown } from './reading/shown.ts'
import { range } from './references.ts'

/** Complaints in one refusal; more would not be read. */
const MOST_TOLD = 5

type Issue = z.core.$ZodIssue

interface Wrong {
  readonly issues: readonly Issue[]
  readonly problems: readonly string[]
  /** The arguments as they were validated. */
  readonly read: unknown
}

/** What is wrong with the arguments of a call, where, what is valid instead, and a call that works. */
export function wrongArguments(tool: Tool, wrong: Wrong, plan: Plan): string {
  const told = complaints(wrong, tool.parameters)
  const places = wrong.issues.some(({ path }) => isPlace(schemaAt(tool.parameters, path)))
  const valid = places ? ` Steps are named by the whole number behind the #: ${range(plan.steps.length)}.` : ''
  return (
    `${tool.name} could not read its arguments: ${told}.${valid} Nothing was changed. ` +
    `A call that works: ${JSON.stringify(tool.example)}`
  )
}

/** What is wrong, each with where it stands, in our own words. */
export function complaints({ issues, problems, read }: Wrong, schema: z.ZodType): string {
  const all = [
    ...problems,
    ...issues.map((issue) => {
      const what = complaint(issue, schemaAt(schema, issue.path))
      return `${where(issue.path, read)} ${what}${issue.input === undefined ? whatItHas(issue.path, read) : ''}`
    }),
  ]
  const told = all.slice(0, MOST_TOLD)
  const more = all.length > told.length ? `; and ${all.length - told.length} more` : ''
  return `${told.join('; ')}${more}`
}

/** Where something stands in what was sent: an item may have stood inside of another. */
function where(path: Issue['path'], read: unknown): string {
  const origin = placeOf(itemAt(path, read))?.at
  const rest = origin === undefined ? path : path.slice(2)
  const told = rest.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return `${origin ?? ''}${told}`.replace(/^\./, '') || 'what was sent'
}

/** The item of a list that a path leads into. */
function itemAt([list, index]: Issue['path'], read: unknown): unknown {
  if (typeof list !== 'string' || typeof index !== 'number' || !isRecord(read)) return undefined
  const items = read[list]
  return Array.isArray(items) ? (items[index] as unknown) : undefined
}

/** Which fields an item has that lacks one. */
function whatItHas(path: Issue['path'], read: unknown): string {
  const place = path.length > 2 ? placeOf(itemAt(path, read)) : undefined
  return place === undefined ? '' : ` (${place.at} ${hasFields(place.keys)})`
}

function complaint(issue: Issue, schema: z.ZodType | undefined): string {
  const is = issue.input === undefined ? 'is missing' : `is ${shown(issue.input)}`
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `is missing: it is ${kind(issue, schema)}`
        : `${is}, not ${kind(issue, schema)}`
    case 'invalid_value':
      return `${is}: valid are ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `${is}: the least is ${String(issue.minimum)}`
    case 'too_big':
      return tooBig(issue)
    // These have words of their own here.
    case 'invalid_union':
      return `${is}: ${issue.message}`
    default:
      return `${is}, which cannot be read`
  }
}

function tooBig({ input, maximum }: z.core.$ZodIssueTooBig): string {
  if (Array.isArray(input))
    return `has ${count(input.length, 'item')}: one call takes at most ${maximum}, so make several`
  if (typeof input === 'string') return `has ${count(input.length, 'character')}: at most ${maximum} fit`
  return `is ${shown(input)}: the most is ${maximum}`
}

function kind({ expected }: z.core.$ZodIssueInvalidType, schema: z.ZodType | undefined): string {
  if (schema instanceof z.ZodObject) {
    const offered = Object.entries(schema.shape).filter(([, one]) => lenienceOf(one).hidden !== true)
    const keys = offered.map(([key, one]) => (one instanceof z.ZodOptional ? `${key}?` : key))
    return `an object {${keys.join(', ')}}`
  }
  if (schema instanceof z.ZodNumberFormat) return 'a whole number'
  return KINDS[expected] ?? expected
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  number: 'a number',
  object: 'an object',
  string: 'text',
}

/** The schema of what stands at a path in the arguments. */
function schemaAt(root: z.ZodType, path: Issue['path']): z.ZodType | undefined {
  let at: unknown = root
  for (const key of path) {
    at = plain(at)
    if (at instanceof z.ZodObject) at = at.shape[String(key)]
    else if (at instanceof z.ZodArray) at = at.element
    else return undefined
  }
  at = plain(at)
  return at instanceof z.ZodType ? at : undefined
}

const plain = (schema: unknown): unknown => (schema instanceof z.ZodOptional ? schema.unwrap() : schema)
