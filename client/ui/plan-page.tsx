import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { plain } from './model/bidi.ts'
import type { Plan, StepId } from '../sdk/index.ts'
import { deedsFor } from './model/deeds.ts'
import type { Identity } from './model/identity.ts'
import { asHere, isTyping, KEYS, pressAnywhere } from './model/keys.ts'
import { Session } from './model/session.ts'
import { stepInAddress } from './model/share.ts'
import { useStore } from './model/store.ts'
import { Breadcrumbs } from './parts/breadcrumbs.tsx'
import { Board } from './parts/board.tsx'
import { Boundary } from './parts/boundary.tsx'
import {
  allChoices,
  dependencyChoices,
  groupChoices,
  moveChoices,
  only,
  statusChoices,
  stepChoices,
} from './parts/choices.tsx'
import { ConnectAgent } from './parts/connect-agent.tsx'
import { Modal } from './parts/dialog.tsx'
import { EmptyPlan } from './parts/empty-plan.tsx'
import { FeedPanel } from './parts/feed.tsx'
import { FilterBar, useFilterInAddress } from './parts/filter-bar.tsx'
import { filterChoices } from './parts/filter-choices.tsx'
import { FindBar } from './parts/find-bar.tsx'
import { Icon } from './parts/icons.tsx'
import { Outline } from './parts/outline.tsx'
import { ownerChoices } from './parts/owner-choices.tsx'
import { Palette } from './parts/palette.tsx'
import { PrintedPlan, usePrinting } from './parts/printed.tsx'
import { type AtWork, SessionContext, useWork } from './parts/session-context.ts'
import { Settings } from './parts/settings.tsx'
import { Banners, LiveRegion, NoticeList } from './parts/states.tsx'
import { StepPanel } from './parts/step-panel.tsx'
import { TopBar } from './parts/top-bar.tsx'

interface PlanPageProps {
  readonly thread: string
  readonly identity: Identity
  readonly onIdentity: (identity: Identity) => void
}

/** Opens the plan for as long as the page shows it. */
export function PlanPage({ thread, identity, onIdentity }: PlanPageProps) {
  const [work, setWork] = useState<AtWork | null>(null)
  useEffect(() => {
    const session = new Session(thread, identity, matchMedia('(max-width: 900px)').matches)
    setWork({ session, deeds: deedsFor(session) })
    return () => void session.close()
    // eslint-disable-next-line react/exhaustive-deps -- the page is made anew for another thread or person
  }, [])
  if (work === null) return null
  return (
    <SessionContext value={work}>
      <PlanView onIdentity={onIdentity} />
    </SessionContext>
  )
}

function PlanView({ onIdentity }: Pick<PlanPageProps, 'onIdentity'>) {
  const { session, deeds } = useWork()
  const { plan, storeProblem, unsaved } = useStore(session.seen)
  const { layout, side, editing, panelTurn } = useStore(session.view)
  useEffect(() => {
    if (panelTurn > 0) document.querySelector<HTMLElement>('.step-panel :is(select, textarea, button)')?.focus()
  }, [panelTurn])
  useFilterInAddress()
  const isPrinting = usePrinting()
  const filterField = useRef<HTMLInputElement>(null)

  useEffect(() => {
    document.title = `${plain(plan.title || session.thread)} · Planroom`
  }, [plan.title, session.thread])
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.isComposing || event.defaultPrevented) return
      if (pressAnywhere(event, session, () => filterField.current?.focus())) event.preventDefault()
    }
    const onPaste = (event: ClipboardEvent): void => {
      if (event.defaultPrevented || isTyping(event.target) || session.view.get().dialog !== null) return
      if (event.clipboardData !== null) deeds.paste(event.clipboardData, null)
    }
    document.addEventListener('keydown', onKey)
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('paste', onPaste)
    }
  }, [session, deeds])
  useEffect(() => {
    const isAtRisk = storeProblem !== null && unsaved > 0
    if (!isAtRisk) return
    const onLeave = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', onLeave)
    return () => window.removeEventListener('beforeunload', onLeave)
  }, [storeProblem, unsaved])

  useStepInAddress(session)

  const isEmpty = plan.steps.length === 0 && editing === null
  const inPart = (what: string, part: ReactNode): ReactNode => <Boundary what={what}>{part}</Boundary>
  return (
    <div className={`plan-page layout-${layout}${side === null ? '' : ' with-side'}`}>
      {inPart('The head of the page', <TopBar filterRef={filterField} />)}
      {inPart('What should be said here', <Banners onIdentity={onIdentity} />)}
      {inPart('The filter', <FilterBar />)}
      {inPart('The search', <FindBar />)}
      {inPart('Where one is', <Breadcrumbs />)}
      <p id="tree-help" hidden>
        Arrow keys move, Enter adds a step, F2 edits, Space ticks, Alt Shift Right indents. F6 leads to the other parts
        of the page. Question mark shows all keys.
      </p>
      <div className="body">
        <main className="views">
          {isEmpty && inPart('The plan', <EmptyPlan />)}
          {layout !== 'board' && !isEmpty && inPart('The outline', <Outline />)}
          {layout !== 'tree' && !isEmpty && inPart('The board', <Board />)}
        </main>
        {side !== null && <Side />}
      </div>
      {isPrinting && inPart('What is printed', <PrintedPlan />)}
      {inPart('This dialog', <Dialogs onIdentity={onIdentity} />)}
      {inPart('What was done', <NoticeList />)}
      {inPart('What is read out', <LiveRegion />)}
    </div>
  )
}

