import type { CSSProperties } from 'react'
import { plain } from '../model/bidi.ts'
import type { Tally } from '../model/tally.ts'

export const percentOf = ({ done, total }: Tally): number => (total === 0 ? 0 : Math.round((done / total) * 100))

/** How far it is: done, under way, blocked, and the rest. */
export function Progress({ tally, label }: { readonly tally: Tally; readonly label: string }) {
  const share = (count: number): CSSProperties => ({
    inlineSize: `${tally.total === 0 ? 0 : (count / tally.total) * 100}%`,
  })
  const words = `${tally.done} of ${tally.total} done`
  return (
    <span
      className="progress"
      role="progressbar"
      aria-label={plain(label)}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percentOf(tally)}
      aria-valuetext={words}
      title={`${words}${tally.active > 0 ? `, ${tally.active} in progress` : ''}${tally.blocked > 0 ? `, ${tally.blocked} blocked` : ''}`}
    >
      <span className="done" style={share(tally.done)} />
      <span className="active" style={share(tally.active)} />
      <span className="stuck" style={share(tally.blocked)} />
    </span>
  )
}
