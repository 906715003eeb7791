import { expect, test } from 'vitest'
import { atPlan, describePage, eventually, focusOf, rowOf, showsOutline } from './browser.ts'

async function typingAt(outline: string) {
  const at = await atPlan(outline)
  const { page, press } = at
  const edit = async (text: string, caret: number): Promise<void> => {
    await rowOf(page, text).click()
    await press('F2', 'Home')
    for (let i = 0; i < caret; i++) await press('ArrowRight')
  }
  const caret = (): Promise<unknown> =>
    page.evaluate(() => {
      const field = document.activeElement
      return field instanceof HTMLTextAreaElement ? [field.value, field.selectionStart] : null
    })
  return { ...at, edit, caret }
}

describePage('the keys of an outliner', () => {
  test('[13-3] Enter splits at the caret, inserts above at the start, and is one undo', async () => {
    const { page, press, edit, caret } = await typingAt('One and two\nLast\n')
    await edit('One and two', 7)
    await press('Enter')
    await eventually(caret, (is) => expect(is).toEqual(['two', 0]))
    await press('Enter')
    await page.keyboard.type('Between')
    await press('Escape')
    await showsOutline(page, ['One and', 'Between', 'two', 'Last'])
    await press('Control+z', 'Control+z')
    await showsOutline(page, ['One and two', 'Last'])
  })

  test('[13-3] Enter at the end of an open parent makes its first sub-step, of a folded one the next step', async () => {
    const { page, press, edit } = await typingAt('Parent\n  Child\nLast\n')
    await edit('Parent', 6)
    await press('Enter')
    await page.keyboard.type('First')
    await press('Escape')
    await showsOutline(page, ['Parent', '  First', '  Child', 'Last'])
    await rowOf(page, 'Parent').click()
    await press('ArrowLeft', 'F2', 'Enter')
    await page.keyboard.type('Next')
    await press('Escape')
    await showsOutline(page, ['Parent', 'Next', 'Last'])
  })

  test('[13-3] Backspace at the start and Delete at the end merge, with what is below, in one undo', async () => {
    const { page, press, edit, caret } = await typingAt('One\nTwo\n  Below\nThree\n')
    await edit('Two', 0)
    await press('Backspace')
    await eventually(caret, (is) => expect(is).toEqual(['One Two', 3]))
    await press('Escape')
    await showsOutline(page, ['One Two', '  Below', 'Three'])
    await press('Control+z')
    await showsOutline(page, ['One', 'Two', '  Below', 'Three'])
    await edit('Below', 5)
    await press('Delete')
    await eventually(caret, (is) => expect(is).toEqual(['Below Three', 5]))
    await press('Escape')
    await showsOutline(page, ['One', 'Two', '  Below Three'])
    await press('Control+z')
    await showsOutline(page, ['One', 'Two', '  Below', 'Three'])
  })

  test('[13-3] what waits for a step that is merged waits for what it is in; what itself waits is not merged', async () => {
    const { page, press, edit } = await typingAt('One\nTwo\nThree\n')
    await rowOf(page, 'Three').click()
    await press('Control+k')
    await page.keyboard.type('Waits for…')
    await press('Enter')
    await page.getByRole('combobox', { name: 'Waits for' }).fill('two')
    await press('Enter')
    await rowOf(page, 'Three').locator('.waits', { hasText: '#2' }).waitFor()
    await edit('Three', 0)
    await press('Backspace')
    await page.locator('.notice', { hasText: 'waits for others' }).waitFor()
    await press('Escape')
    await edit('Two', 0)
    await press('Backspace', 'Escape')
    await showsOutline(page, ['One Two', 'Three'])
    await rowOf(page, 'Three').locator('.waits', { hasText: '#1' }).waitFor()
  })

  test('[13-3] Esc leaves the text as it was, and what was typed can still be had; Enter keeps it', async () => {
    const { page, press, edit } = await typingAt('One\nTwo\n')
    await edit('One', 3)
    await page.keyboard.type(' more')
    await press('Escape')
    await showsOutline(page, ['One', 'Two'])
    expect(await focusOf(page)).toBe('One')
    await page.locator('.notice').getByRole('button', { name: 'Keep what I typed' }).click()
    await showsOutline(page, ['One more', 'Two'])
    await edit('Two', 3)
    await page.keyboard.type('!')
    await press('Enter', 'Escape')
    await showsOutline(page, ['One more', 'Two!'])
  })

  test('[13-3] a click puts the caret where one clicked', async () => {
    const { page, press, caret } = await typingAt('Some words here\nOther words there\n')
    const at = async (text: string, offset: number): Promise<{ x: number; y: number }> =>
      rowOf(page, text)
        .locator('.text')
        .evaluate((node, index) => {
          const range = document.createRange()
          range.setStart(node.firstChild as Text, index)
          range.setEnd(node.firstChild as Text, index + 1)
          const { left, top, height } = range.getBoundingClientRect()
          return { x: left + 1, y: top + height / 2 }
        }, offset)
    const first = await at('Some words here', 5)
    await page.mouse.dblclick(first.x, first.y)
    await eventually(caret, (is) => expect(is).toEqual(['Some words here', 5]))
    const second = await at('Other words there', 12)
    await page.mouse.click(second.x, second.y)
    await eventually(caret, (is) => expect(is).toEqual(['Other words there', 12]))
    await press('Escape')
    // With nothing being typed, one click only chooses.
    const again = await at('Some words here', 2)
    await page.mouse.click(again.x, again.y)
    expect(await focusOf(page)).toBe('Some words here')
  })
})

