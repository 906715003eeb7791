import { leadingMark, statusOfWord } from './markdown-marks.ts'

const STATUS = /^(?:status|state|progress|done\??|✓|✔|✅)$/i
const TEXT = /^(?:task|step|item|title|name|todo|to-do|description|what|action|work|feature)s?$/i
const OWNER = /^(?:owner|assignee|assigned to|who|responsible)$/i
const DEPENDS = /^(?:depends on|dependencies|depends|deps|blocked by|after)$/i
const ID = /^(?:id|key)$/i
const NUMBER = /^(?:#|no\.?|nr\.?)$/i
const DELIMITER = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/

/** A row of a table, as a step is read. */
export interface TableRow {
  readonly text: string
  /** As statuses are called; undefined: the word is not known. */
  readonly status: ReturnType<typeof statusOfWord>
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly notes: readonly string[]
}

/** Reads the rows of a table below its head. */
export type TableReader = (line: string) => TableRow

/** @returns null where these two lines are not the head of a table that has a column of statuses */
export function tableReader(head: string, delimiter: string): TableReader | null {
  if (!head.includes('|') || !DELIMITER.test(delimiter.trim())) return null
  const names = cellsOf(head)
  const find = (pattern: RegExp): number => names.findIndex((name) => pattern.test(name))
  const status = find(STATUS)
  if (status === -1) return null
  const special = [status, find(OWNER), find(DEPENDS), find(ID), find(NUMBER)]
  const named = find(TEXT)
  const text = named === -1 ? names.findIndex((_, i) => !special.includes(i)) : named
  if (text === -1) return null
  const [, owner, depends, id, number] = special
  return (line) => {
    const cells = cellsOf(line)
    const said = cells[status] ?? ''
    const read = statusOfWord(said)
    const facts: [string, string][] = []
    const notes = read === undefined ? [`${names[status]}: ${said}`] : []
    for (const [i, cell] of cells.entries()) {
      if (cell === '' || /^[-–—]$/.test(cell) || i === text || i === status || i === number) continue
      if (i === owner) facts.push(['owner', cell])
      else if (i === depends) facts.push(['depends on', cell])
      else if (i === id) facts.push(['id', cell])
      else notes.push(`${names[i] ?? `Column ${i + 1}`}: ${cell}`)
    }
    return { text: cells[text] ?? '', status: read, facts, notes }
  }
}

/** A bar behind a backslash is part of a cell. */
function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\||(?<!\\)\|$/g, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** Whether a line goes on with a table. */
export const isRow = (line: string): boolean => line.trim() !== '' && line.includes('|') && leadingMark(line) === null
