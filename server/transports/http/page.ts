import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Context, Hono } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { HttpEnv } from './env.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=UTF-8',
  '.html': 'text/html; charset=UTF-8',
  '.js': 'text/javascript; charset=UTF-8',
  '.svg': 'image/svg+xml',
}
/** Their names change with what is in them. */
const HASHED = /^\/assets\/.+-[A-Za-z0-9_-]{8,}\.[a-z]+$/
/** A name and a port, as it may stand in a policy. */
const HOST = /^[A-Za-z0-9.:[\]-]+$/

interface PageFile {
  readonly type: string
  readonly plain: Uint8Array<ArrayBuffer>
  readonly zipped: Uint8Array<ArrayBuffer>
}

/** The built page: its files by their paths. Kept in memory, so that a build under a running server takes nothing away. */
export type Page = ReadonlyMap<string, PageFile>

/** Where the page is built to, wherever this file runs from; null if it was not built. */
function pageFolder(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('#page'))
  } catch {
    return null
  }
}

/** @returns null if it was not built */
export function readPage(folder = pageFolder()): Page | null {
  if (folder === null || !existsSync(join(folder, 'index.html'))) return null
  const page = new Map<string, PageFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const plain = new Uint8Array(readFileSync(file))
    page.set(file.slice(folder.length).replaceAll('\\', '/'), { type, plain, zipped: new Uint8Array(gzipSync(plain)) })
  }
  return page
}

/**
 * The page for people, at `/` and `/t/:thread`, and what it is made of.
 * @param overview what `/` says to programs, and to everybody where there is no page
 */
export function addPageRoutes(app: Hono<HttpEnv>, page: Page | null, overview: string): void {
  const index = page?.get('/index.html')

  app.get('/', (c) => {
    c.header('Vary', 'Accept', { append: true })
    return index !== undefined && wantsPage(c) ? answerFile(c, '/index.html', index) : c.text(overview)
  })
  if (index !== undefined) app.get('/t/:thread', (c) => answerFile(c, '/index.html', index))
  for (const [path, file] of page ?? []) {
    app.get(path, (c) => answerFile(c, path, file))
  }
}

/** Whether somebody looks, in a browser, and no program asks. */
const wantsPage = (c: Context<HttpEnv>): boolean => /\btext\/html\b/i.test(c.req.header('Accept') ?? '')

/** Whether it is an address in a browser at which there is nothing: the page says so, in words. */
export const isLost = (c: Context<HttpEnv>): boolean =>
  c.req.method === 'GET' && wantsPage(c) && matchedRoutes(c).every(({ method }) => method === 'ALL')

/** @returns the page that says that nothing is here; null if there is no page, or it was a program that asked */
export function answerLost(c: Context<HttpEnv>, page: Page | null): Response | null {
  const index = page?.get('/index.html')
  if (index === undefined || !isLost(c)) return null
  c.status(404)
  return answerFile(c, '/index.html', index)
}

/** What needs no token: without the page nobody could bring one. */
export const isOfPage = (path: string): boolean =>
  /^\/(?:t\/[^/]+|assets\/[^/]+|favicon\.svg|index\.html|service-worker\.js)$/.test(path)

function answerFile(c: Context<HttpEnv>, path: string, { type, plain, zipped }: PageFile): Response {
  const takesZip = /\bgzip\b/.test(c.req.header('Accept-Encoding') ?? '')
  c.header('Content-Type', type)
  c.header('Cache-Control', HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache')
  c.header('Content-Security-Policy', policyFor(c))
  c.header('Vary', 'Accept-Encoding', { append: true })
  if (takesZip) c.header('Content-Encoding', 'gzip')
  return c.body(takesZip ? zipped : plain)
}

/** Nothing from elsewhere, and nothing that is written into the page. Sockets are named, since not every browser takes them for the same origin. */
function policyFor(c: Context<HttpEnv>): string {
  const host = c.req.header('Host') ?? new URL(c.req.url).host
  const sockets = HOST.test(host) ? ` ws://${host} wss://${host}` : ''
  return [
    "default-src 'self'",
    `connect-src 'self'${sockets}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
