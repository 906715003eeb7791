import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react'
import type { Plan, Status, Step, StepId } from '../../sdk/index.ts'
import { plain } from '../model/bidi.ts'
import { ownerOf } from '../model/owner.ts'
import { STATUS_NAMES, STATUSES } from '../model/statuses.ts'
import { useStore } from '../model/store.ts'
import { Avatar, hue } from './avatars.tsx'
import { type CardDrag, useCardDrag } from './card-drag.ts'
import { NothingFits, useFiltering } from './filter-bar.tsx'
import { Icon, StatusShape } from './icons.tsx'
import { Marked } from './marked.tsx'
import { useWork } from './session-context.ts'

/** The steps that have none below them, by how they stand. */
export function Board() {
  const { session, deeds } = useWork()
  const { plan } = useStore(session.seen)
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
  return (
    <section className={`board${drag === null ? '' : ' dragging'}`} aria-label="Board by status">
      {[...columns.values()].every(({ length }) => length === 0) && <NothingFits />}
      {STATUSES.map((status) => (
        <Column key={status} status={status} steps={columns.get(status) ?? []} plan={plan} drag={drag} take={take} />
      ))}
    </section>
  )
}

interface ColumnProps {
  readonly status: Status
  readonly steps: readonly Step[]
  readonly plan: Plan
  readonly drag: CardDrag | null
  readonly take: (event: PointerEvent, id: StepId) => void
}

function Column({ status, steps, plan, drag, take }: ColumnProps) {
  const { session } = useWork()
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 68,
    getItemKey: (index) => steps[index]?.id ?? index,
    overscan: 3,
  })
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
                  if (session.mayWrite) take(event, step.id)
                }}
              >
                <Card step={step} plan={plan} onReveal={() => reveal(session, step.id)} />
              </li>
            )
          })}
        </ul>
      </div>
    </section>
  )
}

function reveal(session: ReturnType<typeof useWork>['session'], id: StepId): void {
  session.view.noteFocus(id)
  session.view.patch({ side: 'step' })
}

function Card({ step, plan, onReveal }: { readonly step: Step; readonly plan: Plan; readonly onReveal: () => void }) {
  const { session, deeds } = useWork()
  const { find } = useStore(session.view)
  const owner = ownerOf(step)
  const group = plan.groupOf(step)
  const title = plan.groups.find(({ id }) => id === group)?.title
  const parent = step.parent === null ? undefined : plan.step(step.parent)
  const onKeyDown = (event: KeyboardEvent): void => {
    const offset = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (event.altKey && event.shiftKey && offset !== 0) {
      const status = STATUSES[STATUSES.indexOf(step.status) + offset]
      if (status !== undefined) deeds.setStatus(step.id, status)
      event.preventDefault()
    } else if (event.key === 's' && !event.ctrlKey && !event.metaKey) {
      session.view.open({ kind: 'status', id: step.id })
      event.preventDefault()
    }
  }
  return (
    <article className="card">
      <button type="button" className="open" onClick={onReveal} onKeyDown={onKeyDown}>
        {parent !== undefined && (
          <span className="path" dir="auto">
            {parent.text}
          </span>
        )}
        <span className="text" dir="auto">
          <Marked text={step.text} find={find ?? ''} />
        </span>
        <span className="foot">
          {step.number !== null && <span className="number">#{step.number}</span>}
          {title !== undefined && (
            <bdi className="chip" style={hue(title)}>
              {title}
            </bdi>
          )}
          {owner !== null && <Avatar name={owner} kind="owner" title={`With ${owner}`} />}
        </span>
      </button>
      <button
        type="button"
        className="more"
        aria-label={plain(`Actions for ${step.text.slice(0, 60)}`)}
        aria-haspopup="dialog"
        onClick={() => session.view.open({ kind: 'actions', id: step.id })}
      >
        <Icon name="more" />
      </button>
    </article>
  )
}
