import { z } from 'zod'
import type { Tool } from './dialect.ts'
import { lenienceOf } from './parameters.ts'

/** The keys that every provider takes; all else in a schema stands in words in its description. */
const KEPT: ReadonlySet<string> = new Set(['type', 'description', 'properties', 'required', 'items', 'enum'])

/** A JSON Schema in the form that every provider accepts. */
export type BaseSchema = Readonly<Record<string, unknown>>

/**
 * The base form of a tool's parameters.
 * @throws Error where a schema has no form that all providers take: a programming error, found by the tests
 */
export function baseSchema(tool: Tool): BaseSchema {
  const schema: Record<string, unknown> = z.toJSONSchema(tool.parameters, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      if (lenienceOf(zodSchema).hidden === true) return
      for (const key of Object.keys(jsonSchema)) if (!KEPT.has(key)) Reflect.deleteProperty(jsonSchema, key)
      if (zodSchema instanceof z.ZodObject)
        for (const [key, property] of Object.entries(zodSchema.shape))
          if (lenienceOf(property).hidden === true) Reflect.deleteProperty(jsonSchema.properties ?? {}, key)
      if (jsonSchema.type === undefined) throw new Error(`${tool.name}: a part of the schema has no type`)
    },
  })
  delete schema['$schema']
  return schema
}

export interface BaseDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: BaseSchema
}

/** A tool as it is shown to a model. */
export const baseDefinition = (tool: Tool): BaseDefinition => ({
  name: tool.name,
  description: tool.description,
  parameters: baseSchema(tool),
})
