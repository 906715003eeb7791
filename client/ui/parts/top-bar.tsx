import { type Ref, useMemo } from 'react'
import { MAX_TITLE } from '../../../shared/schema/limits.ts'
import type { StepId } from '../../sdk/index.ts'
import { plain } from '../model/bidi.ts'
import { groupToken, hasToken, toggleToken } from '../model/filter.ts'
import type { ActivityEntry } from '../model/api.ts'
import type { Layout } from '../model/view.ts'
import { useStore } from '../model/store.ts'
import { talliesOf } from '../model/tally.ts'
import { Avatar, hue, peersOf } from './avatars.tsx'
import { Icon, type IconName } from './icons.tsx'
import { Link } from './link.tsx'
import { percentOf, Progress } from './progress.tsx'
import { useWork } from './session-context.ts'
import { StatusPill } from './states.tsx'
import { useTyped } from './typed.ts'

const LAYOUTS: readonly (readonly [Layout, string, IconName])[] = [
  ['tree', 'Outline', 'list'],
  ['board', 'Board', 'board'],
  ['both', 'Both', 'both'],
]
const MOST_AVATARS = 6

/** More are not counted: what is shown then is that there are more. */
const MOST_UNREAD = 100

/** From the end of the log, so that it does not matter how long it is. */
function countUnread(entries: readonly ActivityEntry[], seen: number, own: string): number {
  let count = 0
  for (let at = entries.length - 1; at >= 0 && count < MOST_UNREAD; at--) {
    const entry = entries[at]
    if (entry === undefined || entry.version <= seen) break
    if (entry.actor.id !== own) count++
  }
  return count
}

export function TopBar({ filterRef }: { readonly filterRef: Ref<HTMLInputElement> }) {
  const { session } = useWork()
  const { plan, presence, canUndo, canRedo } = useStore(session.seen)
  const { layout, side, filter } = useStore(session.view)
  const { entries, seen } = useStore(session.feed)
  const own = session.identity.id
  const unread = side === 'activity' ? 0 : countUnread(entries, seen, own)
  const peers = useMemo(() => peersOf(presence, own), [presence, own])
  return (
    <header className="top-bar" data-steps={plan.steps.length}>
      <div className="line">
        <Link to="/" className="home-link" label="All plans">
          <img src="/favicon.svg" alt="" width="22" height="22" />
        </Link>
        <PlanTitle />
        <StatusPill />
        <ul className="peers" aria-label="Who is here">
          {peers.slice(0, MOST_AVATARS).map((peer) => {
            const step = peer.step === null ? undefined : plan.step(peer.step as StepId)
            const at = step === undefined ? '' : `, at “${step.text.slice(0, 80)}”`
            const title = `${peer.name} (${peer.kind})${at}${peer.doing === '' ? '' : `: ${peer.doing}`}`
            return (
              <li key={peer.key}>
                <button
                  type="button"
                  className="peer"
                  disabled={step === undefined}
                  onClick={() => step && session.goTo(step.id)}
                >
                  <Avatar name={peer.name} kind={peer.kind} title={title} />
                </button>
              </li>
            )
          })}
          {peers.length > MOST_AVATARS && <li className="more-peers">+{peers.length - MOST_AVATARS}</li>}
          <li className="spare">
            <button
              type="button"
              className="peer own"
              aria-label={plain(`You are ${session.identity.name || 'a guest'}: settings`)}
              onClick={() => session.view.open({ kind: 'settings' })}
            >
              <Avatar
                name={session.identity.name || 'Guest'}
                kind="owner"
                title={session.identity.name || 'Say who you are'}
              />
            </button>
          </li>
        </ul>
        <div className="tools">
          <Tool icon="undo" label="Undo" isOff={!canUndo} onClick={() => session.undo()} />
          <Tool icon="redo" label="Redo" isSpare isOff={!canRedo} onClick={() => session.redo()} />
          <Tool
            icon="command"
            label="Commands"
            id="after-tree"
            onClick={() => session.view.open({ kind: 'commands' })}
          />
          <Tool icon="help" label="Keys" isSpare onClick={() => session.view.open({ kind: 'keys' })} />
          <Tool icon="settings" label="Settings" onClick={() => session.view.open({ kind: 'settings' })} />
        </div>
      </div>
      <div className="line">
        <label className="filter">
          <Icon name="search" />
          <span className="unseen">Filter steps</span>
          <input
            ref={filterRef}
            type="search"
            placeholder="Filter"
            dir="auto"
            value={filter}
            onChange={(event) => session.view.setFilter(event.target.value)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return
              if (event.key === 'Escape') session.view.setFilter('')
              if (event.key === 'Escape' || event.key === 'Enter' || event.key === 'ArrowDown') {
                const { focused } = session.view.get()
                const isSeen = session.rows.some(({ key }) => key === focused)
                const first = session.rows.find(({ kind }) => kind === 'step')
                session.view.focus(isSeen ? focused : first?.kind === 'step' ? first.key : null)
                event.preventDefault()
              }
            }}
          />
        </label>
        <Tool icon="funnel" label="Filter by…" isSpare onClick={() => session.view.open({ kind: 'filter' })} />
        <Overview />
        <div className="segments" role="group" aria-label="View">
          {LAYOUTS.map(([value, text, icon]) => (
            <button
              key={value}
              type="button"
              aria-pressed={layout === value}
              title={text}
              onClick={() => session.view.patch({ layout: value })}
            >
              <Icon name={icon} />
              <span className="word">{text}</span>
            </button>
          ))}
        </div>
        <button
          type="button"
          className="side-switch"
          aria-pressed={side !== null}
          onClick={() => session.view.patch({ side: side === null ? 'activity' : null })}
        >
          <Icon name="side" />
          <span className="word">Activity</span>
          {unread > 0 && (
            <span className="unread">
              {unread > 99 ? '99+' : unread}
              <span className="unseen"> unread</span>
            </span>
          )}
        </button>
      </div>
    </header>
  )
}

