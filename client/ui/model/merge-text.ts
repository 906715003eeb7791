/** What was put into a text, if nothing was taken from it. */
function addition(base: string, text: string): { at: number; added: string } | null {
  if (text.length < base.length) return null
  let at = 0
  while (at < base.length && base[at] === text[at]) at++
  const rest = base.length - at
  return text.endsWith(base.slice(at)) ? { at, added: text.slice(at, text.length - rest) } : null
}

/** Two texts made of one, put together where each only added something, at another place; else null. */
export function mergeAdded(base: string, mine: string, theirs: string): string | null {
  const [a, b] = [addition(base, mine), addition(base, theirs)]
  if (a === null || b === null || a.at === b.at) return null
  const [first, second] = a.at < b.at ? [a, b] : [b, a]
  return base.slice(0, first.at) + first.added + base.slice(first.at, second.at) + second.added + base.slice(second.at)
}
