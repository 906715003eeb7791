import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import type { HttpEnv } from '../http/env.ts'
import { Problem } from '../http/problem.ts'

/** What refuses requests that a page of another site made, or had the browser send here under a name of its own. */
export interface HostCheck {
  /** @throws Problem 403 */
  check(c: Context<HttpEnv>): void
  /** Whether a page of this origin may read answers. */
  allowsOrigin(origin: string): boolean
}

/**
 * A browser says in `Origin` whose page sends a request, and in `Host` under which name it found the server. A page that
 * points its own name at 127.0.0.1 gives itself away in both.
 * @param allowed names of hosts besides those of the loopback
 */
export function createHostCheck(allowed: readonly string[]): HostCheck {
  const names = [...localhostAllowedHostnames(), ...allowed.map(asHostname)]
  return {
    check: (c) => {
      const host = validateHostHeader(c.req.header('host'), names)
      if (!host.ok) throw refused('host', `This server does not answer to the name in the header Host: ${names.join(', ')}.`)
      const origin = validateOriginHeader(c.req.header('origin'), names)
      if (!origin.ok) throw refused('origin', `Pages of this origin may not use plans here, only those of ${names.join(', ')}.`)
    },
    allowsOrigin: (origin) => validateOriginHeader(origin, names).ok,
  }
}

/** As URL has it: lower case, IPv6 in brackets. */
function asHostname(name: string): string {
  const lower = name.toLowerCase()
  return lower.includes(':') && !lower.startsWith('[') ? `[${lower}]` : lower
}

const refused = (kind: 'host' | 'origin', detail: string): Problem =>
  new Problem({ status: 403, kind: `bad-${kind}`, title: kind === 'host' ? 'Unknown host' : 'Foreign origin', detail })
