import { expect, test } from 'vitest'
import { describePage, eventually, focusOf, rowOf, seed, serve, showsOutline, visitPlan } from './browser.ts'

const MANY = Array.from({ length: 400 }, (_, i) => (i % 10 === 0 ? `Part ${i}` : `  Step ${i}`)).join('\n')

describePage('finding and printing', () => {
  test('[P26] Ctrl+F finds in the whole plan, with a count, next and previous', async () => {
    const { url } = await serve()
    await seed(url, 'trip', MANY)
    const page = await visitPlan(url, 'trip')
    await rowOf(page, 'Part 0').click()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Control+f')
    const bar = page.getByRole('search', { name: 'Find' })
    const count = async (is: string): Promise<void> =>
      eventually(
        () => bar.getByRole('status').textContent(),
        (text) => expect(text).toBe(is),
      )
    await page.keyboard.type('step 39')
    await count('1 of 10')
    const inSight = (text: string): Promise<void> =>
      eventually(
        () =>
          rowOf(page, text).evaluateAll((rows) =>
            rows.map((row) => {
              const { top, bottom } = row.getBoundingClientRect()
              return document.elementFromPoint(300, (top + bottom) / 2)?.closest('.row') === row
            }),
          ),
        (found) => expect(found).toEqual([true]),
      )
    // Step 39 itself; then 391 and on.
    await inSight('Step 39')
    expect(await rowOf(page, 'Step 39').locator('mark').allTextContents()).toEqual(['Step 39'])
    await page.keyboard.press('Enter')
    await count('2 of 10')
    await inSight('Step 391')
    await page.keyboard.press('F3')
    await count('3 of 10')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.press('Shift+Enter')
    await count('10 of 10')
    await inSight('Step 399')
    await bar.getByRole('button', { name: 'Next' }).click()
    await count('1 of 10')
    // What is folded away is opened for it.
    await bar.getByRole('searchbox').fill('step 7')
    await count('2 of 10')
    await inSight('Step 71')
    await page.keyboard.press('Shift+Enter')
    await inSight('Step 7')
    await bar.getByRole('searchbox').fill('no such')
    await count('Not found')
    await bar.getByRole('searchbox').fill('step 255')
    await count('1 of 1')
    await page.keyboard.press('Escape')
    expect(await bar.count()).toBe(0)
    await eventually(
      () => focusOf(page),
      (text) => expect(text).toBe('Step 255'),
    )
    expect(await page.locator('mark').count()).toBe(0)
  })

  test('[P26] a find folds letters, looks into details, stays within the filter, and works on the board', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'Above\n  Café\n  Tea\ncafeteria\n')
    const page = await visitPlan(url, 'trip')
    await rowOf(page, 'Tea').click()
    await page.keyboard.press('o')
    await page.getByLabel('Details').fill('as in a CAFÉ')
    await page.keyboard.press('Control+Enter')
    await rowOf(page, 'Tea').click()
    await page.keyboard.press('Control+f')
    await page.keyboard.type('cafe')
    const status = page.getByRole('search', { name: 'Find' }).getByRole('status')
    const says = async (is: string): Promise<void> =>
      eventually(
        () => status.textContent(),
        (text) => expect(text).toBe(is),
      )
    await says('2 of 3')
    await page.getByLabel('Filter steps').fill('tea')
    await says('1 of 1')
    await page.getByLabel('Filter steps').fill('')
    await page.getByRole('button', { name: 'Board' }).click()
    await says('2 of 3')
    expect(await page.locator('.card mark').allTextContents()).toEqual(['Café', 'cafe'])
    // Once more: the browser's own.
    await page.getByRole('search', { name: 'Find' }).getByRole('searchbox').focus()
    const isOurs = await page.evaluate(() => {
      const event = new KeyboardEvent('keydown', { key: 'f', code: 'KeyF', ctrlKey: true, bubbles: true, cancelable: true }) // prettier-ignore
      document.activeElement?.dispatchEvent(event)
      return event.defaultPrevented
    })
    expect(isOurs).toBe(false)
  })

  test('[P26] a step that is gone to is shown, though its parent is folded', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'Above\n  Within\n    Inmost\nOther\n')
    const page = await visitPlan(url, 'trip')
    await rowOf(page, 'Above').click()
    await page.keyboard.press('ArrowLeft')
    await showsOutline(page, ['Above', 'Other'])
    await page.keyboard.press('Control+k')
    await page.keyboard.type('inmost')
    await page.keyboard.press('Enter')
    await showsOutline(page, ['Above', '  Within', '    Inmost', 'Other'])
    await eventually(
      () => focusOf(page),
      (text) => expect(text).toBe('Inmost'),
    )
    await page.getByLabel('Filter steps').fill('other')
    await showsOutline(page, ['Other'])
    await page.keyboard.press('Control+k')
    await page.keyboard.type('inmost')
    await page.keyboard.press('Enter')
    await eventually(
      () => focusOf(page),
      (text) => expect(text).toBe('Inmost'),
    )
  })

  test('[P11] [P26] the whole plan is printed, without controls, whatever is folded or open', async () => {
    const { url } = await serve()
    await seed(url, 'trip', `${MANY}\nx The end\n`)
    const page = await visitPlan(url, 'trip', { colorScheme: 'dark' })
    await rowOf(page, 'Part 0').click()
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('button', { name: 'Board' }).click()
    const pages = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0
    expect(pages(await page.pdf({ format: 'A4' }))).toBeGreaterThan(5)
    await page.emulateMedia({ media: 'print' })
    const printed = page.locator('.printed li')
    await eventually(
      () => printed.count(),
      (count) => expect(count).toBe(401),
    )
    const texts = await printed.locator('.text').allTextContents()
    expect([texts[0], texts[1], texts[399], texts[400]]).toEqual(['Part 0', 'Step 1', 'Step 399', 'The end'])
    expect(await printed.last().textContent()).toContain('Done')
    const controls = page.locator('button, input, textarea, select, [role=tree], .board, .side')
    expect(await controls.evaluateAll((all) => all.filter((node) => node.checkVisibility()).length)).toBe(0)
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(ground).toBe('rgb(255, 255, 255)')
    await page.emulateMedia({ media: 'screen' })
    await page.locator('.printed').waitFor({ state: 'detached' })
    await page.locator('.board').waitFor()
  })
})
