/**
 * Pictures of the page, into docs/screenshots/: every view, light and dark, wide and narrow, with few steps and many.
 * Needs a build and Debian's chromium: npm run build && npm run screenshots
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

const OUT = 'docs/screenshots'
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'] // prettier-ignore
const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }
/** @type {readonly ('light' | 'dark')[]} */
const SCHEMES = ['light', 'dark']

const data = mkdtempSync(join(tmpdir(), 'planroom-shots-'))
const server = spawn(process.execPath, ['dist/server/main.js'], {
  env: { PATH: process.env.PATH, PORT: '0', PLANROOM_DATA_DIR: data },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const url = await new Promise((resolve, reject) => {
  createInterface({ input: server.stdout }).on('line', (line) => {
    const found = /"url":"([^"]+)".*listening on/.exec(line)?.[1]
    if (found !== undefined) resolve(found)
  })
  server.once('exit', () => reject(new Error('The server ended.')))
})
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS })
mkdirSync(OUT, { recursive: true })

async function ask(method, path, body, agent) {
  const headers = { 'Content-Type': 'application/json', ...(agent === undefined ? {} : { 'X-Agent-Name': agent }) }
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}
const call = (thread, agent, tool, args) => ask('POST', `/threads/${thread}/tools/${tool}`, args, agent)

const LAUNCH = [
  ['Ship the 2.0 release', 0],
  ['Freeze the schema of events', 1, 'completed'],
  ['Move billing to the new API', 1, 'in_progress'],
  [
    'Write the migration and run it on a copy of production, with the numbers before and after in the ticket',
    2,
    'completed',
  ],
  ['Compare a day of invoices line by line', 2, 'in_progress'],
  ['Switch over, a tenth of customers first', 2, 'blocked'],
  ['Release notes', 1],
  ['Draft from the merged pull requests', 2, 'completed'],
  ['Screenshots of the new settings', 2],
  ['Support', 0],
  ['Answer the six open questions from the beta', 1, 'in_progress'],
  ['Record a short walk-through', 1, 'cancelled'],
  ['Tell partners about the end of the old endpoints', 1],
  ['After the launch', 0],
  ['Watch error rates for a day', 1],
  ['Thank everybody', 1],
]

async function fill() {
  await ask('PUT', '/threads/launch', { seed: LAUNCH.map(([text, depth, status]) => ({ text, depth, ...(status ? { status } : {}) })) }, 'planner') // prettier-ignore
  const five = ['Look at the logs', 'Find the slow query', 'Add an index', 'Measure again', 'Write it down']
  await ask('PUT', '/threads/slow-page', { seed: five.map((text, i) => ({ text, status: i < 2 ? 'completed' : i === 2 ? 'in_progress' : 'pending' })) }, 'scout') // prettier-ignore
  const many = Array.from({ length: 500 }, (_, i) => ({ text: i % 8 === 0 ? `Part ${i / 8 + 1}` : `Check file ${i} for uses of the old client`, depth: i % 8 === 0 ? 0 : 1, status: i < 180 && i % 8 !== 0 ? 'completed' : i < 190 && i % 8 !== 0 ? 'in_progress' : 'pending' })) // prettier-ignore
  await ask('PUT', '/threads/migration', { seed: many }, 'scout')
}

/** Agents at work, so that there is something to see. */
async function work() {
  await call('launch', 'invoice-agent', 'add_todos', { steps: [{ text: 'Three invoices differ by a cent: rounding of discounts' }], action_and_reasoning: 'Comparing invoices: rounding differs where two discounts meet.' }) // prettier-ignore
  for (let i = 0; i < 4; i++)
    await call('launch', 'docs-agent', 'add_todos', { steps: [{ text: `Screenshot ${i + 1} for the release notes` }], action_and_reasoning: 'One picture per changed page of the settings.' }) // prettier-ignore
}

async function visit(thread, options, name = 'Ada Lovelace') {
  const context = await browser.newContext(options)
  await context.addInitScript((who) => {
    localStorage.setItem('planroom.name', who)
    localStorage.setItem('planroom.id', `id-${who}`)
  }, name)
  const page = await context.newPage()
  await page.goto(`${url}${thread === null ? '/' : `/t/${thread}`}`)
  if (thread === null) await page.getByRole('progressbar').first().waitFor()
  else await page.waitForSelector('.pill[data-state=online]')
  return page
}

async function shoot(page, name) {
  await page.evaluate(() => document.fonts.ready)
  await page.screenshot({ path: join(OUT, `${name}.png`) })
}

const row = (page, text) => page.locator('[role=treeitem]').filter({ hasText: text }).first()
const key = async (page, ...keys) => {
  for (const one of keys) await page.keyboard.press(one)
}

async function group(page, text, title) {
  await row(page, text).click()
  await key(page, 'g')
  await page.keyboard.type(title)
  await key(page, 'Enter')
  await row(page, text).locator('.chip').waitFor()
}

