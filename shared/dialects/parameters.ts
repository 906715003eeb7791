import { z } from 'zod'
import { STATUSES } from '../schema/plan.ts'

/**
 * What names a step by its place in the pre-order, counted from 1. Models are asked for that number; whatever else can
 * name a step is taken too. Errors about one say which places there are.
 */
export const placeNumber = z
  .union([z.number(), z.string()], { error: 'a step is named by its whole number' })
  .register(z.globalRegistry, { type: 'integer', place: true })
export const isPlace = (schema: z.ZodType | undefined): boolean => schema?.meta()?.['place'] === true

/** How a parameter is read, beyond its type; none of it is shown to a model. */
interface Lenience {
  /** Other names that it may come under, while it does not come under its own. */
  readonly names?: readonly string[]
  /** Nothing, as a blank text or an empty list, is a value of it, and not the absence of one. */
  readonly holdsNothing?: true
  /** It is read where it is sent, but not offered. */
  readonly hidden?: true
  /** A status that `done: true` and other fields may say as well. */
  readonly state?: true
  /** An object that changes something: which fields do, and who changes what else may be sent along. */
  readonly changes?: { readonly fields: readonly string[]; readonly state: string; readonly structure: string }
  /** A list of steps, and the name of the text in it. */
  readonly steps?: TextName
}

/** What a tool set calls the text of a step. */
export type TextName = 'text' | 'content' | 'description'

const LENIENCE = z.registry<Lenience>()

/** The same schema, with how it is read. */
export const leniently = <Schema extends z.ZodType>(schema: Schema, lenience: Lenience): Schema => {
  LENIENCE.add(schema, lenience)
  return schema
}

/** What was said of a schema, or of what it makes optional. */
export function lenienceOf(schema: unknown): Lenience {
  if (!(schema instanceof z.ZodType)) return {}
  const inner = schema instanceof z.ZodOptional ? lenienceOf(schema.unwrap()) : {}
  return { ...inner, ...LENIENCE.get(schema) }
}

/** Parameters that tools of several dialects share. */
export const rev = z
  .int()
  .optional()
  .describe(
    'The version of the plan that the numbers in this call were read from, as printed with it. Say it whenever you ' +
      'know it: then the numbers mean what you saw, whatever others did since.',
  )

export const reasoning = leniently(
  z
    .string()
    .optional()
    .describe(
      'What you are doing and why, in a sentence. Kept in the log and shown to the people who follow the plan.',
    ),
  { names: ['explanation', 'reasoning'] },
)

/** A status that may be said beside what a tool is for, in whatever words, though it is not offered there. */
export const saidStatus = leniently(z.enum(STATUSES).optional(), { hidden: true, state: true })

/** What the reader of lists tells of an item: see `placeOf`. */
export const placed = leniently(leniently(z.unknown(), { hidden: true }).optional(), { hidden: true })
