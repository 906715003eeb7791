import type { Block, Item, Why } from './markdown-block.ts'
import { type FrontMatter, readFrontMatter } from './markdown-front-matter.ts'
import { leadingMark } from './markdown-marks.ts'
import { continues, numberOf } from './markdown-numbers.ts'
import { isRow, tableReader } from './markdown-table.ts'
import { isBroken } from './markdown-text.ts'
import { NO_GROUP, OURS } from './markdown.ts'

const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s
const UNDERLINE = /^ {0,3}(?:(=+)|-{2,})\s*$/
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/
const BULLET = /^(?:[-*+•‣◦–]|\d{1,9}[.)])(?:\s+|$)/
const DOTTED = /^(\d{1,4}(?:\.\d{1,4})+)[.)]?\s+/
/** Also `- []`, and a checkbox that stands without a bullet, or without a blank on either side. */
const BOX = /^(?:[-*+•‣◦–]|\d{1,9}[.)])?\s*(?:\[([ xX]?)\]|\[([^\]\s])\](?=\s|$))(?![[(:])\s*/

const columnsOf = (line: string): number => {
  let columns = 0
  for (const char of line) {
    if (char === '\t') columns += 4 - (columns % 4)
    else if (char === ' ') columns++
    else break
  }
  return columns
}

/** What a file is made of. */
export interface Blocks {
  readonly blocks: readonly Block[]
  readonly notes: readonly { readonly line: number; readonly text: string }[]
  readonly matter: FrontMatter | null
  /** Whether Planroom wrote it. */
  readonly isOurs: boolean
  /** Items of lists that are not read, since they stand behind what is never closed, or in a quotation. */
  readonly lost: number
}

/** Goes through a file line by line. What it makes of nesting, groups and bullets without boxes is for the reader. */
export function blocksOf(text: string): Blocks {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  const blocks: Block[] = []
  const notes: { line: number; text: string }[] = []
  const isOurs = lines.some((line) => line.trim() === OURS)
  let matter: FrontMatter | null = null
  let lost = 0
  let numbered: string | null = null
  /** The item whose text may go on, and the one that indented things belong to. */
  let open: Item | null = null
  let owner: Item | null = null
  let at = 0

  const left = (why: Why, from: number, end: number): void => {
    const last = blocks.at(-1)
    if (why === 'text' && last?.kind === 'left' && last.why === 'text' && last.end === from - 1)
      blocks[blocks.length - 1] = { ...last, end, written: `${last.written} ${lines[from - 1]?.trim()}` }
    else blocks.push({ kind: 'left', line: from, end, why, written: lines[from - 1]?.trim() ?? '' })
  }
  /** The index of the first line from `at` that `isEnd`; the number of lines if there is none. */
  const find = (isEnd: (line: string) => boolean): number => {
    for (let i = at + 1; i < lines.length; i++) if (isEnd(lines[i] ?? '')) return i
    return lines.length
  }
  const skip = (why: Why, end: number, what: string): void => {
    if (end === lines.length) {
      notes.push({ line: at + 1, text: `${what} is never closed: nothing below it was read` })
      lost += lines.slice(at + 1).filter((line) => BULLET.test(line.trim())).length
    }
    left(why, at + 1, Math.min(end + 1, lines.length))
    at = end
  }
  const fence = (line: string, marker: string): void => {
    const indent = columnsOf(line)
    const end = find((one) => new RegExp(`^\\s*\\${marker[0]}{${marker.length},}\\s*$`).test(one))
    const isOwned = owner !== null && indent > owner.indent
    if (end === lines.length || !isOwned) return skip('fence', end, 'A code fence')
    const code = lines
      .slice(at, end + 1)
      .map((one) => one.replace(/^\s*/, (blank) => ' '.repeat(Math.max(0, columnsOf(blank) - indent))))
    blocks.push({ kind: 'note', line: at + 1, indent, lines: code, isQuote: false })
    at = end
  }
  const heading = (number: number, level: number, written: string): void => {
    blocks.push({ kind: 'heading', line: number, level, written: written.replace(/(?:^|\s+)#+\s*$/, '') })
    owner = null
  }
  const itemOf = (line: string): Item | null => {
    const trimmed = line.trim()
    const box = BOX.exec(trimmed)
    const bullet = BULLET.exec(trimmed) ?? (isOurs ? null : furtherNumber(trimmed, numbered))
    if (box === null && bullet === null) return null
    const rest = trimmed.slice((box ?? bullet)?.[0].length)
    const common = { kind: 'item', line: at + 1, indent: columnsOf(line), bullet: bullet?.[0].trim() ?? '' } as const
    if (box !== null) {
      // A star behind the brackets says that a task is optional, as steps are anyway.
      const wanted = isOurs ? rest : rest.replace(/^\*\s+/, '')
      return { ...common, mark: box[2] ?? (box[1] || ' '), written: [wanted] }
    }
    const leading = isOurs ? null : leadingMark(rest)
    return { ...common, mark: leading?.mark ?? null, written: [leading?.rest ?? rest] }
  }
  /** Takes a table in whose rows are steps. @returns whether it is one */
  const table = (line: string): boolean => {
    const read = isOurs ? null : tableReader(line, lines[at + 1] ?? '')
    if (read === null) return false
    const indent = columnsOf(line)
    at += 2
    for (; at < lines.length && isRow(lines[at] ?? ''); at++) {
      const row = read(lines[at] ?? '')
      blocks.push({ kind: 'item', line: at + 1, indent, bullet: '|', mark: ' ', row, written: [row.text] })
    }
    at--
    owner = null
    return true
  }

  for (; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const trimmed = line.trim()
    const number = at + 1
    const before: Item | null = open
    open = null
    const marker = FENCE.exec(trimmed)?.[0]
    const title = HEADING.exec(line)
    const underline = UNDERLINE.exec(line)
    const last = blocks.at(-1)
    if (trimmed === '') continue
    if (at === 0 && trimmed === '---' && find((one) => one.trim() === '---') < lines.length) {
      const end = find((one) => one.trim() === '---')
      if (!isOurs) matter = readFrontMatter(lines.slice(1, end))
      skip('matter', end, 'Front matter')
    } else if (marker !== undefined) fence(line, marker)
    else if (trimmed === NO_GROUP) blocks.push({ kind: 'noGroup', line: number })
    else if (trimmed.startsWith('<!--'))
      skip('comment', trimmed.includes('-->') ? at : find((one) => one.includes('-->')), 'A comment')
    else if (table(line)) continue
    else if (title !== null) heading(number, title[1]?.length ?? 1, title[2] ?? '')
    else if (underline !== null && last?.kind === 'left' && last.why === 'text' && last.end === at) {
      blocks.pop()
      heading(last.line, underline[1] === undefined ? 2 : 1, last.written)
    } else if (RULE.test(line)) owner = null
    else {
      const item = itemOf(line)
      if (item !== null) {
        blocks.push(item)
        open = owner = item
        numbered = numberOf(item) ?? numbered
      } else if (trimmed.startsWith('>')) {
        const lines_ = [trimmed.replace(/^> ?/, '')]
        if (owner !== null && columnsOf(line) > owner.indent)
          blocks.push({ kind: 'note', line: number, indent: columnsOf(line), lines: lines_, isQuote: true })
        else {
          left('quote', number, number)
          if (BULLET.test(lines_[0] ?? '')) lost++
        }
      } else if (before !== null) {
        goOn(before, trimmed)
        open = before
      } else if (owner !== null && columnsOf(line) > owner.indent)
        blocks.push({ kind: 'note', line: number, indent: columnsOf(line), lines: [trimmed], isQuote: false })
      else {
        owner = null
        left('text', number, number)
      }
    }
  }
  return { blocks, notes, matter, isOurs, lost }
}

/** A number with dots begins an item only where it goes on with the numbers above: else it may be any number. */
function furtherNumber(line: string, before: string | null): RegExpExecArray | null {
  const match = DOTTED.exec(line)
  return match?.[1] !== undefined && before !== null && continues(match[1], before) ? match : null
}

/** A text goes on in the next line: as a line of its own behind a backslash, else where it was wrapped. */
function goOn({ written }: Item, line: string): void {
  const last = written.length - 1
  const before = written[last] ?? ''
  if (isBroken(before)) {
    written[last] = before.slice(0, -1)
    written.push(line)
  } else written[last] = `${before} ${line}`
}
