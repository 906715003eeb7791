import { z } from 'zod'
import type { Plan } from '../plan/plan.ts'
import type { Tool } from './dialect.ts'
import { count, cut, oneLine } from './lines.ts'
import { isPlace } from './parameters.ts'
import { range } from './references.ts'

/** Complaints in one refusal; more would not be read. */
const MOST_TOLD = 5

type Issue = z.core.$ZodIssue

/** What is wrong with the arguments of a call, where, what is valid instead, and a call that works. */
export function wrongArguments(tool: Tool, issues: readonly Issue[], plan: Plan): string {
  const told = issues.slice(0, MOST_TOLD).map((issue) => {
    return `${where(issue.path)} ${complaint(issue, schemaAt(tool.parameters, issue.path))}`
  })
  const more = issues.length > told.length ? `; and ${issues.length - told.length} more` : ''
  const places = issues.some(({ path }) => isPlace(schemaAt(tool.parameters, path)))
  const valid = places ? ` Steps are named by the whole number behind the #: ${range(plan.steps.length)}.` : ''
  return (
    `${tool.name} could not read its arguments: ${told.join('; ')}${more}.${valid} Nothing was changed. ` +
    `A call that works: ${JSON.stringify(tool.example)}`
  )
}

const where = (path: Issue['path']): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '') || 'what was sent'

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
    default:
      return `${is}: ${issue.message}`
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
    const keys = Object.entries(schema.shape).map(([key, one]) => (one instanceof z.ZodOptional ? `${key}?` : key))
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

/** A value in a sentence. What holds others is only named: it may be as deep as its sender liked. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `"${cut(oneLine(value), 60)}"`
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${count(value.length, 'item')}`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
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
