import { BlockList, isIP } from 'node:net'

/** Who a request came from: the address to count by, or null if it is not to be counted by address. */
export type AddressOf = (remote: string | undefined, forwarded: string | undefined) => string | null

/** Entries of X-Forwarded-For that are looked at: no chain of proxies is longer. */
const MAX_HOPS = 16

/**
 * How the address of whoever asks is found. X-Forwarded-For counts only as far as proxies that are trusted wrote it:
 * everybody can send the header, and who could choose an address would be bound by no limit, or bind others.
 *
 * The loopback is not counted: whoever comes from there is on this machine, or stands behind a proxy on it that was not
 * named, and then one limit would bind everybody together.
 * @param trusted addresses, or networks such as 10.0.0.0/8
 */
export function createAddresses(trusted: readonly string[]): AddressOf {
  const proxies = listOf(trusted)
  const loopback = listOf(['127.0.0.0/8', '::1'])
  return (remote, forwarded) => {
    let address = plain(remote ?? '')
    if (address === null) return null
    const hops = (forwarded ?? '').split(',').slice(-MAX_HOPS)
    while (contains(proxies, address)) {
      const before = plain(hops.pop()?.trim() ?? '')
      if (before === null) break
      address = before
    }
    return contains(loopback, address) ? null : networkOf(address)
  }
}

/** An address or a network. */
function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family)
  }
  return list
}

const contains = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Without a port, brackets or a zone, and IPv4 as such where it comes as IPv6. null: it is no address. */
function plain(text: string): string | null {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  const address = (bare.split('%')[0] ?? '').replace(/^::ffff:(?=[\d.]+$)/i, '')
  return isIP(address) === 0 ? null : address
}

/** Of IPv6 the network: a single customer is given at least a /64, and has more addresses in it than could be counted. */
function networkOf(address: string): string {
  if (isIP(address) === 4) return address
  const [head = '', tail = ''] = address.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = address.includes('::') ? 8 - left.length - right.length : 0
  const groups = [...left, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
