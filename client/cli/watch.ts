import { parseArgs } from 'node:util'
import { outlineLines } from '../../shared/dialects/outline.ts'
import { oneLine } from '../../shared/dialects/lines.ts'
import { verbs } from '../../shared/dialects/digest.ts'
import { changesBetween } from '../../shared/plan/changes.ts'
import { Plan } from '../../shared/plan/plan.ts'
import { isThreadId } from '../../shared/schema/ids.ts'
import { ConnectedPlan } from '../sdk/connect.ts'

const USAGE = `Usage: npm run watch -- <thread> [--url http://127.0.0.1:4080] [--name watcher]

Shows a plan live, until Ctrl-C.`

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
  const live = new ConnectedPlan({ url, thread, name: values.name ?? 'watcher' })
  const show = process.stdout.isTTY ? redraw(thread) : log()
  let before = Plan.empty
  let status = 'connecting'
  const update = (): void => {
    show(before, live.plan, status)
    before = live.plan
  }
  live.provider.on('status', (event: { status: string }) => {
    status = event.status === 'connected' ? `live at ${url}` : event.status
    update()
  })
  live.provider.on('closed', ({ code, reason }: { code: number; reason: string }) => {
    console.error(`The server has ended this: ${reason} (${code})`)
    process.exitCode = 1
    live.close()
  })
  live.subscribe(update)
  process.on('SIGINT', () => {
    live.close()
    process.exit(0)
  })
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
