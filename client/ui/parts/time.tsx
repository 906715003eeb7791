import { useEffect, useReducer } from 'react'

const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
] as const
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' })

/** @param at milliseconds since 1970 */
export function ago(at: number, now = Date.now()): string {
  let value = Math.round((at - now) / 1_000)
  if (value > -10) return 'just now'
  for (const [unit, size] of STEPS) {
    if (Math.abs(value) < size) return words.format(value, unit)
    value = Math.round(value / size)
  }
  return words.format(value, 'year')
}

export function Time({ at }: { readonly at: number }) {
  const date = new Date(at)
  // A clock may say anything, and what is no date cannot even be printed.
  if (Number.isNaN(date.getTime())) return <span>at an unknown time</span>
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {ago(at)}
    </time>
  )
}

/** Renders anew now and then, so that what was just now does not stay so. */
export function useMinutes(): void {
  const [, turn] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(turn, 30_000)
    return () => clearInterval(timer)
  }, [])
}
