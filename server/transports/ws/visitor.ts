import type { IncomingMessage } from 'node:http'
import type { Actor } from '../../../shared/schema/actor.ts'
import type { ThreadId } from '../../../shared/schema/ids.ts'
import { isThreadId } from '../../../shared/schema/ids.ts'
import { MAX_ACTOR_NAME } from '../../../shared/schema/limits.ts'
import { tokenInHeader, tokenInProtocols } from '../../auth/bearer.ts'
import type { Identity } from '../../auth/claims.ts'
import { may } from '../../auth/grant.ts'

const PATH = '/sync/'

/** Who asks for which thread, and what they may do there. */
export interface Visitor {
  readonly thread: ThreadId
  readonly actor: Actor
  readonly wantsVersions: boolean
  readonly mayWrite: boolean
}

/** Why somebody is not let in, as a close frame says it. */
export interface TurnedAway {
  readonly code: 1013 | 4400 | 4401 | 4403
  readonly reason: string
}

export interface Address {
  readonly path: string
  readonly parameters: URLSearchParams
}

/** Read by hand: URL would resolve `..` in the path away. null: not decodable, or not of this door. */
export function readAddress({ url = '' }: IncomingMessage): Address | null {
  const [path = '', ...query] = url.split('?')
  try {
    const decoded = decodeURIComponent(path)
    return decoded.startsWith(PATH) ? { path: decoded, parameters: new URLSearchParams(query.join('?')) } : null
  } catch {
    return null
  }
}

/** Whether it is the page, the library or the command line, and not some client of y-websocket. */
export const isOwnClient = ({ parameters }: Address): boolean => parameters.get('planroom') === '1'

/** The token that a client brings, wherever it can put one. */
export function tokenOf({ headers }: IncomingMessage, { parameters }: Address): string | null {
  const inAddress = parameters.get('token') || null
  return tokenInHeader(headers.authorization) ?? tokenInProtocols(headers['sec-websocket-protocol']) ?? inAddress
}

/** @param identity says who it is; in the open mode the address does */
export function readVisitor(address: Address, { actor, grant }: Identity): Visitor | TurnedAway {
  const { path, parameters } = address
  const thread = path.slice(PATH.length)
  if (!isThreadId(thread)) {
    return { code: 4400, reason: 'a thread id has 1 to 128 characters of A-Z a-z 0-9 . _ ~ - and no dot in front' }
  }
  if (!may(grant, 'read', thread)) return { code: 4403, reason: 'your token is not good for this thread' }
  const named = actor ?? readActor(parameters)
  if (named === null) {
    return { code: 4400, reason: `a name or id has at most ${MAX_ACTOR_NAME} characters, on one line` }
  }
  return { thread, actor: named, wantsVersions: isOwnClient(address), mayWrite: may(grant, 'write', thread) }
}

function readActor(parameters: URLSearchParams): Actor | null {
  const name = parameters.get('name')?.trim() ?? ''
  const id = parameters.get('id')?.trim() || name
  if (!isName(name) || !isName(id)) return null
  return { id, name, kind: parameters.get('kind') === 'agent' ? 'agent' : 'human' }
}

// eslint-disable-next-line no-control-regex
const isName = (name: string): boolean => name.length <= MAX_ACTOR_NAME && !/[\u0000-\u001f\u007f]/.test(name)
