/** The thread that an address is about; null for the list of all. */
export function readPath(path: string): string | null {
  const [, name] = /^\/t\/([^/]+)\/?$/.exec(path) ?? []
  try {
    return name === undefined ? null : decodeURIComponent(name)
  } catch {
    return null
  }
}

export const pathOf = (thread: string): string => `/t/${encodeURIComponent(thread)}`

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

/** The thread's name as the server takes it, made of whatever somebody typed. */
export function threadNameOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .trim()
    .replace(/[^A-Za-z0-9._~-]+/g, '-')
    .replace(/^[.-]+|-+$/g, '')
    .slice(0, 128)
}
