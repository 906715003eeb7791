/**
 * What a tool call costs over HTTP, each change on disk before it is answered: how long it takes on plans of several
 * sizes, how many a server answers, and how long a plan takes to open.
 * `npm run bench:calls` starts servers of its own, on folders that it deletes again. Callers share the machine with
 * them. Figures of different machines, or of a busy one, say nothing: compare within one run.
 */
import { withDirectory, withServer } from './serve.ts'

const SIZES = [100, 1_000, 10_000]
const ROUNDS = 60
const CALLS = 3_000

async function call(url: string, thread: string, tool: string, args: object): Promise<void> {
  const response = await fetch(`${url}/threads/${thread}/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': 'bench' },
    body: JSON.stringify(args),
  })
  const reply = (await response.json()) as { success?: boolean }
  if (reply.success !== true) throw new Error(`${tool}: ${response.status} ${JSON.stringify(reply).slice(0, 300)}`)
}

/** The median of how many milliseconds each takes. */
async function median(rounds: number, work: (round: number) => Promise<unknown>): Promise<string> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    await work(round)
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  return `${(times[rounds >> 1] ?? 0).toFixed(1)} ms`
}

async function fill(url: string, thread: string, size: number): Promise<void> {
  for (let made = 0; made < size; made += 500) {
    const steps = Array.from({ length: Math.min(500, size - made) }, (_, i) => ({
      text: `Step ${made + i}`,
      depth: i % 3,
    }))
    await call(url, thread, 'add_todos', { steps })
  }
}

/** How long one call takes on a plan of some size. */
async function sizes(url: string): Promise<void> {
  console.table(
    Object.fromEntries(
      await inTurn(SIZES, async (size) => {
        const thread = `size-${size}`
        await fill(url, thread, size - ROUNDS)
        const add = await median(ROUNDS, () => call(url, thread, 'add_todos', { steps: [{ text: 'One more' }] }))
        const toggle = await median(ROUNDS, (i) => call(url, thread, 'toggle_todos', { indices: [i + 1] }))
        const update = await median(ROUNDS, (i) =>
          call(url, thread, 'update_todos', { updates: [{ index: size - i - 1, text: `Rewritten ${i}` }] }),
        )
        const list = await median(10, () => call(url, thread, 'list_todos', {}))
        const remove = await median(20, () => call(url, thread, 'remove_todos', { indices: [2] }))
        return [`${size} steps`, { add, toggle, update, remove, list }] as const
      }),
    ),
  )
}

/** How many calls a second are answered, from some callers on some threads. */
async function rates(url: string): Promise<void> {
  const cases = [
    { callers: 1, threads: 1 },
    { callers: 64, threads: 1 },
    { callers: 64, threads: 64 },
  ]
  for (const { callers, threads } of cases) {
    const calls = callers === 1 ? CALLS / 4 : CALLS
    for (let i = 0; i < threads; i++) await fill(url, `rate-${callers}-${threads}-${i}`, 20)
    const began = performance.now()
    await Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        const thread = `rate-${callers}-${threads}-${caller % threads}`
        for (let i = caller; i < calls; i += callers)
          await call(url, thread, 'toggle_todos', { indices: [1 + (caller % 20)] })
      }),
    )
    const rate = Math.round((calls * 1_000) / (performance.now() - began))
    console.log(`${callers} callers on ${threads} threads: ${rate} durable calls/s`)
  }
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}

await withDirectory(async (directory) => {
  await withServer(directory, async (url) => {
    await sizes(url)
    await rates(url)
  })
  // A new server has nothing in memory: the first look at a plan opens it.
  await withServer(directory, async (url) => {
    await fetch(`${url}/readyz`)
    for (const size of SIZES) {
      const began = performance.now()
      await (await fetch(`${url}/threads/size-${size}/plan.md`)).text()
      console.log(`opening ${size} steps: ${(performance.now() - began).toFixed(0)} ms`)
    }
  })
})
