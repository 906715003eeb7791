import type { Status } from '../../schema/plan.ts'
import { statusOfName } from '../../plan/status-words.ts'
import { isAbsent } from './absent.ts'
import { kindOf } from './names.ts'
import type { Reading } from './reading.ts'
import { shown } from './shown.ts'

/** Words for true and false. */
export function flagOf(value: unknown): boolean | undefined {
  const folded = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (folded === true || folded === 1 || folded === 'true' || folded === 'yes' || folded === '1') return true
  if (folded === false || folded === 0 || folded === 'false' || folded === 'no' || folded === '0') return false
  return undefined
}

interface Said {
  readonly key: string
  readonly value: unknown
  /** What it says; null for only that it is not completed. */
  readonly status: Status | null | undefined
}

/**
 * What the fields of an object say of a state: a word in `status` or `state`, or `done`, `completed`, `checked`. Fields
 * that contradict each other are a problem.
 * @returns the status, or what was sent for one where that is not known; undefined where nothing is said
 */
export function stateIn(fields: Readonly<Record<string, unknown>>, path: string, reading: Reading): unknown {
  const said: Said[] = []
  let unread: unknown
  for (const [key, value] of Object.entries(fields)) {
    const kind = kindOf(key)
    if ((kind !== 'word' && kind !== 'flag') || value === null || value === undefined) continue
    if (kind === 'flag') {
      if (isAbsent(value)) continue
      const flag = flagOf(value)
      const word = flag === true ? 'completed' : flag === false ? null : statusIn(value)
      if (word === undefined) reading.problems.push(`${path}.${key} is ${shown(value)}, not true or false`)
      said.push({ key, value, status: word })
    } else {
      const status = statusIn(value)
      if (status === undefined) unread ??= value
      else said.push({ key, value, status })
    }
  }
  const [first] = said
  if (first === undefined) return unread
  if (unread !== undefined && !isAbsent(unread)) return unread
  const word = said.find(({ status }) => typeof status === 'string') ?? first
  const other = said.find(({ status }) => !agree(status, word.status))
  if (other !== undefined)
    reading.problems.push(`${path} has ${told(word)} and ${told(other)}, which contradict each other`)
  const status = word.status ?? 'pending'
  for (const { key, value, status: meant } of said)
    if (meant === undefined) continue
    else if (key !== 'status') reading.valued(told({ key, value }), status)
    else if (value !== status) reading.valued(shown(value), status)
  return status
}

const agree = (one: Said['status'], other: Said['status']): boolean =>
  one === null || other === null ? one !== 'completed' && other !== 'completed' : one === other

const statusIn = (value: unknown): Status | undefined => (typeof value === 'string' ? statusOfName(value) : undefined)

const told = ({ key, value }: Pick<Said, 'key' | 'value'>): string => `${key} ${shown(value)}`
