import type { DoorOptions } from './doors.ts'

/** Names and origins that are told of: whoever makes some up shall not fill the log. */
const MAX_TOLD = 10
/** Characters of one that are told. */
const MAX_LENGTH = 200

interface Log {
  warn(fields: object, message: string): void
}

/** Tells whoever runs the server of each name and origin that is refused, once, and what to set if it should not be. */
export function tellRefused(log: Log): NonNullable<DoorOptions['onRefused']> {
  const told = { host: new Set<string>(), origin: new Set<string>() }
  return (what, value) => {
    const shown = value.slice(0, MAX_LENGTH)
    if (told[what].has(shown) || told[what].size >= MAX_TOLD) return
    told[what].add(shown)
    if (what === 'host')
      log.warn(
        { host: shown },
        'a name in Host was refused: if it is one of this server, add it to PLANROOM_ALLOWED_HOSTS',
      )
    else
      log.warn(
        { origin: shown },
        "pages of an origin were refused: if they are this server's own, set PLANROOM_PUBLIC_URL to it, or let the proxy " +
          'pass Host on; pages of others are let in by PLANROOM_ALLOWED_ORIGINS',
      )
  }
}
