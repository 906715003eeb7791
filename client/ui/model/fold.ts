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

/** Whether all words of a query are in a text. */
export function hasWords(text: string, query: string): boolean {
  const folded = fold(text)
  return fold(query)
    .split(' ')
    .every((word) => folded.includes(word))
}
