import type { ActivityEntry } from '../../../server/rooms/storage.ts'
import { verbs } from '../../../shared/dialects/digest.ts'
import { oneLine } from '../../../shared/dialects/lines.ts'
import type { StepChange } from '../../../shared/plan/changes.ts'
import type { LivePlan } from '../../sdk/live-plan.ts'
import { Api, serverUrl, threadOf } from '../api.ts'
import { type Call, CliError, EXIT } from '../command.ts'
import { Happenings } from '../happenings.ts'
import { connect, endOf, statusText } from '../live.ts'
import { doneText, planLines } from '../plan-text.ts'
import { Screen } from '../screen.ts'
import type { Terminal } from '../terminal.ts'

/** Events told below the plan. */
const TOLD = 8
/** Lines of the plan that a pipe is given to begin with; `planroom show` prints all. */
const MOST_LINES = 100

export async function run(call: Call): Promise<number> {
  const thread = threadOf(call, 0)
  const api = new Api(call)
  if (!call.flag('wait')) await api.greet()
  const live = connect(call, thread)
  return new Promise((resolve, reject) => {
    const end = (): void => void live.close().then(() => resolve(EXIT.ok))
    const view = viewOf(live, call, thread, end)
    let happenings: Happenings | null = null
    let isBeginning = false
    view.status()
    live.subscribe((event) => {
      if (event.type === 'status') {
        view.status()
        const wrong = endOf(live.status)
        if (wrong !== null) void live.close().then(() => reject(wrong))
      }
      if (happenings === null) {
        // First how the plan stands, then what happens to it.
        if (live.status.kind !== 'online' || isBeginning) return
        isBeginning = true
        return void versionOf(live, api, thread).then((version) => {
          happenings = new Happenings(api, live, thread, { version, tell: view.happened })
          view.began(version)
          happenings.ask()
        }, reject)
      }
      if (event.type === 'change') view.change(event.changes)
      if (event.type === 'version' || event.type === 'status') happenings.ask()
    })
    process.once('SIGINT', end)
    process.once('SIGTERM', end)
  })
}

/** The version that is shown: a plan that nobody has written to has none yet. */
async function versionOf(live: LivePlan, api: Api, thread: string): Promise<number> {
  if (live.version !== null) return live.version
  const { version } = await api.json<{ readonly version: number }>(`/threads/${thread}`).catch((error: unknown) => {
    if (error instanceof CliError && error.code === EXIT.notFound) return { version: 0 }
    throw error
  })
  return version
}

interface View {
  /** How the plan stands is known now. */
  readonly began: (version: number) => void
  readonly change: (changes: readonly StepChange[]) => void
  readonly happened: (entries: readonly ActivityEntry[]) => void
  readonly status: () => void
}

function viewOf(live: LivePlan, call: Call, thread: string, end: () => void): View {
  if (call.isJson) return asJson(live, call)
  return call.terminal.isLive ? onScreen(live, call, thread, end) : log(live, call, thread)
}

/** Draws the plan anew in place, and below it what happened last. */
function onScreen(live: LivePlan, call: Call, thread: string, end: () => void): View {
  const { terminal } = call
  const told: string[] = []
  let hasBegun = false
  const screen = new Screen(
    terminal,
    () => {
      const lines = hasBegun ? planLines(live.plan, terminal) : ['']
      const heading = `${thread} · ${doneText(live.steps)} · ${statusText(live.status, serverUrl(call))}`
      return {
        heading: terminal.paint('dim', heading),
        lines: lines.length === 0 ? ['(no steps yet)'] : lines,
        below: told,
      }
    },
    () => {
      restore()
      end()
    },
  )
  const restore = listenToKeys((keys) => screen.type(keys))
  process.stdout.on('resize', () => screen.draw())
  return {
    began: () => {
      hasBegun = true
      screen.draw()
    },
    change: () => screen.draw(),
    happened: (entries) => {
      told.push(...entries.map((entry) => happening(entry, terminal)))
      told.splice(0, told.length - TOLD)
      screen.draw()
    },
    status: () => screen.draw(),
  }
}

/** @returns how to leave the keyboard as it was */
function listenToKeys(listener: (keys: string) => void): () => void {
  const { stdin } = process
  if (!stdin.isTTY) return () => {}
  stdin.setRawMode(true)
  stdin.setEncoding('utf8').on('data', (keys) => listener(String(keys)))
  return () => {
    stdin.setRawMode(false)
    stdin.pause()
  }
}

/** How the plan stands, then one line for each thing that happens, for a pipe. */
function log(live: LivePlan, call: Call, thread: string): View {
  const { terminal } = call
  const print = (line: string): void => terminal.print(`${line}\n`)
  return {
    began: (version) => {
      const lines = planLines(live.plan, terminal)
      print(`${thread} · version ${version} · ${doneText(live.steps)}`)
      for (const line of lines.slice(0, MOST_LINES)) print(line)
      if (lines.length > MOST_LINES)
        print(`… and ${lines.length - MOST_LINES} lines more: planroom show ${thread} prints all`)
    },
    change: () => {},
    happened: (entries) => {
      for (const entry of entries) print(happening(entry, terminal))
    },
    status: () => print(`${new Date().toISOString()} ${statusText(live.status, serverUrl(call))}`),
  }
}

/** The same, for a program: the plan, what changes in it, and who did that and why. */
function asJson(live: LivePlan, { terminal }: Call): View {
  const print = (event: object): void => terminal.print(`${JSON.stringify({ at: Date.now(), ...event })}\n`)
  return {
    began: (version) => print({ type: 'plan', version, ...planOf(live) }),
    change: (changes) => {
      const told = changes.map((change) => {
        const { id, before, after, placeAfter } = change
        return { id, did: verbs(change), place: placeAfter, before, after }
      })
      if (told.length > 0) print({ type: 'change', version: live.version, changes: told })
    },
    happened: (entries) => {
      for (const entry of entries) print({ type: 'activity', ...entry })
    },
    status: () => print({ type: 'status', status: live.status }),
  }
}

const planOf = ({ plan: { title, steps, groups } }: LivePlan) => ({ title, steps, groups })

/** `10:20:31  ada (add_todos): added 1 step: Pack — for the trip` */
function happening({ at, actor, tool, reasoning, summary }: ActivityEntry, terminal: Terminal): string {
  const time = terminal.paint('dim', new Date(at).toTimeString().slice(0, 8))
  const who = oneLine(actor.name) || (actor.kind === 'system' ? 'the server' : 'somebody')
  const how = tool === '' ? '' : terminal.paint('dim', ` (${tool})`)
  const why = reasoning === '' ? '' : terminal.paint('dim', ` — ${oneLine(reasoning)}`)
  return `${time}  ${terminal.paint('cyan', who)}${how}: ${oneLine(summary)}${why}`
}
