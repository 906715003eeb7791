import { type ReactNode, useMemo } from 'react'
import { findIn, fold } from '../model/fold.ts'

/** A text with what is looked for marked in it. */
export function Marked({ text, find }: { readonly text: string; readonly find: string }) {
  const found = useMemo(() => (find === '' ? [] : findIn(text, fold(find))), [text, find])
  if (found.length === 0) return text
  const parts: ReactNode[] = []
  let at = 0
  for (const [start, end] of found) {
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>)
    at = end
  }
  return [...parts, text.slice(at)]
}
