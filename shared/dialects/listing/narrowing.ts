import { z } from 'zod'
import { MAX_STEPS, MAX_TEXT } from '../../schema/limits.ts'

/** What narrows a listing, beside the status, of which each dialect has its own words. */
export const narrowing = {
  query: z
    .string()
    .max(MAX_TEXT)
    .optional()
    .describe('Only steps whose text or details hold these words, in any case.'),
  limit: z.int().min(1).max(MAX_STEPS).optional().describe('How many steps to show at the most.'),
  cursor: z.string().optional().describe('Goes on behind the last step shown: the cursor that a listing ended with.'),
}

/** As a tool was called. */
export interface Narrowing {
  readonly parent?: string | number | undefined
  readonly status?: string | undefined
  readonly query?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export const isSaid = (value: unknown): boolean => value !== undefined && value !== ''
export const isNarrowed = (given: Narrowing): boolean => Object.values(given).some(isSaid)
/** Whether a listing begins anew: what it does not show is then what its reader has left out of sight. */
export const isFirstPage = ({ cursor }: Narrowing): boolean => !isSaid(cursor)
