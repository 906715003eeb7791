/**
 * How smoothly 5,000 steps scroll while agents change fifty a second, beside a static list of 5,000 rows in the same
 * browser. Needs a build and Debian's chromium: npm run bench:page
 */
import { type Browser, chromium, type Page } from 'playwright-core'
import { connectPlan, newStepId } from '../client/sdk/index.ts'
import { createApp } from '../server/app.ts'
import { createMemoryStorage } from '../server/storage/memory.ts'

const STEPS = 5_000
const CHANGES_PER_SECOND = 50
const SECONDS = 6
const ROUNDS = 3
/** How much longer than the static list's a frame may take. */
const MOST = 1.5
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'] // prettier-ignore
const log = { info: () => {}, warn: () => {}, error: () => {} }

interface Run {
  readonly frames: number
  /** Milliseconds. */
  readonly mean: number
  readonly p95: number
  readonly worst: number
  readonly longTasks: number
}

/** Scrolls the element down and up, frame by frame, and measures the time between frames. */
async function scroll(page: Page, selector: string): Promise<Run> {
  const { times, longTasks } = await page.evaluate(
    async ({ selector: wanted, seconds }) => {
      const node = document.querySelector(wanted)
      if (node === null) throw new Error(`There is no ${wanted}.`)
      let count = 0
      const observer = new PerformanceObserver((list) => {
        count += list.getEntries().length
      })
      observer.observe({ type: 'longtask' })
      const found: number[] = []
      const end = performance.now() + seconds * 1_000
      let before = performance.now()
      let step = 60
      await new Promise<void>((resolve) => {
        const frame = (now: number): void => {
          found.push(now - before)
          before = now
          if (node.scrollTop + node.clientHeight >= node.scrollHeight - 100) step = -60
          else if (node.scrollTop <= 0) step = 60
          node.scrollTop += step
          if (now < end) requestAnimationFrame(frame)
          else resolve()
        }
        requestAnimationFrame(frame)
      })
      observer.disconnect()
      return { times: found.slice(5), longTasks: count }
    },
    { selector, seconds: SECONDS },
  )
  const sorted = times.toSorted((a, b) => a - b)
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  return {
    frames: times.length,
    mean,
    p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
    worst: sorted.at(-1) ?? 0,
    longTasks,
  }
}

async function staticList(browser: Browser): Promise<Run> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const rows = Array.from({ length: STEPS }, (_, i) => `<div style="height:32px;padding:6px 12px">Step ${i}</div>`)
  await page.setContent(`<div id="list" style="height:700px;overflow:auto;font:14px system-ui">${rows.join('')}</div>`)
  const run = await scroll(page, '#list')
  await page.close()
  return run
}

async function plan(browser: Browser, url: string, change: () => void): Promise<Run> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(`${url}/t/large`)
  await page.waitForSelector('.pill[data-state=online]')
  await page.waitForSelector('[role=treeitem]')
  const timer = setInterval(change, 1_000 / CHANGES_PER_SECOND)
  const run = await scroll(page, '.outline')
  clearInterval(timer)
  await page.close()
  return run
}

const show = (name: string, { frames, mean, p95, worst, longTasks }: Run): string =>
  `${name.padEnd(38)} ${String(frames).padStart(4)} frames  mean ${mean.toFixed(1)} ms  95 % ${p95.toFixed(1)} ms  worst ${worst.toFixed(0)} ms  ${longTasks} long tasks`

async function main(): Promise<void> {
  const app = createApp({ config: { host: '127.0.0.1', port: 0, idleMs: 60_000 }, storage: createMemoryStorage(), log })
  const { url } = await app.listen()
  const agent = connectPlan({ url, thread: 'large', name: 'agent', kind: 'agent' })
  await agent.whenSynced()
  for (let at = 0; at < STEPS; at += 500) {
    const steps = Array.from({ length: 500 }, (_, i) => ({
      id: newStepId(),
      text: `Step ${at + i}`,
      depth: i % 5 === 0 ? 0 : 1,
    }))
    agent.apply([{ type: 'addSteps', parent: null, steps }])
  }
  await agent.whenSaved()
  let turn = 0
  const change = (): void => {
    const step = agent.steps[(turn * 37) % agent.steps.length]
    turn++
    if (step === undefined) return
    const status = step.status === 'completed' ? 'pending' : 'completed'
    agent.apply([{ type: 'setStep', id: step.id, fields: { status } }])
  }

  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS })
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await staticList(browser)
    const live = await plan(browser, url, change)
    console.log(show(`static list of ${STEPS} rows`, bare))
    console.log(show(`plan of ${STEPS}, ${CHANGES_PER_SECOND} changes a second`, live))
    ratios.push(live.mean / bare.mean)
  }
  const ratio = ratios.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0
  console.log(`ratio of the mean times of a frame: ${ratio.toFixed(2)} (median of ${ROUNDS}; at most ${MOST})`)
  await browser.close()
  await agent.close()
  await app.close()
  if (ratio > MOST) process.exitCode = 1
}

await main()
