import { expect, test } from 'vitest'
import { describePage, eventually, rowOf, seed, serve, showsOutline, visitPlan } from './browser.ts'

async function two() {
  const { url } = await serve()
  await seed(url, 'trip', 'One\nTwo\n')
  const [ada, bob] = await Promise.all([visitPlan(url, 'trip'), visitPlan(url, 'trip', { name: 'Bob' })])
  for (const page of [ada, bob]) {
    await rowOf(page, 'One').click()
    await page.keyboard.press('o')
  }
  return { ada, bob }
}

describePage('texts', () => {
  test('[P2] of two who write the details of one step, the later chooses and the earlier is told', async () => {
    const { ada, bob } = await two()
    await ada.getByLabel('Details').fill('By train')
    await bob.getByLabel('Details').fill('By boat')
    await ada.getByLabel('Details').blur()
    await rowOf(bob, 'One').locator('.mark').first().waitFor()
    await bob.getByLabel('Details').blur()
    const choice = bob.getByRole('alert', { name: 'Two texts' })
    await choice.getByText('Ada wrote another text while you typed yours.').waitFor()
    expect(await choice.locator('dd').allTextContents()).toEqual(['By boat', 'By train'])
    await choice.getByRole('button', { name: 'Use mine' }).click()
    const told = ada.getByRole('alert', { name: 'Two texts' })
    await told.getByText('Bob replaced what you wrote.').waitFor()
    expect(await told.locator('dd').allTextContents()).toEqual(['By train', 'By boat'])
    await told.getByRole('button', { name: 'Use mine' }).click()
    await eventually(
      () => ada.getByLabel('Details').inputValue(),
      (text) => expect(text).toBe('By train'),
    )
  })

  test('[P2] so it is with the title', async () => {
    const { ada, bob } = await two()
    const title = (page: typeof ada) => page.getByLabel('Title of the plan')
    await title(ada).fill('Norway')
    await title(bob).fill('Sweden')
    await title(ada).press('Enter')
    await eventually(
      () => bob.title(),
      (text) => expect(text).toContain('Norway'),
    )
    await title(bob).press('Enter')
    const choice = bob.getByRole('alert', { name: 'Two texts' })
    expect(await choice.locator('dd').allTextContents()).toEqual(['Sweden', 'Norway'])
    await choice.getByRole('button', { name: 'Leave what is in the plan' }).click()
    await choice.waitFor({ state: 'detached' })
    expect(await title(bob).inputValue()).toBe('Norway')
  })

  test('[P2] what both only added, at different places, is put together', async () => {
    const { ada, bob } = await two()
    await ada.getByLabel('Details').fill('Boots, rope')
    await ada.getByLabel('Details').blur()
    await eventually(
      () => bob.getByLabel('Details').inputValue(),
      (text) => expect(text).toBe('Boots, rope'),
    )
    await ada.getByLabel('Details').fill('Tent, Boots, rope')
    await bob.getByLabel('Details').fill('Boots, rope, knife')
    await ada.getByLabel('Details').blur()
    // Theirs is here once the server has it.
    await ada.locator('.pill[data-state=online][data-unsaved="0"]').waitFor()
    await rowOf(bob, 'One').locator('.by').waitFor()
    await bob.getByLabel('Details').blur()
    await eventually(
      () => ada.getByLabel('Details').inputValue(),
      (text) => expect(text).toBe('Tent, Boots, rope, knife'),
    )
    expect(await bob.getByRole('alert', { name: 'Two texts' }).count()).toBe(0)
  })

  test('[P3] details, title, a row and a new step are offered after a reload', async () => {
    const { ada: page } = await two()
    const choice = page.getByRole('alert', { name: 'Two texts' })
    const offered = async (text: string): Promise<void> => {
      await page.reload()
      await choice.getByText('You had typed this, and it was not kept yet.').waitFor()
      expect(await choice.locator('dd').first().textContent()).toBe(text)
      await rowOf(page, 'Two').waitFor()
      await choice.getByRole('button', { name: 'Use mine' }).click()
      await choice.waitFor({ state: 'detached' })
    }
    await page.getByLabel('Details').fill('By train')
    await offered('By train')
    await rowOf(page, 'One').click()
    await page.keyboard.press('o')
    expect(await page.getByLabel('Details').inputValue()).toBe('By train')
    await page.getByLabel('Title of the plan').fill('Norway')
    await offered('Norway')
    expect(await page.getByLabel('Title of the plan').inputValue()).toBe('Norway')
    await rowOf(page, 'One').click()
    await page.keyboard.press('F2')
    await page.keyboard.type(' more')
    await offered('One more')
    await showsOutline(page, ['One more', 'Two'])
    await rowOf(page, 'Two').click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Three')
    await page.reload()
    await page.getByText('You had typed this, and it was not added yet.').waitFor()
    await page.getByRole('button', { name: 'Add as a new step' }).click()
    await showsOutline(page, ['One more', 'Two', 'Three'])
  })

  test('[P3] what was typed in a tab that is gone is offered in the next one', async () => {
    const { ada } = await two()
    await ada.getByLabel('Details').fill('By train')
    const next = await ada.context().newPage()
    await next.goto(ada.url())
    await rowOf(next, 'One').waitFor()
    expect(await next.getByRole('alert', { name: 'Two texts' }).count()).toBe(0)
    await next.close()
    const url = ada.url()
    const { context } = { context: ada.context() }
    await ada.close()
    const later = await context.newPage()
    await later.goto(url)
    await later.getByRole('alert', { name: 'Two texts' }).getByText('By train').waitFor()
  })
})
