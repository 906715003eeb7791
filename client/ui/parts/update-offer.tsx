import { useStore } from '../model/store.ts'
import type { Updates } from '../model/updates.ts'

/** A new version of the page is offered; whoever is busy goes on with this one. */
export function UpdateOffer({ updates }: { readonly updates: Updates }) {
  const { isThere } = useStore(updates)
  if (!isThere) return null
  return (
    <section className="update-offer" role="status" aria-label="A new version">
      <p>There is a new version of this page.</p>
      <div className="buttons">
        <button type="button" className="primary" onClick={() => updates.take()}>
          Load it
        </button>
        <button type="button" onClick={() => updates.later()}>
          Later
        </button>
      </div>
    </section>
  )
}
