import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { Row } from '../model/rows.ts'

interface Anchor {
  readonly key: string
  /** Pixels from the top of the list, as it was laid out last. */
  readonly start: number
}

/**
 * Keeps what one looks at where it is while others change what is above: the row under the pointer, else the one with
 * the focus, else the first that is seen, unless one stands at the very top.
 * @param turn one's own moves, after which the focus leads the way instead
 */
export function useAnchor(
  scrollerRef: RefObject<HTMLElement | null>,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
  rows: readonly Row[],
  focused: string | null,
  turn: object,
): void {
  const anchor = useRef<Anchor | null>(null)
  const pointer = useRef<number | null>(null)
  const lastTurn = useRef(turn)

  useLayoutEffect(() => {
    const node = scrollerRef.current
    if (node === null) return
    const onMove = (event: PointerEvent): void => {
      pointer.current = event.pointerType === 'touch' ? null : event.clientY - node.getBoundingClientRect().top
    }
    const onLeave = (): void => {
      pointer.current = null
    }
    node.addEventListener('pointermove', onMove, { passive: true })
    node.addEventListener('pointerleave', onLeave, { passive: true })
    return () => {
      node.removeEventListener('pointermove', onMove)
      node.removeEventListener('pointerleave', onLeave)
    }
  }, [scrollerRef])

  // After every rendering, and before it is seen.
  useLayoutEffect(() => {
    const node = scrollerRef.current
    if (node === null) return
    const places = virtualizer.measurementsCache
    const before = anchor.current
    const isOwnMove = lastTurn.current !== turn
    lastTurn.current = turn
    const isWhole = node.classList.contains('fits')
    if (isOwnMove && isWhole) {
      node.style.setProperty('--room', '0px')
      node.scrollTop = 0
    }
    if (before !== null && !isOwnMove) {
      const index = indexOf(rows, before.key, places)
      const start = places[index]?.start
      if (start !== undefined && Math.abs(start - before.start) >= 1) {
        const wanted = node.scrollTop + start - before.start
        // Where all fits there is nothing to scroll, but for what others have pushed away.
        if (isWhole)
          node.style.setProperty('--room', `${Math.max(0, wanted + node.clientHeight - virtualizer.getTotalSize())}px`)
        node.scrollTop = wanted
      }
    }
    anchor.current = findAnchor(node.scrollTop, node.clientHeight, pointer.current, places, focused)
  })

  useLayoutEffect(() => {
    const node = scrollerRef.current
    if (node === null) return
    const onScroll = (): void => {
      anchor.current = findAnchor(
        node.scrollTop,
        node.clientHeight,
        pointer.current,
        virtualizer.measurementsCache,
        focused,
      )
    }
    const later = (): void => void requestAnimationFrame(onScroll)
    node.addEventListener('scroll', onScroll, { passive: true })
    node.addEventListener('pointermove', later, { passive: true })
    return () => {
      node.removeEventListener('scroll', onScroll)
      node.removeEventListener('pointermove', later)
    }
  }, [scrollerRef, virtualizer, focused])
}

type Places = Virtualizer<HTMLDivElement, Element>['measurementsCache']

function indexOf(rows: readonly Row[], key: string, places: Places): number {
  // It seldom moved.
  const known = places.findIndex((place) => place.key === key)
  return known >= 0 ? known : rows.findIndex((row) => row.key === key)
}

function findAnchor(
  top: number,
  height: number,
  pointer: number | null,
  places: Places,
  focused: string | null,
): Anchor | null {
  const at = (offset: number): Anchor | null => {
    let low = 0
    let high = places.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((places[middle]?.start ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    const place = places[low]
    return place === undefined ? null : { key: String(place.key), start: place.start }
  }
  if (pointer !== null && pointer >= 0 && pointer <= height) {
    const under = at(top + pointer)
    const last = places.at(-1)
    if (under !== null && last !== undefined && top + pointer <= last.end) return under
  }
  const own = focused === null ? undefined : places.find((place) => place.key === focused)
  if (own !== undefined && own.end > top && own.start < top + height) return { key: String(own.key), start: own.start }
  return top > 4 ? at(top) : null
}
