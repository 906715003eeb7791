import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { plain } from '../model/bidi.ts'
import { asHere } from '../model/keys.ts'
import { Modal } from './dialog.tsx'

export interface Choice {
  readonly key: string
  readonly text: string
  readonly hint?: string
  readonly mark?: ReactNode
  readonly isChosen?: boolean
  readonly run: () => void
}

interface PaletteProps {
  readonly label: string
  readonly placeholder: string
  readonly choices: (query: string) => readonly Choice[]
  readonly onClose: () => void
}

const MOST = 60

/** A list to choose from by typing: every menu of the page is one. */
export function Palette({ label, placeholder, choices, onClose }: PaletteProps) {
  const [query, setQuery] = useState('')
  const [index, setIndex] = useState(0)
  const list = useId()
  const box = useRef<HTMLDivElement>(null)
  const found = choices(query).slice(0, MOST)
  const at = Math.min(index, found.length - 1)

  useEffect(() => {
    box.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])

  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return
    // First away, so that the focus is back where what is done may want to move it.
    onClose()
    choice.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') setIndex((at + 1) % Math.max(1, found.length))
    else if (event.key === 'ArrowUp') setIndex((at - 1 + found.length) % Math.max(1, found.length))
    else if (event.key === 'Home' && query === '') setIndex(0)
    else if (event.key === 'End' && query === '') setIndex(found.length - 1)
    else if (event.key === 'Enter') choose(found[at])
    else return
    event.preventDefault()
  }
  const option = (choice: Choice): string => `${list}-${choice.key}`
  const current = found[at]
  return (
    <Modal label={label} className="palette" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={current === undefined ? undefined : option(current)}
        aria-label={label}
        placeholder={plain(placeholder)}
        autoComplete="off"
        dir="auto"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value)
          setIndex(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={box} id={list} role="listbox" className="list" aria-label={label} tabIndex={-1}>
        {found.map((choice, position) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are on the field above
          <div
            key={choice.key}
            id={option(choice)}
            role="option"
            aria-selected={position === at}
            className="choice"
            tabIndex={-1}
            onClick={() => choose(choice)}
            onPointerMove={() => setIndex(position)}
          >
            {choice.mark}
            <span className="choice-text" dir="auto">
              {plain(choice.text)}
            </span>
            {choice.isChosen === true && <span className="chosen">chosen</span>}
            {choice.hint !== undefined && <span className="choice-hint">{plain(asHere(choice.hint))}</span>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="hint">Nothing fits.</p>}
    </Modal>
  )
}
