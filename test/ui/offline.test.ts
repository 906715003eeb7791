import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Page } from 'playwright-core'
import { readPage } from '../../server/transports/http/page.ts'
import { describePage, isOnline, line, outlineOf, rowOf, seed, serve, showsOutline, visit } from './browser.ts'

const WITH_WORKER = { serviceWorkers: 'allow' } as const

/** Resolves when the browser has kept the page. */
const isKept = (page: Page): Promise<unknown> => page.evaluate(() => navigator.serviceWorker.ready)

/** All that the browser's database holds of the plans, as one text. */
const storedIn = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const answer = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result))
        request.addEventListener('error', () => reject(request.error ?? new Error('no answer')))
      })
    const texts: string[] = []
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await answer(indexedDB.open(name))
      const records = database.objectStoreNames.contains('records')
        ? await answer(database.transaction('records').objectStore('records').getAll())
        : []
      texts.push(...records.map((record: unknown) => String(record)))
      database.close()
    }
    return texts.join('\n')
  })

/** The built page, but of another version. */
function otherPage() {
  const folder = mkdtempSync(join(tmpdir(), 'planroom-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync('dist/ui', folder, { recursive: true })
  const change = (file: string, from: string, to: string): void => {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    expect(text).toContain(from)
    writeFileSync(path, text.replace(from, to))
  }
  change('index.html', '<html lang="en">', '<html lang="en" data-version="2">')
  change('service-worker.js', '"url":"/index.html"', '"url":"/index.html","x":2')
  const revision = /"revision":"([^"]+)","url":"\/index.html"|"url":"\/index.html","x":2,"revision":"([^"]+)"/
  const [, a, b] = revision.exec(readFileSync(join(folder, 'service-worker.js'), 'utf8')) ?? []
  change('service-worker.js', a ?? b ?? '?', 'of-version-2')
  return readPage(folder)
}

/** A plan in a page that the browser has kept, when there is a newer version of the page. */
async function atNewVersion() {
  const first = await serve()
  await seed(first.url, 'trip', 'One\n')
  const way = await line(first.port)
  const page = await visit(`${way.url}/t/trip`, WITH_WORKER)
  await isOnline(page)
  await isKept(page)
  // Now it comes from there.
  await page.reload()
  await isOnline(page)
  const version = () => page.evaluate(() => document.documentElement.dataset['version'] ?? '1')
  const second = await serve({ page: otherPage() })
  way.turn(second.port)
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update())
  const offer = page.getByRole('status', { name: 'A new version' })
  await offer.waitFor()
  return { page, offer, version }
}

describePage('without a network', () => {
  test('[P19] a plan opens after a reload with what is kept, says so, takes changes, and merges', async () => {
    const { url, port } = await serve()
    await seed(url, 'trip', 'One\nTwo\n')
    const way = await line(port)
    const page = await visit(`${way.url}/t/trip`, WITH_WORKER)
    await isOnline(page)
    await isKept(page)
    // What is written last before a reload may not be there yet.
    await expect.poll(() => storedIn(page)).not.toBe('')
    way.cut()
    await page.reload()
    await showsOutline(page, ['One', 'Two'])
    await page.getByText('The server cannot be reached. This is the plan as this browser kept it.').waitFor()
    const before = await storedIn(page)
    await rowOf(page, 'One').click()
    await page.keyboard.press('Space')
    await page.locator('.pill', { hasText: 'Offline, 1 unsent' }).waitFor()
    await expect.poll(() => storedIn(page)).not.toBe(before)
    await page.reload()
    await showsOutline(page, ['One (completed)', 'Two'])
    way.mend()
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await isOnline(page)
    expect(await page.getByText('The server cannot be reached').count()).toBe(0)
    const plan = (await (await fetch(`${url}/threads/trip`)).json()) as { steps: { status: string }[] }
    expect(plan.steps[0]?.status).toBe('completed')
  })

  test('[P19] the list of plans opens with what was there, and leads to plans that are kept', async () => {
    const { url, port } = await serve()
    await seed(url, 'trip', 'One\n')
    await seed(url, 'move', 'Pack\n')
    const way = await line(port)
    const page = await visit(way.url, WITH_WORKER)
    await page.getByRole('link', { name: /trip/ }).click()
    await isOnline(page)
    await isKept(page)
    way.cut()
    await page.goto(way.url)
    await page.getByText('The server cannot be reached. This is the list as it was').waitFor()
    await page.getByRole('link', { name: /move/ }).waitFor()
    await page.getByRole('link', { name: /trip/ }).click()
    await showsOutline(page, ['One'])
    await page.goto(`${way.url}/t/move`)
    await page.getByText('this browser has no copy of this plan').waitFor()
  })

  test('[P19] a new version of the page is offered, and not forced', async () => {
    const { page, offer, version } = await atNewVersion()
    // Nothing happens by itself.
    await page.reload()
    await offer.waitFor()
    expect([await version(), await outlineOf(page)]).toEqual(['1', ['One']])
    await offer.getByRole('button', { name: 'Load it' }).click()
    await page.locator('html[data-version="2"]').waitFor()
    expect(await offer.count()).toBe(0)
    await rowOf(page, 'One').waitFor()
  })

  test('[P19] a new version that another tab has loaded can be loaded here too', async () => {
    const { page, offer, version } = await atNewVersion()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('button', { name: 'Load it' }).click()
    await other.locator('html[data-version="2"]').waitFor()
    // What is done here is not cut off for that.
    expect(await version()).toBe('1')
    await offer.getByRole('button', { name: 'Load it' }).click()
    await page.locator('html[data-version="2"]').waitFor()
  })
})
