import { isIPv4, isIPv6 } from 'node:net'

export interface DoorOptions {
  /** Names under which the server may be asked for besides those of the loopback; null: any. */
  readonly hosts: readonly string[] | null
  /** Origins whose pages may use the server, such as `https://example.org`. */
  readonly origins: readonly string[]
  /** Pages that this machine serves, at whatever port, may use it too. */
  readonly trustsLoopback: boolean
  /** Is told of whatever is refused. */
  readonly onRefused?: (what: 'host' | 'origin', value: string) => void
}

/**
 * What keeps pages of others out. A browser says in `Origin` whose page asks, and in `Host` under which name it found the
 * server: a page that points its own name at 127.0.0.1 gives itself away by that. Agents send no `Origin`.
 */
export interface Doors {
  /** @param host as in the header */
  allowsHost(host: string | undefined): boolean
  /** @param host as in the header: the server's own pages are not foreign */
  allowsOrigin(origin: string | undefined, host: string | undefined): boolean
}

export function createDoors({ hosts, origins, trustsLoopback, onRefused = () => {} }: DoorOptions): Doors {
  const names = hosts === null ? null : new Set(hosts.map(asHost))
  const allowsHost = (host: string | undefined): boolean => {
    if (names === null) return true
    const asked = parse(`http://${host ?? ''}`)
    if (asked === null) return false
    return isLoopbackName(asked.hostname) || names.has(asked.hostname) || names.has(asked.host)
  }
  const allowsOrigin = (origin: string | undefined, host: string | undefined): boolean => {
    if (origin === undefined || origins.includes(origin)) return true
    const page = parse(origin)
    // `null`, as sandboxed pages and files send it, is no address. An origin is nothing but one.
    if (page === null || page.origin !== origin) return false
    const own = parse(`${page.protocol}//${host ?? ''}`)
    return page.host === own?.host || (trustsLoopback && isLoopbackName(page.hostname))
  }
  const told = (isAllowed: boolean, what: 'host' | 'origin', value = ''): boolean => {
    if (!isAllowed) onRefused(what, value)
    return isAllowed
  }
  return {
    allowsHost: (host) => told(allowsHost(host), 'host', host),
    allowsOrigin: (origin, host) => told(allowsOrigin(origin, host), 'origin', origin),
  }
}

/** As URL has it: lower case, IPv6 in brackets, and no port that goes without saying. */
function asHost(name: string): string {
  return parse(`http://${isIPv6(name) ? `[${name}]` : name}`)?.host ?? name
}

/** Null for anything but an http(s) address without a path. */
function parse(text: string): URL | null {
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(text) || !URL.canParse(text)) return null
  return new URL(text)
}

/** @param name as URL has it: lower case, IPv6 in brackets */
const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
