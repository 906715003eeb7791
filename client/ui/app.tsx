import { useState, useSyncExternalStore } from 'react'
import { readIdentity } from './model/identity.ts'
import { Home } from './home.tsx'
import { readPath, subscribeToPath } from './model/path.ts'
import { PlanPage } from './plan-page.tsx'

/** `/` and `/t/:thread`. */
export function App() {
  const path = useSyncExternalStore(subscribeToPath, () => location.pathname)
  const [identity, setIdentity] = useState(readIdentity)
  const thread = readPath(path)
  if (thread === null) return <Home identity={identity} onIdentity={setIdentity} />
  const { id, name, token } = identity
  // Another thread, another person: another session.
  return (
    <PlanPage
      key={JSON.stringify([thread, id, name, token])}
      thread={thread}
      identity={identity}
      onIdentity={setIdentity}
    />
  )
}
