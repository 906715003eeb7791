import { plain } from '../model/bidi.ts'
import type { Identity } from '../model/identity.ts'
import { useStore } from '../model/store.ts'
import { nameOfText, textAt, type TextChoice } from '../model/texts.ts'
import { copyText } from './copy.ts'
import { Link } from './link.tsx'
import { NoAccess } from './no-access.tsx'
import { useWork } from './session-context.ts'
import { TokenForm } from './settings.tsx'

/** How it stands between this page and the server, in a word. */
export function StatusPill() {
  const { session } = useWork()
  const { status, unsaved, storeProblem } = useStore(session.seen)
  const changes = unsaved === 1 ? '1 change' : `${unsaved} changes`
  const [kind, text, title] = ((): [string, string, string] => {
    switch (status.kind) {
      case 'online':
        return unsaved === 0
          ? ['online', 'Saved', 'All that you see is on the server’s disk.']
          : ['saving', `Saving ${changes}`, 'Sent; the server has not said yet that they are on its disk.']
      case 'connecting':
        return [
          'connecting',
          unsaved === 0 ? 'Connecting' : `Connecting, ${unsaved} unsent`,
          'Go on: what you change is kept here.',
        ]
      case 'offline':
        return [
          'offline',
          unsaved === 0 ? 'Offline' : `Offline, ${unsaved} unsent`,
          'Go on: what you change is kept in this browser and merged later.',
        ]
      case 'refused':
        return ['refused', 'No access', status.why]
      case 'deleted':
        return ['refused', 'Deleted', 'This plan was deleted for everybody.']
      case 'closed':
        return ['offline', 'Closed', '']
    }
  })()
  return (
    <span className="pills">
      <span className={`pill ${kind}`} data-state={status.kind} data-unsaved={unsaved} title={title} role="status">
        <span className="dot" aria-hidden="true" />
        {text}
      </span>
      {!session.identity.mayWrite && <span className="pill reader">Read only</span>}
      {storeProblem !== null && (
        <span className="pill refused" role="status" title={storeProblem}>
          Not kept in this browser
        </span>
      )}
    </span>
  )
}

/** What cannot be overlooked: no access, deleted, storage that fails, text that lost its step. */
export function Banners({ onIdentity }: { readonly onIdentity: (identity: Identity) => void }) {
  const { session } = useWork()
  const { plan, version, status, storeProblem, unsaved } = useStore(session.seen)
  const { orphan } = useStore(session.view)
  const choices = useStore(session.texts)
  return (
    <div className="banners">
      {status.kind === 'refused' && (
        <section className="banner bad" role="alert">
          <Refusal code={status.code} why={status.why} onIdentity={onIdentity} />
          {unsaved > 0 && <p>What you changed is kept in this browser.</p>}
        </section>
      )}
      {status.kind === 'deleted' && (
        <section className="banner bad" role="alert">
          <p>
            <strong>This plan was deleted</strong>, for everybody and for good. What this browser has of it can be read
            and copied.
          </p>
          <button
            type="button"
            onClick={() => void session.live.forget().then(() => session.tell('Forgotten in this browser'))}
          >
            Forget it here
          </button>
          <Link to="/">All plans</Link>
        </section>
      )}
      {status.kind === 'offline' && version === null && plan.steps.length > 0 && (
        <section className="banner warn" role="status">
          <p>
            <strong>The server cannot be reached.</strong> This is the plan as this browser kept it. What you change is
            merged when the server is back.
          </p>
        </section>
      )}
      {storeProblem !== null && (
        <section className="banner warn" role="alert">
          <p>
            <strong>This browser cannot keep the plan:</strong> {storeProblem} What you change while offline lasts only
            as long as this page.
          </p>
        </section>
      )}
      {choices.map((choice) => (
        <TextChoiceBanner key={choice.key} choice={choice} />
      ))}
      {orphan !== null && (
        <section className="banner warn" role="alert" aria-label="Text without a step">
          <p>{plain(orphan.why)}</p>
          <blockquote dir="auto">{orphan.text}</blockquote>
          <div className="buttons">
            {session.mayWrite && (
              <button type="button" className="primary" onClick={() => session.editor.adopt()}>
                Add as a new step
              </button>
            )}
            <button type="button" onClick={() => copyText(session, orphan.text)}>
              Copy
            </button>
            <button type="button" onClick={() => session.editor.discard()}>
              Discard
            </button>
          </div>
        </section>
      )}
    </div>
  )
}

interface RefusalProps {
  readonly code: number
  readonly why: string
  readonly onIdentity: (identity: Identity) => void
}

/** The server will not have this page: why, and what to do. */
function Refusal({ code, why, onIdentity }: RefusalProps) {
  const { session } = useWork()
  const { token } = session.identity
  if (code === 4401) return <NoAccess hasToken={token !== null} why={why} onIdentity={onIdentity} />
  return (
    <>
      <p>
        <strong>The server does not let you in.</strong>{' '}
        {code === 4403 ? `It says: ${why}. Bring another token, or ask whoever runs the server.` : `It says: ${why}.`}
      </p>
      {code === 4403 && <TokenForm onIdentity={onIdentity} />}
      <Link to="/">All plans</Link>
    </>
  )
}

/** Two texts for one place. Both stay at hand until one is chosen. */
function TextChoiceBanner({ choice }: { readonly choice: TextChoice }) {
  const { session } = useWork()
  useStore(session.seen)
  // What is seen of others is up to 150 ms old; a choice is between what one wrote and what there is.
  const { plan } = session
  const { key, mine, why } = choice
  const theirs = textAt(plan, key)
  return (
    <section className="banner warn" role="alert" aria-label="Two texts">
      <p>{plain(`${why} This is about ${nameOfText(plan, key)}.`)}</p>
      <dl className="two-texts">
        <dt>Yours</dt>
        <dd dir="auto">{mine}</dd>
        <dt>In the plan</dt>
        <dd dir="auto">{theirs ?? 'It is gone.'}</dd>
      </dl>
      <div className="buttons">
        {theirs !== null && session.mayWrite && (
          <button type="button" className="primary" onClick={() => session.texts.take(choice, 'mine')}>
            Use mine
          </button>
        )}
        <button type="button" onClick={() => session.texts.take(choice, 'theirs')}>
          {theirs === null ? 'Discard' : 'Leave what is in the plan'}
        </button>
        <button type="button" onClick={() => copyText(session, mine)}>
          Copy mine
        </button>
      </div>
    </section>
  )
}

/** Short words that go by themselves; they are read out by the live region. */
export function NoticeList() {
  const { session } = useWork()
  const notices = useStore(session.notices)
  return (
    <div className="notices">
      {notices.map(({ id, text, action }) => (
        <div key={id} className="notice">
          <span dir="auto">{plain(text)}</span>
          {action !== undefined && (
            <button
              type="button"
              onClick={() => {
                session.notices.dismiss(id)
                action.run()
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" className="dismiss" aria-label="Dismiss" onClick={() => session.notices.dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  )
}

export function LiveRegion() {
  const { session } = useWork()
  const text = useStore(session.announcer)
  return (
    <div className="unseen" role="log" aria-live="polite" aria-label="What happens">
      {text}
    </div>
  )
}
