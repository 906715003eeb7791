const PROTOCOL = 'planroom.bearer.'

/** The token in a header Authorization; null without one, or with another scheme. */
export function tokenInHeader(authorization: string | undefined): string | null {
  return /^Bearer +([^\s,]+) *$/i.exec(authorization ?? '')?.[1] ?? null
}

/** The token among subprotocols, where pages can put it: they cannot set a header of a socket, and addresses get logged. */
export function tokenInProtocols(header: string | undefined): string | null {
  const offered = (header ?? '').split(',').map((one) => one.trim())
  return offered.find((one) => one.startsWith(PROTOCOL))?.slice(PROTOCOL.length) || null
}

/** One has to be chosen, or the client gives up. The token's own is sent back only where nothing else is offered. */
export function chooseProtocol(offered: Iterable<string>): string | false {
  const all = [...offered]
  return all.find((one) => !one.startsWith(PROTOCOL)) ?? all[0] ?? false
}
