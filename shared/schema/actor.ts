import { z } from 'zod'
import { MAX_ACTOR_NAME } from './limits.ts'

const ActorKind = z.enum(['agent', 'human', 'system'])

/** Who acts on a plan. Callers without a name are one actor, whose id and name are empty. */
export const Actor = z.object({
  id: z.string().max(MAX_ACTOR_NAME),
  name: z.string().max(MAX_ACTOR_NAME),
  kind: ActorKind,
})
export type Actor = Readonly<z.infer<typeof Actor>>
