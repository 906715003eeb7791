import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { connectPlan, newStepId, type LivePlan } from '../../client/sdk/index.ts'
import { describePage, eventually, seed, serve, visitPlan } from './browser.ts'

const MOST_ROWS = 80
/** Milliseconds of the page's clock between two renderings of what others do. */
const PACE_MS = 150

async function large(url: string): Promise<LivePlan> {
  const live = connectPlan({ url, thread: 'large', name: 'scout', kind: 'agent' })
  onTestFinished(() => live.close())
  await live.whenSynced()
  for (let part = 0; part < 10; part++) {
    const steps = Array.from({ length: 500 }, (_, i) => ({
      id: newStepId(),
      text: `Step ${part * 500 + i}`,
      depth: i % 5 === 0 ? 0 : 1,
    }))
    live.apply([{ type: 'addSteps', parent: null, steps }])
  }
  await live.whenSaved()
  return live
}

const mounted = (page: Page): Promise<number> => page.locator('[role=treeitem]').count()

/** How often the tree was rendered while something was done. */
async function renderings(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    const counted = { renderings: 0 }
    Object.assign(window, { counted })
    const look = new MutationObserver(() => counted.renderings++)
    const tree = document.querySelector('[role=tree]')
    if (tree !== null) look.observe(tree, { childList: true, subtree: true, attributes: true, characterData: true })
  })
  await act()
  return page.evaluate(() => (window as unknown as { counted: { renderings: number } }).counted.renderings)
}

describePage('a large plan, and fast agents', () => {
  test('of 5,000 steps at most 80 are mounted, wherever one scrolls', async () => {
    const { url } = await serve()
    await large(url)
    const page = await visitPlan(url, 'large')
    await eventually(
      () => page.locator('.numbers').first().textContent(),
      (text) => expect(text).toBe('0 of 5000'),
    )
    const most: number[] = [await mounted(page)]
    for (const share of [0.2, 0.5, 0.9, 1]) {
      await page.locator('.outline').evaluate((node, part) => (node.scrollTop = node.scrollHeight * part), share)
      await page.waitForFunction(() => document.querySelectorAll('[role=treeitem]').length > 1)
      most.push(await mounted(page))
    }
    expect(Math.max(...most)).toBeLessThanOrEqual(MOST_ROWS)
    expect(Math.max(...most)).toBeGreaterThan(20)
    await page.locator('.outline').evaluate((node) => (node.scrollTop = 0))
    await page.locator('[role=treeitem]').nth(3).click()
    await page.keyboard.press('End')
    await eventually(
      () => page.evaluate(() => document.activeElement?.querySelector('.text')?.textContent),
      (text) => expect(text).toBe('Step 4999'),
    )
    // And it is in sight, with those before it.
    await eventually(
      () =>
        page.evaluate(() => {
          const { top, bottom } = document.activeElement?.getBoundingClientRect() ?? { top: 0, bottom: 0 }
          const list = document.querySelector('.outline')?.getBoundingClientRect()
          return top - 200 > (list?.top ?? 0) && bottom <= (list?.bottom ?? 0) + 1
        }),
      (isSeen) => expect(isSeen).toBe(true),
    )
  })

  test('50 changes fold into at most 10 renderings a second, by the clock of the page', async () => {
    const { url } = await serve()
    const live = await large(url)
    const page = await visitPlan(url, 'large')
    await page.locator('[role=treeitem]').first().waitFor()
    const ids = live.steps.slice(0, 50).map(({ id }) => id)
    // From here on time passes in the page as the test lets it, and the machine may take what it needs.
    await page.clock.install()
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000))
    let paces = 0
    const count = await renderings(page, async () => {
      for (const id of ids) {
        live.apply([{ type: 'setStep', id, fields: { status: 'completed' } }])
        await page.clock.runFor(PACE_MS / 10)
      }
      paces += ids.length / 10
      await live.whenSaved()
      await eventually(
        async () => {
          paces++
          await page.clock.runFor(PACE_MS)
          return page.locator('.numbers').first().textContent()
        },
        (text) => expect(text).toBe('50 of 5000'),
      )
    })
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThanOrEqual(Math.ceil(1.5 * paces) + 1)
  })

  test('the row under the pointer stays within a pixel while others add above it', async () => {
    const { url } = await serve()
    const live = await large(url)
    const page = await visitPlan(url, 'large')
    await page.locator('.outline').evaluate((node) => (node.scrollTop = 20_000))
    await page.mouse.move(400, 430)
    const under = (): Promise<{ id: string; top: number }> =>
      page.evaluate(() => {
        const row = document.elementFromPoint(400, 430)?.closest('[data-id]')
        return { id: row?.getAttribute('data-id') ?? '', top: row?.getBoundingClientRect().top ?? 0 }
      })
    await eventually(under, ({ id }) => expect(id).not.toBe(''))
    const before = await under()
    for (let i = 0; i < 50; i++) {
      const text = i % 3 === 0 ? `A long one ${'that takes more than a line '.repeat(12)}` : `Added ${i}`
      live.apply([{ type: 'addSteps', parent: null, after: null, steps: [{ id: newStepId(), text, depth: 0 }] }])
    }
    live.apply([{ type: 'removeSteps', steps: live.steps.slice(60, 70).map(({ id }) => id), subSteps: false }])
    await live.whenSaved()
    await eventually(
      () => page.locator('.numbers').first().textContent(),
      (text) => expect(text).not.toBe('0 of 5000'),
    )
    // Just above, in sight, too.
    const at = live.plan.placeOf(before.id as never) ?? 0
    const [above] = live.steps.slice(at - 4, at - 3)
    live.apply([
      {
        type: 'addSteps',
        parent: null,
        after: above?.depth === 0 ? above.id : null,
        steps: [{ id: newStepId(), text: 'Right above', depth: 0 }],
      },
    ])
    await live.whenSaved()
    await eventually(under, (now) => {
      expect(now.id).toBe(before.id)
      expect(Math.abs(now.top - before.top)).toBeLessThanOrEqual(1)
    })
  })

  test('in a short plan, too', async () => {
    const { url } = await serve()
    await seed(url, 'large', 'One\nTwo\nThree\n')
    const live = connectPlan({ url, thread: 'large', name: 'scout', kind: 'agent' })
    onTestFinished(() => live.close())
    await live.whenSynced()
    const page = await visitPlan(url, 'large')
    const row = page.locator('[role=treeitem]', { hasText: 'Two' })
    await row.hover()
    const before = (await row.boundingBox())?.y ?? 0
    for (let i = 0; i < 5; i++)
      live.apply([
        { type: 'addSteps', parent: null, after: null, steps: [{ id: newStepId(), text: `Added ${i}`, depth: 0 }] },
      ])
    await page.waitForFunction(() => document.querySelector('[role=treeitem][aria-setsize="8"]') !== null)
    expect(Math.abs(((await row.boundingBox())?.y ?? 0) - before)).toBeLessThanOrEqual(1)
  })
})
