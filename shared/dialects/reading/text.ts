import type { Reading } from './reading.ts'

/** A text; a number or a truth value for one is read as it is written. Anything else is left for validation to refuse. */
export function textIn(value: unknown, path: string, reading: Reading): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') {
    reading.tell('text', `${path}: ${String(value)} was read as text`)
    return String(value)
  }
  if (typeof value !== 'string') return value
  // A lone half of a surrogate pair has no place in UTF-8: it would come back as something else.
  const whole = value.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD')
  if (whole !== value) reading.tell('character', `${path}: a broken character was replaced by U+FFFD`)
  return whole
}
