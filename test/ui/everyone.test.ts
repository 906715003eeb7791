import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  call,
  describePage,
  eventually,
  focusOf,
  rowOf,
  seed,
  serve,
  serveGuarded,
  visit,
  visitPlan,
} from './browser.ts'

const PLAN = 'Book a flat\n  x Compare three\n  Ask Ada\nPack\n  Boots\nLeave\n'

async function isSound(page: Page, what: string): Promise<void> {
  // Colours are judged when they have stopped changing.
  await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {}))))
  const { violations } = await new AxeBuilder({ page }).analyze()
  const found = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html)
        .join(' | ')
        .slice(0, 400)}`,
  )
  expect([what, ...found]).toEqual([what])
}

async function fullPlan(url: string): Promise<void> {
  await seed(url, 'trip', PLAN)
  await call(url, 'trip', 'add_todos', { steps: [{ text: 'Find a train' }], action_and_reasoning: 'It fills up.' })
}

describePage('for everyone', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing on any view, ${colorScheme}`, async () => {
      const { url } = await serve()
      await fullPlan(url)
      const page = await visit(url, { colorScheme })
      await page.getByRole('progressbar').first().waitFor()
      await isSound(page, 'the list of plans')

      await page.goto(`${url}/t/trip`)
      await rowOf(page, 'Ask Ada').click()
      await call(url, 'trip', 'add_todos', { steps: [{ text: 'And back' }] })
      await rowOf(page, 'And back').locator('.by').waitFor()
      await page.keyboard.press('s')
      await isSound(page, 'a menu')
      await page.keyboard.press('End')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
      await page.keyboard.press('g')
      await page.keyboard.type('People')
      await page.keyboard.press('Enter')
      await rowOf(page, 'Ask Ada').locator('.chip').waitFor()
      await isSound(page, 'the outline with the activity')
      await page.getByLabel('Filter steps').fill('is:none group:"People"')
      await isSound(page, 'a filter')
      await page.getByLabel('Filter steps').fill('no such step')
      await page.getByText('Nothing fits.').waitFor()
      await isSound(page, 'a filter that nothing fits')
      await page.getByLabel('Filter steps').fill('')
      await rowOf(page, 'Ask Ada').click()
      await page.keyboard.press('Control+f')
      await page.keyboard.type('ada')
      await page.locator('mark').waitFor()
      await isSound(page, 'a find')
      await page.keyboard.press('Escape')
      await page.keyboard.press('z')
      await page.getByRole('navigation', { name: 'Zoomed into' }).waitFor()
      await isSound(page, 'a zoom')
      await page.keyboard.press('Shift+Z')
      await page.keyboard.press('Shift+Z')
      await rowOf(page, 'Ask Ada').click()
      await page.keyboard.press('o')
      await page.getByLabel('Details').waitFor()
      await isSound(page, 'the outline with a step')
      await page.getByRole('button', { name: 'Both' }).click()
      await isSound(page, 'outline and board')
      await page.getByRole('button', { name: 'Board' }).click()
      await isSound(page, 'the board')
      await page.getByRole('button', { name: 'Outline' }).click()
      await rowOf(page, 'Pack').click()
      await page.keyboard.press('Enter')
      await isSound(page, 'typing')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+k')
      await isSound(page, 'the palette')
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      await isSound(page, 'the keys')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Settings', exact: true }).click()
      await isSound(page, 'the settings')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+k')
      await page.keyboard.type('Connect an agent')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Connect an agent' }).waitFor()
      await isSound(page, 'connecting an agent')
      await page.keyboard.press('Escape')
      await fetch(`${url}/threads/trip`, { method: 'DELETE' })
      await page.getByText('This plan was deleted').waitFor()
      await isSound(page, 'a deleted plan')
      await page.goto(`${url}/nowhere`)
      await page.getByRole('heading', { name: 'Nothing is here' }).waitFor()
      await isSound(page, 'an address at which nothing is')
      await page.goto(`${url}/t/empty`)
      await page.getByText('Nothing is planned yet.').waitFor()
      await isSound(page, 'an empty plan')
    }, 120_000)
  }

  test('axe finds nothing where one is not let in, or offline', async () => {
    const { url } = await serveGuarded()
    const page = await visit(`${url}/t/trip`)
    await page.getByText('The server wants to know who you are.').waitFor()
    await isSound(page, 'no access')
    await page.goto(url)
    await page.getByLabel('Your token').waitFor()
    await isSound(page, 'no access to the list')
    await page.context().addInitScript(() => localStorage.clear())
    await page.context().routeWebSocket(/sync/, (socket) => void socket.close())
    await page.goto(`${url}/t/trip`)
    await page.locator('.pill[data-state=offline]').waitFor()
    await isSound(page, 'offline')
  })

  test('rows have the roles and properties of a tree, and one of them is in the way of Tab', async () => {
    const { url } = await serve()
    await seed(url, 'trip', PLAN)
    const page = await visitPlan(url, 'trip')
    await page.getByRole('tree', { name: 'Steps of the plan' }).waitFor()
    const of = (text: string) =>
      rowOf(page, text).evaluate((row) =>
        ['aria-level', 'aria-posinset', 'aria-setsize', 'aria-expanded'].map((name) => row.getAttribute(name)),
      )
    expect(await of('Book a flat')).toEqual(['1', '1', '3', 'true'])
    expect(await of('Ask Ada')).toEqual(['2', '2', '2', null])
    const stops = (): Promise<number> => page.locator('[role=tree] [tabindex="0"], [role=tree][tabindex="0"]').count()
    expect(await stops()).toBe(1)
    await rowOf(page, 'Leave').click()
    expect(await stops()).toBe(1)
    expect(await rowOf(page, 'Leave').getAttribute('tabindex')).toBe('0')
    // The focus can be seen.
    await page.keyboard.press('ArrowUp')
    const ring = await rowOf(page, 'Boots').evaluate((row) => getComputedStyle(row, '::before').boxShadow)
    expect(ring).not.toBe('none')
  })

  test('what others do is read out gathered and politely, what one does oneself at once', async () => {
    const { url } = await serve()
    await seed(url, 'trip', PLAN)
    const page = await visitPlan(url, 'trip')
    const region = page.locator('[aria-live=polite][role=log]')
    await rowOf(page, 'Pack').click()
    await page.keyboard.press('Space')
    await eventually(
      () => region.textContent(),
      (text) => expect(text).toBe('Done'),
    )
    const said = page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const node = document.querySelector('[aria-live=polite][role=log]')
          const texts: string[] = []
          const look = new MutationObserver(() => {
            texts.push(node?.textContent ?? '')
            if (/10 changes/.test(texts.join())) resolve(texts)
          })
          if (node !== null) look.observe(node, { childList: true, characterData: true, subtree: true })
        }),
    )
    for (let i = 0; i < 10; i++) await call(url, 'trip', 'add_todos', { steps: [{ text: `New ${i}` }] })
    expect(await said).toEqual(['scout: 10 changes'])
  })

  test('a phone: nothing sticks out, and what is touched is 44 pixels', async () => {
    const { url } = await serve()
    await fullPlan(url)
    const page = await visitPlan(url, 'trip', { narrow: true, hasTouch: true, isMobile: true })
    await rowOf(page, 'Ask Ada').waitFor()
    const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
    expect(width[0]).toBeLessThanOrEqual(width[1] ?? 0)
    const small = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('button, .row, input, select')]
        .filter((node) => node.checkVisibility() && node.getClientRects().length > 0)
        .map((node) => ({ node: node.getAttribute('aria-label') ?? node.className, box: node.getBoundingClientRect() }))
        .filter(({ box }) => box.height < 43.5 || box.width < 43.5)
        .map(({ node, box }) => `${node} ${box.width}x${box.height}`),
    )
    expect(small).toEqual([])
    await isSound(page, 'a phone')
    // By touch alone: tick, and move by the menu.
    await rowOf(page, 'Ask Ada').getByRole('button', { name: /tick/ }).tap()
    await page.locator('.row.completed', { hasText: 'Ask Ada' }).waitFor()
    await rowOf(page, 'Leave')
      .getByRole('button', { name: /Actions/ })
      .tap()
    await page.getByRole('option', { name: 'Move up' }).tap()
    await eventually(
      () => rowOf(page, 'Leave').getAttribute('aria-posinset'),
      (at) => expect(at).toBe('2'),
    )
  })

  test('at 200 % all is still there, and text from right to left stands at the right', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\nשלום עולם\n')
    // 200 % of a window of 1280 is one of 640 with pixels twice as large.
    const page = await visitPlan(url, 'trip', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 })
    const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
    expect(width[0]).toBeLessThanOrEqual(width[1] ?? 0)
    await page.getByRole('button', { name: 'Commands' }).click()
    await page.keyboard.press('Escape')
    expect(
      await rowOf(page, 'שלום עולם')
        .locator('.text')
        .evaluate((text) => getComputedStyle(text).direction),
    ).toBe('rtl')
    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
    await rowOf(page, 'One').click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Below')
    await page.keyboard.press('Escape')
    // Inwards is to the left there.
    await page.keyboard.press('Alt+Shift+ArrowLeft')
    await eventually(
      () => rowOf(page, 'Below').getAttribute('aria-level'),
      (level) => expect(level).toBe('2'),
    )
    expect(await focusOf(page)).toBe('Below')
  })

  test('whoever wants no motion gets none', async () => {
    const { url } = await serve()
    await seed(url, 'trip', PLAN)
    const page = await visitPlan(url, 'trip', { reducedMotion: 'reduce' })
    await call(url, 'trip', 'add_todos', { steps: [{ text: 'New' }] })
    await rowOf(page, 'New').locator('.by').waitFor()
    const lasting = await page.evaluate(() =>
      document.getAnimations().map((one) => Number(one.effect?.getComputedTiming().duration ?? 0)),
    )
    expect(Math.max(0, ...lasting)).toBeLessThan(1)
  })
})