try {
  await fill()
  const setUp = await visit('launch', { viewport: WIDE })
  await group(setUp, 'Move billing', 'Billing')
  await group(setUp, 'Release notes', 'Words')
  await group(setUp, 'Support', 'People')
  await row(setUp, 'Switch over').click()
  await key(setUp, 'Control+k')
  await setUp.keyboard.type('waits for')
  await key(setUp, 'Enter')
  await setUp.keyboard.type('compare a day')
  await key(setUp, 'Enter')
  await row(setUp, 'Switch over').locator('.waits').waitFor()
  await setUp.context().close()
  const grace = await visit('launch', { viewport: WIDE }, 'Grace Hopper')
  await row(grace, 'Answer the six').click()

  for (const colorScheme of SCHEMES) {
    for (const size of ['wide', 'narrow']) {
      const viewport = size === 'wide' ? WIDE : NARROW
      const options = { viewport, colorScheme, ...(size === 'narrow' ? { hasTouch: true, isMobile: true, deviceScaleFactor: 2 } : {}) } // prettier-ignore
      const of = (name) => `${name}-${size}-${colorScheme}`
      const home = await visit(null, options)
      await shoot(home, of('plans'))
      await home.context().close()

      const page = await visit('launch', options)
      await row(page, 'Compare a day').waitFor()
      await work()
      await row(grace, 'Freeze the schema').click()
      await key(grace, 'Space', 'Space')
      await row(grace, 'Answer the six').click()
      await page.locator('.flash').first().waitFor()
      await row(page, 'Compare a day').click()
      await page.getByRole('img', { name: /^docs-agent \(/ }).waitFor()
      await shoot(page, of('outline'))
      if (size === 'narrow') {
        await page.locator('.side-switch').click()
        await page.locator('.burst').first().waitFor()
        await shoot(page, of('activity'))
        await page.getByRole('button', { name: 'Close' }).click()
      }
      await page.getByRole('button', { name: 'Both' }).click()
      await shoot(page, of('both'))
      await page.getByRole('button', { name: 'Board' }).click()
      await shoot(page, of('board'))
      await page.getByRole('button', { name: 'Outline' }).click()
      await row(page, 'Compare a day').click()
      await key(page, 'o')
      await page.getByLabel('Details').waitFor()
      await shoot(page, of('step'))
      if (size === 'narrow') await page.getByRole('button', { name: 'Close' }).click()
      await row(page, 'Release notes').click()
      await key(page, 'Enter')
      await page.keyboard.type('Something that is being typed')
      await shoot(page, of('typing'))
      await key(page, 'Control+a', 'Delete', 'Escape', 'Control+k')
      await page.getByRole('dialog').waitFor()
      await shoot(page, of('commands'))
      await key(page, 'Escape', '?')
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
      await shoot(page, of('keys'))
      await key(page, 'Escape')
      await page.getByRole('button', { name: 'Settings', exact: true }).click()
      await shoot(page, of('settings'))
      await key(page, 'Escape')
      await page.context().close()

      for (const thread of ['slow-page', 'migration', 'empty']) {
        const one = await visit(thread, options)
        if (thread !== 'empty') await one.locator('[role=treeitem]').first().waitFor()
        await shoot(one, of(thread === 'slow-page' ? 'five-steps' : thread === 'migration' ? '500-steps' : 'empty'))
        await one.context().close()
      }

      const thread = `gone-${size}-${colorScheme}`
      await ask('PUT', `/threads/${thread}`, { seed: [{ text: 'It was a good plan' }] })
      const gone = await visit(thread, options)
      await row(gone, 'It was').click()
      await key(gone, 'F2')
      await gone.keyboard.type(', and I was typing')
      await call(thread, 'tidy-agent', 'list_todos', {})
      await call(thread, 'tidy-agent', 'remove_todos', { indices: [1] })
      await gone.getByRole('alert').waitFor()
      await row(gone, 'It was').waitFor({ state: 'detached' })
      await shoot(gone, of('removed-while-typing'))
      await fetch(`${url}/threads/${thread}`, { method: 'DELETE' })
      await gone.getByText('This plan was deleted').first().waitFor()
      await shoot(gone, of('deleted'))
      await gone.context().close()

      const cut = await browser.newContext(options)
      await cut.routeWebSocket(/\/sync\//, (socket) => void socket.close())
      const offline = await cut.newPage()
      await offline.goto(`${url}/t/launch`)
      await offline.locator('.pill[data-state=offline]').waitFor()
      await offline.getByRole('button', { name: 'First step' }).click()
      await offline.keyboard.type('Written without a network')
      await key(offline, 'Enter', 'Escape')
      await offline.locator('.pill[data-unsaved="1"]').waitFor()
      await shoot(offline, of('offline'))
      await cut.close()
    }
  }
} finally {
  await browser.close()
  server.kill('SIGTERM')
  rmSync(data, { recursive: true, force: true })
}
