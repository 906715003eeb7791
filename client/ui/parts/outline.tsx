import { useVirtualizer } from '@tanstack/react-virtual'
import { type ClipboardEvent, type MouseEvent, useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import type { Group, Step, StepId } from '../../sdk/index.ts'
import { idsOf, isTyping, pressInTree } from '../model/keys.ts'
import { ownerNameOf } from '../model/owner.ts'
import { rowMaker } from '../model/rows.ts'
import { useStore } from '../model/store.ts'
import { waitsOf } from '../model/waits.ts'
import { useAnchor } from './anchor.ts'
import { type Peer, peersOf } from './avatars.tsx'
import { useRowDrag } from './drag.ts'
import { NothingFits, useFiltering } from './filter-bar.tsx'
import { Icon } from './icons.tsx'
import { bringIntoSight, rangeWith } from './into-sight.ts'
import { OutlineRow } from './row.tsx'
import { RowEditor } from './row-editor.tsx'
import { useWork } from './session-context.ts'

const OVERSCAN = 10
/** Pixels of what stands below the rows. */
const BELOW = 48

export function Outline() {
  const { session, deeds } = useWork()
  const { plan, flashes, presence } = useStore(session.seen)
  const view = useStore(session.view)
  const names = useStore(session.names)
  const { focused, layout, pane, focusTurn, showTurn, editing, collapsed, filter, find, cut, chosen, zoom } = view
  const scroller = useRef<HTMLDivElement>(null)
  const hasFocus = useRef(false)

  const make = useMemo(rowMaker, [])
  const isHere = layout === 'tree' || pane === 'tree'
  const { fits } = useFiltering()
  const rows = useMemo(() => {
    const draft = editing?.kind === 'draft' ? editing.place : null
    const keep = editing?.kind === 'step' && isHere ? editing.id : null
    return make(plan, { collapsed, filter: fits, draft, keep, zoom })
  }, [make, plan, collapsed, fits, editing, isHere, zoom])
  const above = zoom === null ? 0 : (plan.step(zoom)?.depth ?? 0)
  const groups = useMemo(() => new Map(plan.groups.map((group) => [group.id, group])), [plan.groups])
  const peers = useMemo(() => byStep(peersOf(presence, session.identity.id)), [presence, session])

  const anyFocused = rows.some(({ key }) => key === focused)
    ? focused
    : (rows.find(({ kind }) => kind === 'step')?.key ?? null)
  const pinned = rows.findIndex(({ key }) => key === (editing?.kind === 'draft' ? 'draft' : anyFocused))
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (matchMedia('(pointer: coarse)').matches ? 44 : 32),
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    overscan: OVERSCAN,
    // Room for the flag of the first row.
    paddingStart: 8,
    rangeExtractor: (range) => rangeWith(pinned, range),
  })
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = () => false
  // What one does oneself may move the rows; what others do may not.
  const turn = useMemo(
    () => ({ focusTurn, showTurn, filter, collapsed, editing, zoom }),
    [focusTurn, showTurn, filter, collapsed, editing, zoom],
  )
  const isWhole = virtualizer.getTotalSize() + BELOW <= (virtualizer.scrollRect?.height ?? 0)
  useAnchor(scroller, virtualizer, rows, anyFocused, turn)
  const drag = useRowDrag(scroller, virtualizer, plan, rows)

  useLayoutEffect(() => {
    session.rows = rows
  }, [session, rows])

  // One's own moves lead the view; those of others never do.
  const lastTurn = useRef(focusTurn)
  useLayoutEffect(() => {
    const isOwn = lastTurn.current !== focusTurn
    lastTurn.current = focusTurn
    const isLost = hasFocus.current && document.activeElement === document.body
    if (!isOwn && !isLost) return
    const node = scroller.current
    const row = node?.querySelector<HTMLElement>(`[data-id="${CSS.escape(anyFocused ?? '')}"]`)
    if (isOwn && pinned >= 0) bringIntoSight(virtualizer, pinned)
    const isDialogOpen = session.view.get().dialog !== null
    const field = node?.querySelector<HTMLElement>('.field')
    if (!isDialogOpen && isHere) (field ?? row)?.focus({ preventScroll: true })
  })

  const lastShown = useRef(showTurn)
  useLayoutEffect(() => {
    if (lastShown.current === showTurn) return
    lastShown.current = showTurn
    if (pinned >= 0) bringIntoSight(virtualizer, pinned)
  })

  useLayoutEffect(() => {
    if (editing?.kind === 'draft' && pinned >= 0) bringIntoSight(virtualizer, pinned)
    // eslint-disable-next-line react/exhaustive-deps -- only when the draft itself moves
  }, [editing])

  const onCopy = (event: ClipboardEvent, isCut: boolean): void => {
    if (isTyping(event.target) || focused === null) return
    event.preventDefault()
    event.clipboardData.setData('text/plain', deeds.markdown(focused))
    if (isCut && session.mayWrite) deeds.cut(event.clipboardData, focused)
    else session.announcer.say('Copied as Markdown')
  }
  const onChoose = (event: MouseEvent<HTMLElement>): void => {
    const target = event.target as HTMLElement
    const id = target.closest<HTMLElement>('[data-id]')?.dataset['id'] as StepId | undefined
    if (id === undefined || event.button !== 0 || isTyping(target) || target.closest('button') !== null) return
    const isOneMore = event.ctrlKey || event.metaKey
    if (event.shiftKey) session.view.chooseTo(id, idsOf(rows))
    else if (isOneMore) session.view.toggleChosen(id)
    // What is dragged may be several; a click lets go of them when it ends.
    else if (!chosen.has(id)) session.view.chooseNone()
    if (event.shiftKey || isOneMore) event.preventDefault()
  }
  const onPaste = (event: ClipboardEvent): void => {
    if (isTyping(event.target)) return
    event.preventDefault()
    deeds.paste(event.clipboardData, focused)
  }

  return (
    <div
      ref={scroller}
      className={`outline${isWhole ? ' fits' : ''}`}
      onFocus={() => {
        session.view.patch({ pane: 'tree' })
        hasFocus.current = true
      }}
      onBlur={(event) => {
        if (event.relatedTarget !== null) hasFocus.current = event.currentTarget.contains(event.relatedTarget)
      }}
      {...drag.handlers}
    >
      <div
        role="tree"
        aria-multiselectable="true"
        tabIndex={rows.length === 0 ? 0 : -1}
        aria-label="Steps of the plan"
        aria-describedby="tree-help"
        className="sizer"
        style={{ blockSize: virtualizer.getTotalSize() }}
        onMouseDown={onChoose}
        onClick={(event) => {
          const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey
          if (isPlain && (event.target as HTMLElement).closest('button') === null) session.view.chooseNone()
        }}
        onCopy={(event) => onCopy(event, false)}
        onCut={(event) => onCopy(event, true)}
        onPaste={onPaste}
        onKeyDown={(event) => {
          if (isTyping(event.target) || event.nativeEvent.isComposing || drag.isDragging) return
          if (event.key === 'Escape') {
            if (chosen.size > 0) {
              session.view.chooseNone()
              session.view.focus(focused)
              return
            }
            session.view.setFilter('')
            session.view.patch({ cut: [] })
            return
          }
          const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl'
          if (pressInTree(event.nativeEvent, session, deeds, isRtl)) event.preventDefault()
        }}
      >
        {virtualizer.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index]
          if (row === undefined) return null
          if (row.kind === 'draft') {
            return (
              <div
                key={key}
                ref={virtualizer.measureElement}
                role="treeitem"
                aria-level={row.level}
                aria-selected={false}
                aria-label="New step"
                data-index={index}
                className="row draft"
                style={{ transform: `translateY(${start}px)` }}
              >
                <span
                  className="indent"
                  style={{ inlineSize: `calc(var(--indent) * ${Math.min(row.level - 1 - above, 12)})` }}
                />
                <span className="grip" />
                <span className="twist" />
                <span className="tick" />
                <RowEditor key={editing?.kind === 'draft' ? editing.turn : 0} id={null} />
              </div>
            )
          }
          const { step } = row
          return (
            <OutlineRow
              key={key}
              row={row}
              index={index}
              start={start}
              measure={virtualizer.measureElement}
              isFocused={row.key === anyFocused}
              isEdited={isHere && editing?.kind === 'step' && editing.id === row.key}
              isDragged={drag.id === row.key || cut.includes(row.key)}
              isChosen={chosen.has(row.key)}
              above={above}
              isAlone={chosen.size === 0}
              group={groupOf(groups, step)}
              waits={waitsOf(plan, step)}
              owner={ownerNameOf(step, names)}
              find={find ?? ''}
              flash={flashes.get(row.key)}
              peers={peers.get(row.key)}
            />
          )
        })}
        {drag.line !== null && (
          <div
            className="drop-line"
            data-level={drag.line.level}
            style={{
              transform: `translateY(${drag.line.y}px)`,
              insetInlineStart: `calc(var(--row-pad) + var(--indent) * ${drag.line.level - 1 - above})`,
            }}
          />
        )}
      </div>
      {rows.length === 0 && <NothingFits />}
      {session.mayWrite && filter === '' && (
        <button
          type="button"
          className="add-step"
          onClick={() => session.editor.draft({ parent: zoom, after: plan.children(zoom).at(-1) ?? null })}
        >
          <Icon name="plus" /> New step
        </button>
      )}
    </div>
  )
}

const groupOf = (groups: ReadonlyMap<string, Group>, { group }: Step): Group | null =>
  group === null ? null : (groups.get(group) ?? null)

function byStep(peers: readonly Peer[]): ReadonlyMap<StepId, readonly Peer[]> {
  const found = new Map<StepId, Peer[]>()
  for (const peer of peers) {
    if (peer.step === null) continue
    const id = peer.step as StepId
    const there = found.get(id)
    if (there === undefined) found.set(id, [peer])
    else there.push(peer)
  }
  return found
}
