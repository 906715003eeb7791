import type { Plan, Step } from '../../sdk/index.ts'
import { plain } from '../model/bidi.ts'
import { ownerNameOf } from '../model/owner.ts'
import { useStore } from '../model/store.ts'
import { waitsOf } from '../model/waits.ts'
import { Avatar, hue } from './avatars.tsx'
import { Icon } from './icons.tsx'
import { Marked } from './marked.tsx'
import { RowEditor } from './row-editor.tsx'
import { useWork } from './session-context.ts'

interface CardProps {
  readonly step: Step
  readonly plan: Plan
  /** It is the one that Tab leads to. */
  readonly isCurrent: boolean
  readonly isEdited: boolean
}

/** A step on the board. Its keys are in `pressOnBoard`. */
export function Card({ step, plan, isCurrent, isEdited }: CardProps) {
  const { session } = useWork()
  const { find } = useStore(session.view)
  const names = useStore(session.names)
  const { id } = step
  const owner = ownerNameOf(step, names)
  const group = plan.groupOf(step)
  const title = plan.groups.find((one) => one.id === group)?.title
  const parent = step.parent === null ? undefined : plan.step(step.parent)
  const waits = waitsOf(plan, step)
  const reveal = (): void => {
    session.view.noteFocus(id)
    session.view.patch({ side: 'step' })
  }
  return (
    <article className={`card${isCurrent ? ' focused' : ''}`}>
      {isEdited ? (
        <RowEditor id={id} isOnBoard />
      ) : (
        <button
          type="button"
          className="open"
          data-card={id}
          tabIndex={isCurrent ? 0 : -1}
          onFocus={() => session.view.noteFocus(id)}
          onClick={reveal}
          onDoubleClick={() => session.editor.editStep(id)}
        >
          {parent !== undefined && (
            <span className="path" dir="auto">
              {parent.text}
            </span>
          )}
          <span className="text" dir="auto">
            <Marked text={step.text} find={find ?? ''} />
          </span>
          <span className="foot">
            {step.number !== null && <span className="number">#{step.number}</span>}
            {title !== undefined && (
              <bdi className="chip" style={hue(title)}>
                {title}
              </bdi>
            )}
            {waits !== '' && (
              <span className="mark waits" title={`Waits for ${waits}`}>
                <Icon name="link" />
                <span className="unseen">Waits for </span>
                <bdi>{waits}</bdi>
              </span>
            )}
            {owner !== null && <Avatar name={owner} kind="owner" title={`With ${owner}`} />}
          </span>
        </button>
      )}
      <button
        type="button"
        className="more"
        tabIndex={-1}
        aria-label={plain(`Actions for ${step.text.slice(0, 60)}`)}
        aria-haspopup="dialog"
        onClick={() => session.view.open({ kind: 'actions', id })}
      >
        <Icon name="more" />
      </button>
    </article>
  )
}
