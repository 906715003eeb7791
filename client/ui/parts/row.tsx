import { memo, type Ref, useRef } from 'react'
import type { Group } from '../../sdk/index.ts'
import { plain } from '../model/bidi.ts'
import { groupToken, hasToken, toggleToken } from '../model/filter.ts'
import type { Flash } from '../model/flashes.ts'
import type { StepRow } from '../model/rows.ts'
import { isFinished, STATUS_NAMES } from '../model/statuses.ts'
import { useStore } from '../model/store.ts'
import { Avatar, hue, type Peer } from './avatars.tsx'
import { caretAt } from './caret.ts'
import { Icon, StatusShape } from './icons.tsx'
import { Marked } from './marked.tsx'
import { Progress } from './progress.tsx'
import { RowEditor } from './row-editor.tsx'
import { useWork } from './session-context.ts'
import { ago } from './time.tsx'

export interface RowProps {
  readonly row: StepRow
  readonly index: number
  /** Pixels from the top of the list. */
  readonly start: number
  readonly measure: Ref<HTMLDivElement>
  readonly isFocused: boolean
  readonly isEdited: boolean
  readonly isDragged: boolean
  readonly isChosen: boolean
  /** Levels that are not shown, as one has zoomed in. */
  readonly above: number
  /** No other is chosen. */
  readonly isAlone: boolean
  readonly group: Group | null
  /** What it waits for, in a few words; '' for nothing. */
  readonly waits: string
  /** Who works on it, by name. */
  readonly owner: string | null
  /** What is looked for, and marked in the text. */
  readonly find: string
  readonly flash: Flash | undefined
  readonly peers: readonly Peer[] | undefined
}

const label = ({ step, tally }: StepRow, group: Group | null, waits: string, owner: string | null): string => {
  const parts = [step.text, STATUS_NAMES[step.status]]
  if (owner !== null) parts.push(`with ${owner}`)
  if (tally !== null) parts.push(`${tally.done} of ${tally.total} done`)
  if (group !== null) parts.push(`group ${group.title}`)
  if (waits !== '') parts.push(`waits for ${waits}`)
  return plain(parts.join(', '))
}

/** Shows the steps of its group alone, and all again. */
function GroupChip({ title }: { readonly title: string }) {
  const { session } = useWork()
  const { filter } = useStore(session.view)
  const token = groupToken(title)
  return (
    <button
      type="button"
      tabIndex={-1}
      className="chip"
      style={hue(title)}
      dir="auto"
      title={plain(`Group ${title}`)}
      aria-label={plain(`Only the group ${title}`)}
      aria-pressed={hasToken(filter, token)}
      onClick={() => session.view.setFilter(toggleToken(filter, token))}
    >
      {title}
    </button>
  )
}

