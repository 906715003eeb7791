import type { MouseEvent } from 'react'

/** How many characters of a text stand before the place that was clicked. */
export function caretAt({ currentTarget, clientX, clientY }: MouseEvent<HTMLElement>): number | 'end' {
  const [node, offset] = placeAt(clientX, clientY)
  if (node === null || !currentTarget.contains(node)) return 'end'
  const range = document.createRange()
  range.setStart(currentTarget, 0)
  range.setEnd(node, offset)
  return range.toString().length
}

function placeAt(x: number, y: number): [Node | null, number] {
  if ('caretPositionFromPoint' in document) {
    const place = document.caretPositionFromPoint(x, y)
    return [place?.offsetNode ?? null, place?.offset ?? 0]
  }
  // Safari before 18.4 knows only this one.
  const range = (document as { caretRangeFromPoint?: (x: number, y: number) => Range | null }).caretRangeFromPoint?.(
    x,
    y,
  )
  return [range?.startContainer ?? null, range?.startOffset ?? 0]
}
