import { useEffect, useMemo, useState } from 'react'
import type { ActivityEntry } from '../model/api.ts'
import { plain } from '../model/bidi.ts'
import { type Burst, BurstList, nameOf } from '../model/bursts.ts'
import { useStore } from '../model/store.ts'
import { Avatar } from './avatars.tsx'
import { Changes } from './changes.tsx'
import { useWork } from './session-context.ts'
import { Time, useMinutes } from './time.tsx'

type Kind = 'all' | 'agent' | 'human' | 'reasons'
const KINDS: readonly (readonly [Kind, string])[] = [
  ['all', 'All'],
  ['agent', 'Agents'],
  ['human', 'People'],
  ['reasons', 'Reasons'],
]
/** Entries that are shown at first, and at each look further back. */
const SHOWN = 80

/** What was done, by whom, and why; what one actor did in a row is one entry. */
export function FeedPanel() {
  const { session } = useWork()
  const { entries, hasEarlier, seen, problem, isLoaded } = useStore(session.feed)
  const [kind, setKind] = useState<Kind>('all')
  const [who, setWho] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [shown, setShown] = useState(SHOWN)
  /** As it was when the panel was opened: what is above the mark is new. */
  const [mark] = useState(seen)

  const list = useMemo(
    () =>
      new BurstList(
        (entry) =>
          (kind === 'all' || (kind === 'reasons' ? entry.reasoning !== '' : entry.actor.kind === kind)) &&
          (who === '' || nameOf(entry) === who),
      ),
    [kind, who],
  )
  const bursts = list.update(entries)
  const { names } = list

  useMinutes()
  useEffect(() => {
    const look = (): void => {
      if (entries.length > 0 && document.visibilityState === 'visible') session.feed.markSeen()
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [session, entries])

  const lookBack = (): void => {
    setShown(shown + SHOWN)
    if (!hasEarlier || bursts.length > shown + SHOWN) return
    setBusy(true)
    void session.feed
      .loadEarlier()
      .catch(() => session.tell('Earlier activity cannot be read just now.'))
      .finally(() => setBusy(false))
  }
  // What one did oneself is no news: the mark stands right behind the last of what others did.
  const isNews = ({ latest }: Burst): boolean => latest.version > mark && latest.actor.id !== session.identity.id
  const read = mark < 0 ? 0 : bursts.findLastIndex(isNews) + 1
  return (
    <div className="feed">
      <div className="feed-filters">
        <div className="segments" role="group" aria-label="Whose changes">
          {KINDS.map(([value, text]) => (
            <button key={value} type="button" aria-pressed={kind === value} onClick={() => setKind(value)}>
              {text}
            </button>
          ))}
        </div>
        {names.length > 1 && (
          <select aria-label="Only of" value={who} onChange={(event) => setWho(event.target.value)}>
            <option value="">Everybody</option>
            {names.map((name) => (
              <option key={name} value={name}>
                {plain(name)}
              </option>
            ))}
          </select>
        )}
      </div>
      {problem !== null && <p className="hint">The activity cannot be read just now. It is asked for again.</p>}
      {isLoaded && problem === null && bursts.length === 0 && <p className="hint">Nothing has happened here yet.</p>}
      <ol className="bursts" aria-label="Activity">
        {bursts.slice(0, shown).map((burst, index) => (
          <BurstItem key={burst.key} burst={burst} isFirstRead={index === read && index > 0} />
        ))}
      </ol>
      {(hasEarlier || bursts.length > shown) && (
        <button type="button" className="quiet" disabled={isBusy} onClick={lookBack}>
          Earlier
        </button>
      )}
    </div>
  )
}

function BurstItem({ burst, isFirstRead }: { readonly burst: Burst; readonly isFirstRead: boolean }) {
  const { session } = useWork()
  const [isOpen, setOpen] = useState(false)
  const { latest, count, recent, summary, reasons } = burst
  const { actor } = latest
  const name = actor.id === session.identity.id ? 'You' : actor.name || actor.id || 'Somebody'
  return (
    <li className={`burst${isFirstRead ? ' read-mark' : ''}`}>
      {isFirstRead && <span className="new-above">New above</span>}
      <Avatar name={actor.name || actor.id || '?'} kind={actor.kind} title={name} />
      <div className="what">
        <p className="head">
          <strong dir="auto">{name}</strong> <Time at={latest.at} />
        </p>
        <p className="summary" dir="auto">
          {plain(summary)}
        </p>
        {reasons.map((reason) => (
          <p key={reason} className="reason" dir="auto">
            {reason}
          </p>
        ))}
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fold' : count > 1 ? `${count} changes` : 'What exactly'}
        </button>
        {isOpen && count === 1 && <Changes version={latest.version} />}
        {isOpen && count > 1 && (
          <ol className="single">
            {recent.map((entry) => (
              <SingleItem key={entry.version} entry={entry} />
            ))}
          </ol>
        )}
      </div>
    </li>
  )
}

function SingleItem({ entry: { version, at, summary } }: { readonly entry: ActivityEntry }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <button type="button" className="quiet one" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Time at={at} /> <bdi>{plain(summary)}</bdi>
      </button>
      {isOpen && <Changes version={version} />}
    </li>
  )
}
