/** A real Chromium against a real server: what the tests of the page stand on. */
import { existsSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { type App, type AppOptions, createApp } from '../../server/app.ts'
import { type Access, createAccess } from '../../server/auth/access.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { recordedLog } from '../helpers/http.ts'
import { BY_SECRET } from '../helpers/tokens.ts'

const CHROMIUM = '/usr/bin/chromium'
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
/** Milliseconds until a wait is given up, however busy the machine is. */
const PATIENCE_MS = 15_000

const WITHOUT = `
  ################################################################################
  The tests of the page were SKIPPED: there is no ${CHROMIUM}.
  Get it by: apt-get update && apt-get install -y chromium
  ################################################################################
`

const launch = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM, args: FLAGS })

let browser: Browser | null = null

const hasChromium = existsSync(CHROMIUM)

/** A block of tests with a browser. Without one they are skipped, and it says so. */
export function describePage(name: string, tests: () => void): void {
  if (!hasChromium) process.stderr.write(WITHOUT)
  // oxlint-disable-next-line vitest/valid-title -- it is the caller's
  describe.skipIf(!hasChromium)(name, () => {
    beforeAll(async () => {
      expect(existsSync('dist/ui/index.html'), 'the page was built: npm run build').toBe(true)
      browser = await launch()
    })
    afterAll(() => browser?.close())
    tests()
  })
}

export interface PageServer {
  readonly url: string
  readonly port: number
  readonly app: App
}

/** The whole server in this process, over memory. */
export async function serve(options: Partial<AppOptions> = {}): Promise<PageServer> {
  const config = { host: '127.0.0.1', port: 0, idleMs: 60_000, ...options.config }
  const app = createApp({ storage: createMemoryStorage(), log: recordedLog(), ...options, config })
  onTestFinished(() => app.close())
  const { url, port } = await app.listen()
  return { url, port, app }
}

/** The same, where it takes tokens signed with SECRET. */
export async function serveGuarded(): Promise<PageServer & { readonly access: Access }> {
  const storage = createMemoryStorage()
  const access = await createAccess({ ...BY_SECRET, store: storage })
  return { ...(await serve({ storage, access })), access }
}

/** A tool call of an agent, over HTTP. */
export async function call(url: string, thread: string, tool: string, args: unknown, agent = 'scout'): Promise<void> {
  const response = await fetch(`${url}/threads/${thread}/tools/${tool}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Agent-Name': agent },
    body: JSON.stringify(args),
  })
  const reply = (await response.json()) as { success?: boolean; text?: string }
  if (reply.success !== true) throw new Error(`${response.status} ${JSON.stringify(reply)}`)
}

/** A plan from lines: two blanks a level, `x ` in front of what is done. */
export async function seed(url: string, thread: string, outline: string): Promise<void> {
  const steps = outline
    .split('\n')
    .filter((one) => one.trim() !== '')
    .map((one) => {
      const depth = (/^ */.exec(one)?.[0].length ?? 0) / 2
      const text = one.trim()
      return text.startsWith('x ') ? { text: text.slice(2), depth, status: 'completed' } : { text, depth }
    })
  const response = await fetch(`${url}/threads/${thread}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ seed: steps }),
  })
  expect(response.status).toBe(201)
}

export interface Visit extends BrowserContextOptions {
  /** Who it is; set before the page is opened. */
  readonly name?: string
  readonly narrow?: boolean
  /** Complaints of the page that are meant. */
  readonly mayComplain?: RegExp
}

