import { ACTOR_RATE, ADDRESS_RATE, MAX_ADDRESS_CONNECTIONS, MAX_CONNECTIONS, MAX_THREAD_CONNECTIONS } from './limits.ts'

/** What an operator may set of the limits for whoever can reach the server. */
export interface LimitSettings {
  /** Whether rates and connections are limited at all. What bounds memory is always there. */
  readonly isOn: boolean
  /** Addresses and networks of proxies whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly string[]
  /** Open sockets. */
  readonly connections: number
  readonly connectionsPerThread: number
  readonly connectionsPerAddress: number
  /** Requests a second. */
  readonly addressRate: number
  readonly actorRate: number
}

export const STANDARD_LIMITS: LimitSettings = {
  isOn: true,
  trustedProxies: [],
  connections: MAX_CONNECTIONS,
  connectionsPerThread: MAX_THREAD_CONNECTIONS,
  connectionsPerAddress: MAX_ADDRESS_CONNECTIONS,
  addressRate: ADDRESS_RATE,
  actorRate: ACTOR_RATE,
}
