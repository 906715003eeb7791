import type { Virtualizer } from '@tanstack/react-virtual'
import { type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { Plan, StepId } from '../../sdk/index.ts'
import { type Drop, dropAt } from '../model/moves.ts'
import type { Row } from '../model/rows.ts'
import { useWork } from './session-context.ts'

/** Pixels that a pointer moves before it drags: less is a click. */
const THRESHOLD = 5
/** Pixels from the edge within which the list scrolls along. */
const EDGE = 48
const INDENT = 22

interface Drag {
  readonly id: StepId
  readonly startX: number
  readonly startLevel: number
  drop: Drop | null
}

export interface DropLine {
  readonly y: number
  readonly level: number
}

/** Dragging rows: the line shows between which rows, and how deep. Without a pointer "Move to…" does the same. */
export function useRowDrag(
  scrollerRef: RefObject<HTMLDivElement | null>,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
  plan: Plan,
  rows: readonly Row[],
) {
  const { session, deeds } = useWork()
  const [id, setId] = useState<StepId | null>(null)
  const [line, setLine] = useState<DropLine | null>(null)
  const current = useRef<Drag | null>(null)
  const latest = useRef({ plan, rows })
  useEffect(() => {
    latest.current = { plan, rows }
  })
  const stopRef = useRef<(() => void) | null>(null)
  useEffect(() => () => stopRef.current?.(), [])

  const follow = (clientX: number, clientY: number): void => {
    const node = scrollerRef.current
    const drag = current.current
    if (node === null || drag === null) return
    const box = node.getBoundingClientRect()
    if (clientY < box.top + EDGE) node.scrollTop -= 12
    else if (clientY > box.bottom - EDGE) node.scrollTop += 12
    const y = clientY - box.top + node.scrollTop
    const places = virtualizer.measurementsCache
    const gap = places.filter(({ start, end }) => (start + end) / 2 < y).length
    const isRtl = getComputedStyle(node).direction === 'rtl'
    const shift = Math.round((isRtl ? drag.startX - clientX : clientX - drag.startX) / INDENT)
    const wanted = drag.startLevel + shift
    drag.drop = dropAt(latest.current.plan, latest.current.rows, drag.id, gap, wanted)
    const at = places[gap]?.start ?? places.at(-1)?.end ?? 0
    setLine(drag.drop === null ? null : { y: at, level: drag.drop.level })
  }

  const onPointerDown = (event: ReactPointerEvent<HTMLDivElement>): void => {
    const target = event.target as HTMLElement
    const row = target.closest<HTMLElement>('[data-id]')
    const isGrip = target.closest('[data-grip]') !== null
    const isButton = target.closest('button, textarea, input') !== null
    if (row === null || event.button !== 0 || isButton || !session.mayWrite) return
    // A finger scrolls, unless it takes the grip.
    if (event.pointerType === 'touch' && !isGrip) return
    const { clientX: startX, clientY: startY } = event
    const dragged = row.dataset['id'] as StepId
    const level = Number(row.getAttribute('aria-level'))

    const onMove = (move: PointerEvent): void => {
      if (current.current === null) {
        if (Math.hypot(move.clientX - startX, move.clientY - startY) < THRESHOLD) return
        session.editor.commit()
        current.current = { id: dragged, startX, startLevel: level, drop: null }
        setId(dragged)
      }
      move.preventDefault()
      follow(move.clientX, move.clientY)
    }
    const end = (isDropped: boolean): void => {
      const drag = current.current
      current.current = null
      stopRef.current?.()
      setId(null)
      setLine(null)
      if (isDropped && drag !== null && drag.drop !== null) deeds.drop(drag.id, drag.drop)
    }
    const onUp = (): void => end(true)
    const onCancel = (): void => end(false)
    const onKey = (key: KeyboardEvent): void => {
      if (key.key !== 'Escape' || current.current === null) return
      key.preventDefault()
      key.stopPropagation()
      end(false)
    }
    window.addEventListener('pointermove', onMove)
    window.addEventListener('pointerup', onUp)
    window.addEventListener('pointercancel', onCancel)
    window.addEventListener('keydown', onKey, true)
    stopRef.current = () => {
      window.removeEventListener('pointermove', onMove)
      window.removeEventListener('pointerup', onUp)
      window.removeEventListener('pointercancel', onCancel)
      window.removeEventListener('keydown', onKey, true)
      stopRef.current = null
    }
  }

  return { id, line, isDragging: id !== null, handlers: { onPointerDown } }
}
