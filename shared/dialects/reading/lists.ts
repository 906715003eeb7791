import { leadingMark } from '../../plan/markdown-marks.ts'
import { readPlanMarkdown, UNSURE } from '../../plan/markdown-read.ts'
import type { Status } from '../../schema/plan.ts'
import { count, MARKS, quoted, some } from '../lines.ts'
import type { TextName } from '../parameters.ts'
import { literalIn } from './literal.ts'
import { isListName, isRecord } from './names.ts'
import type { Reading } from './reading.ts'

type Item = Record<string, unknown>

/** Whether a text begins an item of a list, or says with a box how far one is. */
const LISTED = /^[ \t]*(?:(?:[-*+•‣◦–]|\d{1,9}[.)])[ \t]+\S|\[.?\][ \t]+\S)/m
/** A line of list_todos, or of the block of that tool set. */
const PRINTED = /^#\d+ {2}(…?\d+(?:\.\d+)*) {2}\[(.)\] (.*)$/
const BOXED = /^\s*(?:(?:[-*+•]|\d{1,9}[.)])\s+)?\[[^\]\s]?\s?\]\s+\S[^\n]*$/
/** A file shows by its other marks what this one means; a few lines in a call do not. */
const WHICH = '[-] is in progress to some and cancelled to others: write [*], or send objects with a status'
/** What of a text that is left out is told. */
const MOST_TOLD = 3

/**
 * The items in one string: a literal of a list, a list in Markdown or with numbers, or lines with marks.
 * @returns undefined for a string that is no list
 */
export function itemsIn(text: string, name: TextName, path: string, reading: Reading): readonly unknown[] | undefined {
  const literal = literalIn(text)
  if (literal !== undefined) return listIn(literal)
  return printed(text, name) ?? inMarkdown(text, name, path, reading)
}

/** A list, also one that is the only list of an object: `{"todos": [...]}`. */
export function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as unknown[]
  if (!isRecord(value)) return undefined
  const lists = Object.entries(value).filter(([key, one]) => isListName(key) && Array.isArray(one))
  const [only] = lists
  return lists.length === 1 && Object.keys(value).length === 1 && Array.isArray(only?.[1]) ? only[1] : undefined
}

/** A text that is one item with a box before it. @returns null for any other */
export function markedItem(text: string, name: TextName, path: string, reading: Reading): Item | null {
  if (!BOXED.test(text)) return null
  const { steps, leftOut, notes } = readPlanMarkdown(text.trim())
  const [step] = steps
  if (step === undefined || steps.length > 1 || leftOut.length > 0) return null
  if (notes.some((note) => note.text === UNSURE)) reading.problems.push(`${path}: ${WHICH}`)
  else if (notes.length > 0) return null
  return { [name]: step.text, status: step.status }
}

/** What list_todos printed, whose marks are its own. */
function printed(text: string, name: TextName): Item[] | undefined {
  const statuses = new Map(Object.entries(MARKS).map(([status, mark]) => [mark, status as Status]))
  const items: Item[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const [, number, mark, own] = PRINTED.exec(line.trim()) ?? []
    const status = statuses.get(mark ?? '')
    if (number === undefined || status === undefined || number.startsWith('…')) return undefined
    items.push({ [name]: own, status, depth: number.split('.').length - 1 })
  }
  return items.length === 0 ? undefined : items
}

function inMarkdown(text: string, name: TextName, path: string, reading: Reading): Item[] | undefined {
  const lines = text.split(/\r\n|\r|\n/)
  const isSigned = lines.every((line) => line.trim() === '' || leadingMark(line.trim()) !== null)
  if (!isSigned && !LISTED.test(text)) return undefined
  const { title, steps, leftOut, notes, items } = readPlanMarkdown(
    isSigned ? lines.map((line) => line.replace(/\S/, '- $&')).join('\n') : text,
  )
  if (steps.length === 0) return undefined
  const groups = [...new Set(steps.flatMap(({ group }) => (group === null ? [] : [quoted(group)])))]
  if (groups.length > 0)
    reading.problems.push(
      `${path} has groups, which a list has not (${some(groups, MOST_TOLD)}): send the lists without headings`,
    )
  if (items.leftOut > 0)
    reading.problems.push(
      `${path} has ${count(items.leftOut, 'item')} that could not be read: ${some(
        leftOut.map((one) => quoted(one.text)),
        MOST_TOLD,
      )}`,
    )
  const others = [...(title === null ? [] : [title]), ...leftOut.map((one) => one.text)]
  if (others.length > 0)
    reading.tell('left out', `${path}: left out, as no items: ${some(others.map(quoted), MOST_TOLD)}`)
  for (const note of notes)
    if (note.text === UNSURE) reading.problems.push(`${path}, line ${note.line}: ${WHICH}`)
    else reading.tell('markdown', `${path}, line ${note.line}: ${note.text}`)
  return steps.map(({ text: own, status, depth, details, required, alias, dependencies }) => ({
    [name]: own,
    status,
    ...(depth === 0 ? {} : { depth }),
    ...(details === '' ? {} : { [name === 'description' ? 'details' : 'description']: details }),
    ...(required ? { required } : {}),
    ...(alias === null ? {} : { id: alias }),
    ...(dependencies.length === 0
      ? {}
      : { depends_on: dependencies.map((one) => ('step' in one ? one.step + 1 : one.name)) }),
  }))
}
