import { isIP } from 'node:net'
import { blockOf, readRange } from '../webhooks/addresses.ts'

type Headers = { readonly [name: string]: string | string[] | undefined }

/** The client, as the headers of trusted proxies describe it. */
export interface Forwarded {
  readonly address: string
  readonly proto: string | null
  readonly host: string | null
}

export interface Proxies {
  trusts(peer: string): boolean
  /** To be called only for a trusted peer. */
  read(headers: Headers, peer: string): Forwarded
}

/** Null when no proxy is declared: then forwarding headers are ignored. */
export const createProxies = (declared: readonly string[] | undefined): Proxies | null => {
  if (!declared || declared.length === 0) return null
  const list = blockOf(declared.flatMap((entry) => readRange(entry) ?? []))
  const trusts = (address: string): boolean => {
    const kind = isIP(address)
    return kind !== 0 && list.check(address, kind === 6 ? 'ipv6' : 'ipv4')
  }
  return {
    trusts,
    read: (headers, peer) => ({
      address: clientAddress(headers, peer, trusts),
      proto: protoOf(headers),
      host: hostOf(headers),
    }),
  }
}

/** A dual-stack socket calls 10.0.0.1 `::ffff:10.0.0.1`. */
export const plainAddress = (address: string | undefined): string =>
  address === undefined
    ? ''
    : address.startsWith('::ffff:') && address.includes('.')
      ? address.slice(7)
      : address

/**
 * Each proxy appends the address of its own client, so the list is read from its end to the first address that is not a proxy's.
 * A proxy writes one of the two headers and may pass the other through from the client: when they disagree, both are ignored.
 */
const clientAddress = (headers: Headers, peer: string, trusts: (address: string) => boolean): string => {
  const chains = [listOf(headers['x-forwarded-for']).map(bareAddress), forwardedElements(headers).map(forOf)]
  const clients = chains
    .filter((chain) => chain.length > 0)
    .map((chain) => firstUntrusted(chain, peer, trusts))
  const [client = peer, other = client] = clients
  return client === other ? client : peer
}

const firstUntrusted = (
  chain: readonly string[],
  peer: string,
  trusts: (address: string) => boolean,
): string => {
  let client = peer
  for (const address of chain.toReversed()) {
    // Entries left of `unknown` or an obfuscated name cannot be trusted.
    if (isIP(address) === 0) break
    client = address
    if (!trusts(address)) break
  }
  return client
}

const protoOf = (headers: Headers): string | null => {
  const proto = listOf(headers['x-forwarded-proto']).at(-1) ?? forwardedElements(headers).at(-1)?.get('proto')
  return proto === 'http' || proto === 'https' ? proto : null
}

const hostOf = (headers: Headers): string | null =>
  listOf(headers['x-forwarded-host']).at(-1) ?? forwardedElements(headers).at(-1)?.get('host') ?? null

const listOf = (header: string | string[] | undefined): string[] =>
  header === undefined
    ? []
    : String(header)
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')

/** RFC 7239 §4. Quoted commas and semicolons do not occur in addresses, hosts and protocols, so they are not handled. */
const forwardedElements = (headers: Headers): Map<string, string>[] =>
  listOf(headers.forwarded).map((element) => {
    const pairs = element.split(';').map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2)
      return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1')] as const
    })
    return new Map(pairs)
  })

const forOf = (element: ReadonlyMap<string, string>): string => bareAddress(element.get('for') ?? '')

/** An address without brackets and port. */
const bareAddress = (text: string): string => {
  const bracketed = /^\[([^\]]*)\](:\d+)?$/.exec(text)
  if (bracketed) return bracketed[1] ?? ''
  return plainAddress(/^[\d.]+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text)
}
