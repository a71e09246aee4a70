import { BlockList, isIP, isIPv4 } from 'node:net'

/** Judges where a webhook may be sent. */
export interface AddressGuard {
  /** Whether a connection to this address is allowed, with TLS or without. */
  allows(address: string, scheme: 'http:' | 'https:'): boolean
  /** Whether some addresses are allowed beyond the public ones: only there is `http:` possible. */
  readonly hasExceptions: boolean
}

/** A block of addresses, `10.0.0.0/8`. */
export interface AddressRange {
  readonly address: string
  readonly prefix: number
  readonly family: 'ipv4' | 'ipv6'
}

/** A range of addresses, or null for any other text. */
export function readRange(text: string): AddressRange | null {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || rest.length > 0) return null
  const most = version === 4 ? 32 : 128
  if (bits !== undefined && !/^\d{1,3}$/.test(bits)) return null
  const prefix = bits === undefined ? most : Number(bits)
  return prefix > most ? null : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' }
}

/** IPv4 addresses that are not on the public Internet (the IANA registry of special-purpose addresses), and Azure's metadata service. */
const specialIPv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** The IPv6 addresses that are routed on the public Internet: all others (loopback, mapped IPv4, NAT64, link-local …) are outside. */
const globalIPv6 = ['2000::/3']

/** Exceptions within: addresses that carry an IPv4 address (Teredo, 6to4), and those reserved for protocols and documents. */
const specialIPv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

export const blockOf = (ranges: readonly AddressRange[]): BlockList => {
  const block = new BlockList()
  for (const { address, prefix, family } of ranges) block.addSubnet(address, prefix, family)
  return block
}

const known = (texts: readonly string[]): BlockList =>
  blockOf(texts.map(readRange).filter((range) => range !== null))

const special = known([...specialIPv4, ...specialIPv6])
const global = known(globalIPv6)

export function addressGuard(exceptions: readonly AddressRange[]): AddressGuard {
  const excepted = blockOf(exceptions)
  return {
    hasExceptions: exceptions.length > 0,
    allows(address, scheme) {
      // An address with a zone (`fe80::1%eth0`) is link-local.
      if (isIP(address) === 0 || address.includes('%')) return false
      const family = isIPv4(address) ? 'ipv4' : 'ipv6'
      if (excepted.check(address, family)) return true
      return scheme === 'https:' && isPublic(address, family)
    },
  }
}

const isPublic = (address: string, family: 'ipv4' | 'ipv6'): boolean =>
  !special.check(address, family) && (family === 'ipv4' || global.check(address, family))
