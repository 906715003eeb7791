import { count, cut, oneLine } from '../lines.ts'

/** A value in a sentence. What holds others is only named: it may be as deep as its sender liked. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `"${cut(oneLine(value), 60)}"`
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${count(value.length, 'item')}`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
