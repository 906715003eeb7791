import type { Status } from '../schema/plan.ts'
import { statusOfName } from './status-words.ts'

/** What stands between the brackets of a checkbox, in the manner of several programs. */
const BOXES: Readonly<Record<string, Status>> = {
  ' ': 'pending',
  x: 'completed',
  X: 'completed',
  '✓': 'completed',
  '✔': 'completed',
  '*': 'in_progress',
  '/': 'in_progress',
  '~': 'in_progress',
  '-': 'cancelled',
  '!': 'blocked',
}
/** Signs that stand before a text instead of a checkbox. */
const SIGNS: Readonly<Record<string, Status>> = {
  '⬜': 'pending',
  '☐': 'pending',
  '🔲': 'pending',
  '🔳': 'pending',
  '✅': 'completed',
  '☑': 'completed',
  '✔': 'completed',
  '✓': 'completed',
  '🔄': 'in_progress',
  '⏳': 'in_progress',
  '🚧': 'in_progress',
  '🏗': 'in_progress',
  '❌': 'cancelled',
  '✖': 'cancelled',
  '✗': 'cancelled',
  '🚫': 'cancelled',
  '⛔': 'blocked',
  '🛑': 'blocked',
  '⏸': 'blocked',
}
/** The words of Logseq and its kin, which stand in capitals before a text. */
const LEADING_WORDS: Readonly<Record<string, Status>> = {
  TODO: 'pending',
  LATER: 'pending',
  DOING: 'in_progress',
  NOW: 'in_progress',
  'IN-PROGRESS': 'in_progress',
  DONE: 'completed',
  WAITING: 'blocked',
  WAIT: 'blocked',
  CANCELED: 'cancelled',
  CANCELLED: 'cancelled',
}
/** What a table or front matter says of a status besides the names of statuses. */
const ANSWERS: Readonly<Record<string, Status>> = { '': 'pending', no: 'pending', yes: 'completed', x: 'completed' }

const LEADING = /^(\S+)(?:\s+|$)/

/** @returns undefined for a mark that is not known */
export const statusOfMark = (mark: string): Status | undefined => BOXES[mark] ?? SIGNS[mark] ?? LEADING_WORDS[mark]

/** A sign or a word that stands before a text and says its status; null where there is none. */
export function leadingMark(text: string): { mark: string; rest: string } | null {
  const [all, first = ''] = LEADING.exec(text) ?? []
  const mark = withoutVariant(first)
  if (all === undefined || (SIGNS[mark] === undefined && LEADING_WORDS[mark] === undefined)) return null
  return { mark, rest: text.slice(all.length) }
}

/** What a cell or a field says of a status: a sign, a word, or both. @returns undefined for one that is not known */
export function statusOfWord(text: string): Status | undefined {
  const words = text
    .trim()
    .replace(/^\[(.?)\]$/, '$1')
    .replace(/^[`*_"']+|[`*_"']+$/g, '')
  const leading = leadingMark(words)
  const rest = leading === null ? words : leading.rest
  const said = ANSWERS[rest.trim().toLowerCase()] ?? statusOfName(rest)
  if (leading === null) return said
  return said === undefined || rest === '' ? statusOfMark(leading.mark) : said
}

/** Signs may be followed by the character that asks for a picture of them. */
const withoutVariant = (sign: string): string => sign.replace(/\uFE0F/g, '')
