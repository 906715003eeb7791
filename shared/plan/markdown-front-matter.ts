import type { Status } from '../schema/plan.ts'
import { statusOfWord } from './markdown-marks.ts'

/** What the front matter of a file says of the whole of it. */
export interface FrontMatter {
  readonly title: string | null
  readonly status: Status | null
  /** A word for a status that is not known. */
  readonly unknownStatus: string | null
  readonly assignee: string | null
}

const FIELD = /^(title|status|state|assignee|assignees|owner)\s*:\s*(.*)$/i

/** Reads the few fields that mean something here, without a reader of YAML: their values stand on one line, or in a list. */
export function readFrontMatter(lines: readonly string[]): FrontMatter {
  const fields = new Map<string, string>()
  for (const [i, line] of lines.entries()) {
    const [, name, written = ''] = FIELD.exec(line) ?? []
    if (name === undefined) continue
    const listed = /^\s*-\s+(.*)$/.exec(lines[i + 1] ?? '')?.[1] ?? ''
    const value = plain(written === '' ? listed : written.replace(/^\[([^,\]]*).*\]$/, '$1'))
    if (value !== '') fields.set(name.toLowerCase(), value)
  }
  const word = fields.get('status') ?? fields.get('state')
  const status = word === undefined ? undefined : statusOfWord(word)
  return {
    title: fields.get('title') ?? null,
    status: status ?? null,
    unknownStatus: status === undefined ? (word ?? null) : null,
    assignee: fields.get('assignee') ?? fields.get('assignees') ?? fields.get('owner') ?? null,
  }
}

/** Without the quotation marks, and the comment behind it. */
const plain = (value: string): string =>
  value
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
    .replace(/\s+#\s.*$/, '')
    .trim()