/** A browser of its own at an address. Whatever the page complains of fails the test. */
export async function visit(
  address: string,
  { name = 'Ada', narrow = false, mayComplain, ...options }: Visit = {},
): Promise<Page> {
  if (browser === null) throw new Error('There is no browser.')
  const viewport = narrow ? { width: 390, height: 780 } : { width: 1280, height: 800 }
  // Each context would fetch and keep the whole page first; what a service worker does has its own tests.
  const context = await browser.newContext({ viewport, serviceWorkers: 'block', ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  await context.addInitScript((who) => {
    if (location.protocol === 'about:') return
    localStorage.setItem('planroom.name', who)
    localStorage.setItem('planroom.id', `id-of-${who}`)
  }, name)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    const isOfNetwork = /ERR_|WebSocket connection|status of 4|Failed to load resource/.test(message.text())
    if (message.type() === 'error' && !isOfNetwork && mayComplain?.test(message.text()) !== true)
      errors.push(message.text())
  })
  onTestFinished(async () => {
    await context.close()
    expect(errors).toEqual([])
  })
  await page.goto(address)
  return page
}

/** A plan in a browser, when it is online. */
export async function visitPlan(url: string, thread: string, options: Visit = {}): Promise<Page> {
  const page = await visit(`${url}/t/${thread}`, options)
  await isOnline(page)
  return page
}

/** A new server with the plan `trip`, and a browser at it. @param outline as `seed` takes it */
export async function atPlan(outline: string) {
  const server = await serve()
  await seed(server.url, 'trip', outline)
  const page = await visitPlan(server.url, 'trip')
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  return { ...server, page, press }
}

export const isOnline = (page: Page): Promise<void> =>
  page.waitForSelector('.pill[data-state=online][data-unsaved="0"]').then(() => {})

export const rowOf = (page: Page, text: string): Locator =>
  page.locator('[role=treeitem]').filter({ has: page.locator('.text', { hasText: new RegExp(`^${text}$`) }) })

/** The rows as they are shown: two blanks a level, and how each stands unless it is to be done. */
export const outlineOf = (page: Page): Promise<string[]> =>
  page.locator('[role=treeitem][data-id]').evaluateAll((rows) =>
    rows
      .toSorted((a, b) => Number(a.getAttribute('data-index')) - Number(b.getAttribute('data-index')))
      .map((row) => {
        const text = row.querySelector('.text')?.textContent ?? row.querySelector('textarea')?.value ?? ''
        const status = ['in_progress', 'completed', 'blocked', 'cancelled'].find((one) => row.classList.contains(one))
        const indent = '  '.repeat(Number(row.getAttribute('aria-level')) - 1)
        return `${indent}${text}${status === undefined ? '' : ` (${status})`}`
      }),
  )

/** Waits until a page shows these rows. */
export async function showsOutline(page: Page, outline: readonly string[]): Promise<void> {
  await expect.poll(() => outlineOf(page), { timeout: PATIENCE_MS }).toEqual(outline)
}

export async function eventually<T>(read: () => T | Promise<T>, check: (value: T) => void): Promise<void> {
  await expect
    .poll(
      async () => {
        const value = await read()
        try {
          check(value)
          return 'so it is'
        } catch (error) {
          return `${JSON.stringify(value)}: ${String(error)}`
        }
      },
      { timeout: PATIENCE_MS },
    )
    .toBe('so it is')
}

/** The text of the focused row, or what else has the focus. */
export const focusOf = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const node = document.activeElement
    return node?.querySelector('.text')?.textContent ?? node?.getAttribute('aria-label') ?? node?.tagName ?? ''
  })

export interface Line {
  readonly url: string
  cut(): void
  mend(): void
  /** Leads to another server from now on. */
  turn(port: number): void
}

/** A way to a server that can be cut: nothing that was open stays, and nothing new comes through. */
export async function line(port: number): Promise<Line> {
  const open = new Set<Socket>()
  let isCut = false
  let target = port
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy()
    const upstream = connect(target, '127.0.0.1')
    for (const one of [socket, upstream]) {
      open.add(one)
      one.on('close', () => open.delete(one))
      one.on('error', () => {})
    }
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const { port: own } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${own}`,
    cut: () => {
      isCut = true
      for (const socket of open) socket.destroy()
    },
    mend: () => {
      isCut = false
    },
    turn: (other) => {
      target = other
      for (const socket of open) socket.destroy()
    },
  }
}
