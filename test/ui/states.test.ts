import { expect, onTestFinished, test } from 'vitest'
import { connectPlan, type StepId } from '../../client/sdk/index.ts'
import { tokenOf } from '../helpers/tokens.ts'
import {
  describePage,
  eventually,
  isOnline,
  line,
  outlineOf,
  rowOf,
  seed,
  serve,
  serveGuarded,
  showsOutline,
  visit,
  visitPlan,
} from './browser.ts'

const human = (role: 'viewer' | 'editor', sub = 'ada') => tokenOf({ sub, name: 'Ada', kind: 'human', role })

describePage('how it stands', () => {
  test('offline the number of unsent changes is told, edits go on, outlive the page, and both sides merge', async () => {
    const { url, port } = await serve()
    await seed(url, 'trip', 'One\nTwo\nThree\n')
    const [adas, bobs] = [await line(port), await line(port)]
    const [ada, bob] = await Promise.all([visitPlan(adas.url, 'trip'), visitPlan(bobs.url, 'trip', { name: 'Bob' })])
    adas.cut()
    bobs.cut()
    for (const page of [ada, bob]) await page.locator('.pill[data-state=offline]').waitFor()

    await rowOf(ada, 'One').click()
    await ada.keyboard.press('F2')
    await ada.keyboard.type(' of Ada')
    await ada.keyboard.press('Enter')
    await ada.keyboard.type('New of Ada')
    await ada.keyboard.press('Escape')
    await ada.locator('.pill', { hasText: 'Offline, 2 unsent' }).waitFor()
    await rowOf(bob, 'One').click()
    await bob.keyboard.press('Space')
    await rowOf(bob, 'Three').click()
    await bob.keyboard.press('Alt+Shift+ArrowRight')
    await bob.locator('.pill', { hasText: 'Offline, 2 unsent' }).waitFor()

    adas.mend()
    bobs.mend()
    for (const page of [ada, bob]) await page.evaluate(() => window.dispatchEvent(new Event('online')))
    const merged = ['One of Ada (completed)', 'New of Ada', 'Two', '  Three']
    await showsOutline(ada, merged)
    await showsOutline(bob, merged)
    await Promise.all([isOnline(ada), isOnline(bob)])
  })

  test('edits made offline are still there after the page was closed, and are sent then', async () => {
    const { url, port } = await serve()
    await seed(url, 'trip', 'One\n')
    const way = await line(port)
    const page = await visitPlan(way.url, 'trip')
    const { context } = { context: page.context() }
    // Only the socket is gone: so the page itself can be loaded again.
    let isCut = true
    await context.routeWebSocket(/\/sync\//, (socket) => {
      if (isCut) void socket.close()
      else socket.connectToServer()
    })
    await page.reload()
    await page.locator('.pill[data-state=offline]').waitFor()
    await rowOf(page, 'One').click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Written offline')
    await page.keyboard.press('Escape')
    await page.locator('.pill[data-unsaved="1"]').waitFor()
    await page.reload()
    await rowOf(page, 'Written offline').waitFor()
    await page.locator('.pill[data-unsaved="1"]').waitFor()
    isCut = false
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await isOnline(page)
    const plan = (await (await fetch(`${url}/threads/trip`)).json()) as { steps: { text: string }[] }
    expect(plan.steps.map(({ text }) => text)).toEqual(['One', 'Written offline'])
  })

  test('a reconnect in the middle of a word leaves the word and the caret', async () => {
    const { url, port } = await serve()
    await seed(url, 'trip', 'One\n')
    const way = await line(port)
    const page = await visitPlan(way.url, 'trip')
    await rowOf(page, 'One').click()
    await page.keyboard.press('F2')
    await page.keyboard.type(' th')
    way.cut()
    await page.locator('.pill[data-state=offline]').waitFor()
    await page.keyboard.type('ou')
    way.mend()
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await page.locator('.pill[data-state=online]').waitFor()
    await page.keyboard.type('ght')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await showsOutline(page, ['One thought'])
    await isOnline(page)
  })

  test('without a token one is asked for; a viewer reads, and is told so', async () => {
    const { url } = await serveGuarded()
    const [reader, writer] = [await human('viewer', 'reader'), await human('editor')]
    const live = connectPlan({ url, thread: 'trip', name: 'Ada', token: writer })
    onTestFinished(() => live.close())
    live.apply([{ type: 'addSteps', parent: null, steps: [{ id: 'aaaaaaaa1' as StepId, text: 'One', depth: 0 }] }])
    await live.whenSaved()

    const page = await visit(`${url}/t/trip`)
    await page.getByText('The server wants to know who you are.').waitFor()
    await page.getByLabel('Your token').fill(reader)
    await page.keyboard.press('Enter')
    await rowOf(page, 'One').click()
    await page.getByText('Read only').waitFor()
    await page.keyboard.press('Space')
    await page.locator('.notice', { hasText: 'You may read this plan, not change it.' }).waitFor()
    await page.keyboard.press('F2')
    expect(await page.locator('textarea.field').count()).toBe(0)
    await showsOutline(page, ['One'])
    expect(await page.locator('.pill').first().getAttribute('data-state')).toBe('online')

    // A link may bring one, where no server and no log sees it.
    await page.goto('about:blank')
    await page.goto(`${url}/t/trip#token=${writer}`)
    await rowOf(page, 'One').click()
    expect(page.url()).toBe(`${url}/t/trip`)
    await page.keyboard.press('Space')
    await showsOutline(page, ['One (completed)'])
  })

  test('access that is taken back is said, and what was changed stays here', async () => {
    const { url, access } = await serveGuarded()
    const page = await visit(`${url}/t/trip#token=${await human('editor')}`)
    await page.getByRole('button', { name: 'First step' }).click()
    await page.keyboard.type('One')
    await page.keyboard.press('Escape')
    await isOnline(page)
    await access.revoke({ kind: 'subject', id: 'ada' })
    await page.getByText('The server does not let you in.').waitFor()
    await page.getByText('your token was revoked').first().waitFor()
    await showsOutline(page, ['One'])
  })

  test('a plan that was deleted can still be read, and nothing goes into it', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n')
    const page = await visitPlan(url, 'trip')
    await rowOf(page, 'One').click()
    await fetch(`${url}/threads/trip`, { method: 'DELETE' })
    await page.getByText('This plan was deleted').waitFor()
    await page.keyboard.press('Space')
    await page.locator('.notice', { hasText: 'can no longer be changed' }).waitFor()
    await showsOutline(page, ['One'])
    await page.getByRole('alert').getByRole('link', { name: 'All plans' }).click()
    await page.getByText('No plan yet').waitFor()
  })

  test('a browser that keeps nothing says so, and the plan goes on', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n')
    const page = await visit('about:blank')
    await page.context().addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new Error('The disk is full.')
      }
    })
    await page.goto(`${url}/t/trip`)
    await page.getByText('This browser cannot keep the plan:').waitFor()
    await rowOf(page, 'One').click()
    await page.keyboard.press('Space')
    await eventually(
      () => outlineOf(page),
      (rows) => expect(rows).toEqual(['One (completed)']),
    )
    await isOnline(page)
  })
})
