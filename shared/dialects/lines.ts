import type { Plan } from '../plan/plan.ts'
import type { Status } from '../schema/plan.ts'
import { visible } from './visible.ts'

// eslint-disable-next-line no-control-regex
const BREAKS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g
/**
 * How a text stands where the shape is a line: line breaks and control characters in a row show as one space, and what
 * cannot be seen as an escape.
 */
export const oneLine = (text: string): string => visible(text.replace(BREAKS, ' '))

/** The character between the brackets. */
export const MARKS: Readonly<Record<Status, string>> = {
  pending: ' ',
  in_progress: '*',
  completed: 'x',
  cancelled: '-',
  blocked: '!',
}

/** Whether nothing of a text would show. */
export const isBlank = (text: string): boolean => text.replace(BREAKS, ' ').trim() === ''

/** The beginning of a text, of at most `most` characters; a pair of surrogates is not split. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** A text in quotes, on one line and not too long, for a sentence. */
export const quoted = (text: string): string => `"${cut(oneLine(text), 80)}"`

export const count = (n: number, one: string, several = `${one}s`): string => `${n} ${n === 1 ? one : several}`

/** `a`, `a and b`, `a, b, and c`. */
export function listed(names: readonly string[]): string {
  if (names.length <= 2) return names.join(' and ')
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`
}

/** At most `most` of many, with the rest counted. */
export function some(names: readonly string[], most: number, between = ', '): string {
  const told = names.slice(0, most).join(between)
  return names.length <= most ? told : `${told} and ${names.length - most} more`
}

/** The name of an actor in a sentence. */
export const actorName = ({ name }: { readonly name: string }): string => (isBlank(name) ? 'somebody' : oneLine(name))

/** Levels of which a dotted number is written in full. */
const DOTTED_LEVELS = 8

/**
 * Dotted numbers for depths in pre-order: 0,1,1,2,0 gives 1, 1.1, 1.2, 1.2.1, 2. Below eight levels only the last two
 * parts are written, as `…3.1`: a chain of thousands would otherwise print a number as long as itself on every line.
 */
export function dottedNumbers(depths: readonly number[]): string[] {
  const counters: number[] = []
  return depths.map((depth) => {
    counters.length = Math.min(counters.length, depth + 1)
    while (counters.length <= depth) counters.push(0)
    counters[depth] = (counters[depth] ?? 0) + 1
    return depth < DOTTED_LEVELS ? counters.join('.') : `…${counters.slice(-2).join('.')}`
  })
}

/** `#N  D.D  [x] text`, a line a step. */
export function outlineLines(plan: Plan): string[] {
  const numbers = dottedNumbers(plan.steps.map((step) => step.depth))
  return plan.steps.map((step, i) => `#${i + 1}  ${numbers[i]}  [${MARKS[step.status]}] ${oneLine(step.text)}`)
}
