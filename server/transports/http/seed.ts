import { z } from 'zod'
import { coerce } from '../../../shared/dialects/coerce.ts'
import { leniently, placed } from '../../../shared/dialects/parameters.ts'
import { placeOf } from '../../../shared/dialects/reading/item.ts'
import { Reading } from '../../../shared/dialects/reading/reading.ts'
import { complaints } from '../../../shared/dialects/wrong-arguments.ts'
import { MAX_STEPS, MAX_TITLE } from '../../../shared/schema/limits.ts'
import { Status } from '../../../shared/schema/plan.ts'
import type { SeedStep } from '../../rooms/rooms.ts'
import { badRequest } from './problem.ts'

/** A step as any of the published tool sets would write it; more is read, as in the arguments of tools. */
const SeedItem = z.object({
  text: z.string().optional(),
  title: z.string().optional(),
  content: z.string().optional(),
  depth: z.int().optional(),
  status: Status.optional(),
  details: z.string().optional(),
  description: z.string().optional(),
  required: z.boolean().optional(),
})
export const Seed = z.array(SeedItem).max(MAX_STEPS)
export const NewPlan = z.object({ title: z.string().max(MAX_TITLE).optional(), seed: Seed.optional() })

/**
 * The title and the steps of a new plan: `{title, seed: [...]}` or the bare list; nothing is an empty plan. Read as
 * leniently as the arguments of tools.
 * @throws Problem 400 that says what is wrong where
 */
export function readNewPlan(body: unknown): { title: string; steps: SeedStep[] } {
  if (Array.isArray(body)) return { title: '', steps: readSeed(body) }
  if (body === undefined || body === null) return { title: '', steps: [] }
  const isKnown = typeof body === 'object' && ('title' in body || 'seed' in body || Object.keys(body).length === 0)
  if (!isKnown) {
    throw badRequest('The body is {"title": "...", "seed": [...]}, a list of steps, or empty. Nothing was created.')
  }
  const { title = '', seed } = body as { title?: unknown; seed?: unknown }
  if (title !== null && typeof title !== 'string') throw badRequest('The title is a text. Nothing was created.')
  return { title: title?.trim() ?? '', steps: readSeed(seed) }
}

/** A seed as the reader of lists leaves it. */
const ReadSeed = z.object({
  seed: leniently(
    z
      .array(
        z.object({
          text: z.string(),
          depth: z.int().optional(),
          description: z.string().optional(),
          required: z.boolean().optional(),
          status: Status.optional(),
          placed,
        }),
      )
      .max(MAX_STEPS),
    { steps: 'text' },
  ),
})

function readSeed(given: unknown): SeedStep[] {
  if (given === undefined || given === null) return []
  const reading = new Reading()
  const read = coerce(ReadSeed, { seed: given }, '', reading)
  const parsed = ReadSeed.safeParse(read, { reportInput: true })
  const { problems } = reading
  if (!parsed.success || problems.length > 0) {
    const what = complaints({ issues: parsed.error?.issues ?? [], problems, read }, ReadSeed)
    throw badRequest(`The seed is wrong: ${what}. Nothing was created.`)
  }
  let depth = -1
  return parsed.data.seed.map((item, i) => {
    const place = placeOf(item)
    const at = place?.at ?? `seed[${i}]`
    if (item.text.trim() === '') throw badRequest(`${at} has no text. Nothing was created.`)
    if (place !== undefined && (place.under !== null || place.waitsFor.length > 0))
      throw badRequest(
        `${at} names other steps, which a seed cannot: they have no dependencies yet. Nothing was created.`,
      )
    // A step can only be one deeper than the one before it.
    depth = Math.max(0, Math.min(item.depth ?? 0, depth + 1))
    return {
      text: item.text,
      depth,
      ...(item.status === undefined ? {} : { status: item.status }),
      ...(item.description === undefined ? {} : { details: item.description }),
      ...(item.required === undefined ? {} : { required: item.required }),
    }
  })
}