describePage('zoom', () => {
  test('[13-3] z zooms into a sub-tree, breadcrumbs lead out, and what is gone to outside opens all again', async () => {
    const { page, press } = await typingAt('One\nTwo\n  Deep\n    Deeper\n  Beside\nThree\n')
    await rowOf(page, 'Deep').click()
    await press('z')
    await showsOutline(page, ['  Deep', '    Deeper'])
    const path = page.getByRole('navigation', { name: 'Zoomed into' })
    expect(await path.getByRole('button').allTextContents()).toEqual(['All', 'Two'])
    expect(await path.locator('[aria-current]').textContent()).toBe('Deep')
    // It stands at the edge, and a new step is made within.
    const edge = await rowOf(page, 'Deep').locator('.text').boundingBox()
    expect(edge?.x ?? 999).toBeLessThan(90)
    await page.getByRole('button', { name: 'New step' }).click()
    await page.keyboard.type('More')
    await press('Escape')
    await showsOutline(page, ['  Deep', '    Deeper', '    More'])
    await path.getByRole('button', { name: 'Two' }).click()
    await showsOutline(page, ['Two', '  Deep', '    Deeper', '    More', '  Beside'])
    await rowOf(page, 'Beside').click()
    await press('z', 'Shift+Z')
    await showsOutline(page, ['Two', '  Deep', '    Deeper', '    More', '  Beside'])
    await press('Control+k')
    await page.keyboard.type('three')
    await press('Enter')
    await showsOutline(page, ['One', 'Two', '  Deep', '    Deeper', '    More', '  Beside', 'Three'])
    // What goes out of the sub-tree is followed.
    await rowOf(page, 'Deep').click()
    await press('z')
    await rowOf(page, 'More').click()
    await press('Alt+Shift+ArrowLeft')
    await showsOutline(page, ['One', 'Two', '  Deep', '    Deeper', '  More', '  Beside', 'Three'])
    expect(await focusOf(page)).toBe('More')
    await press('Delete')
    await rowOf(page, 'Deep').click()
    await press('z', 'Delete')
    await showsOutline(page, ['One', 'Two', '  Beside', 'Three'])
  })
})
