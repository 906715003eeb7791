/** The one of some words that a slip of the hand makes of another; null if none is near. */
export function closest(word: string, words: readonly string[]): string | null {
  const near = words
    .map((other) => ({ other, distance: distance(word, other) }))
    .filter((one) => one.distance <= Math.max(1, Math.floor(one.other.length / 2)))
    .toSorted((a, b) => a.distance - b.distance)
  return near[0]?.other ?? null
}

/** Letters to put in, take out or change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      )
    row = next
  }
  return row[b.length] ?? 0
}
