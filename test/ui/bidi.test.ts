import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describePage, eventually, rowOf, serve, visit, visitPlan } from './browser.ts'

/** Turns around all that stands behind it, unless it is kept apart. */
const RLO = '\u202e'
const CONTROLS = /[\u202a-\u202e]/

/** A header carries bytes. */
const bytes = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))

async function call(url: string, tool: string, args: object, agent: string): Promise<void> {
  const response = await fetch(`${url}/threads/trip/tools/${tool}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Agent-Name': bytes(agent) },
    body: JSON.stringify(args),
  })
  expect([response.status, await response.json()]).toMatchObject([200, { success: true }])
}

/** Where a text of somebody's is shown and could turn around what is not theirs. */
const loose = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const controls = /[\u202a-\u202e]/
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const holder = node.parentElement
      if (!controls.test(node.textContent ?? '') || holder === null || holder.closest('textarea') !== null) continue
      const isApart = ['isolate', 'plaintext', 'isolate-override'].includes(getComputedStyle(holder).unicodeBidi)
      const isAlone = /^\u202e\w+ [a-z]+$/.test(holder.textContent ?? '')
      if (!isApart || !isAlone) found.push(holder.outerHTML.slice(0, 200))
    }
    for (const node of document.querySelectorAll<HTMLElement>('[title], [aria-label], [aria-valuetext], [placeholder]'))
      for (const name of ['title', 'aria-label', 'aria-valuetext', 'placeholder']) {
        const text = node.getAttribute(name) ?? ''
        const isAlone = /^\u202e\w+ [a-z]+$/.test(text)
        if (controls.test(text) && !isAlone) found.push(`${name}: ${text}`)
      }
    if (controls.test(document.title)) found.push(`title: ${document.title}`)
    return found
  })

const PLAN = `# ${RLO}title words

- [~] ${RLO}first step
  - group: ${RLO}group words
  - owner: ${RLO}owner name
  - [ ] ${RLO}below this
- [ ] ${RLO}second step
  - depends: ${RLO}first step
  > ${RLO}details here
- [ ] third
`

describePage('texts of others', () => {
  test('[P21] a text that turns around what follows it stays within itself, wherever it is shown', async () => {
    const { url } = await serve()
    const page = await visit(`${url}/t/trip`, { name: `${RLO}ada lovelace` })
    const isClean = async (what: string): Promise<void> => {
      const found = await loose(page)
      expect([what, ...found]).toEqual([what])
    }
    const closed = (): Promise<void> => page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Nothing is planned yet.').waitFor()
    await page.evaluate((text) => {
      const data = new DataTransfer()
      data.setData('text/plain', text)
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
    }, PLAN)
    await page.locator('.number').nth(3).waitFor()
    const first = rowOf(page, `${RLO}first step`)
    const second = rowOf(page, `${RLO}second step`)

    // Somebody else does something, and is here.
    await call(url, 'add_todos', { steps: [{ text: `${RLO}fourth step` }], action_and_reasoning: `${RLO}reason words` }, `${RLO}agent name`) // prettier-ignore
    await page.locator('.by').waitFor()
    await page.locator('.here').waitFor()
    await page.locator('.reason').waitFor()
    await isClean('the outline and the activity')
    expect(await page.title()).not.toMatch(CONTROLS)

    await page.locator('.group-bar').click()
    await page.locator('.filter-bar').waitFor()
    await isClean('a filter')
    await page.getByLabel('Filter steps').fill(`group:"${RLO}no group"`)
    await page.locator('.unknown').waitFor()
    await isClean('a filter for what is not there')
    await page.getByLabel('Filter steps').fill('')

    await second.click()
    await page.keyboard.press('o')
    await page.locator('.step-panel').waitFor()
    await isClean('the panel of a step')
    for (const [command, label] of [
      ['Waits for…', 'Waits for'],
      ['Set group…', 'Group'],
      ['Move to…', 'Move to'],
    ] as const) {
      await page.keyboard.press('Control+k')
      await page.keyboard.type(command)
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: label }).waitFor()
      await isClean(command)
      await page.keyboard.press('Escape')
      await closed()
    }
    await page.keyboard.press('Control+k')
    await page.keyboard.type('step')
    await isClean('all steps')
    await page.keyboard.press('Escape')
    await closed()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Filter by')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Filter by' }).waitFor()
    await isClean('what to filter by')
    await page.keyboard.press('Escape')
    await closed()

    // A notice that names two steps: each waits for the other.
    for (const [row, other] of [
      [second, 'first'],
      [first, 'second'],
    ] as const) {
      await row.click()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('Waits for…')
      await page.keyboard.press('Enter')
      await page.getByRole('combobox', { name: 'Waits for' }).fill(other)
      await page.keyboard.press('Enter')
      await closed()
    }
    await page.locator('.notice', { hasText: 'neither could ever begin' }).waitFor()
    await isClean('a notice')

    // Two texts for one place.
    const bob = await visitPlan(url, 'trip', { name: `${RLO}bob name` })
    const other = rowOf(bob, `${RLO}second step`)
    await second.click()
    await page.keyboard.press('F2')
    await page.keyboard.press('Control+a')
    await page.keyboard.type(`${RLO}mine here`)
    await other.click()
    await bob.keyboard.press('F2')
    await bob.keyboard.press('Control+a')
    await bob.keyboard.type(`${RLO}theirs here`)
    await bob.keyboard.press('Enter')
    await bob.keyboard.press('Escape')
    await eventually(
      () => fetch(`${url}/threads/trip`).then((reply) => reply.text()),
      (text) => expect(text).toContain('theirs here'),
    )
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('alert', { name: 'Two texts' }).waitFor()
    await isClean('two texts')
    await page.getByRole('alert').getByRole('button', { name: 'Use mine' }).click()

    // A step that is removed while one types in it.
    await rowOf(page, 'third').click()
    await page.keyboard.press('F2')
    await page.keyboard.press('Control+a')
    await page.keyboard.type(`${RLO}typed here`)
    await rowOf(bob, 'third').click()
    await bob.keyboard.press('Delete')
    await page.getByRole('alert', { name: 'Text without a step' }).waitFor()
    await isClean('a text without a step')
    await page.getByRole('button', { name: 'Discard' }).click()

    await page.getByRole('button', { name: 'Board' }).click()
    await page.locator('.card', { hasText: 'below this' }).waitFor()
    await isClean('the board')
    await page.goto(url)
    await page.getByRole('progressbar').first().waitFor()
    await isClean('the list of plans')
  }, 60_000)
})
