import { useEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Plan, Step } from '../../sdk/index.ts'
import { ownerNameOf } from '../model/owner.ts'
import { rowMaker } from '../model/rows.ts'
import { STATUS_NAMES } from '../model/statuses.ts'
import { useStore } from '../model/store.ts'
import { talliesOf } from '../model/tally.ts'
import { waitsOf } from '../model/waits.ts'
import { useFiltering } from './filter-bar.tsx'
import { StatusShape } from './icons.tsx'
import { useWork } from './session-context.ts'

/** Whether the page is being printed. It is rendered before the browser takes its picture. */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const media = matchMedia('print')
    const set = (now: boolean): void => flushSync(() => setPrinting(now))
    const before = (): void => set(true)
    const after = (): void => set(media.matches)
    const change = (): void => set(media.matches)
    window.addEventListener('beforeprint', before)
    window.addEventListener('afterprint', after)
    media.addEventListener('change', change)
    return () => {
      window.removeEventListener('beforeprint', before)
      window.removeEventListener('afterprint', after)
      media.removeEventListener('change', change)
    }
  }, [])
  return isPrinting
}

/** The plan on paper: all of it, whatever is folded away or out of sight on the screen; only a filter counts. */
export function PrintedPlan() {
  const { session } = useWork()
  const { plan } = useStore(session.seen)
  const { filter } = useStore(session.view)
  const { fits } = useFiltering()
  const rows = useMemo(
    () => rowMaker()(plan, { collapsed: new Set(), filter: fits, draft: null, keep: null }),
    [plan, fits],
  )
  const { done, total } = talliesOf(plan).plan
  return (
    <article className="printed">
      <h1 dir="auto">{plan.title || session.thread}</h1>
      <p>
        {done} of {total} done
        {filter.trim() !== '' && (
          <>
            , shown: <bdi>{filter}</bdi>
          </>
        )}
      </p>
      <ol>
        {rows.map((row) =>
          row.kind === 'step' ? <PrintedStep key={row.key} plan={plan} step={row.step} level={row.level} /> : null,
        )}
      </ol>
    </article>
  )
}

function PrintedStep({ plan, step, level }: { readonly plan: Plan; readonly step: Step; readonly level: number }) {
  const { session } = useWork()
  const names = useStore(session.names)
  const owner = ownerNameOf(step, names)
  const group = plan.groups.find(({ id }) => id === step.group)?.title
  const waits = waitsOf(plan, step)
  const facts = [
    STATUS_NAMES[step.status],
    group === undefined ? '' : `group ${group}`,
    owner === null ? '' : `with ${owner}`,
    waits === '' ? '' : `waits for ${waits}`,
  ].filter((fact) => fact !== '' && fact !== STATUS_NAMES.pending)
  return (
    <li className={step.status} style={{ marginInlineStart: `${(level - 1) * 1.25}rem` }}>
      <StatusShape status={step.status} label={false} />
      <div>
        <span className="text" dir="auto">
          {step.text}
        </span>
        {facts.map((fact) => (
          <span key={fact}>
            {' '}
            · <bdi>{fact}</bdi>
          </span>
        ))}
        {step.details !== '' && (
          <p className="printed-details" dir="auto">
            {step.details}
          </p>
        )}
      </div>
      {step.number !== null && <span className="number">#{step.number}</span>}
    </li>
  )
}
