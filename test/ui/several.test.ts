import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { atPlan, describePage, eventually, focusOf, rowOf, showsOutline } from './browser.ts'

const chosen = (page: Page, texts: readonly string[]): Promise<void> =>
  eventually(
    () => page.locator('[role=treeitem][aria-selected=true] .text').allTextContents(),
    (found) => expect(found).toEqual(texts),
  )

describePage('several steps at once', () => {
  test('[13-2] Shift+arrows, Shift-click, Ctrl-click and Ctrl+A choose; an arrow or a click lets go', async () => {
    const { page, press } = await atPlan('One\nTwo\nThree\nFour\n')
    await rowOf(page, 'Two').click()
    await press('Shift+ArrowDown')
    await chosen(page, ['Two', 'Three'])
    expect(await focusOf(page)).toBe('Three')
    // They look as the others do, but for their ground.
    const look = (text: string): Promise<string[]> =>
      rowOf(page, text)
        .locator('.text')
        .evaluate((node) => [getComputedStyle(node).fontSize, getComputedStyle(node).color])
    expect(await look('Two')).toEqual(await look('Four'))
    await press('Shift+ArrowUp', 'Shift+ArrowUp')
    await chosen(page, ['One', 'Two'])
    await press('ArrowDown')
    await chosen(page, ['Two'])
    await rowOf(page, 'Four').click({ modifiers: ['Shift'] })
    await chosen(page, ['Two', 'Three', 'Four'])
    await rowOf(page, 'Three').click({ modifiers: ['Control'] })
    await chosen(page, ['Two', 'Four'])
    await rowOf(page, 'One').click({ modifiers: ['Control'] })
    await chosen(page, ['One', 'Two', 'Four'])
    await press('Control+a')
    await chosen(page, ['One', 'Two', 'Three', 'Four'])
    await press('Escape')
    await chosen(page, ['One'])
    await press('Control+a')
    await rowOf(page, 'Three').click()
    await chosen(page, ['Three'])
    expect(await page.getByRole('tree').getAttribute('aria-multiselectable')).toBe('true')
  })

  test('[13-2] status, owner, group and tick go to all of them, and are one undo', async () => {
    const { page, press } = await atPlan('One\nTwo\n  Below\nThree\n')
    await rowOf(page, 'One').click()
    await press('Shift+ArrowDown', 'Shift+ArrowDown', 's')
    await page.keyboard.type('blocked')
    await press('Enter')
    await showsOutline(page, ['One (blocked)', 'Two (blocked)', '  Below (blocked)', 'Three'])
    await press('g')
    await page.keyboard.type('Both')
    await press('Enter')
    await eventually(
      () => page.locator('.row .chip').count(),
      (count) => expect(count).toBe(3),
    )
    await press('a')
    await page.getByRole('option', { name: 'Ada (you)' }).click()
    await eventually(
      () => page.locator('.row .owned').count(),
      (count) => expect(count).toBe(3),
    )
    await press('Space')
    await showsOutline(page, ['One (completed)', 'Two (completed)', '  Below (completed)', 'Three'])
    await press('Control+z', 'Control+z', 'Control+z', 'Control+z')
    await showsOutline(page, ['One', 'Two', '  Below', 'Three'])
    expect(await page.locator('.row .chip').count()).toBe(0)
  })

  test('[13-2] move, indent, outdent, cut, copy and delete take all of them along, and are one undo', async () => {
    const { page, press } = await atPlan('Head\nOne\nTwo\n  Below\nThree\nLast\n')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const before = ['Head', 'One', 'Two', '  Below', 'Three', 'Last']
    const three = async (): Promise<void> => {
      await rowOf(page, 'One').click()
      await press('Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowDown')
      await chosen(page, ['One', 'Two', 'Below', 'Three'])
    }
    await three()
    await press('Alt+Shift+ArrowRight')
    await showsOutline(page, ['Head', '  One', '  Two', '    Below', '  Three', 'Last'])
    await press('Alt+Shift+ArrowLeft')
    await showsOutline(page, before)
    await press('Alt+Shift+ArrowDown')
    await showsOutline(page, ['Head', 'Last', 'One', 'Two', '  Below', 'Three'])
    await press('Alt+Shift+ArrowUp', 'Alt+Shift+ArrowUp')
    await showsOutline(page, ['One', 'Two', '  Below', 'Three', 'Head', 'Last'])
    await press('m')
    await page.keyboard.type('last')
    await press('Enter')
    await showsOutline(page, ['Head', 'Last', '  One', '  Two', '    Below', '  Three'])
    await press('Control+z', 'Control+z', 'Control+z', 'Control+z', 'Control+z', 'Control+z')
    await showsOutline(page, before)
    await three()
    await press('Control+c')
    await eventually(
      () => page.evaluate(() => navigator.clipboard.readText()),
      (text) => expect(text).toBe('- [ ] One\n- [ ] Two\n  - [ ] Below\n- [ ] Three'),
    )
    await press('Control+x')
    await rowOf(page, 'Last').click()
    await press('Control+v')
    await showsOutline(page, ['Head', 'Last', 'One', 'Two', '  Below', 'Three'])
    await three()
    await press('Delete')
    await showsOutline(page, ['Head', 'Last'])
    await page.locator('.notice', { hasText: 'Removed 4 steps' }).getByRole('button', { name: 'Undo' }).click()
    await showsOutline(page, ['Head', 'Last', 'One', 'Two', '  Below', 'Three'])
    await press('Control+z')
    await showsOutline(page, before)
  })
})
