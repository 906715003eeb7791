import type { Step } from '../../sdk/index.ts'
import { useStore } from '../model/store.ts'
import { useWork } from './session-context.ts'

/** Where one has zoomed in, and the ways out. */
export function Breadcrumbs() {
  const { session } = useWork()
  const { plan } = useStore(session.seen)
  const { zoom, layout } = useStore(session.view)
  const step = zoom === null ? undefined : plan.step(zoom)
  if (step === undefined || layout === 'board') return null
  const path: Step[] = []
  for (let at = step.parent; at !== null; at = path[0]?.parent ?? null) {
    const above = plan.step(at)
    if (above === undefined) break
    path.unshift(above)
  }
  return (
    <nav className="breadcrumbs" aria-label="Zoomed into">
      <button type="button" className="quiet" onClick={() => session.zoomTo(null)}>
        All
      </button>
      {path.map(({ id, text }) => (
        <button key={id} type="button" className="quiet" onClick={() => session.zoomTo(id)}>
          <bdi>{text}</bdi>
        </button>
      ))}
      <strong aria-current="location" dir="auto">
        {step.text}
      </strong>
    </nav>
  )
}
