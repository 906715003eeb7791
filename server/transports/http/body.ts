import type { Context } from 'hono'
import { MAX_BODY_BYTES } from '../../../shared/schema/limits.ts'
import type { HttpEnv } from './env.ts'
import { overloaded } from './limits.ts'
import { badRequest, Problem } from './problem.ts'

/** Levels of brackets in a body: arguments have four, and what recurses over them must not run out of stack. */
const MAX_NESTING = 64

/**
 * The body as JSON; undefined for an empty one. The type of the content is not looked at: many callers send none.
 * @throws Problem 400 if it is not JSON, 413 if it is too large: then no more than the limit was kept, 503 if too much comes
 * in at a time
 */
export async function readJson(c: Context<HttpEnv>): Promise<unknown> {
  const text = decode(await readBytes(c))
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw badRequest(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}.`)
  }
  if (isNestedDeeper(value, MAX_NESTING)) throw badRequest(`The body is nested deeper than ${MAX_NESTING} levels.`)
  return value
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badRequest('The body is not JSON: it is not UTF-8.')
  }
}

/**
 * Node's own stream is read where there is one. Hono's bodyLimit reads through a web stream, which stands in the way
 * after it refused: the rest of the body cannot be thrown away, and clients that read only once they have sent everything
 * find the connection cut instead of a 413. What is left alone here, the server lets pass for a moment.
 */
async function readBytes(c: Context<HttpEnv>): Promise<Uint8Array> {
  const declared = Number(c.req.header('content-length') ?? 0)
  if (declared > MAX_BODY_BYTES) throw tooLarge()
  const incoming = c.env?.incoming
  const chunks: AsyncIterable<Uint8Array> | null =
    incoming === undefined ? c.req.raw.body : incoming.iterator({ destroyOnReturn: false })
  if (chunks === null) return new Uint8Array()
  const bodies = c.get('bodies')
  const kept: Uint8Array[] = []
  let size = 0
  let taken = 0
  try {
    for await (const chunk of chunks) {
      size += chunk.byteLength
      if (size > MAX_BODY_BYTES) throw tooLarge()
      if (bodies?.take(chunk.byteLength) === false) throw overloaded('Too many large bodies come in at a time.')
      taken = size
      kept.push(chunk)
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    throw badRequest('The body ended before it was complete.') // its sender has gone, and nobody will read this
  } finally {
    bodies?.give(taken)
  }
  return Buffer.concat(kept, size)
}

const tooLarge = (): Problem =>
  new Problem({
    status: 413,
    kind: 'too-large',
    title: 'Body too large',
    detail: `The body is larger than ${MAX_BODY_BYTES} bytes. Split it over several calls.`,
    members: { limit: MAX_BODY_BYTES },
  })

function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isNestedDeeper(inner, levels - 1))
}
