import { useEffect, useState } from 'react'
import type { Plan, Step } from '../../sdk/index.ts'
import { readChanges, type VersionChange } from '../model/api.ts'
import { plain } from '../model/bidi.ts'
import { changedFields, restoring } from '../model/earlier.ts'
import { STATUS_NAMES } from '../model/statuses.ts'
import { useStore } from '../model/store.ts'
import { useWork } from './session-context.ts'

type Found = readonly VersionChange[] | 'asking' | 'forgotten' | 'failed'

/** What a version changed: each step before and after, the way to it, and back. */
export function Changes({ version }: { readonly version: number }) {
  const { session } = useWork()
  const [found, setFound] = useState<Found>('asking')
  useEffect(() => {
    let isCurrent = true
    readChanges(session.identity.token, session.thread, version).then(
      (changes) => isCurrent && setFound(changes ?? 'forgotten'),
      () => isCurrent && setFound('failed'),
    )
    return () => {
      isCurrent = false
    }
  }, [session, version])
  if (found === 'asking') return <p className="hint">Looking…</p>
  if (found === 'failed') return <p className="hint">This cannot be read just now.</p>
  if (found === 'forgotten') return <p className="hint">The server does not remember any more what exactly this was.</p>
  if (found.length === 0) return <p className="hint">No step was changed.</p>
  return (
    <ul className="changes">
      {found.map((change) => (
        <Change key={change.id} change={change} all={found} />
      ))}
    </ul>
  )
}

function Change({ change, all }: { readonly change: VersionChange; readonly all: readonly VersionChange[] }) {
  const { session } = useWork()
  const { plan } = useStore(session.seen)
  const { id, before, after } = change
  const name = plain(plan.step(id)?.text ?? (after ?? before)?.text ?? '')
  const back = session.mayWrite ? restoring(plan, change, all) : null
  return (
    <li>
      {plan.step(id) === undefined ? (
        <span className="gone" dir="auto">
          {name}
        </span>
      ) : (
        <button type="button" className="quiet to-step" aria-label={`Go to ${name}`} onClick={() => session.goTo(id)}>
          <bdi>{name}</bdi>
        </button>
      )}
      {before === null && <p>added</p>}
      {after === null && <p>removed</p>}
      {before !== null && after !== null && (
        <dl>
          {changedFields(change).map((field) => (
            <div key={field}>
              <dt>{field}</dt>
              <dd>
                <del dir="auto">{wordsOf(plan, before, field)}</del> <ins dir="auto">{wordsOf(plan, after, field)}</ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {back !== null && (
        <button
          type="button"
          aria-label={`Restore ${name} as it was before`}
          onClick={() => session.write(...back) && session.tellDone(`Restored “${name.slice(0, 60)}”`)}
        >
          Restore this
        </button>
      )}
    </li>
  )
}

function wordsOf(plan: Plan, step: Step, field: ReturnType<typeof changedFields>[number]): string {
  if (field === 'status') return STATUS_NAMES[step.status]
  if (field === 'group') return plan.groups.find(({ id }) => id === step.group)?.title ?? 'none'
  if (field === 'required') return step.required ? 'yes' : 'no'
  return step[field] || 'empty'
}
