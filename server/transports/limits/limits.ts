import * as standard from '../../../shared/schema/limits.ts'
import { type LimitSettings, STANDARD_LIMITS } from '../../../shared/schema/limit-settings.ts'
import { Allowance } from '../../rooms/allowance.ts'
import { type AddressOf, createAddresses } from './addresses.ts'
import { Rate } from './rates.ts'
import { Seats } from './seats.ts'

/** What every door asks before it gives of what there is only so much. One for all doors: they share one process. */
export interface Limits {
  readonly isOn: boolean
  /** Sockets that may be open: of everybody and one address, of one thread, of one actor. */
  readonly sockets: Seats
  readonly threads: Seats
  readonly actors: Seats
  /** Requests that may be under way. */
  readonly requests: Seats
  /** MCP subscriptions of one actor or address. */
  readonly subscriptions: Seats
  /** Requests in a span of time. */
  readonly addressRate: Rate
  readonly actorRate: Rate
  /** Milliseconds of the server's one thread, in a span of time. */
  readonly work: Rate
  /** Bytes of bodies that are being read. */
  readonly bodies: Allowance
  /** Bytes of frames that came before their threads were open. */
  readonly early: Allowance
  /** Who asks, as limits count. null: nobody in particular. */
  readonly addressOf: AddressOf
}

export function createLimits(settings: LimitSettings = STANDARD_LIMITS): Limits {
  const { isOn, trustedProxies, connections, connectionsPerThread, connectionsPerAddress } = settings
  const most = (count: number): number => (isOn ? count : Number.MAX_SAFE_INTEGER)
  const rate = (perSecond: number): Rate => new Rate(most(perSecond * standard.RATE_SECONDS), standard.RATE_SECONDS)
  return {
    isOn,
    sockets: new Seats(most(connections), most(connectionsPerAddress)),
    threads: new Seats(Infinity, most(connectionsPerThread)),
    actors: new Seats(Infinity, most(standard.MAX_ACTOR_CONNECTIONS)),
    requests: new Seats(most(standard.MAX_REQUESTS), most(standard.MAX_ADDRESS_REQUESTS)),
    subscriptions: new Seats(Infinity, most(standard.MAX_ACTOR_SUBSCRIPTIONS)),
    addressRate: rate(settings.addressRate),
    actorRate: rate(settings.actorRate),
    work: new Rate(most(standard.ACTOR_WORK_MS), standard.ACTOR_WORK_SECONDS),
    bodies: new Allowance(standard.MAX_BODIES_BYTES),
    early: new Allowance(standard.MAX_EARLY_TOTAL_BYTES),
    addressOf: isOn ? createAddresses(trustedProxies) : () => null,
  }
}
