import { pickText } from '../model/share.ts'
import { useStore } from '../model/store.ts'
import { Icon } from './icons.tsx'
import { useWork } from './session-context.ts'

/** In the place of a plan without steps: what that means. */
export function EmptyPlan() {
  const { session } = useWork()
  const { isLoaded, status } = useStore(session.seen)
  const words = ((): string | null => {
    if (!isLoaded || status.kind === 'connecting') return 'Opening the plan…'
    switch (status.kind) {
      case 'deleted':
        return 'This plan was deleted, and this browser has nothing of it.'
      case 'refused':
        return 'This plan cannot be shown.'
      case 'offline':
        return session.live.version === null
          ? 'The server cannot be reached, and this browser has no copy of this plan.'
          : null
      case 'online':
      case 'closed':
        return null
    }
  })()
  return (
    <div className="empty">
      <p>{words ?? 'Nothing is planned yet.'}</p>
      {(words === null || status.kind === 'offline') && session.mayWrite && (
        <>
          <button type="button" className="primary" onClick={() => session.editor.draft({ parent: null, after: null })}>
            <Icon name="plus" /> First step
          </button>
          <div className="buttons ways">
            <button type="button" onClick={() => pickText((text) => session.editor.pasteSteps(text, null))}>
              Import Markdown…
            </button>
            <button type="button" onClick={() => session.view.open({ kind: 'connect' })}>
              Connect an agent…
            </button>
          </div>
          <p className="hint">
            Or paste a Markdown list, or let an agent call <code>add_todos</code> on the thread{' '}
            <code>{session.thread}</code>.
          </p>
        </>
      )}
    </div>
  )
}