/** One step. All that can be done to it can be done by keys on the row; the buttons are for pointers. */
export const OutlineRow = memo(function OutlineRow(props: RowProps) {
  const {
    row,
    index,
    start,
    measure,
    isFocused,
    isEdited,
    isDragged,
    isChosen,
    isAlone,
    above,
    group,
    waits,
    owner,
    find,
    flash,
    peers,
  } = props
  const { session, deeds } = useWork()
  const { step, level, tally, isExpanded } = row
  const id = step.id
  /** Whether the pointer went down while something was typed: then one goes on typing here. */
  const wasTyping = useRef(false)
  const classes = ['row', step.status]
  if (isFocused) classes.push('focused')
  if (isChosen) classes.push('selected')
  if (row.isContext) classes.push('context')
  if (isDragged) classes.push('dragged')
  return (
    <div
      ref={measure}
      role="treeitem"
      id={`row-${id}`}
      data-id={id}
      data-index={index}
      className={classes.join(' ')}
      style={{ transform: `translateY(${start}px)` }}
      aria-level={level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={tally === null ? undefined : isExpanded}
      aria-selected={isChosen || (isFocused && isAlone)}
      aria-label={isEdited ? undefined : label(row, group, waits, owner)}
      tabIndex={isFocused && !isEdited ? 0 : -1}
      onFocus={(event) => {
        if (event.target === event.currentTarget) session.view.noteFocus(id)
      }}
    >
      {flash !== undefined && <span key={flash.turn} className="flash" style={hue(flash.who)} />}
      {flash !== undefined && (
        <span className="by" style={hue(flash.who)}>
          <bdi>{flash.who}</bdi> {flash.what} it, {ago(flash.at)}
        </span>
      )}
      <span className="indent" style={{ inlineSize: `calc(var(--indent) * ${Math.min(level - 1 - above, 12)})` }}>
        {level - above > 13 && <span className="deep">{level}</span>}
      </span>
      <span className="grip" data-grip={id} aria-hidden="true">
        <Icon name="grip" />
      </span>
      {tally === null ? (
        <span className="twist" />
      ) : (
        <button
          type="button"
          tabIndex={-1}
          className="twist"
          aria-label={isExpanded ? 'Collapse' : 'Expand'}
          onClick={() => session.view.collapse(id, isExpanded)}
        >
          <Icon name="chevron" />
        </button>
      )}
      <button
        type="button"
        tabIndex={-1}
        className="tick"
        aria-label={`${STATUS_NAMES[step.status]}: ${isFinished(step.status) ? 'open again' : 'tick'}`}
        onClick={() => deeds.tick(id)}
        onContextMenu={(event) => {
          event.preventDefault()
          session.view.open({ kind: 'status', id })
        }}
      >
        <StatusShape status={step.status} label={false} />
      </button>
      {isEdited ? (
        <RowEditor id={id} />
      ) : (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- F2 is the key for it
        <span
          className="text"
          dir="auto"
          onPointerDown={() => {
            wasTyping.current = session.view.get().editing !== null
          }}
          onClick={(event) => {
            if (wasTyping.current) session.editor.editStep(id, caretAt(event))
          }}
          onDoubleClick={(event) => session.editor.editStep(id, caretAt(event))}
        >
          <Marked text={step.text} find={find} />
        </span>
      )}
      <span className="marks">
        {step.details !== '' && (
          <span className="mark" title={plain(step.details.slice(0, 400))}>
            <Icon name="note" />
          </span>
        )}
        {waits !== '' && (
          <span className="mark waits" title={plain(`Waits for ${waits}`)}>
            <Icon name="link" />
            <bdi className="what-for">{waits}</bdi>
          </span>
        )}
        {group !== null && <GroupChip title={group.title} />}
        {tally !== null && (
          <span className="count">
            <Progress tally={tally} label={`Progress of ${step.text.slice(0, 60)}`} />
            <span aria-hidden="true">
              {tally.done}/{tally.total}
            </span>
          </span>
        )}
        {owner !== null && (
          <button
            type="button"
            tabIndex={-1}
            className="owned"
            aria-label={plain(`With ${owner}`)}
            aria-haspopup="dialog"
            onClick={() => session.view.open({ kind: 'owner', id })}
          >
            <Avatar name={owner} kind="owner" title={`With ${owner}`} />
          </button>
        )}
        {peers?.map((peer) => (
          <span key={peer.key} className="here">
            <Avatar
              name={peer.name}
              kind={peer.kind}
              title={`${peer.name} is here${peer.doing ? `: ${peer.doing}` : ''}`}
            />
          </span>
        ))}
        {step.number !== null && <span className="number">#{step.number}</span>}
      </span>
      <button
        type="button"
        tabIndex={-1}
        className="more"
        aria-label={plain(`Actions for ${step.text.slice(0, 60)}`)}
        aria-haspopup="dialog"
        onClick={() => session.view.open({ kind: 'actions', id })}
      >
        <Icon name="more" />
      </button>
    </div>
  )
})
