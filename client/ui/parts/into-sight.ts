import { defaultRangeExtractor, type Range, type Virtualizer } from '@tanstack/react-virtual'

/** Times that it is looked whether a row came into sight: rows on the way there are only measured as they are mounted. */
const TRIES = 4

/** The rows to be mounted. What has the focus stays, however far one scrolls away from it. @param pinned -1: nothing has */
export function rangeWith(pinned: number, range: Range): number[] {
  const indices = defaultRangeExtractor(range)
  return pinned < 0 || indices.includes(pinned) ? indices : [...indices, pinned].toSorted((a, b) => a - b)
}

/** Scrolls as little as is needed to have a row in sight. */
export function bringIntoSight(virtualizer: Virtualizer<HTMLDivElement, Element>, index: number): void {
  if (index < virtualizer.options.count - 1) return virtualizer.scrollToIndex(index, { align: 'auto' })
  // The virtualizer would scroll to the very end, and there is room below the last row.
  scrollToLast(virtualizer, index, TRIES)
}

function scrollToLast(virtualizer: Virtualizer<HTMLDivElement, Element>, index: number, tries: number): void {
  const node = virtualizer.scrollElement
  const place = virtualizer.measurementsCache[index]
  if (node === null || place === undefined || tries === 0) return
  const { scrollTop, clientHeight } = node
  if (place.start >= scrollTop && place.end <= scrollTop + clientHeight) return
  virtualizer.scrollToOffset(Math.max(0, Math.min(place.start, place.end - clientHeight)))
  requestAnimationFrame(() => scrollToLast(virtualizer, index, tries - 1))
}
