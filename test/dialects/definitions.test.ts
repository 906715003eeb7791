import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../shared/dialects/dialect.ts'
import { DIALECTS, TOOLS } from '../../shared/dialects/registry.ts'
import { baseDefinition, baseSchema } from '../../shared/dialects/schemas.ts'

/** A schema without its descriptions, which are words for a model and may change. */
function bare(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(bare)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).filter(([key, value]) => key !== 'description' || typeof value !== 'string')
  return Object.fromEntries(entries.map(([key, value]) => [key, bare(value)]))
}

const REV = { type: 'integer' }
const ACTION_AND_REASONING = { type: 'string' }
const INDICES = { type: 'array', items: { type: 'integer' } }

test('the tools of outline, to the letter', () => {
  const tools = DIALECTS.get('outline')?.tools.map((tool) => [tool.name, bare(baseSchema(tool))])
  expect(tools).toEqual([
    [
      'add_todos',
      {
        type: 'object',
        properties: {
          steps: {
            type: 'array',
            items: {
              type: 'object',
              properties: { text: { type: 'string' }, depth: { type: 'integer' } },
              required: ['text'],
            },
          },
          parent_index: { type: 'integer' },
          rev: REV,
          action_and_reasoning: ACTION_AND_REASONING,
        },
        required: ['steps'],
      },
    ],
    [
      'toggle_todos',
      {
        type: 'object',
        properties: { indices: INDICES, rev: REV, action_and_reasoning: ACTION_AND_REASONING },
        required: ['indices'],
      },
    ],
    [
      'update_todos',
      {
        type: 'object',
        properties: {
          updates: {
            type: 'array',
            items: {
              type: 'object',
              properties: { index: { type: 'integer' }, text: { type: 'string' } },
              required: ['index', 'text'],
            },
          },
          rev: REV,
          action_and_reasoning: ACTION_AND_REASONING,
        },
        required: ['updates'],
      },
    ],
    [
      'remove_todos',
      {
        type: 'object',
        properties: { indices: INDICES, rev: REV, action_and_reasoning: ACTION_AND_REASONING },
        required: ['indices'],
      },
    ],
    [
      'list_todos',
      {
        type: 'object',
        properties: {
          parent: { type: 'integer' },
          status: { type: 'string', enum: ['pending', 'in_progress', 'completed', 'cancelled', 'blocked'] },
          query: { type: 'string' },
          limit: { type: 'integer' },
          cursor: { type: 'string' },
          action_and_reasoning: ACTION_AND_REASONING,
        },
      },
    ],
  ])
})

test('what a tool does to a plan, as hosts are told', () => {
  const effects = DIALECTS.get('outline')?.tools.map(({ name, effects: { readOnly, destructive, idempotent } }) => {
    return [name, { readOnly, destructive, idempotent }]
  })
  expect(effects).toEqual([
    ['add_todos', { readOnly: false, destructive: false, idempotent: false }],
    ['toggle_todos', { readOnly: false, destructive: false, idempotent: false }],
    ['update_todos', { readOnly: false, destructive: false, idempotent: true }],
    ['remove_todos', { readOnly: false, destructive: true, idempotent: false }],
    ['list_todos', { readOnly: true, destructive: false, idempotent: true }],
  ])
})

test('the descriptions keep the facts that a model needs', () => {
  const described = (name: string) => {
    const found = TOOLS.get(name)
    return found === undefined ? '' : JSON.stringify(baseDefinition(found.tool))
  }
  for (const name of ['add_todos', 'toggle_todos', 'update_todos', 'remove_todos'])
    expect(described(name)).toMatch(/counted from 1/)
  for (const name of ['add_todos', 'toggle_todos', 'update_todos', 'remove_todos'])
    expect(described(name)).toMatch(/a list with one element/)
  expect(described('add_todos')).toMatch(/last sub-steps/)
  expect(described('remove_todos')).toMatch(/ALL of its sub-steps/)
})

describe('the rules that every provider needs', () => {
  const KEYS = new Set(['type', 'description', 'properties', 'required', 'items', 'enum'])
  const TYPES = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean'])

  function lint(schema: unknown, path: string, objects: number, complaints: string[]): void {
    const complain = (what: string) => complaints.push(`${path} ${what}`)
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
      complain('is no schema')
      return
    }
    const node = schema as Readonly<Record<string, unknown>>
    for (const key of Object.keys(node)) if (!KEYS.has(key)) complain(`has ${key}`)
    if (typeof node['type'] !== 'string' || !TYPES.has(node['type'])) complain('has no plain type')
    if (path !== '' && !path.endsWith('[]') && typeof node['description'] !== 'string') complain('has no description')
    if (
      node['enum'] !== undefined &&
      !(Array.isArray(node['enum']) && node['enum'].every((one) => typeof one === 'string'))
    )
      complain('has an enum of something else than strings')
    if ((node['type'] === 'array') !== 'items' in node) complain('is an array without items, or the other way round')
    if (node['type'] === 'array') lint(node['items'], `${path}[]`, objects, complaints)
    if (node['type'] !== 'object') return
    if (objects >= 3) complain('is nested too deeply')
    const properties = (node['properties'] ?? {}) as Readonly<Record<string, unknown>>
    if (node['properties'] === undefined) complain('is an object without properties')
    const required = node['required'] ?? []
    if (!Array.isArray(required) || !required.every((key) => String(key) in properties))
      complain('requires what it has not')
    for (const [key, value] of Object.entries(properties)) lint(value, `${path}.${key}`, objects + 1, complaints)
  }

  const tools = [...TOOLS.values()].map(({ tool }) => tool)

  test('there are tools to look at, each under a name of its own', () => {
    expect(tools.length).toBeGreaterThanOrEqual(5)
    const all = [...DIALECTS.values()].flatMap((dialect) => dialect.tools)
    expect(new Set(all.map((tool) => tool.name)).size).toBe(all.length)
    for (const { tools: listed } of DIALECTS.values()) expect(listed.length).toBeLessThanOrEqual(12)
  })

  test.each(tools.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    const { description, parameters } = baseDefinition(tool)
    expect(description.length).toBeGreaterThan(20)
    expect(parameters['type']).toBe('object')
    const complaints: string[] = []
    lint(parameters, '', 0, complaints)
    expect(complaints).toEqual([])
    expect(tool.parameters.safeParse(tool.example).success).toBe(true)
    expect(parameters).toEqual(JSON.parse(JSON.stringify(parameters)))
  })

  test.each([
    ['a union', z.object({ a: z.union([z.string(), z.int()]) })],
    ['a discriminated union', z.object({ a: z.discriminatedUnion('t', [z.object({ t: z.literal('x') })]) })],
    ['anything', z.object({ a: z.unknown() })],
    ['a nullable', z.object({ a: z.string().nullable() })],
  ])('a schema with %s has no form for all, and says so', (_, parameters) => {
    const tool = defineTool({
      name: 'x',
      title: '',
      description: '',
      parameters,
      example: {},
      effects: { readOnly: true, destructive: false, idempotent: true },
      printsPlan: false,
      decide: () => ({ refused: '' }),
      render: () => ({ text: '', fields: {} }),
    })
    expect(() => baseSchema(tool)).toThrow(/x: a part of the schema has no type/)
  })
})