interface ToolProps {
  readonly icon: IconName
  readonly label: string
  readonly id?: string
  readonly isOff?: boolean
  /** It is among the commands, too. */
  readonly isSpare?: boolean
  readonly onClick: () => void
}
function Tool({ icon, label, id, isOff = false, isSpare = false, onClick }: ToolProps) {
  return (
    <button
      type="button"
      className={isSpare ? 'tool spare' : 'tool'}
      id={id}
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

function PlanTitle() {
  const { session } = useWork()
  const { plan } = useStore(session.seen)
  const { typed, type, keep, giveUp } = useTyped('title', plan.title)
  return (
    <h1>
      <input
        className="plan-title"
        aria-label="Title of the plan"
        dir="auto"
        placeholder={session.thread}
        readOnly={!session.mayWrite}
        maxLength={MAX_TITLE}
        value={typed ?? plan.title}
        onChange={(event) => type(event.target.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') event.currentTarget.blur()
          if (event.key === 'Escape') giveUp()
        }}
      />
    </h1>
  )
}

/** How far it is: the plan, and each of its groups. */
function Overview() {
  const { session } = useWork()
  const { plan } = useStore(session.seen)
  const { filter } = useStore(session.view)
  const tallies = talliesOf(plan)
  return (
    <div className="overview">
      <span className="whole">
        <Progress tally={tallies.plan} label="Progress of the plan" />
        <strong>{percentOf(tallies.plan)} %</strong>
        <span className="numbers">
          {tallies.plan.done} of {tallies.plan.total}
        </span>
      </span>
      {plan.groups.map(({ id, title }) => {
        const tally = tallies.groups.get(id)
        if (tally === undefined) return null
        return (
          <button
            key={id}
            type="button"
            className="group-bar"
            style={hue(title)}
            aria-pressed={hasToken(filter, groupToken(title))}
            onClick={() => session.view.setFilter(toggleToken(filter, groupToken(title)))}
          >
            <bdi className="chip">{title}</bdi>
            <Progress tally={tally} label={`Progress of the group ${title}`} />
            <span className="numbers">
              {tally.done}/{tally.total}
            </span>
          </button>
        )
      })}
    </div>
  )
}
