import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { MiddlewareHandler } from 'hono'
import { MIN_COMPRESSED_BYTES } from '../../../shared/schema/limits.ts'
import type { HttpEnv } from './env.ts'

/** As good as gzip's best, in less time: replies are made for one reader each. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const ENCODERS = { br: promisify(brotliCompress), gzip: promisify(gzip) }
type Encoding = keyof typeof ENCODERS

const TEXT = /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?json)/

/**
 * Compresses what is read, where the client takes it and it is long enough to be worth it. hono's own does not see how long
 * a reply is, and would delay the short ones; the replies of tools are left alone, which are short and many.
 */
export const compressReads: MiddlewareHandler<HttpEnv> = async (c, next) => {
  await next()
  const { res } = c
  if (c.req.method !== 'GET' || res.body === null || res.headers.has('Content-Encoding')) return
  if (!TEXT.test(res.headers.get('Content-Type') ?? '')) return
  c.header('Vary', 'Accept-Encoding', { append: true })
  const encoding = encodingFor(c.req.header('Accept-Encoding') ?? '')
  if (encoding === null) return
  const plain = await res.arrayBuffer()
  const headers = new Headers(res.headers)
  const isWorthIt = plain.byteLength >= MIN_COMPRESSED_BYTES
  if (isWorthIt) headers.set('Content-Encoding', encoding)
  const body = isWorthIt ? await compress(encoding, plain) : plain
  c.res = new Response(body, { status: res.status, headers })
}

async function compress(encoding: Encoding, plain: ArrayBuffer): Promise<Uint8Array<ArrayBuffer>> {
  const zipped = await (encoding === 'br' ? ENCODERS.br(plain, BROTLI) : ENCODERS.gzip(plain))
  return new Uint8Array(zipped)
}

/** What a client takes: brotli before gzip. Whatever it gives no weight it does not want. */
function encodingFor(accepted: string): Encoding | null {
  const taken = accepted.split(',').map((one) => one.trim().toLowerCase())
  const takes = (name: string): boolean =>
    taken.some((one) => one === name || (one.startsWith(`${name};`) && !/;\s*q=0(?:\.0*)?\s*$/.test(one)))
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null
}
