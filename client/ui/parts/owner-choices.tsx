import type { StepId } from '../../sdk/index.ts'
import type { Deeds } from '../model/deeds.ts'
import { ownerOf } from '../model/owner.ts'
import type { Session } from '../model/session.ts'
import { Avatar, peersOf } from './avatars.tsx'
import { only } from './choices.tsx'
import type { Choice } from './palette.tsx'

/** Who may have a step: oneself, whoever is here or has done something here, nobody, or a name that is typed. */
export function ownerChoices(session: Session, deeds: Deeds, ids: readonly StepId[], query: string): Choice[] {
  const { identity, plan, names } = session
  const owners = new Set(ids.map((id) => ownerOf(plan.step(id) ?? NOBODYS)))
  const peers = peersOf(session.seen.get().presence, identity.id)
  const here = new Map(peers.map(({ id, kind }) => [id, kind]))
  const known = new Set([...peers.map(({ id }) => id), ...names.get().keys(), ...plan.steps.map(ownerOf)])
  known.delete(identity.id)
  const of = (owner: string | null, text: string, more: Partial<Choice> = {}): Choice => ({
    key: owner === null ? 'nobody' : `actor-${owner.replace(/[^\w-]/g, '_')}`,
    text,
    isChosen: owners.size === 1 && owners.has(owner),
    run: () => deeds.setOwner(ids, owner),
    ...more,
  })
  const others = [...known]
    .filter((id) => id !== null)
    .map((id) => ({ id, name: names.get().get(id) ?? id }))
    .toSorted((a, b) => Number(here.has(b.id)) - Number(here.has(a.id)) || a.name.localeCompare(b.name))
  const own = names.get().get(identity.id) ?? 'Guest'
  const all = [
    of(identity.id, `${own} (you)`, { mark: <Avatar name={own} kind="human" /> }),
    of(null, 'Nobody', { hint: 'free it' }),
    ...others.map(({ id, name }) =>
      of(id, name, {
        mark: <Avatar name={name} kind={here.get(id) ?? 'owner'} />,
        hint: here.has(id) ? 'is here' : 'not here now',
      }),
    ),
  ]
  const found = only(all, query)
  const typed = query.trim()
  const isNew = typed !== '' && !others.some(({ id, name }) => id === typed || name === typed)
  return isNew ? [...found, of(typed, `Give to “${typed}”`, { key: 'typed' })] : found
}

const NOBODYS = { claim: null, startedBy: null, status: 'pending' } as const
