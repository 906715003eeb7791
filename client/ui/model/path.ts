import { isThreadId } from '../../../shared/schema/ids.ts'

/** What an address is about: the list of all plans, one of them, or nothing. */
export type Place =
  | { readonly kind: 'home' }
  | { readonly kind: 'plan'; readonly thread: string }
  /** @property thread what stands where a plan's id should */
  | { readonly kind: 'nowhere'; readonly thread: string | null }

export function readPath(path: string): Place {
  if (path === '/') return { kind: 'home' }
  const [, name] = /^\/t\/([^/]+)\/?$/.exec(path) ?? []
  if (name === undefined) return { kind: 'nowhere', thread: null }
  const thread = decoded(name)
  return isThreadId(thread) ? { kind: 'plan', thread } : { kind: 'nowhere', thread: thread ?? name }
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

export const pathOf = (thread: string): string => `/t/${encodeURIComponent(thread)}`

/** What the address says that is looked for in a plan. */
export const readFilterParam = (): string => new URLSearchParams(location.search).get('filter') ?? ''

/** Puts it there; the way back stays as it is. */
export function writeFilterParam(filter: string): void {
  if (filter === readFilterParam()) return
  const params = new URLSearchParams(location.search)
  if (filter === '') params.delete('filter')
  else params.set('filter', filter)
  const query = params.toString()
  history.replaceState(history.state, '', location.pathname + (query === '' ? '' : `?${query}`) + location.hash)
}

const MOVED = 'planroom:moved'

export function subscribeToPath(listener: () => void): () => void {
  window.addEventListener('popstate', listener)
  window.addEventListener(MOVED, listener)
  return () => {
    window.removeEventListener('popstate', listener)
    window.removeEventListener(MOVED, listener)
  }
}

export function goTo(path: string): void {
  history.pushState(null, '', path)
  window.dispatchEvent(new Event(MOVED))
}

/** What may be in an id beside a random end. */
const MAX_NAME = 100

/**
 * An id for a plan of this title: what of it can stand in an address. Where more letters are lost by that than stay, it
 * ends with a random part, since other titles would give the same.
 */
export function threadIdFor(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{Mn}/gu, '')
  const name = plain
    .replace(/[^A-Za-z0-9._~-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, MAX_NAME)
  const kept = plain.match(/[A-Za-z0-9]/g)?.length ?? 0
  const all = plain.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return kept > 0 && kept * 2 >= all ? name : besides(name || 'plan')
}

/** Another id beside one that is taken. */
export function besides(thread: string): string {
  const digits = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => (byte % 36).toString(36))
  return `${thread.slice(0, MAX_NAME)}-${digits.join('')}`
}
