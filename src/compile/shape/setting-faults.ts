import { z } from 'zod'
import type { TokenDeclaration } from '../../declare/api.ts'

/** What is wrong with a setting, and what to write instead. */
export interface SettingFault {
  readonly what: string
  readonly hint: string
}

export const defaultAlgorithms: readonly string[] = ['RS256', 'ES256', 'EdDSA']

/** A shared secret would let every service that verifies tokens also make them; `none` would let everyone. */
export const algorithmsFault = (algorithms: readonly string[]): SettingFault | null => {
  const refused = algorithms.filter(
    (name) => !/^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$|^ML-DSA-(44|65|87)$/.test(name),
  )
  if (refused.length === 0 && algorithms.length > 0) return null
  return {
    what: `${refused.join(', ') || 'an empty list'} cannot be allowed.`,
    hint: `Name algorithms with a public key, such as ${defaultAlgorithms.join(', ')}.`,
  }
}

/** Hosts that may be called in the clear: the calls do not leave the machine. */
const loopback = ['localhost', '127.0.0.1', '[::1]']

export const isKeysUrl = (source: string): boolean => /^https?:/i.test(source)

/** Checks the URL or file of a token issuer's keys. Whether the file exists is found when it is opened. */
export const keysSourceFault = (source: string): SettingFault | null => {
  if (!isKeysUrl(source)) return null
  if (!URL.canParse(source)) return { what: `"${source}" is not a URL.`, hint: 'Write an https: URL.' }
  const { protocol, hostname } = new URL(source)
  if (protocol === 'https:' || loopback.includes(hostname)) return null
  return {
    what: `"${source}" is fetched in the clear, so anyone on the way could forge tokens.`,
    hint: 'Write an https: URL.',
  }
}

/** Without `jwks` the issuer must be a URL below which its discovery document can be fetched. */
export const issuerFault = ({ issuer, jwks }: TokenDeclaration): SettingFault | null => {
  if (issuer === undefined || jwks !== undefined) return null
  const hint = 'Write the https: URL of the issuer, exactly as in the claim "iss", or add jwks.'
  if (!URL.canParse(issuer)) {
    return { what: `the issuer "${issuer}" is not a URL, so its keys cannot be found by discovery.`, hint }
  }
  const { protocol, hostname, search, hash, username } = new URL(issuer)
  const isFetched = protocol === 'https:' || (protocol === 'http:' && loopback.includes(hostname))
  if (isFetched && search === '' && hash === '' && username === '') return null
  return { what: `the keys of the issuer "${issuer}" cannot be found by discovery.`, hint }
}

/** The keys and claims of an issuer must be one issuer's, and its subjects too. */
export const tokensFault = (tokens: TokenDeclaration | readonly TokenDeclaration[]): SettingFault | null => {
  if (!('length' in tokens)) return null
  if (tokens.length === 0)
    return {
      what: 'the list is empty.',
      hint: 'List an issuer, or leave tokens out: none are accepted then.',
    }
  const issuer = repeated(tokens.flatMap((one) => one.issuer ?? []))
  if (issuer !== null) return { what: `"${issuer}" is listed twice.`, hint: 'List each issuer once.' }
  const prefix = repeated(tokens.map((one) => one.prefix ?? ''))
  if (prefix === null) return null
  return {
    what: `two issuers have ${prefix === '' ? 'no prefix' : `the prefix "${prefix}"`}, so that people of both with the same "sub" would be one subject.`,
    hint: "Give each its own, such as prefix: 'partners:'. One may have none.",
  }
}

/** The first that is listed again; null where all differ. */
export const repeated = (texts: readonly string[]): string | null =>
  texts.find((text, at) => texts.indexOf(text) < at) ?? null

export const prefixFault = (prefix: string): SettingFault | null =>
  /^[\x21-\x7e]{1,50}$/.test(prefix)
    ? null
    : {
        what: `${JSON.stringify(prefix)} cannot be a prefix.`,
        hint: "Write 1 to 50 visible ASCII characters, such as 'partners:'.",
      }

/** As browsers send it: lowercase, without a path, and without the default port. Other schemes have an opaque origin. */
export const isOrigin = (value: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#*,]+$/.test(value) &&
  [value, 'null'].includes(URL.canParse(value) ? new URL(value).origin : '')

export const addressRangeFault = (entry: string): SettingFault | null => {
  const [, address = '', bits = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const most = z.ipv4().safeParse(address).success ? 32 : z.ipv6().safeParse(address).success ? 128 : -1
  return Number(bits) <= most
    ? null
    : { what: `"${entry}" is no address range.`, hint: 'Write it like 10.0.0.0/8 or fd00::/8.' }
}

const mostKeepDays = 3_650

export const keepDaysFault =
  (kept: string) =>
  (days: number): SettingFault | null =>
    Number.isSafeInteger(days) && days >= 1 && days <= mostKeepDays
      ? null
      : {
          what: `${kept} cannot be kept for ${days} days.`,
          hint: `Write a whole number from 1 to ${mostKeepDays}.`,
        }
