/**
 * A text as it is looked for: without case, accents and the many kinds of blanks, so that `cafe` finds Café, and
 * `strasse` Straße.
 */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    // By way of the capitals: so ß is ss, and both small sigmas are one.
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replace(/\s+/g, ' ')

/**
 * Where a folded text is found in one that is not.
 * @returns pairs of offsets, in order
 */
export function findIn(text: string, folded: string): [start: number, end: number][] {
  if (folded.trim() === '') return []
  let whole = ''
  /** For each character of `whole` where the one that it came from begins and ends. */
  const from: [number, number][] = []
  let at = 0
  for (const char of text) {
    const part = fold(char)
    whole += part
    for (let i = 0; i < part.length; i++) from.push([at, at + char.length])
    at += char.length
  }
  const found: [number, number][] = []
  for (let start = whole.indexOf(folded); start >= 0; start = whole.indexOf(folded, start + folded.length)) {
    const [first, last] = [from[start], from[start + folded.length - 1]]
    if (first !== undefined && last !== undefined) found.push([first[0], last[1]])
  }
  return found
}

/** Whether all words of a query are in a text. */
export function hasWords(text: string, query: string): boolean {
  const folded = fold(text)
  return fold(query)
    .split(' ')
    .every((word) => folded.includes(word))
}
