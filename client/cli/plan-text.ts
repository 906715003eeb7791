import { MARKS, oneLine } from '../../shared/dialects/lines.ts'
import { progressOf } from '../../shared/plan/progress.ts'
import type { Group, Status, Step } from '../../shared/schema/plan.ts'
import type { Colour, Terminal } from './terminal.ts'

const COLOURS: Readonly<Partial<Record<Status, Colour>>> = {
  in_progress: 'yellow',
  completed: 'green',
  cancelled: 'dim',
  blocked: 'red',
}

interface Shown {
  readonly title: string
  readonly steps: readonly Step[]
  readonly groups: readonly Group[]
}

/** A plan as lines: a heading where the group changes, and each step with its place, its status and what there is to say. */
export function planLines({ title, steps, groups }: Shown, terminal: Terminal): string[] {
  const places = new Map(steps.map(({ id }, i) => [id, i + 1]))
  const titles = new Map<string, string>(groups.map(({ id, title: name }) => [id, name]))
  const width = String(steps.length).length + 1
  const lines = title === '' ? [] : [terminal.paint('bold', oneLine(title)), '']
  let section: string | null = null
  steps.forEach((step, i) => {
    if (step.depth === 0 && step.group !== section) {
      section = step.group
      if (lines.length > 0 && lines.at(-1) !== '') lines.push('')
      lines.push(terminal.paint('cyan', section === null ? '—' : oneLine(titles.get(section) ?? '')))
    }
    const colour = COLOURS[step.status]
    const text = `[${MARKS[step.status]}] ${oneLine(step.text)}`
    const said = facts(step, places)
    const place = terminal.paint('dim', `#${i + 1}`.padStart(width))
    const shown = colour === undefined ? text : terminal.paint(colour, text)
    lines.push(
      `${place}  ${'  '.repeat(Math.min(step.depth, 40))}${shown}${said === '' ? '' : terminal.paint('dim', `  ${said}`)}`,
    )
  })
  return lines
}

function facts(
  { dependencies, claim, startedBy, status, required, details }: Step,
  places: ReadonlyMap<string, number>,
): string {
  const waits = dependencies.map((one) => {
    const place = 'step' in one ? places.get(one.step) : undefined
    return 'name' in one ? oneLine(one.name) : place === undefined ? 'a removed step' : `#${place}`
  })
  const owner = claim?.holder ?? (status === 'in_progress' ? startedBy : null)
  return [
    ...(required ? ['required'] : []),
    ...(waits.length > 0 ? [`after ${waits.join(', ')}`] : []),
    ...(owner ? [`@${oneLine(owner)}`] : []),
    ...(details === '' ? [] : ['…']),
  ].join('  ')
}

/** `3 of 7 done`. */
export function doneText(steps: readonly Step[]): string {
  const { completed, total } = progressOf(steps)
  return `${completed} of ${total} done`
}
