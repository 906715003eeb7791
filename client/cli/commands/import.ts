import { importMarkdown } from '../../../shared/plan/markdown-import.ts'
import type { LeftOut, MarkdownPlan } from '../../../shared/plan/markdown-file.ts'
import { readPlanMarkdown } from '../../../shared/plan/markdown-read.ts'
import { PlanError } from '../../../shared/schema/errors.ts'
import type { LivePlan } from '../../sdk/live-plan.ts'
import { Api, threadOf, unreachable } from '../api.ts'
import { type Call, CliError, EXIT, usageError } from '../command.ts'
import { readInput } from '../input.ts'
import { connect, endOf } from '../live.ts'

/** Milliseconds without a sign of the server. */
const PATIENCE_MS = 30_000
/** Places told for each reason. */
const MOST_PLACES = 8

export async function run(call: Call): Promise<number> {
  const path = call.required(0)
  const thread = threadOf(call)
  const [append, replace, isDry] = [call.flag('append'), call.flag('replace'), call.flag('dry-run')]
  if (append && replace) throw usageError('--append and --replace are two things: give one of them.')
  const file = await readInput(path)
  const read = readPlanMarkdown(file)
  if (read.steps.length + read.groups.length === 0) {
    tell(call, read, [])
    throw new CliError(`Nothing in ${nameOf(path)} is a step.`, EXIT.refused)
  }
  if (call.flag('strict') && read.leftOut.length > 0) {
    tell(call, read, [])
    throw new CliError(`--strict: something in ${nameOf(path)} would be left out. Nothing was changed.`, EXIT.refused)
  }
  if (!call.flag('lenient') && leavesTooMuch(read)) {
    const { all, leftOut } = read.items
    call.terminal.complain(`${leftOut} of the ${all} list items of ${nameOf(path)} would be left out.\n`)
    tell(call, read, [])
    throw new CliError('Nothing was changed.', EXIT.failed, '--lenient imports the rest.')
  }
  if (isDry) return report(call, { thread, path, read, notes: [], isDry })
  const api = new Api(call)
  await api.greet()
  const live = connect(call, thread)
  try {
    await reached(live, api.url, live.whenSynced())
    const { steps } = live.plan
    if (steps.length > 0 && !append && !replace) {
      throw new CliError(
        `The plan ${thread} has ${steps.length} steps already. Nothing was changed.`,
        EXIT.refused,
        '--append puts the new ones behind them, --replace in their place.',
      )
    }
    const { batches, notes } = importMarkdown(read, live.plan, replace)
    const progress = call.terminal.progress('Importing', !call.isJson)
    for (const [i, batch] of batches.entries()) {
      // One after the other: what the server refuses is known before more is sent.
      live.apply(batch)
      await reached(live, api.url, live.whenSaved())
      progress.update(i + 1, batches.length)
    }
    progress.end()
    return report(call, { thread, path, read, notes, isDry })
  } catch (error) {
    if (error instanceof PlanError) throw new CliError(error.message, EXIT.refused)
    throw error
  } finally {
    await live.close()
  }
}

/** More than a tenth of the items: such a file means something else than what was read. */
const leavesTooMuch = ({ items: { all, leftOut } }: MarkdownPlan): boolean => leftOut * 10 > all

/** Waits for the server as long as it shows signs of life. @throws CliError */
async function reached(live: LivePlan, url: string, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(unreachable(url)), PATIENCE_MS)
  })
  try {
    await Promise.race([work, late])
  } catch (error) {
    throw endOf(live.status) ?? error
  } finally {
    clearTimeout(timer)
  }
}

interface Report {
  readonly thread: string
  readonly path: string
  readonly read: MarkdownPlan
  readonly notes: MarkdownPlan['notes']
  readonly isDry: boolean
}

function report(call: Call, { thread, path, read, notes, isDry }: Report): number {
  const { title, steps, groups, leftOut } = read
  const all = [...read.notes, ...notes]
  tell(call, read, notes)
  const counted = { title, steps: steps.length, groups: groups.length }
  call.show({ thread, file: path, dryRun: isDry, ...counted, leftOut, notes: all }, () => {
    const what = `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}${groups.length === 0 ? '' : ` in ${groups.length} ${groups.length === 1 ? 'group' : 'groups'}`}`
    return isDry ? `${nameOf(path)} would bring ${what} into ${thread}.\n` : `Imported ${what} into ${thread}.\n`
  })
  return EXIT.ok
}

const nameOf = (path: string): string => (path === '-' ? 'standard input' : path)

/** What was left out or read otherwise, and why, on standard error. */
function tell(call: Call, { leftOut, notes: readNotes }: MarkdownPlan, notes: MarkdownPlan['notes']): void {
  if (call.isJson) return
  const byReason = new Map<string, LeftOut[]>()
  for (const one of leftOut) byReason.set(one.why, [...(byReason.get(one.why) ?? []), one])
  for (const [why, all] of byReason) {
    const lines = all.reduce((sum, { line, end }) => sum + end - line + 1, 0)
    const places = all.slice(0, MOST_PLACES).map(({ line, end }) => (line === end ? `${line}` : `${line}-${end}`))
    const more = all.length > MOST_PLACES ? ` and ${all.length - MOST_PLACES} more` : ''
    const where = lines === 1 ? 'line' : 'lines'
    call.terminal.complain(
      `${call.terminal.paintError('yellow', 'left out')} ${where} ${places.join(', ')}${more}: ${why}\n`,
    )
  }
  for (const { line, text } of [...readNotes, ...notes])
    call.terminal.complain(`${call.terminal.paintError('yellow', 'note')} ${line > 0 ? `line ${line}: ` : ''}${text}\n`)
}
