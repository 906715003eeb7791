import { describe, expect, test } from 'vitest'
import type { Provider } from '../../shared/dialects/providers.ts'
import { PROVIDERS, toolDefinitions } from '../../shared/dialects/providers.ts'
import { DIALECTS, TOOLS } from '../../shared/dialects/registry.ts'

type Schema = Readonly<Record<string, unknown>>

const FORMS: readonly { readonly provider: Provider; readonly strict: boolean }[] = PROVIDERS.flatMap((provider) =>
  provider.startsWith('openai') || provider === 'anthropic'
    ? [
        { provider, strict: false },
        { provider, strict: true },
      ]
    : [{ provider, strict: false }],
)
const EVERY = [...DIALECTS.values()].flatMap((dialect) => FORMS.map((form) => ({ dialect, ...form })))

/** The names and schemas in one provider's definitions, wherever that provider keeps them. */
interface Defined {
  readonly name: string
  readonly description: string
  readonly schema: Schema
  /** Said of one tool, where a provider takes that. */
  readonly isStrict: boolean
}
function schemasIn(definitions: readonly object[]): Defined[] {
  return definitions.flatMap((definition): Defined[] => {
    if ('functionDeclarations' in definition) return schemasIn(definition.functionDeclarations as object[])
    if ('function' in definition) return schemasIn([definition.function as object])
    const { name, description, ...rest } = definition as { name: string; description: string } & Record<string, Schema>
    const schema = rest['parameters'] ?? rest['input_schema'] ?? rest['inputSchema']
    return schema === undefined ? [] : [{ name, description, schema, isStrict: Boolean(rest['strict']) }]
  })
}

/** Every node of a schema with the depth of objects above it. */
function* nodes(schema: Schema, depth = 0): Generator<{ node: Schema; depth: number }> {
  yield { node: schema, depth }
  if (schema['items'] !== undefined) yield* nodes(schema['items'] as Schema, depth)
  for (const property of Object.values((schema['properties'] ?? {}) as Record<string, Schema>))
    yield* nodes(property, depth + 1)
}

const BASE_KEYS = new Set(['type', 'description', 'properties', 'required', 'items', 'enum'])
/** What a provider refuses, and with it the whole request. */
function lint(schema: Schema, provider: Provider, strict: boolean): string[] {
  const wrong: string[] = []
  if (schema['type'] !== 'object') wrong.push('[RB-F1] [RB-F2] the root is no object')
  const closes = strict && provider !== 'base'
  for (const { node, depth } of nodes(schema)) {
    for (const key of Object.keys(node))
      if (!BASE_KEYS.has(key) && !(closes && key === 'additionalProperties')) wrong.push(`[RB-F5] key ${key}`)
    const { type } = node
    const mayBeNull = strict && provider.startsWith('openai')
    if (Array.isArray(type) ? !mayBeNull || type.length !== 2 || type[1] !== 'null' : typeof type !== 'string')
      wrong.push(`[RB-F4] type ${JSON.stringify(type)}`)
    const types = [type].flat()
    if (types.includes('array') && node['items'] === undefined) wrong.push('[RB-F3] an array without items')
    if (Array.isArray(node['items'])) wrong.push('tuple items')
    if (node['enum'] !== undefined && types[0] !== 'string') wrong.push('an enum of something but strings')
    if (types.includes('object')) {
      const properties = Object.keys(node['properties'] ?? {})
      const required = (node['required'] ?? []) as string[]
      if (!required.every((key) => properties.includes(key))) wrong.push('something required that is no property')
      if (closes && node['additionalProperties'] !== false) wrong.push('[RB-F6] an open object')
      if (mayBeNull && required.length !== properties.length) wrong.push('[RB-F6] a property that is not required')
    }
    if (depth > 3) wrong.push('more than three levels')
  }
  return wrong
}

/** Properties that may be left out, over all tools of a request: Anthropic's strict mode takes 24. */
const optional = (schema: Schema): number =>
  [...nodes(schema)].reduce((sum, { node }) => {
    const properties = Object.keys(node['properties'] ?? {})
    return sum + properties.length - ((node['required'] ?? []) as string[]).length
  }, 0)

describe.each(EVERY)('$dialect.name for $provider, strict: $strict', ({ dialect, provider, strict }) => {
  const definitions = toolDefinitions(dialect, provider, strict)
  const schemas = schemasIn(definitions)

  test('[RB-F1] to [RB-F8] holds nothing that a provider refuses', () => {
    expect(schemas.length).toBe(dialect.tools.length)
    for (const { name, schema, isStrict } of schemas) expect(lint(schema, provider, isStrict), name).toEqual([])
  })
  test('strict where it was asked for; in the form of Anthropic only what changes something', () => {
    for (const { name, isStrict } of schemas)
      expect(isStrict, name).toBe(
        strict && !(provider === 'anthropic' && TOOLS.get(name)?.tool.effects.readOnly === true),
      )
  })
  test('[RB-F9] names fit every client, also with a prefix', () => {
    for (const { name, description } of schemas) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,40}$/)
      expect(description.length).toBeGreaterThan(20)
    }
  })
  test('[RB-F10] is small enough for a strict grammar', () => {
    if (provider !== 'anthropic' || !strict) return
    expect(schemas.length).toBeLessThanOrEqual(20)
    const held = schemas.filter(({ isStrict }) => isStrict)
    expect(held.reduce((sum, { schema }) => sum + optional(schema), 0)).toBeLessThanOrEqual(24)
  })
  test('is as its golden file says', async () => {
    const file = `./golden/${dialect.name}-${provider}${strict ? '-strict' : ''}.json`
    await expect(`${JSON.stringify(definitions, null, 2)}\n`).toMatchFileSnapshot(file)
  })
})

test('[RB-E4] no dialect lists more than 12 tools, and no two tools share a name', () => {
  for (const dialect of DIALECTS.values()) expect(dialect.tools.length).toBeLessThanOrEqual(12)
  expect(TOOLS.size).toBe([...DIALECTS.values()].reduce((sum, { tools }) => sum + tools.length, 0))
})

test('[RB-F7] a tool without arguments of its own still has an object for them', () => {
  const all = [...DIALECTS.values()].flatMap((dialect) => schemasIn(toolDefinitions(dialect, 'base', false)))
  expect(all.find(({ name }) => name === 'list_todos')?.schema).toMatchObject({ type: 'object', properties: {} })
})

test('the lint finds what it is for', () => {
  const bad = {
    type: 'object',
    properties: { a: { type: ['string', 'null'] }, b: { type: 'array' }, c: { type: 'string', default: 1 } },
  }
  expect(lint(bad, 'gemini', false)).toEqual([
    '[RB-F4] type ["string","null"]',
    '[RB-F3] an array without items',
    '[RB-F5] key default',
  ])
})
