import type { ReactNode } from 'react'
import type { Status, Step, StepId } from '../../sdk/index.ts'
import { ownerNameOf } from '../model/owner.ts'
import { STATUS_NAMES, STATUSES } from '../model/statuses.ts'
import { useStore } from '../model/store.ts'
import { Icon } from './icons.tsx'
import { useWork } from './session-context.ts'
import { Time } from './time.tsx'
import { useTyped } from './typed.ts'

/** All that is known of the step that has the focus. */
export function StepPanel() {
  const { session, deeds } = useWork()
  const { plan } = useStore(session.seen)
  const { focused } = useStore(session.view)
  const names = useStore(session.names)
  const step = focused === null ? undefined : plan.step(focused)
  if (step === undefined) return <p className="hint">Choose a step, and all about it is shown here.</p>
  const { id } = step
  const mayNot = !session.mayWrite
  const owner = ownerNameOf(step, names)
  const group = plan.groups.find((one) => one.id === step.group)
  return (
    <div className="step-panel">
      <p className="title" dir="auto">
        {step.text}
      </p>
      <dl>
        <dt>
          <label htmlFor="step-status">Status</label>
        </dt>
        <dd>
          <select
            id="step-status"
            value={step.status}
            disabled={mayNot}
            onChange={(event) => deeds.setStatus(id, event.target.value as Status)}
          >
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {STATUS_NAMES[status]}
              </option>
            ))}
          </select>
        </dd>
        <dt>Group</dt>
        <dd>
          <Chooser kind="group" id={id}>
            <bdi>{group?.title ?? 'None'}</bdi>
          </Chooser>
        </dd>
        <dt>Owner</dt>
        <dd>
          <Chooser kind="owner" id={id}>
            <bdi>{owner ?? 'Nobody'}</bdi>
          </Chooser>
          {step.claim !== null && (
            <p className="hint">
              Claimed until <time>{new Date(step.claim.until).toLocaleString()}</time>
            </p>
          )}
        </dd>
        <dt>Waits for</dt>
        <dd>
          <ul className="waits-for">
            {step.dependencies.map((one) => {
              const on = 'step' in one ? plan.step(one.step) : undefined
              const name = 'name' in one ? one.name : (on?.text ?? 'a step that was removed')
              return (
                <li key={'name' in one ? `=${one.name}` : one.step}>
                  {on !== undefined && <span className="number">{STATUS_NAMES[on.status]}</span>} <bdi>{name}</bdi>
                </li>
              )
            })}
          </ul>
          <Chooser kind="dependencies" id={id}>
            Change
          </Chooser>
        </dd>
        <dt>Made</dt>
        <dd>
          <bdi>{step.createdBy || 'Somebody'}</bdi>, <Time at={step.createdAt} />
        </dd>
        <dt>Changed</dt>
        <dd>
          <bdi>{step.updatedBy || 'Somebody'}</bdi>, <Time at={step.updatedAt} />
        </dd>
      </dl>
      <Details key={id} step={step} isFixed={mayNot} />
      <button type="button" className="quiet" onClick={() => session.view.open({ kind: 'actions', id })}>
        <Icon name="more" /> All actions
      </button>
    </div>
  )
}

interface ChooserProps {
  readonly kind: 'group' | 'owner' | 'dependencies'
  readonly id: StepId
  readonly children: ReactNode
}

/** What is chosen; it opens the list to choose another. */
function Chooser({ kind, id, children }: ChooserProps) {
  const { session } = useWork()
  return (
    <button
      type="button"
      className="field-like"
      disabled={!session.mayWrite}
      onClick={() => session.view.open({ kind, id })}
    >
      {children}
    </button>
  )
}

/** What is typed here stays, whatever others write meanwhile, until it is left. */
function Details({ step, isFixed }: { readonly step: Step; readonly isFixed: boolean }) {
  const { typed, type, keep } = useTyped(`details:${step.id}`, step.details)
  return (
    <label className="details">
      Details
      <textarea
        dir="auto"
        rows={6}
        value={typed ?? step.details}
        readOnly={isFixed}
        onChange={(event) => type(event.target.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) keep()
        }}
      />
    </label>
  )
}
