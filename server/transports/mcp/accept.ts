import { parseAccept } from 'hono/utils/accept'

/** What a client of MCP takes as an answer. */
export interface Accepted {
  readonly json: boolean
  readonly stream: boolean
  /** Whether it asked for a stream by name: a wildcard alone is served with JSON where no stream is needed. */
  readonly namesStream: boolean
}

const JSON_RANGES = ['application/json', 'application/*', '*/*']
const STREAM_RANGES = ['text/event-stream', 'text/*', '*/*']
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** @param header the request's Accept: without one, everything is taken */
export function readAccept(header: string | null): Accepted {
  const ranges = parseAccept(header ?? '*/*')
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.toLowerCase())
  if (ranges.length === 0 && (header ?? '').trim() === '') ranges.push('*/*')
  const takesOneOf = (types: readonly string[]): boolean => ranges.some((range) => types.includes(range))
  return {
    json: takesOneOf(JSON_RANGES),
    stream: takesOneOf(STREAM_RANGES),
    namesStream: ranges.includes('text/event-stream'),
  }
}

/**
 * The request as the SDK will take it, which serves nobody who does not take both. Its body was read before.
 * The signal stays: it says when the client has gone.
 */
export function acceptingBoth(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set('Accept', 'application/json, text/event-stream')
  return new Request(request.url, { method: request.method, headers, signal: request.signal })
}

/** The same answer in the form that its client takes. Errors of HTTP stay JSON, as the protocol has them. */
export async function inAcceptedForm(response: Response, accepted: Accepted, isBatch: boolean): Promise<Response> {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) {
    if (!accepted.json || accepted.namesStream) return response
    const answers = answersIn(await response.text())
    return new Response(isBatch ? `[${answers.join(',')}]` : (answers[0] ?? ''), { headers: JSON_TYPE })
  }
  if (!response.ok || accepted.json || !type.startsWith('application/json')) return response
  const event = `event: message\ndata: ${await response.text()}\n\n`
  return new Response(event, { headers: { 'Content-Type': 'text/event-stream' } })
}

/** The answers in a stream that has ended, each as JSON on one line; what else is told in it can be done without. */
function answersIn(stream: string): string[] {
  const data = stream.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : []))
  return data.filter((message) => !('method' in (JSON.parse(message) as object)))
}
