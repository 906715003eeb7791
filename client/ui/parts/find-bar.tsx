import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import type { StepId } from '../../sdk/index.ts'
import { searchedText } from '../model/filter.ts'
import { fold } from '../model/fold.ts'
import { useStore } from '../model/store.ts'
import { useFiltering } from './filter-bar.tsx'
import { Icon } from './icons.tsx'
import { useWork } from './session-context.ts'

/** Finds in the whole plan: the browser's own would only see the rows that are mounted. */
export function FindBar() {
  const { session } = useWork()
  const { find } = useStore(session.view)
  return find === null ? null : <OpenFindBar find={find} />
}

/** The steps that a text is found in, as they are in sight: in order. */
function useFound(find: string): readonly StepId[] {
  const { session } = useWork()
  const { plan } = useStore(session.seen)
  const { layout } = useStore(session.view)
  const { fits } = useFiltering()
  return useMemo(() => {
    const wanted = fold(find)
    if (wanted.trim() === '') return []
    const found = plan.steps.filter(
      (step, at) =>
        searchedText(step).includes(wanted) &&
        (fits === null || fits(step)) &&
        // The board has only what nothing is below.
        (layout !== 'board' || plan.places.end(at) === at + 1),
    )
    return found.map(({ id }) => id)
  }, [plan, fits, layout, find])
}

function OpenFindBar({ find }: { readonly find: string }) {
  const { session } = useWork()
  const { plan } = useStore(session.seen)
  const { focused, findTurn } = useStore(session.view)
  const field = useRef<HTMLInputElement>(null)
  const found = useFound(find)
  const current = focused === null ? -1 : found.indexOf(focused)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [findTurn])

  /** The first of them that does not stand before the focused one. */
  const from = (): number => {
    const place = focused === null ? 0 : plan.places.of(focused)
    return Math.max(
      0,
      found.findIndex((id) => plan.places.of(id) >= place),
    )
  }
  // What is typed leads to the first one from here on.
  const first = found[from()]
  useEffect(() => {
    if (current < 0 && first !== undefined) session.show(first)
    // eslint-disable-next-line react/exhaustive-deps -- only what one types moves the view; what others do does not
  }, [find])

  const go = (offset: 1 | -1): void => {
    if (found.length === 0) return
    const at = current >= 0 ? current + offset : from()
    const id = found[(at + found.length) % found.length]
    if (id !== undefined) session.show(id)
  }
  const close = (): void => {
    session.view.patch({ find: null })
    session.view.focus(session.view.get().focused)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const isCommand = event.ctrlKey || event.metaKey
    if (event.key === 'Escape') close()
    else if (event.key === 'F3' || (isCommand && event.code === 'KeyG')) go(event.shiftKey ? -1 : 1)
    else if (event.key === 'Enter' && event.target === field.current) go(event.shiftKey ? -1 : 1)
    else return
    event.preventDefault()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of the field and its buttons
    <div role="search" className="find-bar" aria-label="Find" onKeyDown={onKeyDown}>
      <input
        ref={field}
        type="search"
        aria-label="Find in the plan"
        placeholder="Find"
        autoComplete="off"
        dir="auto"
        value={find}
        onChange={(event) => session.view.patch({ find: event.target.value })}
      />
      <span role="status" className="count">
        {find.trim() !== '' && (found.length === 0 ? 'Not found' : `${Math.max(0, current) + 1} of ${found.length}`)}
      </span>
      <button type="button" className="tool up" aria-label="Previous" onClick={() => go(-1)}>
        <Icon name="chevron" />
      </button>
      <button type="button" className="tool down" aria-label="Next" onClick={() => go(1)}>
        <Icon name="chevron" />
      </button>
      <button type="button" className="tool" aria-label="Close the search" onClick={close}>
        <Icon name="close" />
      </button>
    </div>
  )
}
