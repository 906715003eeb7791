import type { Dialect, Tool } from './dialect.ts'
import type { BaseSchema } from './schemas.ts'
import { baseDefinition, baseSchema } from './schemas.ts'

/** Whose form tool definitions are wanted in; `base` is the bare definition, for everything else. */
export const PROVIDERS = ['base', 'openai', 'openai-responses', 'anthropic', 'gemini', 'mcp'] as const
export type Provider = (typeof PROVIDERS)[number]

/**
 * The tools of a dialect as a provider's API takes them.
 * @param strict has the provider hold the model to the schema, where it can (OpenAI, Anthropic)
 */
export function toolDefinitions(dialect: Dialect, provider: Provider, strict: boolean): readonly object[] {
  const { tools } = dialect
  switch (provider) {
    case 'base':
      return tools.map(baseDefinition)
    case 'openai':
      return tools.map((tool) => ({ type: 'function', function: openAiFunction(tool, strict) }))
    case 'openai-responses':
      return tools.map((tool) => ({ type: 'function', ...openAiFunction(tool, strict) }))
    case 'anthropic':
      return tools.map((tool) => {
        const { name, description } = tool
        const schema = baseSchema(tool)
        // Its grammar has room for 24 optional fields in all; a wrong argument to what only reads does no harm.
        return strict && !tool.effects.readOnly
          ? { name, description, strict, input_schema: closed(schema) }
          : { name, description, input_schema: schema }
      })
    case 'gemini':
      return [{ functionDeclarations: tools.map(baseDefinition) }]
    case 'mcp':
      return tools.map((tool) => {
        const { name, title, description, effects } = tool
        const { readOnly, destructive, idempotent } = effects
        const annotations = {
          readOnlyHint: readOnly,
          destructiveHint: destructive,
          idempotentHint: idempotent,
          openWorldHint: false,
        }
        return { name, title, description, inputSchema: baseSchema(tool), annotations }
      })
  }
}

function openAiFunction(tool: Tool, strict: boolean) {
  const { name, description } = tool
  const schema = baseSchema(tool)
  return { name, description, parameters: strict ? complete(schema) : schema, strict }
}

/** Nothing but what is named may be sent. */
const closed = (schema: BaseSchema): BaseSchema =>
  mapObjects(schema, (object) => ({ ...object, additionalProperties: false }))

/** OpenAI's strict form: every property is required, and what may be left out may be null instead. */
const complete = (schema: BaseSchema): BaseSchema =>
  mapObjects(schema, (object) => {
    const properties = asRecord(object['properties'])
    const required = new Set(Array.isArray(object['required']) ? object['required'] : [])
    const all = Object.entries(properties).map(([key, property]) => [
      key,
      required.has(key) ? property : nullable(property),
    ])
    return {
      ...object,
      properties: Object.fromEntries(all),
      required: Object.keys(properties),
      additionalProperties: false,
    }
  })

function nullable(schema: BaseSchema): BaseSchema {
  const values: unknown = schema['enum']
  return { ...schema, type: [schema['type'], 'null'], ...(isList(values) ? { enum: [...values, null] } : {}) }
}

/** Rebuilds a schema from its leaves up; `change` sees each object whose properties were rebuilt already. */
function mapObjects(schema: BaseSchema, change: (object: BaseSchema) => BaseSchema): BaseSchema {
  if (schema['type'] === 'array') return { ...schema, items: mapObjects(asRecord(schema['items']), change) }
  if (schema['type'] !== 'object') return schema
  const properties = Object.entries(asRecord(schema['properties'])).map(([key, property]) => [
    key,
    mapObjects(property, change),
  ])
  return change({ ...schema, properties: Object.fromEntries(properties) })
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** A part of a schema that zod made; what is not there has no keys. */
const asRecord = (value: unknown): Record<string, BaseSchema> => (value ?? {}) as Record<string, BaseSchema>
