import { expect, test } from 'vitest'
import {
  call,
  describePage,
  eventually,
  focusOf,
  outlineOf,
  rowOf,
  seed,
  serve,
  showsOutline,
  visitPlan,
} from './browser.ts'

const PLAN = `
Book a flat
  Compare three
  Ask Ada
Pack
  Boots
Leave
`

async function atPlan(outline = PLAN) {
  const server = await serve()
  await seed(server.url, 'trip', outline)
  const page = await visitPlan(server.url, 'trip')
  return {
    ...server,
    page,
    press: (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve()),
  }
}

describePage('the outline', () => {
  test('arrows and j, k move; arrows collapse and expand; Home and End', async () => {
    const { page, press } = await atPlan()
    await rowOf(page, 'Book a flat').click()
    await press('ArrowDown')
    expect(await focusOf(page)).toBe('Compare three')
    await press('j')
    expect(await focusOf(page)).toBe('Ask Ada')
    await press('k', 'ArrowLeft')
    expect(await focusOf(page)).toBe('Book a flat')
    await press('ArrowLeft')
    await showsOutline(page, ['Book a flat', 'Pack', '  Boots', 'Leave'])
    expect(await rowOf(page, 'Book a flat').getAttribute('aria-expanded')).toBe('false')
    await press('ArrowRight', 'ArrowRight')
    expect(await focusOf(page)).toBe('Compare three')
    await press('End')
    expect(await focusOf(page)).toBe('Leave')
    await press('Home')
    expect(await focusOf(page)).toBe('Book a flat')
  })

  test('Enter makes the next sibling, Tab and Shift+Tab choose its depth, Esc leaves', async () => {
    const { page, press } = await atPlan()
    await rowOf(page, 'Pack').click()
    await press('Enter')
    await page.keyboard.type('Say goodbye')
    await press('Enter')
    await page.keyboard.type('To the cat')
    await press('Tab', 'Enter')
    await page.keyboard.type('To the dog')
    await press('Escape')
    const wanted = [
      'Book a flat',
      '  Compare three',
      '  Ask Ada',
      'Pack',
      '  Boots',
      'Say goodbye',
      '  To the cat',
      '  To the dog',
      'Leave',
    ]
    await showsOutline(page, wanted)
    expect(await focusOf(page)).toBe('To the dog')
    await press('Enter', 'Shift+Tab')
    await page.keyboard.type('Really')
    await press('Enter', 'Escape')
    await showsOutline(page, [...wanted.slice(0, 8), 'Really', 'Leave'])
    // An empty one leaves nothing behind.
    await press('Enter', 'Enter')
    expect(await page.locator('.row.draft').count()).toBe(0)
  })

  test('Alt+Shift+arrows take the sub-tree along, and Tab while one types', async () => {
    const { page, press } = await atPlan()
    await rowOf(page, 'Pack').click()
    await press('Alt+Shift+ArrowRight')
    await showsOutline(page, ['Book a flat', '  Compare three', '  Ask Ada', '  Pack', '    Boots', 'Leave'])
    expect(await focusOf(page)).toBe('Pack')
    await press('Alt+Shift+ArrowUp', 'Alt+Shift+ArrowUp')
    await showsOutline(page, ['Book a flat', '  Pack', '    Boots', '  Compare three', '  Ask Ada', 'Leave'])
    await press('Alt+Shift+ArrowLeft')
    await showsOutline(page, ['Book a flat', '  Compare three', '  Ask Ada', 'Pack', '  Boots', 'Leave'])
    await press('Alt+Shift+ArrowDown')
    await showsOutline(page, ['Book a flat', '  Compare three', '  Ask Ada', 'Leave', 'Pack', '  Boots'])
    await press('Alt+Shift+ArrowRight')
    await showsOutline(page, ['Book a flat', '  Compare three', '  Ask Ada', 'Leave', '  Pack', '    Boots'])
    await press('Alt+Shift+ArrowLeft', 'F2')
    await page.keyboard.type(' now')
    await press('Tab')
    await page.keyboard.type('!')
    await press('Enter', 'Escape')
    await showsOutline(page, ['Book a flat', '  Compare three', '  Ask Ada', 'Leave', '  Pack now!', '    Boots'])
  })

  test('Space and Ctrl+Enter tick; e edits; what one did is undone and done again', async () => {
    const { page, press } = await atPlan()
    await rowOf(page, 'Boots').click()
    await press('Space')
    await showsOutline(page, ['Book a flat', '  Compare three', '  Ask Ada', 'Pack', '  Boots (completed)', 'Leave'])
    await press('ArrowDown', 'Control+Enter')
    await expect.poll(() => outlineOf(page)).toContain('Leave (completed)')
    await press('e')
    await page.keyboard.type(' early')
    await press('Control+Enter')
    await expect.poll(() => outlineOf(page)).toContain('Leave early')
    await press('Control+z', 'Control+z', 'Control+z', 'Control+z')
    await showsOutline(page, ['Book a flat', '  Compare three', '  Ask Ada', 'Pack', '  Boots', 'Leave'])
    await press('Control+Shift+z')
    await expect.poll(() => outlineOf(page)).toContain('  Boots (completed)')
    await page.getByRole('button', { name: 'Undo' }).click()
    await showsOutline(page, ['Book a flat', '  Compare three', '  Ask Ada', 'Pack', '  Boots', 'Leave'])
  })

  test('Delete removes with all below, and offers to take it back', async () => {
    const { page, press } = await atPlan()
    await rowOf(page, 'Book a flat').click()
    await press('Delete')
    await showsOutline(page, ['Pack', '  Boots', 'Leave'])
    expect(await focusOf(page)).toBe('Pack')
    await page.locator('.notice').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => outlineOf(page)).toContain('  Compare three')
  })

  test('/ filters and keeps the way to what fits, Esc lets all back in', async () => {
    const { page, press } = await atPlan()
    await rowOf(page, 'Leave').click()
    await press('/')
    await page.keyboard.type('boots')
    await showsOutline(page, ['Pack', '  Boots'])
    await press('Enter')
    expect(await focusOf(page)).toBe('Pack')
    await press('Escape')
    await showsOutline(page, ['Book a flat', '  Compare three', '  Ask Ada', 'Pack', '  Boots', 'Leave'])
    await press('/')
    await page.keyboard.type('is:done')
    await showsOutline(page, [])
  })

  test('Ctrl+K finds commands and steps, ? shows the keys', async () => {
    const { page, press } = await atPlan()
    await rowOf(page, 'Leave').click()
    await press('Control+k')
    await page.keyboard.type('ask ada')
    await press('Enter')
    await eventually(
      () => focusOf(page),
      (text) => expect(text).toBe('Ask Ada'),
    )
    await press('Control+k')
    await page.keyboard.type('mark as done')
    await press('Enter')
    await expect.poll(() => outlineOf(page)).toContain('  Ask Ada (completed)')
    expect(await focusOf(page)).toBe('Ask Ada')
    await press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await press('Escape')
    expect(await focusOf(page)).toBe('Ask Ada')
  })

  test('"Move to…" does by keys what dragging does', async () => {
    const { page, press } = await atPlan()
    await rowOf(page, 'Ask Ada').click()
    await press('m')
    await page.getByRole('dialog', { name: 'Move to' }).waitFor()
    await page.keyboard.type('pack')
    await press('Enter')
    await showsOutline(page, ['Book a flat', '  Compare three', 'Pack', '  Boots', '  Ask Ada', 'Leave'])
    await eventually(
      () => focusOf(page),
      (text) => expect(text).toBe('Ask Ada'),
    )
  })

  test('dragging shows by a line where and how deep, and Esc gives it up', async () => {
    const { page } = await atPlan()
    const from = (await rowOf(page, 'Leave').locator('.text').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const to = (await rowOf(page, 'Pack').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const start = async (): Promise<void> => {
      await page.mouse.move(from.x + 10, from.y + 10)
      await page.mouse.down()
      await page.mouse.move(from.x + 20, from.y - 20)
      await page.mouse.move(from.x + 34, to.y + 2, { steps: 4 })
    }
    await start()
    await expect.poll(() => page.locator('.drop-line').getAttribute('data-level')).toBe('2')
    await page.keyboard.press('Escape')
    expect(await page.locator('.drop-line').count()).toBe(0)
    await page.mouse.up()
    await showsOutline(page, ['Book a flat', '  Compare three', '  Ask Ada', 'Pack', '  Boots', 'Leave'])
    await start()
    // Two levels to the right.
    await page.mouse.move(from.x + 58, to.y + 2)
    await expect.poll(() => page.locator('.drop-line').getAttribute('data-level')).toBe('3')
    await page.mouse.up()
    await showsOutline(page, ['Book a flat', '  Compare three', '  Ask Ada', '    Leave', 'Pack', '  Boots'])
  })

  test('a pasted Markdown list becomes steps, and copying gives one', async () => {
    const { page, press } = await atPlan('One\n')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const list = '- [x] Tent\n  - [ ] Pegs\n    and a hammer\n- [*] Stove\n- [ ] Gas\n'
    await page.evaluate((text) => navigator.clipboard.writeText(text), list)
    await rowOf(page, 'One').click()
    await press('Control+v')
    await showsOutline(page, ['One', 'Tent (completed)', '  Pegs and a hammer', 'Stove (in_progress)', 'Gas'])
    await rowOf(page, 'Tent').click()
    await press('Control+c')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('- [x] Tent\n  - [ ] Pegs and a hammer')
    // Into a text that is being typed, too.
    await page.evaluate(() => navigator.clipboard.writeText('- Rope\n- Knife\n'))
    await rowOf(page, 'Gas').click()
    await press('Enter')
    await press('Control+v')
    await expect
      .poll(() => outlineOf(page))
      .toEqual(['One', 'Tent (completed)', '  Pegs and a hammer', 'Stove (in_progress)', 'Gas', 'Rope', 'Knife'])
  })

  test('with nothing chosen, an arrow enters the list, and a paste fills an empty plan', async () => {
    const { page, press } = await atPlan()
    await rowOf(page, 'Leave').waitFor()
    await press('ArrowDown')
    expect(await focusOf(page)).toBe('Book a flat')
    await page.goto(page.url().replace('trip', 'empty'))
    await page.getByText('Nothing is planned yet.').waitFor()
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.setData('text/plain', '- One\n  - Two')
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
    })
    await showsOutline(page, ['One', '  Two'])
  })

  test('keys that an input method composes with are not ours', async () => {
    const { page, press } = await atPlan('One\n')
    await rowOf(page, 'One').click()
    await press('F2')
    const session = await page.context().newCDPSession(page)
    await session.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 })
    // Enter takes the candidate: the browser says so by keyCode 229 and isComposing.
    await page.locator('textarea.field').evaluate((field) => {
      const init = { key: 'Enter', keyCode: 229, isComposing: true, bubbles: true, cancelable: true }
      field.dispatchEvent(new KeyboardEvent('keydown', init))
    })
    expect(await page.locator('textarea.field').count()).toBe(1)
    await session.send('Input.insertText', { text: '日本' })
    await press('Enter', 'Escape')
    await showsOutline(page, ['One日本'])
  })

  test('status, group and what a step waits for are set by choosing', async () => {
    const { page, url, press } = await atPlan()
    await rowOf(page, 'Leave').click()
    await press('s')
    await page.keyboard.type('block')
    await press('Enter')
    await expect.poll(() => outlineOf(page)).toContain('Leave (blocked)')
    await press('g')
    await page.keyboard.type('Departure')
    await press('Enter')
    await rowOf(page, 'Leave').locator('.chip', { hasText: 'Departure' }).waitFor()
    await page.locator('.group-bar', { hasText: 'Departure' }).waitFor()
    await rowOf(page, 'Leave').hover()
    await rowOf(page, 'Leave')
      .getByRole('button', { name: /Actions/ })
      .click()
    await page.getByRole('option', { name: 'Waits for' }).click()
    await page.getByRole('combobox', { name: 'Waits for' }).fill('pack')
    await press('Enter')
    await rowOf(page, 'Leave').locator('.waits').waitFor()
    await call(url, 'trip', 'toggle_todos', { texts: ['Boots'] }).catch(() => {})
    await press('o')
    await page.getByLabel('Details').fill('By the night train')
    await press('Control+Enter')
    await rowOf(page, 'Leave').locator('.mark').first().waitFor()
  })
})
