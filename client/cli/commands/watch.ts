import { verbs } from '../../../shared/dialects/digest.ts'
import { oneLine } from '../../../shared/dialects/lines.ts'
import type { StepChange } from '../../../shared/plan/changes.ts'
import type { LivePlan } from '../../sdk/live-plan.ts'
import { Api, serverUrl, threadOf } from '../api.ts'
import { type Call, EXIT } from '../command.ts'
import { connect, endOf, statusText } from '../live.ts'
import { doneText, planLines } from '../plan-text.ts'
import type { Terminal } from '../terminal.ts'

/** Events told below the plan. */
const TOLD = 8

export async function run(call: Call): Promise<number> {
  const thread = threadOf(call, 0)
  if (!call.flag('wait')) await new Api(call).greet()
  const live = connect(call, thread)
  const url = serverUrl(call)
  const view = call.isJson
    ? asJson(live, call)
    : call.terminal.isLive
      ? redraw(live, call, url, thread)
      : log(live, call, url)
  return new Promise((resolve, reject) => {
    view.status()
    live.subscribe((event) => {
      if (event.type === 'change') view.change(event.changes)
      if (event.type !== 'status') return
      view.status()
      const end = endOf(live.status)
      if (end !== null) void live.close().then(() => reject(end))
    })
    process.stdout.on('resize', () => view.change([]))
    process.once('SIGINT', () => void live.close().then(() => resolve(EXIT.ok)))
    process.once('SIGTERM', () => void live.close().then(() => resolve(EXIT.ok)))
  })
}

interface View {
  readonly change: (changes: readonly StepChange[]) => void
  readonly status: () => void
}

/** Draws the plan anew in place, and below it what happened last. */
function redraw(live: LivePlan, { terminal }: Call, url: string, thread: string): View {
  const told: string[] = []
  const draw = (): void => {
    const { plan, status } = live
    const room = Math.max(3, terminal.rows - told.length - 6)
    const lines = planLines(plan, terminal)
    const shown = lines.length <= room ? lines : [...lines.slice(0, room), `… and ${lines.length - room} lines more`]
    const heading = `${thread} · ${doneText(plan.steps)} · ${statusText(status, url)}`
    const text = [terminal.paint('dim', heading), '', ...(shown.length === 0 ? ['(no steps yet)'] : shown), '', ...told]
    // Home, each line cleared behind its end, then all below: nothing flickers.
    terminal.print(`\u001b[H${text.map((line) => `${line}\u001b[K`).join('\n')}\n\u001b[J`)
  }
  terminal.print('\u001b[2J')
  return {
    change: (changes) => {
      told.push(...changes.flatMap((change) => describe(change, terminal)))
      told.splice(0, told.length - TOLD)
      draw()
    },
    status: draw,
  }
}

/** One line for each thing that happens, for a pipe. */
function log(live: LivePlan, { terminal }: Call, url: string): View {
  return {
    change: (changes) => {
      for (const line of changes.flatMap((change) => describe(change, terminal))) terminal.print(`${line}\n`)
    },
    status: () => terminal.print(`${new Date().toISOString()} ${statusText(live.status, url)}\n`),
  }
}

/** The same, for a program. */
function asJson(live: LivePlan, { terminal }: Call): View {
  const print = (event: object): void => terminal.print(`${JSON.stringify({ at: Date.now(), ...event })}\n`)
  return {
    change: (changes) => {
      const told = changes.map((change) => {
        const { id, before, after, placeAfter } = change
        return { id, did: verbs(change), place: placeAfter, before, after }
      })
      if (told.length > 0) print({ type: 'change', version: live.version, changes: told })
    },
    status: () => print({ type: 'status', status: live.status }),
  }
}

function describe(change: StepChange, terminal: Terminal): string[] {
  const step = change.after ?? change.before
  const done = verbs(change)
  if (step === null || done.length === 0) return []
  const place = change.placeAfter ?? change.placeBefore
  const by = change.after === null || step.updatedBy === '' ? '' : ` by ${oneLine(step.updatedBy)}`
  const time = terminal.paint('dim', new Date().toTimeString().slice(0, 8))
  return [`${time}  #${place} ${done.join(' and ')}${by}: ${oneLine(step.text)}`]
}
