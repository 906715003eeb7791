import type { NewStep, Status, Step } from '../../sdk/index.ts'
import { newStepId } from '../../sdk/index.ts'
import { MAX_TEXT } from '../../../shared/schema/limits.ts'

const ITEM = /^(\s*)(?:[-*+•]|\d{1,6}[.)])\s+(?:\[(.)\]\s+)?(.*)$/
const HEADING = /^#{1,6}\s+(.*?)\s*#*$/
const MARKS: Readonly<Record<string, Status>> = {
  ' ': 'pending',
  x: 'completed',
  X: 'completed',
  '*': 'in_progress',
  '~': 'in_progress',
  '/': 'in_progress',
  '-': 'cancelled',
  '!': 'blocked',
}

/** Whether a pasted text is several steps, or a list. */
export const isOutline = (text: string): boolean =>
  text.split(/\r?\n/).filter((line) => line.trim() !== '').length > 1 || ITEM.test(text.trim())

/** A markdown list, or lines that are indented, as steps. Lines that go on below an item become its details. */
export function readOutline(text: string): NewStep[] {
  const steps: NewStep[] = []
  /** The indents of the items above, from the outermost. */
  let indents: number[] = []
  let base = 0
  for (const raw of text.replaceAll('\t', '    ').split(/\r?\n/)) {
    if (raw.trim() === '') continue
    const heading = HEADING.exec(raw)?.[1]
    if (heading !== undefined && heading !== '') {
      steps.push(newStep(heading, 0, undefined))
      indents = []
      base = 1
      continue
    }
    const item = ITEM.exec(raw)
    const indent = /^\s*/.exec(raw)?.[0].length ?? 0
    const last = steps.at(-1)
    const isContinued = item === null && last !== undefined && indents.length > 0 && indent > (indents.at(-1) ?? 0)
    if (isContinued) {
      steps[steps.length - 1] = { ...last, details: [last.details, raw.trim()].filter(Boolean).join('\n') }
      continue
    }
    while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent) indents.pop()
    const content = (item?.[3] ?? raw).trim()
    if (content === '') continue
    steps.push(newStep(content, base + indents.length, MARKS[item?.[2] ?? '']))
    indents.push(indent)
  }
  return steps
}

function newStep(text: string, depth: number, status: Status | undefined): NewStep {
  const step = { id: newStepId(), text: text.slice(0, MAX_TEXT), depth }
  const more = text.length > MAX_TEXT ? { details: text.slice(MAX_TEXT) } : {}
  return status === undefined || status === 'pending' ? { ...step, ...more } : { ...step, ...more, status }
}

const LETTERS: Readonly<Record<Status, string>> = {
  pending: ' ',
  in_progress: '*',
  completed: 'x',
  cancelled: '-',
  blocked: '!',
}

/** Steps as a markdown list, as the server writes it; the first of them is not indented. */
export function writeOutline(steps: readonly Step[]): string {
  const top = Math.min(...steps.map(({ depth }) => depth))
  return steps
    .map(({ depth, status, text }) => {
      const line = text.replace(/\s*[\r\n]+\s*/g, ' ')
      return `${'  '.repeat(depth - top)}- [${LETTERS[status]}] ${line}`
    })
    .join('\n')
}
