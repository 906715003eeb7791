import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage, eventually, rowOf, serve, showsOutline, visitPlan } from './browser.ts'

/** A plan of Markdown, as the command line writes it. */
async function plan(markdown: string) {
  const server = await serve()
  const page = await visitPlan(server.url, 'trip')
  await page.getByText('Nothing is planned yet.').waitFor()
  await page.evaluate((text) => {
    const data = new DataTransfer()
    data.setData('text/plain', text)
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
  }, markdown)
  await page.locator('[role=treeitem]').first().waitFor()
  await page.locator('.pill[data-unsaved="0"]').first().waitFor()
  return { ...server, page }
}

const GROUPED = `- Build
  - group: API
  - Endpoints
  - Docs
    - group: Words
- Write api docs
- Ship
`
const ALL = ['Build', '  Endpoints', '  Docs', 'Write api docs', 'Ship']

const filterOf = (page: Page): Promise<string | null> =>
  page.evaluate(() => new URLSearchParams(location.search).get('filter'))
const countOf = (page: Page): Promise<string | null> => page.locator('.filter-bar .count').textContent()

describePage('the filter', () => {
  test('[P10] the chip of a group is an exact filter by group, what is inherited included, and a toggle', async () => {
    const { page } = await plan(GROUPED)
    const bar = page.locator('.group-bar', { hasText: 'API' })
    await bar.click()
    await showsOutline(page, ['Build', '  Endpoints'])
    expect(await bar.getAttribute('aria-pressed')).toBe('true')
    expect(await page.getByLabel('Filter steps').inputValue()).toBe('group:"API"')
    await bar.click()
    await showsOutline(page, ALL)
    expect(await bar.getAttribute('aria-pressed')).toBe('false')
    // The chip of a row is the same toggle.
    await rowOf(page, 'Docs').locator('.chip').click()
    await showsOutline(page, ['Build', '  Docs'])
    await rowOf(page, 'Docs').locator('.chip').click()
    await showsOutline(page, ALL)
    // What else is looked for stays.
    await page.getByLabel('Filter steps').fill('end')
    await bar.click()
    await showsOutline(page, ['Build', '  Endpoints'])
    expect(await page.getByLabel('Filter steps').inputValue()).toBe('end group:"API"')
    await bar.click()
    expect(await page.getByLabel('Filter steps').inputValue()).toBe('end')
  })

  test('[13-5] the filter is in the address: a link and a reload show the same, and leave with it', async () => {
    const { page, url } = await plan(GROUPED)
    await page.locator('.group-bar', { hasText: 'API' }).click()
    await eventually(
      () => filterOf(page),
      (text) => expect(text).toBe('group:"API"'),
    )
    await page.reload()
    await showsOutline(page, ['Build', '  Endpoints'])
    const other = await visitPlan(url, `trip?filter=${encodeURIComponent('ship')}`, { name: 'Bob' })
    await showsOutline(other, ['Ship'])
    await other.getByRole('button', { name: 'Clear', exact: true }).click()
    await showsOutline(other, ALL)
    await eventually(
      () => other.url(),
      (address) => expect(address).toBe(`${url}/t/trip`),
    )
    await other.getByLabel('Filter steps').fill('docs')
    await other.getByRole('link', { name: 'All plans' }).click()
    await other.getByRole('link', { name: /trip/ }).waitFor()
    expect(other.url()).toBe(`${url}/`)
  })

  test('[13-5] chips show what is looked for, with a count; each can be taken away alone', async () => {
    const { page } = await plan('- [x] Café\n- [ ] Tea\n- [~] Cafeteria\n- [ ] Milk\n')
    await page.getByLabel('Filter steps').fill('cafe')
    await showsOutline(page, ['Café (completed)', 'Cafeteria (in_progress)'])
    await eventually(
      () => countOf(page),
      (text) => expect(text).toBe('2 of 4 steps'),
    )
    await page.getByRole('button', { name: 'Hide done' }).click()
    await showsOutline(page, ['Cafeteria (in_progress)'])
    expect(await page.getByLabel('Filter steps').inputValue()).toBe('cafe is:open')
    await eventually(
      () => countOf(page),
      (text) => expect(text).toBe('1 of 4 steps'),
    )
    await page.getByRole('button', { name: 'Without “cafe”' }).click()
    await showsOutline(page, ['Tea', 'Cafeteria (in_progress)', 'Milk'])
    await page.getByRole('button', { name: 'Hide done' }).click()
    await showsOutline(page, ['Café (completed)', 'Tea', 'Cafeteria (in_progress)', 'Milk'])
    expect(await page.locator('.filter-bar').count()).toBe(0)
  })

  test('[13-5] what is ready and what waits, owners and groups are chosen from a list', async () => {
    const { page } = await plan('- Dig\n- Build\n  - depends: Dig\n- Paint\n  - group: Looks\n')
    await page.getByRole('button', { name: 'Filter by…' }).click()
    await page.getByRole('option', { name: 'Waits for others' }).click()
    await showsOutline(page, ['Build'])
    await page.getByRole('button', { name: 'Filter by…' }).click()
    await page.getByRole('option', { name: 'Waits for others' }).click()
    await page.getByRole('button', { name: 'Filter by…' }).click()
    await page.getByRole('option', { name: 'Ready to start' }).click()
    await showsOutline(page, ['Dig', 'Paint'])
    await page.getByRole('button', { name: 'Filter by…' }).click()
    await page.getByRole('combobox', { name: 'Filter by' }).fill('looks')
    await page.keyboard.press('Enter')
    await showsOutline(page, ['Paint'])
    expect(await page.getByLabel('Filter steps').inputValue()).toBe('is:ready group:"Looks"')
    await rowOf(page, 'Paint').click()
    await page.keyboard.press('Space')
    await page.getByText('Nothing fits.').waitFor()
    await page.locator('.nothing').getByRole('button', { name: 'Clear the filter' }).click()
    await showsOutline(page, ['Dig', 'Build', 'Paint (completed)'])
  })

  test('[13-5] an unknown is: and an unknown group are said, and look for nothing', async () => {
    const { page } = await plan(GROUPED)
    await page.getByLabel('Filter steps').fill('is:dnoe ship')
    await page.locator('.filter-bar', { hasText: '“is:dnoe” is not known' }).waitFor()
    await showsOutline(page, ['Ship'])
    await page.getByLabel('Filter steps').fill('group:"Nope"')
    await page.locator('.filter-bar', { hasText: 'No group is called “Nope”' }).waitFor()
    await page.getByText('Nothing fits.').waitFor()
  })

  test('[13-5] what one adds under a filter stays in sight', async () => {
    const { page } = await plan(GROUPED)
    await page.getByLabel('Filter steps').fill('ship')
    await showsOutline(page, ['Ship'])
    await rowOf(page, 'Ship').click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Sail')
    await page.keyboard.press('Escape')
    await showsOutline(page, ['Ship', 'Sail'])
    await page.getByLabel('Filter steps').fill('ship ')
    await page.getByLabel('Filter steps').fill('shi')
    await showsOutline(page, ['Ship'])
  })
})
