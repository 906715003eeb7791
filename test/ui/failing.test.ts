import { expect, onTestFinished, test } from 'vitest'
import type { Page } from 'playwright-core'
import { connectPlan, type StepId } from '../../client/sdk/index.ts'
import { tcpProxy } from '../helpers/tcp-proxy.ts'
import { tokenOf } from '../helpers/tokens.ts'
import {
  describePage,
  eventually,
  isOnline,
  line,
  rowOf,
  seed,
  serve,
  serveGuarded,
  showsOutline,
  visit,
  visitPlan,
} from './browser.ts'

const textOf = (page: Page): Promise<string> => page.locator('#root').innerText()

describePage('what is said when something is wrong', () => {
  test('[P22] an address at which nothing is: words and a way on, and 404', async () => {
    const { url } = await serve()
    for (const path of ['/plans', '/t/', '/t/trip/step', '/T/trip']) {
      const page = await visit('about:blank')
      const response = await page.goto(url + path)
      expect([path, response?.status()]).toEqual([path, 404])
      await page.getByRole('heading', { name: 'Nothing is here' }).waitFor()
      expect(await textOf(page)).toContain(path)
      await page.getByRole('link', { name: 'All plans' }).click()
      await page.getByText('No plan yet').waitFor()
    }
    const page = await visit(`${url}/t/no%20plan`)
    await page.getByText('No plan can have the id no plan').waitFor()
    // Programs hear it as before.
    const reply = await fetch(`${url}/plans`, { headers: { Accept: '*/*' } })
    expect([reply.status, reply.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  })

  test('[P22] where tokens are needed, an address at which nothing is says so too', async () => {
    const { url } = await serveGuarded()
    const page = await visit(`${url}/plans`)
    await page.getByRole('heading', { name: 'Nothing is here' }).waitFor()
    expect((await fetch(`${url}/plans`)).status).toBe(401)
  })

  test('[P22] a missing or a wrong token is said at once, in words, with what to do', async () => {
    const { url } = await serveGuarded()
    const expired = await tokenOf({ sub: 'ada', name: 'Ada', kind: 'human', role: 'editor' })
    const page = await visit('about:blank')
    for (const [token, words] of [
      ['', 'Bring yours, or ask whoever runs the server for one.'],
      ['nonsense', 'one has three parts, with dots between them. Bring another one'],
      ['non sense', 'one has three parts, with dots between them. Bring another one'],
      [expired.slice(0, -8), 'not signed by a key that is known here. Bring another one'],
    ] as const) {
      await page.goto('about:blank')
      await page.goto(`${url}/t/trip#token=${encodeURIComponent(token)}`)
      await page.getByText('The server wants to know who you are.').waitFor()
      const text = await textOf(page)
      expect(text).toContain(words)
      expect(text).toContain('This plan cannot be shown.')
      expect(text).not.toMatch(/JWT|Authorization|Opening the plan|Nothing is planned/)
      await page.getByLabel('Your token').waitFor()
    }
    await page.goto(url)
    await page.getByText('The server wants to know who you are.').waitFor()
    expect(await textOf(page)).not.toMatch(/JWT|Authorization/)
  })

  test('[P18] a plan that was deleted is said to be so, and not to be empty', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n')
    await fetch(`${url}/threads/trip`, { method: 'DELETE' })
    const page = await visit(`${url}/t/trip`)
    await page.getByText('This plan was deleted, and this browser has nothing of it.').waitFor()
    expect(await textOf(page)).not.toContain('Nothing is planned yet')
  })

  test('[P18] a row says who wrote what it shows, not who was last or who came back', async () => {
    const { url, port } = await serve()
    await seed(url, 'trip', 'One\nTwo\n')
    const way = await line(port)
    const bob = await visitPlan(way.url, 'trip', { name: 'Bob' })
    way.cut()
    await bob.locator('.pill[data-state=offline]').waitFor()
    const join = (name: string) => {
      const live = connectPlan({ url, thread: 'trip', name, id: name })
      onTestFinished(() => live.close())
      return live
    }
    const [ada, carl] = [join('Ada'), join('Carl')]
    await Promise.all([ada.whenSynced(), carl.whenSynced()])
    const one = ada.steps[0]?.id as StepId
    ada.apply([{ type: 'setStep', id: one, fields: { text: 'One of Ada' } }])
    await ada.whenSaved()
    await eventually(
      () => carl.steps[0]?.text,
      (text) => expect(text).toBe('One of Ada'),
    )
    carl.apply([{ type: 'setStep', id: one, fields: { details: 'By Carl' } }])
    await carl.whenSaved()
    await rowOf(bob, 'Two').click()
    await bob.keyboard.press('Space')
    way.mend()
    await bob.evaluate(() => window.dispatchEvent(new Event('online')))
    await isOnline(bob)
    await rowOf(bob, 'One of Ada').locator('.by', { hasText: 'Ada renamed it' }).waitFor()
    // The log was read since, and says nothing else.
    await bob.locator('.burst', { hasText: 'You' }).waitFor()
    expect(await rowOf(bob, 'One of Ada').locator('.by').textContent()).toContain('Ada renamed it')
  })

  test('[P18] what was being typed when the token changed is said to be that', async () => {
    const { url } = await serveGuarded()
    const tokenFor = (sub: string) => tokenOf({ sub, name: sub, kind: 'human', role: 'editor' })
    const page = await visit(`${url}/t/trip#token=${await tokenFor('ada')}`)
    await page.getByRole('button', { name: 'First step' }).click()
    await page.keyboard.type('One')
    await page.keyboard.press('Escape')
    await isOnline(page)
    await page.keyboard.press('o')
    await page.getByLabel('Details').fill('Half a thou')
    await page.goto('about:blank')
    await page.goto(`${url}/t/trip#token=${await tokenFor('eve')}`)
    const offer = page.getByRole('alert', { name: 'Two texts' })
    await offer.waitFor()
    const text = await offer.innerText()
    expect(text).toContain('Half a thou')
    expect(text).not.toContain('closed')
  })

  test('[P25] a browser that forbids its database shows the plan, and says that it keeps nothing', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n')
    const page = await visit('about:blank')
    await page.context().addInitScript(() => {
      Object.defineProperty(globalThis, 'indexedDB', {
        get: () => {
          throw new DOMException('The operation is insecure.', 'SecurityError')
        },
      })
    })
    await page.goto(`${url}/t/trip`)
    await page.getByText('This browser cannot keep the plan: The operation is insecure.').waitFor()
    await rowOf(page, 'One').click()
    await page.keyboard.press('Space')
    await showsOutline(page, ['One (completed)'])
    await isOnline(page)
  })

  test('[P25] and one that has none at all, too', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n')
    const page = await visit('about:blank')
    await page.context().addInitScript(() => {
      Object.defineProperty(globalThis, 'indexedDB', { value: undefined })
    })
    await page.goto(`${url}/t/trip`)
    await page.getByText('This browser cannot keep the plan: It has no database.').waitFor()
    await rowOf(page, 'One').waitFor()
  })

  test('[11-F19] a time that is no date is said to be unknown', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n')
    const page = await visit('about:blank')
    await page.route(/\/activity\?/, async (route) => {
      const reply = (await (await route.fetch()).json()) as { entries: { at: number }[] }
      for (const entry of reply.entries) entry.at = 1e20
      await route.fulfill({ json: reply })
    })
    await page.goto(`${url}/t/trip`)
    await page.locator('.burst', { hasText: 'at an unknown time' }).waitFor()
    await rowOf(page, 'One').waitFor()
  })

  test('[11-F19] a part of the page that fails says so, and the rest works on', async () => {
    const { url } = await serve()
    await seed(url, 'trip', 'One\n')
    const page = await visit('about:blank', { mayComplain: /React error #31|is not a function/ })
    let isBroken = true
    await page.route(/\/activity\?/, async (route) => {
      const reply = (await (await route.fetch()).json()) as { entries: { summary: unknown; actor: unknown }[] }
      if (isBroken) for (const entry of reply.entries) entry.summary = { not: 'a text' }
      await route.fulfill({ json: reply })
    })
    await page.goto(`${url}/t/trip`)
    const broken = page.getByRole('alert').filter({ hasText: 'The activity cannot be shown.' })
    await broken.waitFor()
    await rowOf(page, 'One').click()
    await page.keyboard.press('Space')
    await showsOutline(page, ['One (completed)'])
    await page.getByRole('button', { name: 'Step', exact: true }).click()
    await page.getByLabel('Details').waitFor()
    isBroken = false
    await page.reload()
    await page.locator('.burst').first().waitFor()
  })
})

