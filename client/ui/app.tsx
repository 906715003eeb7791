import { useState, useSyncExternalStore } from 'react'
import { Boundary } from './parts/boundary.tsx'
import { Nowhere } from './parts/nowhere.tsx'
import { readIdentity } from './model/identity.ts'
import { Home } from './home.tsx'
import { readPath, subscribeToPath } from './model/path.ts'
import type { Updates } from './model/updates.ts'
import { UpdateOffer } from './parts/update-offer.tsx'
import { PlanPage } from './plan-page.tsx'

/** `/` and `/t/:thread`. */
export function App({ updates }: { readonly updates: Updates }) {
  const path = useSyncExternalStore(subscribeToPath, () => location.pathname)
  const [identity, setIdentity] = useState(readIdentity)
  const place = readPath(path)
  const { id, name, token } = identity
  return (
    <>
      <Boundary key={path} what="This page">
        {place.kind === 'nowhere' && <Nowhere thread={place.thread} />}
        {place.kind === 'home' && <Home identity={identity} onIdentity={setIdentity} />}
        {place.kind === 'plan' && (
          // Another thread, another person: another session.
          <PlanPage
            key={JSON.stringify([place.thread, id, name, token])}
            thread={place.thread}
            identity={identity}
            onIdentity={setIdentity}
          />
        )}
      </Boundary>
      <UpdateOffer updates={updates} />
    </>
  )
}
