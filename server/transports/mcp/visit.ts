import type { Dialect } from '../../../shared/dialects/dialect.ts'
import type { ThreadId } from '../../../shared/schema/ids.ts'
import type { Caller } from '../../rooms/caller.ts'
import type { RequestId } from './message.ts'

/** Who came to which plan, and in which dialect: all of it in the address and the headers, none in a session. */
export interface Visit {
  readonly thread: ThreadId
  readonly dialect: Dialect
  readonly caller: Caller
  /** Requests of this visit that cannot be done, and why. */
  readonly mistakes: ReadonlyMap<RequestId, string>
}
