import { expect, onTestFinished, test } from 'vitest'
import { connectPlan, newGroupId, newStepId } from '../../client/sdk/index.ts'
import { describePage, eventually, rowOf, serve, showsOutline, visitPlan } from './browser.ts'

async function atPlan() {
  const { url } = await serve()
  const live = connectPlan({ url, thread: 'trip', name: 'Bob', id: 'bob' })
  onTestFinished(() => live.close())
  const [group, a, b, c] = [newGroupId(), newStepId(), newStepId(), newStepId()]
  live.apply([
    { type: 'addGroup', id: group, title: 'API' },
    {
      type: 'addSteps',
      parent: null,
      steps: [
        { id: a, text: 'A', depth: 0, details: 'By train', group, startedBy: 'scout', status: 'in_progress' },
        { id: b, text: 'B', depth: 0, dependencies: [{ step: a }] },
        { id: c, text: 'C', depth: 0 },
      ],
    },
  ])
  await live.whenSaved()
  const page = await visitPlan(url, 'trip')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  return { url, live, page, a }
}

const clipboard = (page: Awaited<ReturnType<typeof atPlan>>['page']): Promise<string> =>
  page.evaluate(() => navigator.clipboard.readText())

describePage('copy, cut and paste', () => {
  test('[P4] what is cut is moved by the paste, with all that it has', async () => {
    const { page, live, a } = await atPlan()
    const before = live.plan.step(a)
    await rowOf(page, 'A').click()
    await page.keyboard.press('Control+x')
    await rowOf(page, 'C').click()
    await page.keyboard.press('Control+v')
    await showsOutline(page, ['B', 'C', 'A (in_progress)'])
    await eventually(
      () => live.plan.steps.map(({ text }) => text),
      (texts) => expect(texts).toEqual(['B', 'C', 'A']),
    )
    expect(live.plan.step(a)).toEqual({
      ...before,
      updatedAt: expect.any(Number) as number,
      updatedBy: expect.anything() as unknown,
    })
    expect(await rowOf(page, 'B').locator('.waits').textContent()).toContain(`#${before?.number}`)
  })

  test('[P4] so it is into another plan of this browser', async () => {
    const { page, url } = await atPlan()
    await rowOf(page, 'A').click()
    await page.keyboard.press('Control+x')
    const other = await page.context().newPage()
    await other.goto(`${url}/t/other`)
    await other.getByRole('button', { name: 'First step' }).click()
    await other.keyboard.type('X')
    await other.keyboard.press('Escape')
    await other.keyboard.press('Control+v')
    await showsOutline(other, ['X', 'A (in_progress)'])
    await rowOf(other, 'A').locator('.chip', { hasText: 'API' }).waitFor()
    await rowOf(other, 'A').getByRole('img', { name: 'With scout' }).waitFor()
    await showsOutline(page, ['B', 'C'])
  })

  test('[P4] and into one that is empty', async () => {
    const { page, url } = await atPlan()
    await rowOf(page, 'A').click()
    await page.keyboard.press('Control+x')
    const other = await page.context().newPage()
    await other.goto(`${url}/t/other`)
    await other.getByRole('button', { name: 'First step' }).waitFor()
    await other.keyboard.press('Control+v')
    await showsOutline(other, ['A (in_progress)'])
    await showsOutline(page, ['B', 'C'])
  })

  test('[P4] a copy of the plan is its plan.md', async () => {
    const { page, url } = await atPlan()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Copy the whole plan')
    await page.keyboard.press('Enter')
    await page.locator('.notice', { hasText: 'Copied' }).waitFor()
    expect(await clipboard(page)).toBe(await (await fetch(`${url}/threads/trip/plan.md`)).text())
    await rowOf(page, 'A').click()
    await page.keyboard.press('Control+c')
    expect(await clipboard(page)).toBe('## API\n\n- [*] A\n  > By train\n  - owner: scout')
  })

  test('[P24] a paste is read as the command line reads it, and what is left out is told', async () => {
    const { page } = await atPlan()
    const text = '---\ntags: x\n---\n- [ ] One\n<!-- no -->\n```\n- [ ] code\n```\n| a |\n|---|\n- [] Two\n'
    await page.evaluate((list) => navigator.clipboard.writeText(list), text)
    await rowOf(page, 'C').click()
    await page.keyboard.press('Control+v')
    await showsOutline(page, ['A (in_progress)', 'B', 'C', 'One', 'Two'])
    await page.locator('.notice', { hasText: '2 steps pasted. Left out: line 1 “---” (front matter)' }).waitFor()
  })
})
