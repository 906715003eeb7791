import type { CSSProperties } from 'react'
import type { Present } from '../../sdk/index.ts'
import { plain } from '../model/bidi.ts'
import { hueOf, initials } from '../model/owner.ts'

/** Somebody who is there, however many windows they have open. */
export interface Peer {
  readonly key: string
  /** Of the actor; its name where it says no other. */
  readonly id: string
  readonly name: string
  readonly kind: 'agent' | 'human'
  /** The id of the step that it is at, or null. */
  readonly step: string | null
  readonly doing: string
}

export function peersOf(presence: readonly Present[], ownId: string): Peer[] {
  const peers = new Map<string, Peer>()
  for (const { isSelf, state } of presence) {
    const { name, kind, id, step, doing } = state
    if (isSelf || id === ownId) continue
    const called = typeof name === 'string' && name !== '' ? name : 'Guest'
    const peer: Peer = {
      key: `${kind === 'agent' ? 'agent' : 'human'} ${typeof id === 'string' && id !== '' ? id : called}`,
      id: typeof id === 'string' && id !== '' ? id : called,
      name: called,
      kind: kind === 'agent' ? 'agent' : 'human',
      step: typeof step === 'string' ? step : null,
      doing: typeof doing === 'string' ? doing : '',
    }
    peers.set(peer.key, peer)
  }
  return [...peers.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}

export const hue = (name: string): CSSProperties => ({ '--hue': hueOf(name) }) as CSSProperties

export function Avatar({
  name,
  kind,
  title,
}: {
  readonly name: string
  readonly kind: string
  readonly title?: string
}) {
  const label = plain(title ?? name)
  return (
    <span className={`avatar ${kind}`} style={hue(name)} role="img" aria-label={label} title={label}>
      {initials(name)}
    </span>
  )
}
