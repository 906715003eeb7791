import type { HttpBindings } from '@hono/node-server'
import type { RequestIdVariables } from 'hono/request-id'
import type { Identity } from '../../auth/claims.ts'
import type { Allowance } from '../../rooms/allowance.ts'

/** What hono hands to every handler. The bindings are absent where there is no node server, as in tests. */
export interface HttpEnv {
  Bindings: Partial<HttpBindings>
  /**
   * `identity`: who asks, wherever that matters. `address`: where from, as limits count. `bodies`: bytes of bodies that may
   * be read at a time.
   */
  Variables: RequestIdVariables & { identity?: Identity; address?: string | null; bodies?: Allowance }
}
