import { expect, onTestFinished, test } from 'vitest'
import { connectPlan, newStepId, type StepId } from '../../client/sdk/index.ts'
import { call, describePage, eventually, outlineOf, rowOf, seed, serve, showsOutline, visitPlan } from './browser.ts'

function join(url: string, name: string) {
  const live = connectPlan({ url, thread: 'trip', name, id: name, backoff: () => 20 })
  onTestFinished(() => live.close())
  return live
}

describePage('with others', () => {
  test('two browsers on one plan see each other, and what each does', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\nTwo\n')
    const [ada, bob] = await Promise.all([visitPlan(url, 'trip'), visitPlan(url, 'trip', { name: 'Bob' })])
    await rowOf(ada, 'One').click()
    await ada.keyboard.press('Enter')
    await ada.keyboard.type('Between')
    await ada.keyboard.press('Escape')
    await showsOutline(bob, ['One', 'Between', 'Two'])
    // Where Ada is.
    await rowOf(bob, 'Between')
      .locator('.here')
      .getByRole('img', { name: /^Ada is here/ })
      .waitFor()
    await bob.getByRole('list', { name: 'Who is here' }).getByRole('img', { name: /^Ada/ }).waitFor()
    await rowOf(bob, 'Two').click()
    await bob.keyboard.press('Space')
    await showsOutline(ada, ['One', 'Between', 'Two (completed)'])
    await rowOf(ada, 'Two').locator('.by', { hasText: 'Bob completed it, just now' }).waitFor()
    expect(await rowOf(ada, 'Two').locator('.flash').count()).toBe(1)
  })

  test('an agent that only makes calls is there, with what it is on', async () => {
    const { url } = await serve()
    const page = await visitPlan(url, 'trip')
    await call(url, 'trip', 'add_todos', { steps: [{ text: 'Find a flat' }], action_and_reasoning: 'Flats first.' })
    await page
      .getByRole('list', { name: 'Who is here' })
      .getByRole('img', { name: 'scout (agent), at “Find a flat”: Flats first.' })
      .waitFor()
    await rowOf(page, 'Find a flat')
      .locator('.here')
      .getByRole('img', { name: 'scout is here: Flats first.' })
      .waitFor()
  })

  test('a burst of an agent is one entry of the activity, with its reasons; filters and the unread mark', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n')
    const page = await visitPlan(url, 'trip')
    await page.locator('.side-switch').click()
    await page.getByRole('button', { name: 'Close' }).waitFor({ state: 'detached' })
    for (let i = 0; i < 40; i++)
      await call(url, 'trip', 'add_todos', {
        steps: [{ text: `Step ${i}` }],
        action_and_reasoning: 'Filling the plan.',
      })
    await call(url, 'trip', 'add_todos', { steps: [{ text: 'Another' }] }, 'critic')
    const toggle = page.locator('.side-switch')
    await eventually(
      () => toggle.textContent(),
      (text) => expect(text).toContain('41 unread'),
    )
    await toggle.click()
    const feed = page.getByRole('list', { name: 'Activity' })
    const entries = feed.locator('> .burst')
    await eventually(
      () => entries.count(),
      (count) => expect(count).toBe(3),
    )
    const [critic, scout] = [entries.nth(0), entries.nth(1)]
    expect(await critic.textContent()).toContain('critic')
    expect(await scout.textContent()).toContain('added 40 steps')
    expect(await scout.locator('.reason').allTextContents()).toEqual(['Filling the plan.'])
    expect(await entries.nth(2).textContent()).toContain('New above')
    await scout.getByRole('button', { name: '40 changes' }).click()
    expect(await scout.locator('.single li').count()).toBe(40)
    await page.getByRole('button', { name: 'Reasons' }).click()
    await eventually(
      () => entries.count(),
      (count) => expect(count).toBe(1),
    )
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByLabel('Only of').selectOption('critic')
    await eventually(
      () => entries.count(),
      (count) => expect(count).toBe(1),
    )
    await eventually(
      () => toggle.textContent(),
      (text) => expect(text).not.toContain('unread'),
    )
  })

  test('[P17] what one did oneself is never marked as new, in the feed or on the row', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\nTwo\nThree\n')
    const page = await visitPlan(url, 'trip')
    const entries = page.getByRole('list', { name: 'Activity' }).locator('> .burst')
    await entries.first().waitFor()
    await page.reload()
    await rowOf(page, 'One').click()
    await page.keyboard.press('Space')
    await entries.filter({ hasText: 'completed' }).waitFor()
    expect(await page.locator('.new-above').count()).toBe(0)
    await call(url, 'trip', 'add_todos', { steps: [{ text: 'Four' }] })
    await rowOf(page, 'Three').click()
    await page.keyboard.press('Space')
    await page.locator('.new-above').waitFor()
    await eventually(
      () => entries.locator('.head strong').allTextContents(),
      (names) => expect(names).toEqual(['You', 'scout', expect.anything()]),
    )
    // It stands right behind what others did, and on a line of its own.
    const own = entries.nth(2)
    expect(await own.locator('.new-above').count()).toBe(1)
    const [mark, text] = await Promise.all([
      own.locator('.new-above').boundingBox(),
      entries.nth(1).locator('.what').boundingBox(),
    ])
    expect(mark?.y ?? 0).toBeGreaterThanOrEqual((text?.y ?? 0) + (text?.height ?? 0))

    // The same person in another window.
    const [again, bob] = await Promise.all([visitPlan(url, 'trip'), visitPlan(url, 'trip', { name: 'Bob' })])
    await rowOf(again, 'Two').click()
    await again.keyboard.press('Space')
    await page.locator('.row.completed', { hasText: 'Two' }).waitFor()
    await rowOf(bob, 'Four').click()
    await bob.keyboard.press('Space')
    await rowOf(page, 'Four').locator('.by', { hasText: 'Bob completed it' }).waitFor()
    expect(await rowOf(page, 'Two').locator('.by').count()).toBe(0)
    expect(await rowOf(page, 'Two').locator('.flash').count()).toBe(0)
    await rowOf(bob, 'Two').locator('.by', { hasText: 'Ada completed it' }).waitFor()
  })

  test('of a long log the last part is shown, and what was earlier when it is asked for', async () => {
    const { url } = await serve()
    for (let i = 0; i < 230; i++) await call(url, 'trip', 'add_todos', { steps: [{ text: `Step ${i}` }] }, `agent ${i}`)
    const page = await visitPlan(url, 'trip')
    const entries = page.getByRole('list', { name: 'Activity' }).locator('> .burst')
    await eventually(
      () => entries.count(),
      (count) => expect(count).toBe(80),
    )
    const earlier = page.getByRole('button', { name: 'Earlier' })
    for (const count of [160, 230]) {
      await earlier.click()
      await eventually(
        () => entries.count(),
        (now) => expect(now).toBe(count),
      )
    }
    expect(await entries.last().textContent()).toContain('Step 0')
    expect(await earlier.count()).toBe(0)
  })

  test('somebody changes the step that one types in: nothing that was typed is lost, and theirs is offered', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\nTwo\n')
    const page = await visitPlan(url, 'trip')
    const bob = join(url, 'Bob')
    await bob.whenSynced()
    await rowOf(page, 'One').click()
    await page.keyboard.press('F2')
    await page.keyboard.type(' mine')
    const id = bob.steps[0]?.id as StepId
    bob.apply([{ type: 'setStep', id, fields: { text: 'Uno', status: 'blocked' } }])
    await page.locator('.row.blocked').waitFor()
    expect(await page.locator('textarea.field').inputValue()).toBe('One mine')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await showsOutline(page, ['Uno (blocked)', 'Two'])
    const choice = page.getByRole('alert', { name: 'Two texts' })
    await choice.getByText('Bob wrote another text while you typed yours.').waitFor()
    expect(await choice.locator('dd').allTextContents()).toEqual(['One mine', 'Uno'])
    await choice.getByRole('button', { name: 'Use mine' }).click()
    await showsOutline(page, ['One mine (blocked)', 'Two'])
    await eventually(
      () => bob.steps[0]?.text,
      (text) => expect(text).toBe('One mine'),
    )
  })

  test('a step that is removed while one types in it: the text is offered as a new one', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\nTwo\n')
    const page = await visitPlan(url, 'trip')
    const bob = join(url, 'Bob')
    await bob.whenSynced()
    await rowOf(page, 'One').click()
    await page.keyboard.press('F2')
    await page.keyboard.type(' and a thought')
    bob.apply([{ type: 'removeSteps', steps: [bob.steps[0]?.id as StepId], subSteps: true }])
    const offer = page.getByRole('alert', { name: 'Text without a step' })
    await offer.waitFor()
    expect(await offer.locator('blockquote').textContent()).toBe('One and a thought')
    await showsOutline(page, ['Two'])
    // It outlives the page, too.
    await page.reload()
    await page.getByRole('button', { name: 'Add as a new step' }).click()
    await showsOutline(page, ['Two', 'One and a thought'])
    await offer.waitFor({ state: 'detached' })
  })

  test('what stands around a new step is removed while it is typed: it goes where there is still a place', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n  Below\nTwo\n')
    const page = await visitPlan(url, 'trip')
    const bob = join(url, 'Bob')
    await bob.whenSynced()
    await rowOf(page, 'Below').click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('New one')
    bob.apply([{ type: 'removeSteps', steps: [bob.steps[0]?.id as StepId], subSteps: true }])
    await eventually(
      () => outlineOf(page),
      (rows) => expect(rows).toEqual(['Two']),
    )
    expect(await page.locator('textarea.field').inputValue()).toBe('New one')
    await page.keyboard.press('Escape')
    await showsOutline(page, ['Two', 'New one'])
  })

  test('others who add, move and remove do not take the focus or the caret', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\nTwo\nThree\n')
    const page = await visitPlan(url, 'trip')
    const bob = join(url, 'Bob')
    await bob.whenSynced()
    await rowOf(page, 'Two').click()
    await page.keyboard.press('F2')
    await page.keyboard.press('Home')
    await page.keyboard.type('A')
    const [one, two, three] = bob.steps.map(({ id }) => id) as [StepId, StepId, StepId]
    bob.apply([
      { type: 'addSteps', parent: null, after: null, steps: [{ id: newStepId(), text: 'Zero', depth: 0 }] },
      { type: 'moveSteps', steps: [two], parent: three },
      { type: 'removeSteps', steps: [one], subSteps: true },
    ])
    await showsOutline(page, ['Zero', 'Three', '  ATwo'])
    await page.keyboard.type('B')
    expect(await page.locator('textarea.field').inputValue()).toBe('ABTwo')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await showsOutline(page, ['Zero', 'Three', '  ABTwo'])
  })

  test('progress of the plan and of a parent follows; the board beside the tree shows and sets statuses', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n  A\n  B\nTwo\n')
    const page = await visitPlan(url, 'trip')
    const whole = page.getByRole('progressbar', { name: 'Progress of the plan' })
    expect(await whole.getAttribute('aria-valuetext')).toBe('0 of 4 done')
    await page.getByRole('button', { name: 'Both' }).click()
    await rowOf(page, 'A').click()
    await page.keyboard.press('Space')
    await eventually(
      () => whole.getAttribute('aria-valuetext'),
      (text) => expect(text).toBe('1 of 4 done'),
    )
    const parent = rowOf(page, 'One').getByRole('progressbar')
    expect(await parent.getAttribute('aria-valuetext')).toBe('1 of 2 done')
    const done = page.getByRole('list', { name: 'Done' })
    await done.getByRole('button', { name: /A/ }).first().waitFor()
    // By keys, and by dragging.
    await page.getByRole('list', { name: 'To do' }).getByRole('button', { name: /Two/ }).first().focus()
    await page.keyboard.press('Alt+Shift+ArrowRight')
    await eventually(
      () => outlineOf(page),
      (rows) => expect(rows).toContain('Two (in_progress)'),
    )
    await page.locator('.card', { hasText: 'B' }).first().dragTo(page.locator('.column.completed .cards'))
    await eventually(
      () => outlineOf(page),
      (rows) => expect(rows).toContain('  B (completed)'),
    )
  })
})
