import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { hashText } from '../store/postgres/hash-text.ts'

/**
 * A key is `nk_`, 32 random characters and 6 characters of checksum. The prefix lets secret scanners find a leaked key; the
 * checksum tells a typo from an unknown key without a look-up. With 62³² possible keys, no slow hash is needed.
 */
const prefix = 'nk_'
const secretLength = 32
const checksumLength = 6
const keyLength = prefix.length + secretLength + checksumLength
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export interface ApiKey {
  /** Shown once, never stored. */
  readonly secret: string
  readonly hash: string
}

export const makeApiKey = (): ApiKey => {
  const body = prefix + randomCharacters(secretLength)
  const secret = body + checksum(body)
  return { secret, hash: hashApiKey(secret) }
}

/**
 * A key for an account. Citus places the row of a key by its hash, so keys are drawn until that is where the rows of the account are: while a
 * node is away, the keys of the other nodes' accounts are found. 256 keys are drawn on average, which takes a few milliseconds.
 */
export const makeApiKeyFor = (account: string): ApiKey => {
  const wanted = placeOf(account)
  for (;;) {
    const key = makeApiKey()
    if (placeOf(key.hash) === wanted) return key
  }
}

/** Citus cuts the hashes into ranges, one for each shard. A 256th of the hashes lies within one range, or rarely in two. */
const placeOf = (text: string): number => hashText(text) >>> 24

/** The SHA-256 of a key in hex, which is what the store keeps. */
export const hashApiKey = (secret: string): string => hash('sha256', secret, 'hex')

export const looksLikeApiKey = (text: string): boolean => text.startsWith(prefix)

/** What is wrong with the form of a key, or null when its length and checksum are right. Whether it exists is not checked. */
export const typoInApiKey = (text: string): string | null => {
  if (text.length !== keyLength) return `An API key has ${keyLength} characters, this one has ${text.length}.`
  const end = keyLength - checksumLength
  if (checksum(text.slice(0, end)) === text.slice(end)) return null
  return 'The checksum of the API key does not fit: at least one character is wrong.'
}

export const randomCharacters = (count: number): string => {
  let text = ''
  while (text.length < count) {
    for (const byte of randomBytes(count)) {
      // 248 = 4 × 62: higher bytes would make the first characters of the alphabet more likely than the rest.
      if (byte < 248 && text.length < count) text += alphabet[byte % 62]
    }
  }
  return text
}

const checksum = (text: string): string => {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
