import type { JWTVerifyGetKey } from 'jose'
import { isJsonObject } from '../compile/schemas/canonical.ts'
import { keysSourceFault } from '../compile/shape/setting-faults.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { type IssuerWaits, tooManyWait } from './issuer-waits.ts'
import { cooldownMs, fetchTimeoutMs, IssuerUnavailable, maxAgeMs, remoteKeys } from './token-keys.ts'

/**
 * The keys of an issuer whose discovery document says where they are (OpenID Connect Discovery 1.0). Nothing is fetched before the
 * first token, so an issuer that is away does not keep the service from starting.
 */
export function discoveredKeys(issuer: string, waits: IssuerWaits): JWTVerifyGetKey {
  const address = discoveryAddress(issuer)
  let known: { readonly url: string; readonly keys: JWTVerifyGetKey } | null = null
  let readAt = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY
  let failure: unknown = null
  let reading: Promise<void> | null = null

  /** Sets `known`. Where reading fails, an earlier document stays in use. */
  const read = async (): Promise<void> => {
    try {
      const url = await readKeysAddress(issuer, address)
      // The same address keeps the keys that were fetched from it.
      if (known?.url !== url) known = { url, keys: remoteKeys(new URL(url), waits) }
      readAt = performance.now()
    } catch (error) {
      failedAt = performance.now()
      failure = error
    }
  }

  return async (header, token) => {
    const now = performance.now()
    if (now - readAt > maxAgeMs && now - failedAt > cooldownMs) {
      reading ??= read().finally(() => {
        reading = null
      })
    }
    if (reading && !waits.isFull) await waits.during(reading)
    if (known === null) throw new IssuerUnavailable(address, reading ? tooManyWait : failure)
    try {
      return await known.keys(header, token)
    } catch (error) {
      // The keys may have moved: the next token reads the discovery document again.
      if (error instanceof IssuerUnavailable) readAt = Number.NEGATIVE_INFINITY
      throw error
    }
  }
}

/** Discovery §4.1: a slash at the end of the issuer is dropped first. */
const discoveryAddress = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

async function readKeysAddress(issuer: string, address: string): Promise<string> {
  const response = await boundedFetch(address, {
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(fetchTimeoutMs),
  })
  if (response.status !== 200) throw new Error(`${address} answered with status ${response.status}`)
  const document = asObject(await response.text(), address)
  // Discovery §4.3: otherwise one issuer could pass its keys off as those of another.
  if (document.issuer !== issuer) {
    throw new Error(`${address} is of the issuer ${JSON.stringify(document.issuer)}, not of "${issuer}"`)
  }
  const { jwks_uri: url } = document
  if (typeof url !== 'string' || !/^https?:/i.test(url) || keysSourceFault(url) !== null) {
    throw new Error(`${address} names no address of keys that can be used: ${JSON.stringify(url)}`)
  }
  // Only an issuer on this machine may have its keys on this machine, in the clear.
  if (!isSecure(url) && isSecure(issuer)) throw new Error(`${address} names keys in the clear: ${url}`)
  return url
}

const isSecure = (url: string): boolean => new URL(url).protocol === 'https:'

function asObject(text: string, address: string): { readonly [name: string]: unknown } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error(`${address} is not JSON`)
  }
  if (isJsonObject(value)) return { ...value }
  throw new Error(`${address} is not a JSON object`)
}
