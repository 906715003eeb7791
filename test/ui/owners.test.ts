import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { call, describePage, eventually, rowOf, seed, serve, showsOutline, visitPlan } from './browser.ts'

interface Told {
  readonly text: string
  readonly status: string
  readonly startedBy: string | null
}

async function atPlan(outline: string) {
  const server = await serve()
  await seed(server.url, 'trip', outline)
  const page = await visitPlan(server.url, 'trip')
  const is = (text: string, status: string, startedBy: string | null): Promise<void> =>
    eventually(
      async () => {
        const { steps } = (await (await fetch(`${server.url}/threads/trip`)).json()) as { steps: Told[] }
        return steps.find((step) => step.text === text)
      },
      (step) => expect([step?.status, step?.startedBy]).toEqual([status, startedBy]),
    )
  return { ...server, page, is }
}

const owner = (page: Page, text: string, name: string): Promise<void> =>
  rowOf(page, text)
    .getByRole('button', { name: `With ${name}` })
    .waitFor()

async function choose(page: Page, text: string, choice: string): Promise<void> {
  await rowOf(page, text).click()
  await page.keyboard.press('a')
  await page.getByRole('dialog', { name: 'Owner' }).getByRole('option', { name: choice }).click()
}

describePage('owners', () => {
  test('[13-1] who sets a step in progress owns it, by name and for everybody', async () => {
    const { page, url, is } = await atPlan('One\nTwo\n')
    await rowOf(page, 'One').click()
    await page.keyboard.press('s')
    await page.keyboard.type('in progress')
    await page.keyboard.press('Enter')
    await owner(page, 'One', 'Ada')
    await is('One', 'in_progress', 'id-of-Ada')
    const bob = await visitPlan(url, 'trip', { name: 'Bob' })
    await owner(bob, 'One', 'Ada')
    await bob.getByLabel('Filter steps').fill('@ada')
    await showsOutline(bob, ['One (in_progress)'])
    // Somebody else who sets it blocked and in progress again does not take it.
    await rowOf(bob, 'One').click()
    for (const status of ['blocked', 'in progress']) {
      await bob.keyboard.press('s')
      await bob.keyboard.type(status)
      await bob.keyboard.press('Enter')
    }
    await is('One', 'in_progress', 'id-of-Ada')
  })

  test('[13-1] a step of an agent is taken, given and freed, by key, row, panel and palette; each is undone', async () => {
    const { page, url, is } = await atPlan('One\nTwo\n')
    await call(url, 'trip', 'plan_todo_write', { action: { type: 'Start', id: 'task-1' } })
    await owner(page, 'One', 'scout')
    await choose(page, 'One', 'Ada (you)')
    await is('One', 'in_progress', 'id-of-Ada')
    await owner(page, 'One', 'Ada')
    await page.keyboard.press('Control+z')
    await is('One', 'in_progress', 'scout')
    await choose(page, 'One', 'Nobody')
    await is('One', 'pending', null)
    expect(await rowOf(page, 'One').getByRole('button', { name: /^With/ }).count()).toBe(0)
    await page.keyboard.press('Control+z')
    await is('One', 'in_progress', 'scout')
    // To an agent that is here, in the panel.
    await rowOf(page, 'Two').click()
    await page.keyboard.press('o')
    await page.locator('.step-panel').getByRole('button', { name: 'Nobody' }).click()
    await page.getByRole('option', { name: /^scout/ }).click()
    await is('Two', 'in_progress', 'scout')
    await page.locator('.step-panel').getByRole('button', { name: 'scout' }).waitFor()
    // To a name that nobody has yet, by the palette.
    await rowOf(page, 'Two').click()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Owner…')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Owner' }).fill('night-agent')
    await page.keyboard.press('Enter')
    await is('Two', 'in_progress', 'night-agent')
    await owner(page, 'Two', 'night-agent')
    // And on the row itself.
    await rowOf(page, 'Two').getByRole('button', { name: 'With night-agent' }).click()
    await page.getByRole('option', { name: 'Ada (you)' }).click()
    await owner(page, 'Two', 'Ada')
  })
})
