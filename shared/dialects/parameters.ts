import { z } from 'zod'

/**
 * What names a step by its place in the pre-order, counted from 1. Models are asked for that number; whatever else can
 * name a step is taken too. Errors about one say which places there are.
 */
export const placeNumber = z
  .union([z.number(), z.string()], { error: 'a step is named by its whole number' })
  .register(z.globalRegistry, { type: 'integer', place: true })
export const isPlace = (schema: z.ZodType | undefined): boolean => schema?.meta()?.['place'] === true

/** Parameters that tools of several dialects share. */
export const rev = z
  .int()
  .optional()
  .describe(
    'The version of the plan that the numbers in this call were read from, as printed with it. Say it whenever you ' +
      'know it: then the numbers mean what you saw, whatever others did since.',
  )

export const reasoning = z
  .string()
  .optional()
  .describe('What you are doing and why, in a sentence. Kept in the log and shown to the people who follow the plan.')
