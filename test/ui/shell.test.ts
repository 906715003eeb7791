import { expect, test } from 'vitest'
import { describePage, isOnline, rowOf, seed, serve, visit } from './browser.ts'

const titleOf = async (url: string, thread: string): Promise<string> =>
  ((await (await fetch(`${url}/threads/${thread}`)).json()) as { title: string }).title

describePage('a new plan', () => {
  test('[P15] any title is kept as it is, and the id is made from it', async () => {
    const { url } = await serve()
    const page = await visit(url)
    for (const [title, id] of [
      ['Release 2.0 – Überblick / プラン', /^Release-2\.0-Uberblick$/],
      ['プラン', /^plan-[a-z0-9]{8}$/],
    ] as const) {
      await page.locator('.new-thread input').fill(title)
      await page.keyboard.press('Enter')
      await isOnline(page)
      await page.waitForFunction((wanted) => document.title.startsWith(wanted), title)
      expect(await page.getByLabel('Title of the plan').inputValue()).toBe(title)
      const thread = decodeURIComponent(new URL(page.url()).pathname.slice(3))
      expect(thread).toMatch(id)
      expect(await titleOf(url, thread)).toBe(title)
      await page.getByRole('link', { name: 'All plans' }).click()
      await page.getByRole('link', { name: title }).first().waitFor()
    }
  })

  test('[P15] one that exists is said and offered, and a second one can be made', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'Old\n')
    const page = await visit(url)
    const field = page.locator('.new-thread input')
    await field.fill('trip')
    await page.keyboard.press('Enter')
    const offer = page.getByRole('alert', { name: 'A plan that exists' })
    await offer.waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    await offer.getByRole('link', { name: 'Open it' }).click()
    await rowOf(page, 'Old').waitFor()
    await page.goBack()
    await field.fill('trip')
    await page.keyboard.press('Enter')
    await offer.getByRole('button', { name: 'Make another one' }).click()
    await page.getByRole('button', { name: 'First step' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/t\/trip-[a-z0-9]{8}$/)
    expect(await page.getByLabel('Title of the plan').inputValue()).toBe('trip')
  })

  test('[P15] the id of a deleted plan is not in the way of its title', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'Old\n')
    await fetch(`${url}/threads/trip`, { method: 'DELETE' })
    const page = await visit(url)
    await page.locator('.new-thread input').fill('trip')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'First step' }).waitFor()
    expect(await page.getByLabel('Title of the plan').inputValue()).toBe('trip')
  })
})
