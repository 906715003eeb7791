/**
 * Three agents, a person and a watcher share one plan for about a minute, against a running server. At the end all
 * replicas are compared.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { outlineLines } from '../../../shared/dialects/lines.ts'
import type { Plan } from '../../../shared/plan/plan.ts'
import { newStepId } from '../../../shared/schema/ids.ts'
import type { LivePlan } from '../../sdk/live-plan.ts'
import { connectPlan } from '../../sdk/live-plan.ts'
import { Api } from '../api.ts'
import { type Call, EXIT, usageError } from '../command.ts'

/** A run: where, on which thread, since when and for how long. */
class Demo {
  readonly url: string
  readonly thread: string
  readonly #seconds: number
  readonly #started = performance.now()

  constructor(url: string, thread: string, seconds: number) {
    this.url = url
    this.thread = thread
    this.#seconds = seconds
  }

  say(who: string, what: string): void {
    const at = ((performance.now() - this.#started) / 1000).toFixed(1).padStart(5)
    console.log(`${at}s  ${who.padEnd(10)} ${what}`)
  }

  /** Waits until a share of the demo's time has passed. */
  until(share: number): Promise<void> {
    return wait(Math.max(0, share * this.#seconds * 1000 - (performance.now() - this.#started)))
  }
}

interface Reply {
  readonly success: boolean
  readonly summary: string
  readonly version: number
  readonly digest?: string
  readonly notes?: readonly string[]
}

/** An agent that calls tools, and says why. */
class Agent {
  readonly #name: string
  readonly #demo: Demo
  #calls = 0

  constructor(name: string, demo: Demo) {
    this.#name = name
    this.#demo = demo
  }

  async call(tool: string, why: string, args: object): Promise<Reply> {
    const { url, thread } = this.#demo
    const response = await fetch(`${url}/threads/${thread}/tools/${tool}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-agent-name': this.#name,
        'idempotency-key': `${this.#name}-${++this.#calls}`,
      },
      body: JSON.stringify({ ...args, action_and_reasoning: why }),
    })
    if (!response.ok) throw new Error(`${tool}: ${response.status} ${await response.text()}`)
    const reply = (await response.json()) as Reply
    this.#demo.say(this.#name, `${why}\n${' '.repeat(19)}${tool} -> ${reply.summary.split('\n')[0]}`)
    if (reply.digest !== undefined) this.#demo.say('', `(told: ${reply.digest})`)
    return reply
  }

  /** The 1-based place of the first step that begins with these words, and the version it was read at. */
  async find(words: string): Promise<{ index: number; rev: number }> {
    const { url, thread } = this.#demo
    const response = await fetch(`${url}/threads/${thread}/context?for=${encodeURIComponent(this.#name)}`)
    const block = await response.text()
    const rev = Number(/version (\d+)/.exec(block)?.[1] ?? 0)
    const line = block.split('\n').find((one) => one.includes(`] ${words}`))
    return { index: Number(/^#(\d+)/.exec(line ?? '')?.[1] ?? 0), rev }
  }
}

async function planner(demo: Demo): Promise<void> {
  const agent = new Agent('planner', demo)
  const steps = [
    ['Understand the report that exports lose rows', 0],
    ["Reproduce it with the customer's file", 1],
    ['Find the commit that broke it', 1],
    ['Mend the exporter', 0],
    ['Write a failing test first', 1],
    ['Stream rows instead of collecting them', 1],
    ['Tell the customer', 0],
  ] as const
  await agent.call('add_todos', 'The bug came in this morning; this is how I would go about it.', {
    steps: steps.map(([text, depth]) => ({ text, depth })),
  })
  await demo.until(0.45)
  const { index, rev } = await agent.find('Mend the exporter')
  await agent.call('add_todos', 'Reviewers will ask for numbers, so measure memory as well.', {
    steps: [{ text: 'Measure memory before and after', depth: 0 }],
    parent_index: index,
    rev,
  })
  await demo.until(0.85)
  await agent.call('list_todos', 'A last look at where we are.', {})
}

async function coder(demo: Demo): Promise<void> {
  const agent = new Agent('coder', demo)
  for (const [share, words, why] of [
    [0.15, 'Reproduce it', 'The file from the ticket loses its last 12 rows here too.'],
    [0.35, 'Write a failing test', 'The test fails for the right reason now.'],
    [0.7, 'Stream rows', 'Streaming works; the test is green.'],
  ] as const) {
    await demo.until(share)
    const { index, rev } = await agent.find(words)
    await agent.call('toggle_todos', why, { indices: [index], rev })
  }
}

async function reviewer(demo: Demo): Promise<void> {
  const agent = new Agent('reviewer', demo)
  await demo.until(0.25)
  const found = await agent.find('Find the commit')
  await agent.call('update_todos', 'Bisecting points at two commits, so say so.', {
    updates: [{ index: found.index, text: 'Find out which of the two commits broke it' }],
    rev: found.rev,
  })
  await demo.until(0.6)
  const gone = await agent.find('Find out which')
  await agent.call('remove_todos', 'The streaming rewrite replaces both commits; no need to know.', {
    indices: [gone.index],
    rev: gone.rev,
  })
  await demo.until(0.8)
  const done = await agent.find('Understand the report')
  await agent.call('toggle_todos', 'We know all there is to know about the report.', {
    indices: [done.index],
    rev: done.rev,
  })
}

/** Somebody in a train: edits go on while the connection does not. */
async function person(demo: Demo, live: LivePlan): Promise<void> {
  await demo.until(0.3)
  live.goOffline()
  demo.say('anna', 'goes offline (the train enters a tunnel)')
  await demo.until(0.4)
  const last = live.plan.steps.at(-1)
  if (last !== undefined) {
    live.apply([
      { type: 'setStep', id: last.id, fields: { text: 'Tell the customer, with an apology' } },
      {
        type: 'addSteps',
        parent: last.id,
        steps: [{ id: newStepId(), text: 'Offer them the patched build', depth: 0 }],
      },
    ])
    demo.say('anna', 'rewrites a step and adds one below it, offline: she knows the customer')
  }
  await demo.until(0.65)
  live.goOnline()
  await live.whenSynced()
  demo.say('anna', "is back; her edits and everybody's are merged")
}

const shape = (plan: Plan): string =>
  JSON.stringify(plan.steps.map(({ id, depth, text, status, number }) => [id, depth, text, status, number]))

/** Resolves when the replica shows what the server says. */
async function equalTo(live: LivePlan, wanted: string): Promise<boolean> {
  await live.whenSynced()
  for (let tries = 0; tries < 50; tries++) {
    if (shape(live.plan) === wanted) return true
    await wait(100)
  }
  return false
}

export async function run(call: Call): Promise<number> {
  const seconds = Number(call.text('seconds', 'PLANROOM_DEMO_SECONDS') ?? 60)
  if (!(seconds > 0)) throw usageError('--seconds is a number above 0.')
  const api = new Api(call)
  await api.greet()
  const { url } = api
  const thread = `demo-${Date.now().toString(36)}`
  const demo = new Demo(url, thread, seconds)
  console.log(`Thread ${thread} at ${url}, for ${seconds} s. Watch along: planroom watch ${thread}\n`)
  const anna = connectPlan({ url, thread, name: 'anna' })
  const watcher = connectPlan({ url, thread, name: 'watcher' })
  let seen = 0
  watcher.subscribe(({ type }) => (seen += type === 'change' ? 1 : 0))
  try {
    await Promise.all([anna.whenSynced(), watcher.whenSynced()])
    await Promise.all([planner(demo), coder(demo), reviewer(demo), person(demo, anna)])
    await demo.until(1)
    const fresh = connectPlan({ url, thread, name: 'newcomer' })
    await fresh.whenSynced()
    const wanted = shape(fresh.plan)
    const equal = (await equalTo(anna, wanted)) && (await equalTo(watcher, wanted))
    console.log(`\n${outlineLines(fresh.plan).join('\n')}\n`)
    console.log(
      `The watcher saw ${seen} changes. Replicas of anna, the watcher and a newcomer: ${equal ? 'all equal' : 'NOT EQUAL'}.`,
    )
    await fresh.close()
    return equal ? EXIT.ok : EXIT.failed
  } finally {
    await Promise.all([anna.close(), watcher.close()])
  }
}
