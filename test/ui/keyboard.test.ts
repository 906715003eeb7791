import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { atPlan, describePage, eventually, focusOf, rowOf, showsOutline } from './browser.ts'

/** Opens what a step waits for, to be chosen. */
async function openWaits(page: Page, step: string): Promise<Locator> {
  await rowOf(page, step).click()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Waits for')
  await page.keyboard.press('Enter')
  return page.getByRole('combobox', { name: 'Waits for' })
}

async function makeWait(page: Page, step: string, on: string): Promise<void> {
  await (await openWaits(page, step)).fill(on)
  await page.keyboard.press('Enter')
}

describePage('deeds and keys', () => {
  test('[P1] the Undo of a toast takes back what it names, whatever came after', async () => {
    const { page } = await atPlan('A\nB\nC\n')
    await rowOf(page, 'A').click()
    await page.keyboard.press('Delete')
    await rowOf(page, 'C').click()
    await page.keyboard.press('Space')
    await showsOutline(page, ['B', 'C (completed)'])
    await page.locator('.notice', { hasText: 'Removed a step' }).getByRole('button', { name: 'Undo' }).click()
    await showsOutline(page, ['A', 'B', 'C (completed)'])
  })

  test('[P1] a toast whose deed was undone already says so', async () => {
    const { page } = await atPlan('A\nB\n')
    await rowOf(page, 'A').click()
    await page.keyboard.press('Delete')
    await showsOutline(page, ['B'])
    await page.keyboard.press('Control+z')
    await showsOutline(page, ['A', 'B'])
    await page.locator('.notice', { hasText: 'Removed a step' }).getByRole('button', { name: 'Undo' }).click()
    await page.locator('.notice', { hasText: 'It was undone already.' }).waitFor()
    await showsOutline(page, ['A', 'B'])
  })

  test('[P5] the whole page is walked by keys: Tab leaves the list, F6 goes round, o leads into the panel', async () => {
    const { page } = await atPlan('One\nTwo\n  Three\n')
    await rowOf(page, 'Two').click()
    await page.keyboard.press('Tab')
    await showsOutline(page, ['One', 'Two', '  Three'])
    const part = (): Promise<string> =>
      page.evaluate(
        () =>
          ['.views [role=tree]', '.views', '.side', '.top-bar'].find((one) => document.activeElement?.closest(one)) ??
          '',
      )
    expect(await part()).toBe('.views')
    await page.keyboard.press('Tab')
    expect(await part()).toBe('.side')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    expect(await focusOf(page)).toBe('Two')
    await page.keyboard.press('Shift+Tab')
    expect(await part()).toBe('.top-bar')
    for (const [key, where] of [
      ['F6', '.views [role=tree]'],
      ['F6', '.side'],
      ['F6', '.top-bar'],
      ['Shift+F6', '.side'],
      ['Escape', '.views [role=tree]'],
    ] as const) {
      await page.keyboard.press(key)
      expect(await part(), key).toBe(where)
    }
    expect(await focusOf(page)).toBe('Two')
    await page.keyboard.press('o')
    await eventually(part, (where) => expect(where).toBe('.side'))
    const reached: string[] = []
    for (let i = 0; i < 10; i++) {
      reached.push(await page.evaluate(() => document.activeElement?.tagName ?? ''))
      await page.keyboard.press('Tab')
    }
    expect(reached).toContain('TEXTAREA')
    await page.keyboard.press('F6')
    await rowOf(page, 'Two').click()
    await page.keyboard.press('o')
    await eventually(part, (where) => expect(where).toBe('.side'))
    await page.keyboard.press('Escape')
    expect(await focusOf(page)).toBe('Two')
    // By Tab alone one gets round the whole page: nothing keeps the focus.
    const walk: string[] = []
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab')
      walk.push(await part())
    }
    expect(new Set(walk)).toEqual(new Set(['.views [role=tree]', '.views', '.side', '.top-bar', '']))
  })

  test('[P6] after a filter all that fits is shown again', async () => {
    const { page } = await atPlan('One\nTwo\nThree\nFour\nFive\n')
    for (const text of ['One', 'Three', 'Five']) {
      await rowOf(page, text).click()
      await page.getByLabel('Filter steps').fill('five')
      await showsOutline(page, ['Five'])
      await page.getByLabel('Filter steps').fill('')
      await showsOutline(page, ['One', 'Two', 'Three', 'Four', 'Five'])
      expect(await page.locator('.outline').evaluate((node) => node.scrollTop)).toBe(0)
      await page.locator('.outline').hover()
      await page.mouse.wheel(0, 400)
      await eventually(
        () => page.locator('.outline').evaluate((node) => node.scrollHeight - node.clientHeight),
        (rest) => expect(rest).toBe(0),
      )
    }
  })

  test('[P14] a circle of dependencies is refused with the reason', async () => {
    const { page } = await atPlan('A\nB\n')
    await makeWait(page, 'A', 'B')
    await rowOf(page, 'A').locator('.waits').waitFor()
    await makeWait(page, 'B', 'A')
    await page.locator('.notice', { hasText: '“A” waits for “B” already' }).waitFor()
    expect(await rowOf(page, 'B').locator('.waits').count()).toBe(0)
  })

  test('the places and the dependencies of a step are offered, however many steps stand before them', async () => {
    const below = Array.from({ length: 60 }, (_, i) => `  Sub ${i}\n`).join('')
    const { page } = await atPlan(`Big\n${below}Last\nFar\n`)
    await rowOf(page, 'Big').click()
    await page.keyboard.press('m')
    const options = page.getByRole('listbox').getByRole('option')
    await eventually(
      () => options.allTextContents(),
      (texts) => expect(texts.map((text) => text.replace(/#\d+$/, ''))).toEqual(['Top level', 'Last', 'Far']),
    )
    await page.keyboard.press('Escape')
    await makeWait(page, 'Sub 0', 'Far')
    await rowOf(page, 'Sub 0').locator('.waits').waitFor()
    // What it waits for stands first, to be taken away.
    await openWaits(page, 'Sub 0')
    await eventually(
      () => options.first().textContent(),
      (text) => expect(text).toMatch(/^Far.*chosen/),
    )
  })

  test('[P16] the circle does what it says, for every status', async () => {
    const { page } = await atPlan('A\n')
    const row = rowOf(page, 'A')
    for (const [status, label, after] of [
      ['Cancelled', 'Cancelled: open again', 'A'],
      ['Done', 'Done: open again', 'A'],
      ['Blocked', 'Blocked: tick', 'A (completed)'],
      ['In progress', 'In progress: tick', 'A (completed)'],
      ['To do', 'To do: tick', 'A (completed)'],
    ] as const) {
      await row.click()
      await page.keyboard.press('s')
      await page.keyboard.type(status)
      await page.keyboard.press('Enter')
      await row.getByRole('button', { name: label }).click()
      await showsOutline(page, [after])
    }
  })

  test('[P23] the letters work on Cyrillic, Greek and Hebrew layouts', async () => {
    const { page } = await atPlan('A\nB\nC\n')
    const press = (key: string, code: string, more = {}): Promise<void> =>
      page.evaluate((init) => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', init)), {
        key,
        code,
        bubbles: true,
        cancelable: true,
        ...more,
      })
    const layouts = [
      ['о', 'л', 'ы', 'я'],
      ['ξ', 'κ', 'σ', 'ζ'],
      ['ח', 'ל', 'ד', 'ז'],
    ] as const
    for (const [j, k, s, z] of layouts) {
      await rowOf(page, 'A').click()
      await press(j, 'KeyJ')
      expect(await focusOf(page)).toBe('B')
      await press(k, 'KeyK')
      expect(await focusOf(page)).toBe('A')
      await press(s, 'KeyS')
      await page.getByRole('dialog', { name: 'Status' }).waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Space')
      await showsOutline(page, ['A (completed)', 'B', 'C'])
      await press(z, 'KeyZ', { ctrlKey: true })
      await showsOutline(page, ['A', 'B', 'C'])
    }
  })
})
