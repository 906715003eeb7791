import { onTestFinished } from 'vitest'
import type { App, AppOptions } from '../../server/app.ts'
import { createApp } from '../../server/app.ts'
import type { Storage } from '../../server/rooms/storage.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import type { PlanEvent } from '../../client/sdk/events.ts'
import type { LivePlan } from '../../client/sdk/live-plan.ts'
import { connectPlan } from '../../client/sdk/live-plan.ts'
import type { ConnectOptions } from '../../client/sdk/options.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import { newStepId } from '../../shared/schema/ids.ts'
import { recordedLog } from '../helpers/http.ts'

/** Milliseconds until a wait is given up, however busy the machine is. */
const PATIENCE_MS = 15_000

export interface TestServer {
  readonly url: string
  readonly port: number
  readonly app: App
  /** Connections are cut: clients try again. */
  stop(): Promise<void>
}

/** A real server in this process. @param port the one that an earlier server had */
export async function serve(
  storage: Storage = createMemoryStorage(),
  port = 0,
  more: Partial<AppOptions> = {},
): Promise<TestServer> {
  const config = { host: '127.0.0.1', port, idleMs: 60_000, allowedHosts: ['planroom.test'], ...more.config }
  const app = createApp({ storage, log: recordedLog(), ...more, config })
  onTestFinished(() => app.close())
  const { url, port: given } = await app.listen()
  return { url, port: given, app, stop: () => app.close() }
}

/** A live plan that tries again at once, and ends with the test. */
export function live(url: string, options: Partial<ConnectOptions> = {}): LivePlan {
  const plan = connectPlan({ url, thread: 'holiday', backoff: () => 20, ...options })
  onTestFinished(() => plan.close())
  return plan
}

/** Resolves when something holds; it is looked at after every event. */
export function until(plan: LivePlan, holds: () => boolean, what = holds.toString()): Promise<void> {
  if (holds()) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop()
      const { status, unsaved } = plan
      reject(new Error(`It never was so: ${what}; ${JSON.stringify({ status, unsaved, texts: texts(plan) })}`))
    }, PATIENCE_MS)
    const stop = plan.subscribe(() => {
      if (!holds()) return
      clearTimeout(timer)
      stop()
      resolve()
    })
  })
}

/** The next event of a type. */
export function next<T extends PlanEvent['type']>(plan: LivePlan, type: T): Promise<PlanEvent & { type: T }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`There was no event ${type}.`)), PATIENCE_MS)
    const stop = plan.subscribe((event) => {
      if (event.type !== type) return
      clearTimeout(timer)
      stop()
      resolve(event as PlanEvent & { type: T })
    })
  })
}

export const texts = ({ steps }: { readonly steps: Plan['steps'] }): string[] => steps.map(({ text }) => text)
export const outlineOf = ({ steps }: { readonly steps: Plan['steps'] }): string[] =>
  steps.map(({ depth, text, status }) => `${'  '.repeat(depth)}${text}${status === 'pending' ? '' : ` (${status})`}`)

/** Adds one step at the end. @returns its id */
export function add(plan: LivePlan, text: string, parent: StepId | null = null): StepId {
  const id = newStepId()
  plan.apply([{ type: 'addSteps', parent, steps: [{ id, text, depth: 0 }] }])
  return id
}
export const rename = (plan: LivePlan, id: StepId, text: string) =>
  plan.apply([{ type: 'setStep', id, fields: { text } }])

export const find = ({ steps }: { readonly steps: Plan['steps'] }, text: string): StepId => {
  const step = steps.find((one) => one.text === text)
  if (step === undefined) throw new Error(`There is no step ${text}.`)
  return step.id
}

/** What the server says, as JSON. */
export async function onServer({ app }: TestServer, thread = 'holiday') {
  const response = await app.fetch(new Request(`http://127.0.0.1/threads/${thread}`))
  return (await response.json()) as { version: number; steps: { text: string; number: number | null }[] }
}

/** All replicas show the same plan, as the server has it. */
export async function agreeing(server: TestServer, ...plans: readonly LivePlan[]): Promise<void> {
  for (const plan of plans) {
    await plan.whenSynced()
    await plan.whenSaved()
  }
  const wanted = JSON.stringify((await onServer(server)).steps)
  for (const plan of plans)
    await until(plan, () => JSON.stringify(plan.steps) === wanted, `as on the server: ${wanted}`)
}
