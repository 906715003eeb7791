import { useEffect, useState } from 'react'
import { progressOf } from '../../shared/plan/progress.ts'
import { ApiError, listThreads, type PlanOutlook, readPlan, type ThreadInfo } from './model/api.ts'
import type { Identity } from './model/identity.ts'
import { pathOf } from './model/path.ts'
import type { Tally } from './model/tally.ts'
import { Link } from './parts/link.tsx'
import { NewPlan } from './parts/new-plan.tsx'
import { Progress } from './parts/progress.tsx'
import { NoAccess } from './parts/no-access.tsx'
import { Time } from './parts/time.tsx'

interface HomeProps {
  readonly identity: Identity
  readonly onIdentity: (identity: Identity) => void
}
type Listing =
  | { readonly kind: 'loading' }
  | { readonly kind: 'there'; readonly threads: readonly ThreadInfo[]; readonly next: string | null }
  | { readonly kind: 'failed'; readonly why: string; readonly needsToken: boolean }

/** Plans whose progress is asked for: each one is read for it. */
const LOOKED_AT = 24

/** All plans, and a new one. */
export function Home({ identity, onIdentity }: HomeProps) {
  const { token, name, mayWrite } = identity
  const [listing, setListing] = useState<Listing>({ kind: 'loading' })
  const [problem, setProblem] = useState('')

  useEffect(() => {
    document.title = 'Planroom'
    let isCurrent = true
    const show = (next: Listing): void => {
      if (isCurrent) setListing(next)
    }
    listThreads(token).then(
      ({ threads, next }) =>
        show({ kind: 'there', next, threads: threads.toSorted((a, b) => b.updatedAt - a.updatedAt) }),
      (error: unknown) =>
        show({
          kind: 'failed',
          why: error instanceof Error ? error.message : String(error),
          needsToken: error instanceof ApiError && error.status === 401,
        }),
    )
    return () => {
      isCurrent = false
    }
  }, [token])

  const more = (next: string): void => {
    if (listing.kind !== 'there') return
    const { threads } = listing
    listThreads(token, next).then(
      (page) => setListing({ kind: 'there', threads: [...threads, ...page.threads], next: page.next }),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    )
  }

  return (
    <main className="home">
      <header>
        <h1>
          <img src="/favicon.svg" alt="" width="28" height="28" /> Planroom
        </h1>
        <p>The live plan that agents and people share.</p>
      </header>
      {mayWrite && <NewPlan token={token} name={name} />}
      {problem !== '' && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
      {listing.kind === 'loading' && <p className="hint">Looking for plans…</p>}
      {listing.kind === 'failed' && (
        <div className="problem" role="alert">
          {listing.needsToken ? (
            <NoAccess hasToken={token !== null} why={listing.why} onIdentity={onIdentity} />
          ) : (
            <p>{listing.why}</p>
          )}
        </div>
      )}
      {listing.kind === 'there' && listing.threads.length === 0 && (
        <p className="hint">No plan yet. Create one, or let an agent call a tool.</p>
      )}
      {listing.kind === 'there' && (
        <ul className="threads" aria-label="Plans">
          {listing.threads.map((info, index) => (
            <ThreadItem key={info.thread} info={info} token={token} isLookedAt={index < LOOKED_AT} />
          ))}
        </ul>
      )}
      {listing.kind === 'there' && listing.next !== null && (
        <button type="button" className="quiet" onClick={() => more(listing.next ?? '')}>
          More
        </button>
      )}
    </main>
  )
}

function ThreadItem({ info, token, isLookedAt }: { info: ThreadInfo; token: string | null; isLookedAt: boolean }) {
  const [plan, setPlan] = useState<PlanOutlook | null>(null)
  useEffect(() => {
    if (!isLookedAt) return
    let isCurrent = true
    readPlan(token, info.thread).then(
      (read) => {
        if (isCurrent) setPlan(read)
      },
      // Without it there is no bar.
      () => {},
    )
    return () => {
      isCurrent = false
    }
  }, [token, info.thread, isLookedAt])
  const tally = plan === null ? null : tallyOf(plan)
  return (
    <li>
      <Link to={pathOf(info.thread)} className="thread">
        <span className="thread-name" dir="auto">
          {plan?.title || info.thread}
        </span>
        {plan !== null && plan.title !== '' && <span className="thread-id">{info.thread}</span>}
        <span className="thread-when">
          <Time at={info.updatedAt} />
        </span>
        <span className="thread-progress">
          {tally !== null && <Progress tally={tally} label={`Progress of ${plan?.title || info.thread}`} />}
          {tally !== null && (
            <span aria-hidden="true">
              {tally.done}/{tally.total}
            </span>
          )}
        </span>
      </Link>
    </li>
  )
}

const tallyOf = ({ steps }: PlanOutlook): Tally => {
  const { completed: done, ...rest } = progressOf(steps)
  return { done, ...rest }
}
