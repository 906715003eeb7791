/** Who sits here: what the page says of itself to the server. */
export interface Identity {
  /** Of the actor: with a token its subject, else one made up for this browser. */
  readonly id: string
  /** Empty until it was given. */
  readonly name: string
  readonly token: string | null
  readonly mayWrite: boolean
}

const NAME = 'planroom.name'
const ID = 'planroom.id'
const TOKEN = 'planroom.token'

/** A browser may refuse its storage, as in a private window: then nothing is remembered. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // It lasts as long as the page.
  }
}

export function readIdentity(): Identity {
  takeTokenFromAddress()
  return identityWith(recall(TOKEN))
}

function identityWith(token: string | null): Identity {
  const claims = token === null ? null : readClaims(token)
  if (claims !== null) return { ...claims, token }
  return { id: ownId(), name: recall(NAME) ?? '', token, mayWrite: true }
}

export function withName(identity: Identity, name: string): Identity {
  remember(NAME, name.trim() || null)
  return { ...identity, name: name.trim() }
}

/** @param token null: without one */
export function withToken(token: string | null): Identity {
  remember(TOKEN, token)
  return identityWith(token)
}

/** `#token=…` in a link: a fragment is never sent to a server, and so is in no log. */
function takeTokenFromAddress(): void {
  const params = new URLSearchParams(location.hash.slice(1))
  const token = params.get('token')
  if (token === null) return
  params.delete('token')
  const rest = params.toString()
  remember(TOKEN, token.trim() || null)
  history.replaceState(history.state, '', location.pathname + location.search + (rest === '' ? '' : `#${rest}`))
}

function ownId(): string {
  const known = recall(ID)
  if (known !== null) return known
  const id = `browser-${[...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(36)).join('')}`
  remember(ID, id)
  return id
}

/** What a token says of its bearer. The page believes it; the server checks it. */
function readClaims(token: string): Omit<Identity, 'token'> | null {
  try {
    const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''
    const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0))
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
    const { sub, name = sub, role } = claims
    if (typeof sub !== 'string' || typeof name !== 'string') return null
    return { id: sub, name, mayWrite: role !== 'viewer' }
  } catch {
    return null
  }
}
