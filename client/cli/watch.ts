import { parseArgs } from 'node:util'
import { outlineLines } from '../../shared/dialects/outline.ts'
import { oneLine } from '../../shared/dialects/lines.ts'
import { verbs } from '../../shared/dialects/digest.ts'
import { changesBetween } from '../../shared/plan/changes.ts'
import { Plan } from '../../shared/plan/plan.ts'
import { isThreadId } from '../../shared/schema/ids.ts'
import type { PlanStatus } from '../sdk/events.ts'
import { connectPlan } from '../sdk/live-plan.ts'

const USAGE = `Usage: npm run watch -- <thread> [--url http://127.0.0.1:4080] [--name watcher]

Shows a plan live, until Ctrl-C. PLANROOM_TOKEN is the token, where the server wants one.`

/** Events told below the plan. */
const TOLD = 8

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { url: { type: 'string' }, name: { type: 'string' }, help: { type: 'boolean' } },
  })
  const thread = positionals[0]
  if (values.help === true || !isThreadId(thread)) {
    console.error(thread === undefined ? USAGE : `"${thread}" is no thread id.\n\n${USAGE}`)
    process.exitCode = values.help === true ? 0 : 2
    return
  }
  const url = values.url ?? process.env['PLANROOM_URL'] ?? 'http://127.0.0.1:4080'
  // Not by an option: others can read the arguments of a process.
  const token = process.env['PLANROOM_TOKEN']
  const who = { name: values.name ?? 'watcher', ...(token === undefined ? {} : { token }) }
  const live = connectPlan({ url, thread, ...who })
  const show = process.stdout.isTTY ? redraw(thread) : log()
  let before = Plan.empty
  live.subscribe((event) => {
    if (event.type !== 'change' && event.type !== 'status') return
    show(before, live.plan, statusText(live.status, url))
    before = live.plan
    const end = live.status.kind === 'deleted' || live.status.kind === 'refused'
    if (event.type !== 'status' || !end) return
    console.error(`The server has ended this: ${statusText(live.status, url)}`)
    process.exitCode = 1
    void live.close()
  })
  process.on('SIGINT', () => {
    void live.close().then(() => process.exit(0))
  })
}

function statusText(status: PlanStatus, url: string): string {
  if (status.kind === 'online') return `live at ${url}`
  if (status.kind === 'refused') return `${status.why} (${status.code})`
  return status.kind === 'deleted' ? 'the thread was deleted' : status.kind
}

type Show = (before: Plan, after: Plan, status: string) => void

/** Draws the plan anew in place, and below it what happened last. */
function redraw(thread: string): Show {
  const told: string[] = []
  return (before, after, status) => {
    told.push(...describe(before, after))
    told.splice(0, told.length - TOLD)
    const room = Math.max(3, (process.stdout.rows || 40) - told.length - 6)
    const lines = outlineLines(after)
    const shown = lines.length <= room ? lines : [...lines.slice(0, room), `… and ${lines.length - room} more`]
    const done = after.steps.filter((step) => step.status === 'completed').length
    const heading = `${thread} · ${done} of ${after.steps.length} done · ${status}`
    process.stdout.write(
      `\u001b[2J\u001b[H${heading}\n\n${shown.join('\n') || '(no todo steps yet)'}\n\n${told.join('\n')}\n`,
    )
  }
}

/** One line for each thing that happens, for a pipe. */
function log(): Show {
  let last = ''
  return (before, after, status) => {
    if (status !== last) console.log(`${new Date().toISOString()} ${status}`)
    last = status
    for (const line of describe(before, after)) console.log(line)
  }
}

function describe(before: Plan, after: Plan): string[] {
  const time = new Date().toTimeString().slice(0, 8)
  return changesBetween(before, after).flatMap((change) => {
    const step = change.after ?? change.before
    const done = verbs(change)
    if (step === null || done.length === 0) return []
    const place = change.placeAfter ?? change.placeBefore
    const by = change.after === null || step.updatedBy === '' ? '' : ` by ${step.updatedBy}`
    return [`${time}  #${place} ${done.join(' and ')}${by}: ${oneLine(step.text)}`]
  })
}

main()
