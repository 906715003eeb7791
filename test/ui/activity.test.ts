import { expect, onTestFinished, test } from 'vitest'
import { connectPlan, type StepId } from '../../client/sdk/index.ts'
import { describePage, focusOf, rowOf, seed, serve, showsOutline, visitPlan } from './browser.ts'

describePage('the activity', () => {
  test('[13-4] an entry shows what exactly was changed, leads to the step, and brings back what was there', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\nTwo\n  Below two\n    Deeper\nThree\n')
    const page = await visitPlan(url, 'trip')
    const bob = connectPlan({ url, thread: 'trip', name: 'Bob', id: 'bob' })
    onTestFinished(() => bob.close())
    await bob.whenSynced()
    const [one, two] = bob.steps.map(({ id }) => id) as [StepId, StepId]
    bob.apply([{ type: 'setStep', id: one, fields: { text: 'One, of Bob', status: 'completed' } }])
    await bob.whenSaved()
    await showsOutline(page, ['One, of Bob (completed)', 'Two', '  Below two', '    Deeper', 'Three'])

    const entry = page.locator('.burst').filter({ hasText: 'Bob' })
    await entry.getByRole('button', { name: 'What exactly' }).click()
    const change = entry.locator('.changes li')
    await change.locator('ins').first().waitFor()
    expect(await change.locator('del').allTextContents()).toContain('One')
    expect(await change.locator('ins').allTextContents()).toContain('One, of Bob')
    await change.getByRole('button', { name: 'Go to One, of Bob' }).click()
    expect(await focusOf(page)).toBe('One, of Bob')
    await change.getByRole('button', { name: 'Restore One, of Bob as it was before' }).click()
    await showsOutline(page, ['One', 'Two', '  Below two', '    Deeper', 'Three'])
    // It is so already: nothing is offered any more.
    await change.getByRole('button', { name: /Restore/ }).waitFor({ state: 'detached' })

    bob.apply([{ type: 'removeSteps', steps: [two], subSteps: true }])
    await bob.whenSaved()
    await showsOutline(page, ['One', 'Three'])
    await entry.locator('.single .one').filter({ hasText: 'removed' }).click()
    await entry.getByRole('button', { name: 'Restore Two as it was before' }).click()
    await rowOf(page, 'Deeper').waitFor()
    await showsOutline(page, ['One', 'Three', 'Two', '  Below two', '    Deeper'])
    await page.locator('.notice', { hasText: 'Restored “Two”' }).getByRole('button', { name: 'Undo' }).click()
    await showsOutline(page, ['One', 'Three'])
  })
})
