import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage, rowOf, seed, serve, visitPlan } from './browser.ts'

/** Pixels from the left edge of the window to the text of a row. */
const textAt = (page: Page, text: string): Promise<number> =>
  rowOf(page, text)
    .locator('.text')
    .evaluate((node) => Math.round(node.getBoundingClientRect().left))

describePage('sizes of windows', () => {
  for (const width of [901, 1024, 1200])
    test(`[P8] at ${width} pixels the panel covers nothing of a row, and neither does anything else`, async () => {
      const { url } = await serve()
      await seed(url, 'trip', 'One\n  Two\nThree which is rather long and goes on until the window has an end for it\n')
      const page = await visitPlan(url, 'trip', { viewport: { width, height: 700 } })
      await page.locator('.side .burst').first().waitFor()
      await page.locator('.number').first().waitFor()
      const covered = await page.evaluate(() =>
        [...document.querySelectorAll('.row .text, .row .number, .row .count')].flatMap((node) => {
          const { left, right, top, bottom } = node.getBoundingClientRect()
          return [left + 1, right - 1]
            .map((x) => document.elementFromPoint(x, (top + bottom) / 2))
            .filter((hit) => hit?.closest('.row') !== node.closest('.row'))
            .map((hit) => `${node.className} under ${hit?.className ?? 'nothing'}`)
        }),
      )
      expect(covered).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    })

  for (const [name, options] of [
    ['a phone', { narrow: true, hasTouch: true, isMobile: true }],
    ['a tablet', { viewport: { width: 1024, height: 768 }, hasTouch: true, isMobile: true }],
    ['a narrow window', { narrow: true }],
    ['a wide window', {}],
  ] as const)
    test(`[P9] siblings stand in one line, and steps below them further in: ${name}`, async () => {
      const { url } = await serve()
      await seed(url, 'trip', 'Leaf\nParent\n  Leaf 2\n  Parent 2\n    Leaf 3\n    Parent 3\n      Leaf 4\n')
      const page = await visitPlan(url, 'trip', options)
      await rowOf(page, 'Leaf 4').waitFor()
      const at = async (level: number): Promise<number[]> => {
        const suffix = level === 1 ? '' : ` ${level}`
        return [await textAt(page, `Leaf${suffix}`), ...(level < 4 ? [await textAt(page, `Parent${suffix}`)] : [])]
      }
      const levels = [await at(1), await at(2), await at(3), await at(4)]
      for (const [first, second = first] of levels) expect(second).toBe(first)
      for (const [above, below] of [
        [0, 1],
        [1, 2],
        [2, 3],
      ] as const)
        expect(levels[below]?.[0] ?? 0).toBeGreaterThanOrEqual((levels[above]?.[0] ?? 0) + 12)
      // There is room left for words.
      expect(levels[3]?.[0] ?? 0).toBeLessThan((page.viewportSize()?.width ?? 0) * 0.4)
    })
})