describePage('a network that is gone', () => {
  test('[P20] what the browser says of it is believed at once', async () => {
    const { url, port } = await serve()
    await seed(url, 'trip', 'One\n')
    // Half open: nothing ends, and nothing comes through.
    const proxy = await tcpProxy(port)
    const page = await visit('about:blank')
    await page.clock.install()
    await page.goto(`http://127.0.0.1:${proxy.port}/t/trip`)
    await isOnline(page)
    await rowOf(page, 'One').click()
    // Time stands still in the page: whatever happens now waits for nothing.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 100))
    proxy.swallow()
    await page.keyboard.press('Space')
    await page.locator('.pill', { hasText: 'Saving 1 change' }).waitFor()
    await page.context().setOffline(true)
    await page.locator('.pill', { hasText: 'Offline, 1 unsent' }).waitFor()
  })

  test('[P20] a dead socket is found within 10 s, though nobody says so', async () => {
    const { url, port } = await serve()
    await seed(url, 'trip', 'One\n')
    const proxy = await tcpProxy(port)
    const page = await visit('about:blank')
    await page.clock.install()
    const answered = new Promise<void>((resolve) => {
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) => {
          if (typeof payload !== 'string' && payload.equals(Buffer.from([1, 1, 0]))) resolve()
        }),
      )
    })
    await page.goto(`http://127.0.0.1:${proxy.port}/t/trip`)
    await isOnline(page)
    await page.clock.runFor(1_000)
    await answered
    await rowOf(page, 'One').click()
    proxy.swallow()
    await page.keyboard.press('Space')
    await page.locator('.pill', { hasText: 'Saving 1 change' }).waitFor()
    await page.clock.runFor(10_000)
    await page.locator('.pill', { hasText: 'Offline, 1 unsent' }).waitFor()
  })
})
