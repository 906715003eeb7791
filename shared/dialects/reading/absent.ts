/** What models write where they mean nothing. */
const NOTHING: ReadonlySet<string> = new Set(['', 'null', 'none', 'undefined'])

/** What stands in a string, or in the only place of a list in a string. */
function bare(text: string): string {
  const plain = text.trim().toLowerCase()
  return /^\[\s*["']?([a-z]*)["']?\s*\]$/.exec(plain)?.[1] ?? plain
}

/**
 * Whether a value for something optional says that there is none: null, an empty text or list, the word for nothing in
 * some language, or a list of nothing but these.
 */
export function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'string') return NOTHING.has(bare(value))
  return Array.isArray(value) && value.every((one) => !Array.isArray(one) && isAbsent(one))
}
