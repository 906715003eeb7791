import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage, eventually, seed, serve, visitPlan } from './browser.ts'

async function atBoard(outline: string) {
  const server = await serve()
  await seed(server.url, 'trip', outline)
  const page = await visitPlan(server.url, 'trip')
  await page.getByRole('button', { name: 'Board' }).click()
  await page.locator('.card').first().waitFor()
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  return { ...server, page, press }
}

/** The text of the card that has the focus, and its column. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const node = document.activeElement
    const text = node?.closest('.card')?.querySelector('.text')?.textContent ?? node?.tagName ?? ''
    return `${node?.closest('[data-column]')?.getAttribute('data-column') ?? ''}: ${text}`
  })
const isAt = (page: Page, where: string): Promise<void> =>
  eventually(
    () => focused(page),
    (now) => expect(now).toBe(where),
  )

describePage('the board by keys', () => {
  test('[P13] arrows lead through the cards, and one of them is in the way of Tab', async () => {
    const { page, press } = await atBoard('One\nTwo\nThree\nx Four\nx Five\n')
    expect(await page.locator('.board [tabindex="0"]').count()).toBe(1)
    await press('F6')
    await isAt(page, 'pending: One')
    await press('ArrowDown')
    await isAt(page, 'pending: Two')
    await press('j', 'j')
    await isAt(page, 'pending: Three')
    await press('ArrowRight')
    await isAt(page, 'completed: Five')
    await press('k', 'ArrowLeft')
    await isAt(page, 'pending: One')
    await press('End')
    await isAt(page, 'pending: Three')
    await press('Home')
    await isAt(page, 'pending: One')
    expect(await page.locator('.board [tabindex="0"]').count()).toBe(1)
  })

  test('[P13] the focus follows the card that moves: by arrows, by s, by Space, and into a long column', async () => {
    const many = Array.from({ length: 120 }, (_, i) => `x Done ${i}`).join('\n')
    const { page, press } = await atBoard(`${many}\nOne\nTwo\n`)
    await press('F6')
    await isAt(page, 'pending: One')
    await press('Alt+Shift+ArrowRight')
    await isAt(page, 'in_progress: One')
    await press('Alt+Shift+ArrowRight', 'Alt+Shift+ArrowRight')
    await isAt(page, 'completed: One')
    await eventually(
      () =>
        page.evaluate(() => {
          const { bottom } = document.activeElement?.getBoundingClientRect() ?? { bottom: -1 }
          return bottom > 0 && bottom <= innerHeight
        }),
      (isSeen) => expect(isSeen).toBe(true),
    )
    await press('s')
    await page.getByRole('dialog', { name: 'Status' }).waitFor()
    await page.keyboard.type('blocked')
    await press('Enter')
    await isAt(page, 'blocked: One')
    await press('Space')
    await isAt(page, 'completed: One')
    await press('Space')
    await isAt(page, 'pending: One')
    await press('Delete')
    await isAt(page, 'pending: Two')
  })

  test('[P13] cards are edited in place, Enter leads into the panel, and Esc back', async () => {
    const { page, press } = await atBoard('One\nTwo\n')
    await press('F6', 'ArrowDown', 'e')
    await page.locator('.card .field').waitFor()
    await page.keyboard.type(' and more')
    await press('Enter')
    await isAt(page, 'pending: Two and more')
    await press('F2')
    await page.keyboard.type('!')
    await press('Escape')
    await eventually(
      () => page.locator('.card .field').count(),
      (count) => expect(count).toBe(0),
    )
    await isAt(page, await page.locator('.card .text').nth(1).textContent().then((text) => `pending: ${text}`)) // prettier-ignore
    await press('Enter')
    await eventually(
      () => page.evaluate(() => document.activeElement?.closest('.side') !== null),
      (isThere) => expect(isThere).toBe(true),
    )
    await press('Escape')
    expect(await focused(page)).toMatch(/^pending: Two/)
    await page.getByRole('button', { name: 'Both' }).click()
    await page.locator('.card .open').first().click()
    await press('e')
    expect(await page.locator('textarea.field').count()).toBe(1)
    expect(await page.locator('.card textarea.field').count()).toBe(1)
  })

  test('[P13] a card shows what it waits for, and a new step is typed on the board', async () => {
    const { page, press } = await atBoard('One\nTwo\n')
    await press('F6', 'ArrowDown', 'Control+k')
    await page.keyboard.type('Waits for…')
    await press('Enter')
    await page.getByRole('combobox', { name: 'Waits for' }).fill('one')
    await press('Enter')
    await page.locator('.card', { hasText: 'Two' }).locator('.waits', { hasText: '#1' }).waitFor()
    await isAt(page, 'pending: Two')
    await press('Control+k')
    await page.keyboard.type('New step at the end')
    await press('Enter')
    await page.locator('.board .field').waitFor()
    await page.keyboard.type('Three')
    await press('Enter')
    await page.keyboard.type('Four')
    await press('Enter', 'Enter')
    await eventually(
      () => page.locator('.column.pending .card .text').allTextContents(),
      (texts) => expect(texts).toEqual(['One', 'Two', 'Three', 'Four']),
    )
    await isAt(page, 'pending: Four')
  })
})
