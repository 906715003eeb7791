import { type PointerEvent as ReactPointerEvent, useEffect, useRef, useState } from 'react'
import type { Status, StepId } from '../../sdk/index.ts'

/** Pixels that a pointer moves before it drags: less is a click. */
const THRESHOLD = 6

/** What is dragged over which column. */
export interface CardDrag {
  readonly id: StepId
  readonly over: Status | null
  /** Pixels from where it was taken. */
  readonly x: number
  readonly y: number
}

/** Dragging cards between columns by mouse or pen; keys and the menu do the same. */
export function useCardDrag(onDrop: (id: StepId, status: Status) => void) {
  const [drag, setDrag] = useState<CardDrag | null>(null)
  const stop = useRef<(() => void) | null>(null)
  useEffect(() => () => stop.current?.(), [])

  const take = (event: ReactPointerEvent, id: StepId): void => {
    if (event.button !== 0 || event.pointerType === 'touch') return
    const { clientX: startX, clientY: startY } = event
    let over: Status | null = null
    let isDragging = false
    const end = (): void => {
      stop.current?.()
      setDrag(null)
    }
    const onMove = (move: PointerEvent): void => {
      const [x, y] = [move.clientX - startX, move.clientY - startY]
      if (!isDragging && Math.hypot(x, y) < THRESHOLD) return
      isDragging = true
      const column = document
        .elementsFromPoint(move.clientX, move.clientY)
        .map((node) => node.closest<HTMLElement>('[data-column]'))
        .find((node) => node !== null)
      over = (column?.dataset['column'] as Status | undefined) ?? null
      setDrag({ id, over, x, y })
    }
    const onUp = (): void => {
      if (isDragging && over !== null) onDrop(id, over)
      if (isDragging) window.addEventListener('click', swallow, { capture: true, once: true })
      setTimeout(() => window.removeEventListener('click', swallow, true))
      end()
    }
    const onKey = (key: KeyboardEvent): void => {
      if (key.key === 'Escape') end()
    }
    window.addEventListener('pointermove', onMove)
    window.addEventListener('pointerup', onUp)
    window.addEventListener('pointercancel', end)
    window.addEventListener('keydown', onKey)
    stop.current = () => {
      window.removeEventListener('pointermove', onMove)
      window.removeEventListener('pointerup', onUp)
      window.removeEventListener('pointercancel', end)
      window.removeEventListener('keydown', onKey)
      stop.current = null
    }
  }
  return { drag, take }
}

/** The click that ends a drag opens nothing. */
const swallow = (event: Event): void => {
  event.stopPropagation()
  event.preventDefault()
}
