import { useEffect, useMemo } from 'react'
import { plain } from '../model/bidi.ts'
import { hasToken, isToken, readFilter, statusToken, type Filtering, type Token, toggleToken } from '../model/filter.ts'
import { readFilterParam, writeFilterParam } from '../model/path.ts'
import { STATUS_NAMES, STATUSES } from '../model/statuses.ts'
import { useStore } from '../model/store.ts'
import { Icon } from './icons.tsx'
import { useWork } from './session-context.ts'

/** Milliseconds until the address follows what is typed: a browser lets it change only so often. */
const ADDRESS_MS = 300

/** What the filter lets through, and what was just made here. */
export function useFiltering(): Filtering {
  const { session } = useWork()
  const { plan } = useStore(session.seen)
  const { filter, made } = useStore(session.view)
  const names = useStore(session.names)
  return useMemo(() => {
    const read = readFilter(filter, plan, names)
    const { fits } = read
    return { ...read, fits: fits === null ? null : (step) => fits(step) || made.has(step.id) }
  }, [plan, filter, made, names])
}

/** The address says what is looked for: so a link and a reload show it again. */
export function useFilterInAddress(): void {
  const { session } = useWork()
  const { filter } = useStore(session.view)
  useEffect(() => {
    const timer = setTimeout(() => writeFilterParam(filter), ADDRESS_MS)
    return () => clearTimeout(timer)
  }, [filter])
  useEffect(() => {
    const onMoved = (): void => session.view.setFilter(readFilterParam())
    window.addEventListener('popstate', onMoved)
    return () => window.removeEventListener('popstate', onMoved)
  }, [session])
}

const OPEN = isToken('open')

/** What is looked for, how much fits, and the ways out. */
export function FilterBar() {
  const { session } = useWork()
  const { filter } = useStore(session.view)
  if (filter.trim() === '') return null
  const toggle = (raw: string): void => session.view.setFilter(toggleToken(filter, raw))
  return (
    <section className="filter-bar" aria-label="What is shown">
      <Count />
      <ul className="tokens" aria-label="Looked for">
        <TokenList onRemove={toggle} />
      </ul>
      <button type="button" className="toggle" aria-pressed={hasToken(filter, OPEN)} onClick={() => toggle(OPEN)}>
        Hide done
      </button>
      <button type="button" className="quiet" onClick={() => session.view.setFilter('')}>
        Clear
      </button>
    </section>
  )
}

function Count() {
  const { session } = useWork()
  const { plan } = useStore(session.seen)
  const { fits, problems } = useFiltering()
  const count = useMemo(() => (fits === null ? plan.steps : plan.steps.filter(fits)).length, [plan, fits])
  return (
    <div role="status" className="found">
      <span className="count">
        {count} of {plan.steps.length} {plan.steps.length === 1 ? 'step' : 'steps'}
      </span>
      {problems.map((problem) => (
        <span key={problem} className="unknown">
          {plain(problem)}
        </span>
      ))}
    </div>
  )
}

function TokenList({ onRemove }: { readonly onRemove: (raw: string) => void }) {
  const { tokens } = useFiltering()
  const shown = tokens.filter(({ raw }) => raw !== OPEN)
  // The same word twice is one chip: taken away, both are.
  const once = [...new Map(shown.map((token) => [token.raw, token])).values()]
  return once.map((token) => (
    <li key={token.raw}>
      <button
        type="button"
        className="token"
        aria-label={plain(`Without “${token.raw}”`)}
        title="Look for it no longer"
        onClick={() => onRemove(token.raw)}
      >
        <bdi>{plain(nameOf(token))}</bdi>
        <Icon name="close" />
      </button>
    </li>
  ))
}

const KIND_NAMES = { word: '', is: 'is:', group: 'Group ', owner: 'With ', number: '#' } as const
const NAMES: Readonly<Record<string, string>> = {
  'group:""': 'No group',
  '@""': 'With nobody',
  [isToken('open')]: 'Open',
  [isToken('ready')]: 'Ready to start',
  [isToken('waiting')]: 'Waits for others',
  ...Object.fromEntries(STATUSES.map((status) => [statusToken(status), STATUS_NAMES[status]])),
}

function nameOf({ raw, kind, value, isNot }: Token): string {
  return `${isNot ? 'Not: ' : ''}${NAMES[isNot ? raw.slice(1) : raw] ?? KIND_NAMES[kind] + value}`
}

/** Where nothing fits there is a way back. */
export function NothingFits() {
  const { session } = useWork()
  const { filter } = useStore(session.view)
  if (filter.trim() === '') return null
  return (
    <div className="nothing">
      <p>Nothing fits.</p>
      <button type="button" onClick={() => session.view.setFilter('')}>
        Clear the filter
      </button>
    </div>
  )
}
