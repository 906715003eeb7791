import { z } from 'zod'
import { coerce } from '../../../shared/dialects/coerce.ts'
import { Reading } from '../../../shared/dialects/reading/reading.ts'
import { MAX_STEPS, MAX_TITLE } from '../../../shared/schema/limits.ts'
import { Status } from '../../../shared/schema/plan.ts'
import type { SeedStep } from '../../rooms/rooms.ts'
import { badRequest } from './problem.ts'

/** A step as any of the published tool sets would write it. */
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

function readSeed(given: unknown): SeedStep[] {
  if (given === undefined || given === null) return []
  const items: unknown = Array.isArray(given)
    ? given.map((item: unknown) => (typeof item === 'string' ? { text: item } : item))
    : given
  const parsed = Seed.safeParse(coerce(Seed, items, 'seed', new Reading()))
  if (!parsed.success) throw badRequest(`The seed is wrong: ${complaints(parsed.error)}. Nothing was created.`)
  return asSteps(parsed.data)
}

function asSteps(items: z.infer<typeof Seed>): SeedStep[] {
  let depth = -1
  return items.map((item, i) => {
    const text = item.text ?? item.title ?? item.content ?? ''
    if (text.trim() === '') throw badRequest(`seed[${i}] has no text. Nothing was created.`)
    // A step can only be one deeper than the one before it.
    depth = Math.max(0, Math.min(item.depth ?? 0, depth + 1))
    const details = item.details ?? item.description
    return {
      text,
      depth,
      ...(item.status === undefined ? {} : { status: item.status }),
      ...(details === undefined ? {} : { details }),
      ...(item.required === undefined ? {} : { required: item.required }),
    }
  })
}

function complaints({ issues }: z.ZodError): string {
  const shown = issues.slice(0, 5).map(({ path, message }) => {
    return `seed${path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')}: ${message}`
  })
  return [...shown, ...(issues.length > 5 ? [`and ${issues.length - 5} more`] : [])].join('; ')
}
