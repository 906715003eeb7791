import type { Dialect, Tool } from '../../../shared/dialects/dialect.ts'
import { MAX_MCP_BATCH } from '../../../shared/schema/limits.ts'
import { badRequest } from '../http/problem.ts'
import { isObject, readParams } from './params.ts'

/** Of a request. */
export type RequestId = string | number

/** A message, or a batch of them, as the protocol's own checks will take it. */
export interface ReadMessage {
  readonly message: unknown
  /** What is wrong with some of its requests, for whoever sent them. */
  readonly mistakes: ReadonlyMap<RequestId, string>
}

/** Whether a message asks for notices, and so is never done. */
export const isListen = (message: unknown): boolean => isObject(message) && message['method'] === 'subscriptions/listen'

/**
 * A message as it was meant.
 * @param uris what can be listened to: other addresses are never told of, and would only be kept
 * @throws Problem 400 for a batch that is too large
 */
export function readMessage(body: unknown, uris: readonly string[]): ReadMessage {
  const mistakes = new Map<RequestId, string>()
  if (!Array.isArray(body)) return { message: readOne(body, uris, mistakes), mistakes }
  if (body.length > MAX_MCP_BATCH) throw badRequest(`A batch has at most ${MAX_MCP_BATCH} messages.`)
  return { message: body.map((one) => readOne(one, uris, mistakes)), mistakes }
}

/** @returns null for what is no request */
export function idOf(message: unknown): RequestId | null {
  const id = isObject(message) ? message['id'] : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** The tools that a message, or a batch of them, calls. */
export function calledTools(message: unknown, dialect: Dialect): Tool[] {
  if (Array.isArray(message)) return message.flatMap((one) => calledTools(one, dialect))
  if (!isObject(message) || message['method'] !== 'tools/call' || !isObject(message['params'])) return []
  const { name } = message['params']
  return dialect.tools.filter((tool) => tool.name === name)
}

function readOne(message: unknown, uris: readonly string[], mistakes: Map<RequestId, string>): unknown {
  if (!isObject(message) || typeof message['method'] !== 'string') return message
  const { params: given, ...rest } = message
  const { params, mistake } = readParams(rest['method'], given)
  const id = idOf(message)
  if (mistake !== undefined && id !== null) mistakes.set(id, mistake)
  return { ...rest, params: isListen(message) ? onlyKnown(params, uris) : params }
}

/** What a request to listen asks for, without the addresses that nothing is told of. */
function onlyKnown(params: Readonly<Record<string, unknown>>, uris: readonly string[]): object {
  const { notifications } = params
  if (!isObject(notifications)) return params
  const asked = notifications['resourceSubscriptions']
  if (!Array.isArray(asked)) return params
  const resourceSubscriptions = uris.filter((uri) => asked.includes(uri))
  return { ...params, notifications: { ...notifications, resourceSubscriptions } }
}
