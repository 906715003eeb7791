import { useEffect, useRef, useState } from 'react'
import type { TextKey } from '../model/drafts.ts'
import { useWork } from './session-context.ts'

/** Text that is typed into a field: the browser keeps it until the plan has it, whatever others write meanwhile. */
export function useTyped(key: TextKey, now: string) {
  const { session } = useWork()
  const [typed, setTyped] = useState<string | null>(null)
  const base = useRef('')
  const latest = useRef<string | null>(null)
  const type = (text: string): void => {
    if (latest.current === null) base.current = now
    latest.current = text
    setTyped(text)
    session.texts.drafts.set(key, { text, base: base.current })
  }
  const giveUp = (): void => {
    latest.current = null
    setTyped(null)
    session.texts.drafts.drop(key)
  }
  const keep = (): void => {
    const text = latest.current
    latest.current = null
    setTyped(null)
    if (text !== null) session.texts.keep(key, key === 'title' ? text.trim() : text, base.current)
  }
  // The field may go without being left, as when another step is chosen by somebody's removal.
  const last = useRef(keep)
  useEffect(() => {
    last.current = keep
  })
  useEffect(() => () => last.current(), [])
  return { typed, type, keep, giveUp }
}
