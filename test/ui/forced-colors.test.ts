import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { call, describePage, rowOf, seed, serve, visitPlan } from './browser.ts'

/** How large a part of its picture each colour of an element has. */
async function coloursOf(page: Page, of: Locator): Promise<Map<string, number>> {
  const picture = (await of.screenshot({ animations: 'disabled' })).toString('base64')
  const scratch = await page.context().newPage()
  const counts = await scratch.evaluate(async (png) => {
    const blob = await (await fetch(`data:image/png;base64,${png}`)).blob()
    const image = await createImageBitmap(blob)
    const canvas = new OffscreenCanvas(image.width, image.height)
    const context = canvas.getContext('2d')
    if (context === null) return []
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, image.width, image.height)
    const found = new Map<string, number>()
    for (let at = 0; at < data.length; at += 4) {
      const colour = `${data[at]},${data[at + 1]},${data[at + 2]}`
      found.set(colour, (found.get(colour) ?? 0) + 4 / data.length)
    }
    return [...found]
  }, picture)
  await scratch.close()
  return new Map(counts)
}

/** How much two pictures differ in the share of their colours, from 0 to 1. */
function difference(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const colours = new Set([...a.keys(), ...b.keys()])
  return [...colours].reduce((sum, colour) => sum + Math.abs((a.get(colour) ?? 0) - (b.get(colour) ?? 0)), 0) / 2
}

/** Colours that cover more than a line of it. */
const grounds = (colours: ReadonlyMap<string, number>): number =>
  [...colours.values()].filter((share) => share > 0.08).length

describePage('forced colours', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    test(`[P12] what is pressed, chosen or told by a colour is seen in forced colours, ${colorScheme}`, async () => {
      const { url } = await serve()
      await seed(url, 'trip', 'x One\nTwo\nThree\nFour\n')
      const page = await visitPlan(url, 'trip', { colorScheme, forcedColors: 'active' })
      await rowOf(page, 'Two').click()
      await page.mouse.move(600, 600)
      const at = (locator: Locator) => coloursOf(page, locator)
      const differs = async (what: string, one: Locator, other: Locator): Promise<void> => {
        const found = difference(await at(one), await at(other))
        expect(found, what).toBeGreaterThan(0.1)
      }
      const segments = page.getByRole('group', { name: 'View' })
      await differs('a pressed segment', segments.getByRole('button', { name: 'Outline' }), segments.getByRole('button', { name: 'Both' })) // prettier-ignore
      // A click leaves the row chosen, and the ring of the focus is not what shows it.
      await page.getByLabel('Filter steps').focus()
      await differs('the chosen row', rowOf(page, 'Two'), rowOf(page, 'Four'))
      expect(grounds(await at(page.locator('.pill .dot'))), 'the dot').toBeGreaterThanOrEqual(1)
      const dot = await at(page.locator('.pill .dot'))
      const pill = await at(page.locator('.pill'))
      const ground = [...pill].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? ''
      expect(dot.get(ground) ?? 0, 'the dot').toBeLessThan(0.6)
      expect(grounds(await at(page.getByRole('progressbar', { name: 'Progress of the plan' }))), 'the bar').toBeGreaterThanOrEqual(2) // prettier-ignore

      await page.keyboard.press('Control+k')
      await page.locator('.choice').nth(2).waitFor()
      await differs('the choice in a menu', page.locator('.choice').nth(0), page.locator('.choice').nth(2))
      await page.keyboard.press('Escape')

      // The state of a step, and who changed it.
      await differs('done and to do', rowOf(page, 'One').locator('.shape'), rowOf(page, 'Four').locator('.shape'))
      await call(url, 'trip', 'add_todos', { steps: [{ text: 'Five' }] })
      await rowOf(page, 'Five').locator('.by').waitFor()
      const avatar = page.getByRole('list', { name: 'Who is here' }).locator('.avatar').first()
      const border = await avatar.evaluate((node) => {
        const { outlineStyle, borderStyle, boxShadow } = getComputedStyle(node)
        return [outlineStyle, borderStyle, boxShadow].some((one) => one !== 'none')
      })
      expect(border, 'an avatar').toBe(true)
      const pressed = await at(page.locator('.side-switch'))
      await page.locator('.side-switch').click()
      await page.locator('.side').waitFor({ state: 'detached' })
      await page.mouse.move(600, 600)
      expect(difference(pressed, await at(page.locator('.side-switch'))), 'the switch').toBeGreaterThan(0.1)
    })
})
