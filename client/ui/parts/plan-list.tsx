import { type SubmitEvent, useState } from 'react'
import { MAX_TITLE } from '../../../shared/schema/limits.ts'
import type { ThreadInfo } from '../model/api.ts'
import { plain } from '../model/bidi.ts'
import type { Identity } from '../model/identity.ts'
import { pathOf } from '../model/path.ts'
import type { Plans } from '../model/plans.ts'
import { useStore } from '../model/store.ts'
import { Avatar } from './avatars.tsx'
import { Modal } from './dialog.tsx'
import { Link } from './link.tsx'
import { NoAccess } from './no-access.tsx'
import { Progress } from './progress.tsx'
import { Time, useMinutes } from './time.tsx'

interface PlanListProps {
  readonly plans: Plans
  readonly identity: Identity
  readonly onIdentity: (identity: Identity) => void
}
/** What somebody is about to do to a plan. */
interface Intent {
  readonly kind: 'rename' | 'delete'
  readonly info: ThreadInfo
}

/** Plans as they stand, live: searched, opened, renamed, deleted. */
export function PlanList({ plans, identity, onIdentity }: PlanListProps) {
  const { threads, query, hasMore, asOf, refusal } = useStore(plans)
  const [intent, setIntent] = useState<Intent | null>(null)
  useMinutes()
  if (refusal !== null)
    return (
      <div className="problem" role="alert">
        {refusal.needsToken ? (
          <NoAccess hasToken={identity.token !== null} why={refusal.why} onIdentity={onIdentity} />
        ) : (
          <p>{refusal.why}</p>
        )}
      </div>
    )
  if (threads === null) return <p className="hint">Looking for plans…</p>
  const isEmpty = threads.length === 0
  return (
    <>
      {asOf !== null && (
        <p className="problem" role="status">
          <strong>The server cannot be reached.</strong>{' '}
          {asOf > 0 ? (
            <>
              This is the list as it was <Time at={asOf} />. Plans that you have opened in this browser can be opened.
            </>
          ) : (
            'This browser has no list of plans.'
          )}
        </p>
      )}
      {(!isEmpty || query !== '') && (
        <label className="search-plans">
          <span className="unseen">Search plans</span>
          <input
            type="search"
            value={query}
            placeholder="Search plans"
            autoComplete="off"
            dir="auto"
            maxLength={400}
            onChange={(event) => plans.search(event.target.value)}
          />
        </label>
      )}
      <p className="hint" role="status">
        {isEmpty &&
          asOf === null &&
          (query === '' ? 'No plan yet. Create one, or let an agent call a tool.' : 'No plan fits.')}
      </p>
      <ul className="threads" aria-label="Plans">
        {threads.map((info) => (
          <PlanItem key={info.thread} info={info} mayWrite={identity.mayWrite && asOf === null} onIntent={setIntent} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" className="quiet" onClick={() => plans.more()}>
          More
        </button>
      )}
      {intent?.kind === 'rename' && <Rename plans={plans} info={intent.info} onClose={() => setIntent(null)} />}
      {intent?.kind === 'delete' && <Delete plans={plans} info={intent.info} onClose={() => setIntent(null)} />}
    </>
  )
}

const nameOf = ({ title, thread }: ThreadInfo): string => plain(title || thread)

interface PlanItemProps {
  readonly info: ThreadInfo
  readonly mayWrite: boolean
  readonly onIntent: (intent: Intent) => void
}

function PlanItem({ info, mayWrite, onIntent }: PlanItemProps) {
  const { thread, title, progress, people, updatedAt } = info
  const name = nameOf(info)
  return (
    <li>
      <Link to={pathOf(thread)} className="thread">
        <span className="thread-name" dir="auto">
          {title || thread}
        </span>
        {title !== '' && <span className="thread-id">{thread}</span>}
        {people.length > 0 && (
          <span className="thread-people">
            {people.map(({ name: who, kind }) => (
              <Avatar key={`${kind} ${who}`} name={who} kind={kind} title={`${who} (${kind}) is here`} />
            ))}
          </span>
        )}
        <span className="thread-when">
          <Time at={updatedAt} />
        </span>
        <span className="thread-progress">
          {progress !== null && (
            <>
              <Progress tally={{ done: progress.completed, ...progress }} label={`Progress of ${name}`} />
              <span aria-hidden="true">
                {progress.completed}/{progress.total}
              </span>
            </>
          )}
        </span>
      </Link>
      {mayWrite && (
        <span className="thread-deeds">
          <button
            type="button"
            className="quiet"
            aria-label={`Rename ${name}`}
            onClick={() => onIntent({ kind: 'rename', info })}
          >
            Rename
          </button>
          <button
            type="button"
            className="quiet"
            aria-label={`Delete ${name}`}
            onClick={() => onIntent({ kind: 'delete', info })}
          >
            Delete
          </button>
        </span>
      )}
    </li>
  )
}

interface DeedProps {
  readonly plans: Plans
  readonly info: ThreadInfo
  readonly onClose: () => void
}

/** Does something that takes a while; the dialog goes away when it is done, and says why if it is not. */
function useDeed(onClose: () => void) {
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const run = (work: () => Promise<void>): void => {
    setBusy(true)
    setProblem('')
    work()
      .then(onClose, (error: unknown) => setProblem(error instanceof Error ? error.message : 'It was not done.'))
      .finally(() => setBusy(false))
  }
  const said =
    problem === '' ? null : (
      <p className="problem" role="alert">
        {problem}
      </p>
    )
  return { run, isBusy, said }
}

function Rename({ plans, info, onClose }: DeedProps) {
  const [title, setTitle] = useState(info.title)
  const { run, isBusy, said } = useDeed(onClose)
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    run(() => plans.rename(info.thread, title.trim()))
  }
  return (
    <Modal label="Rename the plan" className="settings" onClose={onClose}>
      <h2>Rename the plan</h2>
      <form onSubmit={submit}>
        <label>
          Title
          <input value={title} dir="auto" maxLength={MAX_TITLE} onChange={(event) => setTitle(event.target.value)} />
        </label>
        <p className="hint">
          Its address stays <code>{pathOf(info.thread)}</code>.
        </p>
        {said}
        <div className="buttons">
          <button type="submit" className="primary" disabled={isBusy}>
            Rename
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Modal>
  )
}

function Delete({ plans, info, onClose }: DeedProps) {
  const { run, isBusy, said } = useDeed(onClose)
  const { progress } = info
  return (
    <Modal label="Delete the plan" className="settings" onClose={onClose}>
      <h2>Delete the plan?</h2>
      <p>
        <bdi>“{nameOf(info)}”</bdi>
        {progress === null ? '' : ` with ${progress.total} ${progress.total === 1 ? 'step' : 'steps'}`} and its activity
        are deleted for everybody and for good. This cannot be undone.
      </p>
      {said}
      <div className="buttons">
        <button type="button" className="danger" disabled={isBusy} onClick={() => run(() => plans.remove(info.thread))}>
          Delete for everybody
        </button>
        <button type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Modal>
  )
}
