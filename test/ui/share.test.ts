import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { tokenOf } from '../helpers/tokens.ts'
import {
  describePage,
  eventually,
  focusOf,
  isOnline,
  rowOf,
  seed,
  serve,
  serveGuarded,
  showsOutline,
  visit,
  visitPlan,
} from './browser.ts'

const MAY_COPY = { permissions: ['clipboard-read', 'clipboard-write'] }
const copied = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

async function choose(page: Page, what: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Commands and steps' }).fill(what)
  await page.keyboard.press('Enter')
}

describePage('what is shared', () => {
  test('[13-6] a link to a step is copied, and leads to it, folded away or not', async () => {
    const { url } = await serve()
    await seed(url, 'trip', `${Array.from({ length: 80 }, (_, i) => `Step ${i}`).join('\n')}\nLast\n  Below\n`)
    const page = await visitPlan(url, 'trip', MAY_COPY)
    await rowOf(page, 'Step 2').click()
    await choose(page, 'Last')
    await page.keyboard.press('ArrowDown')
    expect(await focusOf(page)).toBe('Below')
    await choose(page, 'Copy link to this step')
    await page.locator('.notice', { hasText: 'Copied' }).waitFor()
    const link = await copied(page)
    expect(link).toMatch(new RegExp(`^${url}/t/trip#step=[\\w-]+$`))

    const other = await visitPlan(url, 'trip', { name: 'Bob' })
    await choose(other, 'Collapse all')
    await rowOf(other, 'Step 2').click()
    await other.evaluate((to) => (location.href = to), link)
    await eventually(
      () => focusOf(other),
      (text) => expect(text).toBe('Below'),
    )
    const third = await visit(link, { name: 'Carl' })
    await eventually(
      () => focusOf(third),
      (text) => expect(text).toBe('Below'),
    )
    const fourth = await visit(`${url}/t/trip#step=nothing-of-that`)
    await fourth.locator('.notice', { hasText: 'The step of this link is not in the plan.' }).waitFor()
    await choose(page, 'Copy link to the plan')
    await eventually(
      () => copied(page),
      (text) => expect(text).toBe(`${url}/t/trip`),
    )
  })

  test('[13-6] a plan is downloaded as Markdown, and another one takes it in', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n  x Below\nTwo\n')
    const page = await visitPlan(url, 'trip')
    const download = page.waitForEvent('download')
    await choose(page, 'Download as Markdown')
    const file = await download
    expect(file.suggestedFilename()).toBe('trip.md')
    const path = await file.path()
    expect(await readFile(path, 'utf8')).toBe(await (await fetch(`${url}/threads/trip/plan.md`)).text())

    await page.goto(`${url}/t/other`)
    await isOnline(page)
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Import Markdown…' }).click()
    await (await chooser).setFiles({ name: 'trip.md', mimeType: 'text/markdown', buffer: await readFile(path) })
    await showsOutline(page, ['One', '  Below (completed)', 'Two'])
  })

  test('[13-6] what connects an agent stands ready to be copied, and works', async () => {
    const { url } = await serve()
    const page = await visitPlan(url, 'new', MAY_COPY)
    await page.getByRole('button', { name: 'Connect an agent…' }).click()
    await page.getByRole('button', { name: 'Copy .mcp.json' }).click()
    const config = JSON.parse(await copied(page)) as { mcpServers: { planroom: { url: string } } }
    expect(config).toEqual({ mcpServers: { planroom: { type: 'http', url: `${url}/threads/new/mcp?name=my-agent` } } })
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }
    const greeted = await fetch(config.mcpServers.planroom.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify(initialize),
    })
    expect([greeted.status, await greeted.text()]).toEqual([200, expect.stringContaining('serverInfo')])
    const curl = await page.getByRole('region', { name: 'curl' }).locator('code').innerText()
    const [, address = '', body = ''] = /^curl -s (\S+) [^]*-d '(.*)'$/.exec(curl) ?? []
    await fetch(address, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    await page.keyboard.press('Escape')
    await showsOutline(page, ['First step'])
  })

  test('[13-6] where tokens are needed a placeholder stands for one, and never one’s own', async () => {
    const { url } = await serveGuarded()
    const token = await tokenOf({ sub: 'ada', kind: 'human', role: 'editor' })
    const page = await visit(`${url}/t/new#token=${token}`)
    await isOnline(page)
    await choose(page, 'Connect an agent')
    const dialog = page.getByRole('dialog', { name: 'Connect an agent' })
    await dialog.waitFor()
    const text = await dialog.innerText()
    expect(text).toContain('"Authorization": "Bearer YOUR_TOKEN"')
    expect(text).toContain("-H 'Authorization: Bearer YOUR_TOKEN'")
    expect(text).not.toContain(token)
  })
})
