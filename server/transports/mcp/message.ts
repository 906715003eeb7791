import type { Dialect, Tool } from '../../../shared/dialects/dialect.ts'
import { MAX_MCP_BATCH } from '../../../shared/schema/limits.ts'
import { badRequest } from '../http/problem.ts'

type Fields = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a message asks for notices, and so is never done. */
export const isListen = (message: unknown): boolean => isObject(message) && message['method'] === 'subscriptions/listen'

/**
 * A message as the protocol's own checks will take it, where there is only one thing that it can mean. They are the SDK's,
 * and stricter than hosts are: without arguments some send null, and some send what the model wrote, as a string.
 * @param uris what can be listened to: other addresses are never told of, and would only be kept
 * @throws Problem 400 for a batch that is too large
 */
export function readMessage(body: unknown, uris: readonly string[]): unknown {
  if (Array.isArray(body)) {
    if (body.length > MAX_MCP_BATCH) throw badRequest(`A batch has at most ${MAX_MCP_BATCH} messages.`)
    return body.map((message) => readOne(message, uris))
  }
  return readOne(body, uris)
}

/** The tools that a message, or a batch of them, calls. */
export function calledTools(message: unknown, dialect: Dialect): Tool[] {
  if (Array.isArray(message)) return message.flatMap((one) => calledTools(one, dialect))
  if (!isObject(message) || message['method'] !== 'tools/call' || !isObject(message['params'])) return []
  const { name } = message['params']
  return dialect.tools.filter((tool) => tool.name === name)
}

function readOne(message: unknown, uris: readonly string[]): unknown {
  if (!isObject(message) || !isObject(message['params'])) return message
  const { params } = message
  if (message['method'] === 'tools/call') {
    return { ...message, params: { ...params, arguments: readArguments(params['arguments']) } }
  }
  const notifications = params['notifications']
  if (!isListen(message) || !isObject(notifications)) return message
  const asked = notifications['resourceSubscriptions']
  if (!Array.isArray(asked)) return message
  const resourceSubscriptions = uris.filter((uri) => asked.includes(uri))
  return { ...message, params: { ...params, notifications: { ...notifications, resourceSubscriptions } } }
}

function readArguments(given: unknown): unknown {
  if (given === undefined || given === null) return {}
  if (typeof given !== 'string') return given
  try {
    const read = JSON.parse(given) as unknown
    return isObject(read) ? read : given
  } catch {
    return given
  }
}
