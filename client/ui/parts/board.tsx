import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useMemo, useRef } from 'react'
import type { Plan, Status, Step, StepId } from '../../sdk/index.ts'
import { pressOnBoard } from '../model/board-keys.ts'
import { isTyping } from '../model/keys.ts'
import { STATUS_NAMES, STATUSES } from '../model/statuses.ts'
import { useStore } from '../model/store.ts'
import { type CardDrag, useCardDrag } from './card-drag.ts'
import { Card } from './card.tsx'
import { NothingFits, useFiltering } from './filter-bar.tsx'
import { StatusShape } from './icons.tsx'
import { rangeWith } from './into-sight.ts'
import { RowEditor } from './row-editor.tsx'
import { useWork } from './session-context.ts'

/** The steps that have none below them, by how they stand. */
export function Board() {
  const { session, deeds } = useWork()
  const { plan } = useStore(session.seen)
  const { focused } = useStore(session.view)
  const { fits } = useFiltering()
  const columns = useMemo(() => {
    const found = new Map<Status, Step[]>(STATUSES.map((status) => [status, []]))
    plan.steps.forEach((step, at) => {
      const isLeaf = plan.places.end(at) === at + 1
      if (isLeaf && (fits === null || fits(step))) found.get(step.status)?.push(step)
    })
    return found
  }, [plan, fits])
  const { drag, take } = useCardDrag((id, status) => {
    if (session.plan.step(id)?.status !== status) deeds.setStatus(id, status)
  })
  const cards = [...columns.values()].flat()
  const isThere = cards.some(({ id }) => id === focused)
  const current = isThere ? focused : (cards[0]?.id ?? null)

  const onKeyDown = (event: KeyboardEvent): void => {
    const card = (event.target as HTMLElement).closest<HTMLElement>('[data-card]')
    if (card === null || isTyping(event.target) || event.nativeEvent.isComposing) return
    const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl'
    const id = card.dataset['card'] as StepId
    if (pressOnBoard(event.nativeEvent, session, deeds, columns, id, isRtl)) event.preventDefault()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys of the cards in it
    <section
      className={`board${drag === null ? '' : ' dragging'}`}
      aria-label="Board by status"
      onFocus={() => session.view.patch({ pane: 'board' })}
      onKeyDown={onKeyDown}
    >
      {cards.length === 0 && <NothingFits />}
      {STATUSES.map((status) => (
        <Column
          key={status}
          status={status}
          steps={columns.get(status) ?? []}
          plan={plan}
          current={current}
          drag={drag}
          take={take}
        />
      ))}
    </section>
  )
}

interface ColumnProps {
  readonly status: Status
  readonly steps: readonly Step[]
  readonly plan: Plan
  readonly current: StepId | null
  readonly drag: CardDrag | null
  readonly take: (event: PointerEvent, id: StepId) => void
}

function Column({ status, steps, plan, current, drag, take }: ColumnProps) {
  const { session } = useWork()
  const { focusTurn, showTurn, editing, layout, pane } = useStore(session.view)
  const scroller = useRef<HTMLDivElement>(null)
  const pinned = steps.findIndex(({ id }) => id === current)
  const isHere = layout === 'board' || pane === 'board'
  const virtualizer = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 68,
    getItemKey: (index) => steps[index]?.id ?? index,
    overscan: 3,
    rangeExtractor: (range) => rangeWith(pinned, range),
  })

  // The focus follows its card, into whichever column it goes.
  const lastTurn = useRef(focusTurn)
  const lastShown = useRef(showTurn)
  useLayoutEffect(() => {
    const [isMoved, isShown] = [lastTurn.current !== focusTurn, lastShown.current !== showTurn]
    lastTurn.current = focusTurn
    lastShown.current = showTurn
    if (!(isMoved || isShown) || pinned < 0 || !isHere) return
    virtualizer.scrollToIndex(pinned, { align: 'auto' })
    const card = scroller.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(current ?? '')}"]`)
    card?.closest('.column')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    if (isMoved && session.view.get().dialog === null) card?.focus({ preventScroll: true })
  })

  const isDraft = layout === 'board' && status === 'pending' && editing?.kind === 'draft'
  return (
    <section
      className={`column ${status}${drag?.over === status ? ' over' : ''}`}
      data-column={status}
      aria-label={`${STATUS_NAMES[status]}, ${steps.length}`}
    >
      <h2>
        <StatusShape status={status} label={false} />
        {STATUS_NAMES[status]}
        <span className="tally">{steps.length}</span>
      </h2>
      {isDraft && (
        <div className="card draft">
          <RowEditor key={editing.turn} id={null} isOnBoard />
        </div>
      )}
      <div ref={scroller} className="cards">
        <ul className="sizer" aria-label={STATUS_NAMES[status]} style={{ blockSize: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start, key }) => {
            const step = steps[index]
            if (step === undefined) return null
            return (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className={`slot${drag?.id === step.id ? ' taken' : ''}`}
                style={{ transform: `translateY(${start}px)` }}
                onPointerDown={(event) => {
                  if (session.mayWrite && !isTyping(event.target)) take(event, step.id)
                }}
              >
                <Card
                  step={step}
                  plan={plan}
                  isCurrent={step.id === current}
                  isEdited={isHere && editing?.kind === 'step' && editing.id === step.id}
                />
              </li>
            )
          })}
        </ul>
      </div>
    </section>
  )
}
