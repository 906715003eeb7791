import { useEffect, useMemo, useState } from 'react'
import type { Identity } from './model/identity.ts'
import { Plans } from './model/plans.ts'
import { NewPlan } from './parts/new-plan.tsx'
import { PlanList } from './parts/plan-list.tsx'
import { Settings } from './parts/settings.tsx'

interface HomeProps {
  readonly identity: Identity
  readonly onIdentity: (identity: Identity) => void
}

/** All plans, and a new one. */
export function Home({ identity, onIdentity }: HomeProps) {
  const plans = useMemo(() => new Plans(identity), [identity])
  const [isSetting, setSetting] = useState(false)
  useEffect(() => {
    document.title = 'Planroom'
    return plans.open()
  }, [plans])

  return (
    <main className="home">
      <header>
        <h1>
          <img src="/favicon.svg" alt="" width="28" height="28" /> Planroom
        </h1>
        <p>The live plan that agents and people share.</p>
        <button type="button" className="quiet" onClick={() => setSetting(true)}>
          Name, token, colours
        </button>
      </header>
      {identity.mayWrite && <NewPlan token={identity.token} name={identity.name} />}
      <PlanList plans={plans} identity={identity} onIdentity={onIdentity} />
      {isSetting && <Settings identity={identity} onIdentity={onIdentity} onClose={() => setSetting(false)} />}
    </main>
  )
}