/** Goes to the step that the address is about, once it is shown: when the page opens, and when a link is followed. */
function useStepInAddress(session: Session): void {
  const { plan, status } = useStore(session.seen)
  const wanted = useRef<StepId | null>(null)
  const look = useCallback(
    (shown: Plan, isAll: boolean): void => {
      const id = wanted.current
      if (id === null) return
      if (shown.step(id) !== undefined) session.goTo(id)
      else if (isAll) session.tell('The step of this link is not in the plan.')
      else return
      wanted.current = null
    },
    [session],
  )
  useEffect(() => {
    wanted.current = stepInAddress()
    const onLink = (): void => {
      wanted.current = stepInAddress()
      const { plan: now, status: then } = session.seen.get()
      look(now, then.kind === 'online')
    }
    window.addEventListener('hashchange', onLink)
    return () => window.removeEventListener('hashchange', onLink)
  }, [session, look])
  useEffect(() => look(plan, status.kind === 'online'), [look, plan, status])
}

function Side() {
  const { session } = useWork()
  const { side } = useStore(session.view)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the way back for the keyboard
    <aside
      className="side"
      aria-label={side === 'step' ? 'Step' : 'Activity'}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
        event.preventDefault()
        session.view.focus(session.view.get().focused)
      }}
    >
      <div className="side-head">
        <div className="segments" role="group" aria-label="Beside the plan">
          <button
            type="button"
            aria-pressed={side === 'activity'}
            onClick={() => session.view.patch({ side: 'activity' })}
          >
            Activity
          </button>
          <button type="button" aria-pressed={side === 'step'} onClick={() => session.view.patch({ side: 'step' })}>
            Step
          </button>
        </div>
        <button type="button" className="tool" aria-label="Close" onClick={() => session.view.patch({ side: null })}>
          <Icon name="close" />
        </button>
      </div>
      {side === 'step' ? (
        <Boundary key="step" what="The step">
          <StepPanel />
        </Boundary>
      ) : (
        <Boundary key="activity" what="The activity">
          <FeedPanel />
        </Boundary>
      )}
    </aside>
  )
}

function nameOfTargets(session: Session, id: StepId): string {
  const { length } = session.targets(id)
  return length > 1 ? `${length} steps` : (session.plan.step(id)?.text ?? '')
}

function Dialogs({ onIdentity }: Pick<PlanPageProps, 'onIdentity'>) {
  const { session, deeds } = useWork()
  const { dialog } = useStore(session.view)
  const close = useMemo(() => () => session.view.patch({ dialog: null }), [session])
  if (dialog === null) return null
  switch (dialog.kind) {
    case 'keys':
      return (
        <Modal label="Keys" className="keys" onClose={close}>
          <h2>Keys</h2>
          <dl>
            {KEYS.map(([keys, what]) => (
              <div key={keys}>
                <dt>{asHere(keys)}</dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <button type="button" className="primary" onClick={close}>
            Close
          </button>
        </Modal>
      )
    case 'connect':
      return <ConnectAgent onClose={close} />
    case 'settings':
      return <Settings identity={session.identity} onIdentity={onIdentity} onClose={close} />
    case 'commands':
      return (
        <Palette
          key="commands"
          label="Commands and steps"
          placeholder="Do, or go to…"
          choices={(query) => allChoices(session, deeds, query)}
          onClose={close}
        />
      )
    case 'actions': {
      const choices = stepChoices(session, deeds, dialog.id)
      return (
        <Palette
          key="actions"
          label="Actions"
          placeholder={nameOfTargets(session, dialog.id)}
          choices={(query) => only(choices, query)}
          onClose={close}
        />
      )
    }
    case 'filter':
      return (
        <Palette
          key="filter"
          label="Filter by"
          placeholder="Status, group, owner…"
          choices={(query) => filterChoices(session, query)}
          onClose={close}
        />
      )
    case 'move':
      return (
        <Palette
          key="move"
          label="Move to"
          placeholder="Under which step?"
          choices={(query) => moveChoices(session, deeds, dialog.id, query)}
          onClose={close}
        />
      )
    case 'group':
      return (
        <Palette
          key="group"
          label="Group"
          placeholder="Group, or the name of a new one"
          choices={(query) => groupChoices(session, deeds, dialog.id, query)}
          onClose={close}
        />
      )
    case 'status':
      return (
        <Palette
          key="status"
          label="Status"
          placeholder="Status"
          choices={(query) => statusChoices(session, deeds, dialog.id, query)}
          onClose={close}
        />
      )
    case 'owner':
      return (
        <Palette
          key="owner"
          label="Owner"
          placeholder="Who has it?"
          choices={(query) => ownerChoices(session, deeds, session.targets(dialog.id), query)}
          onClose={close}
        />
      )
    case 'dependencies':
      return (
        <Palette
          key="dependencies"
          label="Waits for"
          placeholder="Which step?"
          choices={(query) => dependencyChoices(session, deeds, dialog.id, query)}
          onClose={close}
        />
      )
  }
}
