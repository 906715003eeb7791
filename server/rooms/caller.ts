import type { Actor } from '../../shared/schema/actor.ts'
import type { Source } from './storage.ts'

/** Who calls, and through which door. */
export interface Caller {
  readonly actor: Actor
  readonly source: Source
}
