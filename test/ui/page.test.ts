import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ask, newApp } from '../helpers/http.ts'
import { newGuardedApp } from '../helpers/tokens.ts'
import { describePage, isOnline, line, rowOf, seed, serve, visit, visitPlan } from './browser.ts'

/** Bytes of JavaScript, gzipped, for the first view. */
const MAX_SCRIPT = 250 * 1024
const ASSETS = 'dist/ui/assets'
const html = { Accept: 'text/html,application/xhtml+xml' }

/** The scripts that the first view waits for: what the page names, and what those import at once. */
function firstScripts(): string[] {
  const page = readFileSync('dist/ui/index.html', 'utf8')
  const wanted = [...page.matchAll(/(?:src|href)="\/assets\/([^"]+\.js)"/g)].map(([, name = '']) => name)
  for (const name of wanted) {
    const text = readFileSync(join(ASSETS, name), 'utf8')
    for (const [, next = ''] of text.matchAll(/(?:^|[;}])(?:import|export)[^()"'`;]*["'`]\.\/([^"'`]+\.js)["'`]/g))
      if (!wanted.includes(next)) wanted.push(next)
  }
  return wanted
}

describe('the built page', () => {
  const scripts = existsSync(ASSETS) ? firstScripts() : []

  test('has at most 250 kB of JavaScript, gzipped, for the first view, and no zod', () => {
    expect(scripts.length).toBeGreaterThan(0)
    const texts = scripts.map((name) => readFileSync(join(ASSETS, name), 'utf8'))
    const zipped = texts.reduce((sum, text) => sum + gzipSync(text).length, 0)
    expect(zipped).toBeGreaterThan(50_000)
    expect(zipped).toBeLessThan(MAX_SCRIPT)
    for (const text of texts) expect(/ZodError|_zod\b|invalid_union/.test(text)).toBe(false)
  })

  test('[P19] what keeps it for offline times comes late, and needs no token', async () => {
    expect(scripts.some((name) => /workbox/.test(name))).toBe(false)
    const { app } = await newGuardedApp()
    const worker = await ask(app, '/service-worker.js')
    expect([worker.status, worker.headers.get('cache-control')]).toEqual([200, 'no-cache'])
    expect(worker.headers.get('content-type')).toBe('text/javascript; charset=UTF-8')
    // Everything that it keeps is there.
    const kept = [...worker.text.matchAll(/"url":"([^"]+)"/g)].map(([, path = '']) => path)
    expect(kept).toContain('/index.html')
    for (const name of scripts) expect(kept).toContain(`/assets/${name}`)
    for (const path of kept) expect([path, (await ask(app, path)).status]).toEqual([path, 200])
  })

  test('names no other host that something could be asked of', () => {
    const files = readdirSync('dist/ui', { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(?:html|css|js)$/.test(name),
    )
    const asking =
      /(?:src|href)\s*=\s*["']?https?:|url\(\s*["']?https?:|@import|(?:fetch|import|WebSocket)\(\s*["'`](?:https?|wss?):/
    for (const name of files)
      expect([name, asking.exec(readFileSync(join('dist/ui', name), 'utf8'))?.[0]]).toEqual([name, undefined])
  })

  test('is served with a policy that lets nothing else in, and is asked for anew each time', async () => {
    const app = newApp()
    for (const path of ['/', '/t/trip', '/t/not%20there']) {
      const { status, headers, text } = await ask(app, path, { headers: html })
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=UTF-8'])
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'self'; connect-src 'self' ws://planroom.test wss://planroom.test; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect(headers.get('cache-control')).toBe('no-cache')
      expect(text).toContain('<div id="root">')
    }
  })

  test('has parts that are kept for good, since their names change with them', async () => {
    const app = newApp()
    const { text } = await ask(app, '/', { headers: html })
    const parts = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(parts.length).toBeGreaterThan(1)
    for (const path of parts) {
      const { status, headers } = await ask(app, path)
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable'])
      const zipped = await ask(app, path, { headers: { 'Accept-Encoding': 'gzip' } })
      expect(zipped.headers.get('content-encoding')).toBe('gzip')
    }
    expect((await ask(app, '/assets/none.js')).status).toBe(404)
  })

  test('at / is for browsers alone: programs are told what there is', async () => {
    const app = newApp()
    for (const headers of [{}, { Accept: '*/*' }, { Accept: 'text/plain' }]) {
      const { text } = await ask(app, '/', { headers })
      expect(text.split('\n')[0]).toMatch(/^Planroom \d/)
    }
  })

  test('needs no token, and tells nothing of any plan', async () => {
    const { app } = await newGuardedApp()
    expect((await ask(app, '/t/secret', { headers: html })).status).toBe(200)
    expect((await ask(app, '/threads', {})).status).toBe(401)
  })
})

describePage('the first look', () => {
  test('/ lists the plans with their progress, and makes a new one', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'x One\nTwo\n')
    const page = await visit(url)
    const trip = page.getByRole('link', { name: /trip/ })
    await trip.getByRole('progressbar').waitFor()
    expect(await trip.getByRole('progressbar').getAttribute('aria-valuetext')).toBe('1 of 2 done')
    await page.getByLabel('Title of a new plan').fill('Été à Nice!')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/t/Ete-a-Nice`)
    await page.getByRole('button', { name: 'First step' }).click()
    await page.keyboard.type('Sun cream')
    await page.keyboard.press('Escape')
    await rowOf(page, 'Sun cream').waitFor()
    await page.getByRole('link', { name: 'All plans' }).click()
    await page.getByRole('link', { name: 'Été à Nice!' }).waitFor()
    await page.goBack()
    await rowOf(page, 'Sun cream').waitFor()
  })

  test('nothing is asked of any other host', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n')
    const page = await visit('about:blank')
    const asked = new Set<string>()
    page.context().on('request', (request) => asked.add(new URL(request.url()).origin))
    page.on('websocket', (socket) => asked.add(new URL(socket.url()).origin.replace('ws', 'http')))
    await page.goto(`${url}/t/trip`)
    await isOnline(page)
    await rowOf(page, 'One').waitFor()
    expect([...asked]).toEqual([url])
  })

  test('what this browser kept is shown before the socket is open', async () => {
    const { url, port } = await serve()
    await seed(url, 'trip', Array.from({ length: 200 }, (_, i) => `Step ${i}`).join('\n'))
    const way = await line(port)
    const page = await visitPlan(way.url, 'trip')
    await rowOf(page, 'Step 3').waitFor()
    // The socket never opens; the page itself still comes.
    await page.routeWebSocket(/\/sync\//, () => {})
    await page.reload()
    await rowOf(page, 'Step 3').waitFor()
    expect(await page.locator('.pill').first().getAttribute('data-state')).toBe('connecting')
  })
})
