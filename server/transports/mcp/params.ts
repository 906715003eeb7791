const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

type Fields = Readonly<Record<string, unknown>>
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a request asks with, as the checks of the SDK take it. */
export interface ReadParams {
  readonly params: Fields
  /** What is wrong with them, in words for whoever sent them. */
  readonly mistake?: string
}

/** How the parameters of each method are read that has any which hosts get wrong. */
const READERS: ReadonlyMap<unknown, (params: Fields) => ReadParams> = new Map<unknown, (params: Fields) => ReadParams>([
  ['initialize', readInitialize],
  ['tools/call', readToolCall],
  ['prompts/get', readPrompt],
  ['resources/read', readResource],
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'].map(
    (method) => [method, readPage] as const,
  ),
])

/**
 * The parameters of a request, where they can only mean one thing. The checks of the SDK are stricter than hosts are, and
 * what they say of a mistake is the text of a validator; so mistakes are found here, and what comes out always passes.
 */
export function readParams(method: unknown, given: unknown): ReadParams {
  const read = READERS.get(method) ?? ((params: Fields): ReadParams => ({ params }))
  if (given === undefined || given === null) return read({})
  if (!isObject(given)) {
    const mistake = `The params of ${String(method)} are an object with names and values, not ${kindOf(given)}.`
    return { params: read({}).params, mistake }
  }
  const { _meta, ...params } = given
  const { params: mended, mistake } = read(params)
  const meta = isObject(_meta) ? { _meta: readMeta(_meta) } : {}
  return { params: { ...mended, ...meta }, ...(mistake === undefined ? {} : { mistake }) }
}

/** What the client says of itself and can do, in every message since 2026; what it can do is never asked of it. */
function readMeta(meta: Fields): Fields {
  const { progressToken, ...rest } = meta
  const isToken = typeof progressToken === 'string' || Number.isInteger(progressToken)
  return {
    ...rest,
    ...(isToken ? { progressToken } : {}), // a token that is none does no harm: nothing here tells of progress
    ...(CLIENT_INFO in meta ? { [CLIENT_INFO]: readClientInfo(meta[CLIENT_INFO]) } : {}),
    ...(CLIENT_CAPABILITIES in meta ? { [CLIENT_CAPABILITIES]: {} } : {}),
  }
}

function readClientInfo(given: unknown): Fields {
  const { name, version } = isObject(given) ? given : {}
  return { name: typeof name === 'string' ? name : '', version: typeof version === 'string' ? version : '' }
}

/** An unknown revision is answered with one that is spoken here; what the client can do is never asked of it. */
function readInitialize(params: Fields): ReadParams {
  const { protocolVersion, clientInfo } = params
  return {
    params: {
      protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : '',
      capabilities: {},
      clientInfo: readClientInfo(clientInfo),
    },
  }
}

function readToolCall(params: Fields): ReadParams {
  const { name, arguments: given } = params
  if (typeof name !== 'string') {
    const mistake = 'tools/call names a tool: params.name is its name, as text. tools/list tells which there are.'
    return { params: { name: '', arguments: {} }, mistake }
  }
  const args = readArguments(given)
  if (isObject(args)) return { params: { ...params, arguments: args } }
  const mistake = `The arguments of ${name} are an object with names and values, not ${kindOf(args)}. Nothing was changed.`
  return { params: { ...params, arguments: {} }, mistake }
}

/** Without arguments some hosts send null, and some send what the model wrote, as a string. */
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

/** The one prompt that there is takes no arguments. */
function readPrompt({ name }: Fields): ReadParams {
  if (typeof name === 'string') return { params: { name } }
  return { params: { name: '' }, mistake: 'prompts/get names a prompt: params.name is its name, as text.' }
}

function readResource({ uri }: Fields): ReadParams {
  if (typeof uri === 'string') return { params: { uri } }
  return { params: { uri: '' }, mistake: 'resources/read names a resource: params.uri is its address, as text.' }
}

/** Every list has one page, and so no cursor was ever given. */
function readPage({ cursor, ...params }: Fields): ReadParams {
  if (cursor === undefined || cursor === null || cursor === '') return { params }
  if (typeof cursor === 'string')
    return { params, mistake: 'No list gave this cursor: each of them has one page. Leave it out.' }
  return { params, mistake: `A cursor is a text that a list was answered with, not ${kindOf(cursor)}. Leave it out.` }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return 'a text'
  return isObject(value) ? 'an object' : `a ${typeof value}`
}
