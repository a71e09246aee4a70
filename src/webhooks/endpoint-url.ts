import { isIP } from 'node:net'
import type { AddressGuard } from './addresses.ts'

/** What is wrong with the URL of an endpoint, for its owner; null where nothing is. */
export function urlFault(text: string, guard: AddressGuard): string | null {
  // The URL parser removes spaces, tabs and line breaks without a word.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return 'must be an absolute URL'
  const url = new URL(text)
  const { protocol } = url
  if (protocol !== 'https:' && !(protocol === 'http:' && guard.hasExceptions)) return 'must begin with https:'
  if (url.username !== '' || url.password !== '') return 'must not have a user name or password'
  if (url.hash !== '') return 'must not have a fragment'
  const addresses = writtenAddresses(url)
  if (addresses.length > 0 && !addresses.some((address) => guard.allows(address, protocol)))
    return 'leads to an address that is not public'
  return null
}

/** The addresses that are written in the URL itself: a literal one, or those that `localhost` stands for. None for other names. */
export function writtenAddresses({ hostname }: Pick<URL, 'hostname'>): readonly string[] {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(literal) !== 0) return [literal]
  return /(^|\.)localhost\.?$/.test(hostname) ? ['127.0.0.1', '::1'] : []
}
