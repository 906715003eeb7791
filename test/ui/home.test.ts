import { expect, test } from 'vitest'
import { tokenOf } from '../helpers/tokens.ts'
import { call, describePage, eventually, seed, serve, serveGuarded, visit, visitPlan } from './browser.ts'

describePage('the list of plans', () => {
  test('[13-9] one request tells all, whatever plans there are', async () => {
    const { url } = await serve()
    for (let i = 0; i < 30; i++) await seed(url, `plan-${i}`, 'x One\nTwo\n')
    const page = await visit('about:blank')
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/threads')) asked.push(pathname)
    })
    const reply = page.waitForResponse(/\/threads\?/)
    await page.goto(url)
    await eventually(
      () => page.getByRole('progressbar').count(),
      (count) => expect(count).toBe(30),
    )
    expect([...new Set(asked)]).toEqual(['/threads'])
    const { headers } = await reply.then(async (response) => ({ headers: await response.allHeaders() }))
    expect(headers['content-encoding']).toMatch(/^(?:br|gzip)$/)
    expect(await page.getByRole('progressbar').first().getAttribute('aria-valuetext')).toBe('1 of 2 done')
  })

  test('[13-9] it is live, and shows who is at work', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\nTwo\n')
    const page = await visit(url)
    const trip = page.getByRole('link', { name: /trip/ })
    await trip.waitFor()
    await visitPlan(url, 'trip', { name: 'Bob' })
    await call(url, 'trip', 'list_todos', {})
    await call(url, 'trip', 'toggle_todos', { indices: [1], action_and_reasoning: 'Done.' })
    await seed(url, 'later', 'x New\n')
    await trip.getByRole('img', { name: 'Bob (human) is here' }).waitFor()
    await trip.getByRole('img', { name: 'scout (agent) is here' }).waitFor()
    await eventually(
      () => trip.getByRole('progressbar').getAttribute('aria-valuetext'),
      (text) => expect(text).toBe('1 of 2 done'),
    )
    await page.getByRole('link', { name: /later/ }).waitFor()
  })

  test('[13-9] it is searched by titles and ids, and says where nothing fits', async () => {
    const { url } = await serve()
    for (const title of ['Café am See', 'Release 2.0'])
      await fetch(`${url}/threads/${title.slice(0, 3).toLowerCase().replace('é', 'e')}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ title }),
      })
    const page = await visit(url)
    await page.getByRole('link', { name: /Release/ }).waitFor()
    const field = page.getByRole('searchbox', { name: 'Search plans' })
    await field.fill('cafe')
    await page.getByRole('link', { name: /Release/ }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /Café/ }).waitFor()
    await field.fill('nothing of that')
    await page.getByText('No plan fits.').waitFor()
    await field.fill('')
    await page.getByRole('link', { name: /Release/ }).waitFor()
  })

  test('[13-9] a plan is renamed from it, and deleted once it was asked', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n')
    const page = await visit(url)
    await page.getByRole('link', { name: /trip/ }).waitFor()
    await page.getByRole('button', { name: 'Rename trip' }).click()
    await page.getByLabel('Title', { exact: true }).fill('Été à Nice')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /Été à Nice/ }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    const plan = (await (await fetch(`${url}/threads/trip`)).json()) as { title: string }
    expect(plan.title).toBe('Été à Nice')

    const remove = page.getByRole('button', { name: 'Delete Été à Nice' })
    await remove.click()
    await page.getByText('are deleted for everybody and for good').waitFor()
    await page.getByRole('button', { name: 'Keep it' }).click()
    expect((await fetch(`${url}/threads/trip`)).status).toBe(200)
    await remove.click()
    await page.getByRole('button', { name: 'Delete for everybody' }).click()
    await page.getByText('No plan yet').waitFor()
    expect((await fetch(`${url}/threads/trip`)).status).toBe(410)
  })

  test('[13-9] whoever may not delete is told so', async () => {
    const { url } = await serveGuarded()
    const token = await tokenOf({ sub: 'ada', kind: 'human', role: 'editor' })
    await fetch(`${url}/threads/trip`, { method: 'PUT', headers: { Authorization: `Bearer ${token}` } })
    const page = await visit(`${url}/#token=${token}`)
    await page.getByRole('button', { name: 'Delete trip' }).click()
    await page.getByRole('button', { name: 'Delete for everybody' }).click()
    await page.getByRole('alert').filter({ hasText: 'This takes the role admin' }).waitFor()
    await page.getByRole('button', { name: 'Keep it' }).click()
    await page.getByRole('link', { name: /trip/ }).waitFor()
  })
})
