import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import { isKeysUrl } from '../compile/shape/setting-faults.ts'
import { SettingMistake } from '../setting-mistake.ts'
import { hourMs, minuteMs } from '../times.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { type IssuerWaits, tooManyWait } from './issuer-waits.ts'

/** The issuer's keys could not be read, so that the token may well be valid. */
export class IssuerUnavailable extends Error {
  constructor(where: string, cause: unknown) {
    super(`the token issuer's keys could not be read from ${where}`, { cause })
    this.name = 'IssuerUnavailable'
  }
}

/** An unknown key id causes a fetch of the key set, at most this often, whatever key ids clients forge. */
export const cooldownMs = 2_000
export const fetchTimeoutMs = 3_000
/** A key that the issuer withdrew is refused after this long. A discovery document is read again after this long. */
export const maxAgeMs = 5 * minuteMs
/** While the issuer does not answer, the last keys are used for this long. */
const maxStaleMs = hourMs

export const openTokenKeys = (source: string, folder: string, waits: IssuerWaits): JWTVerifyGetKey => {
  if (isKeysUrl(source)) return remoteKeys(new URL(source), waits)
  return fileKeys(isAbsolute(source) ? source : join(folder, source))
}

/** The keys at an address, fetched when they are needed. */
export const remoteKeys = (url: URL, waits: IssuerWaits): JWTVerifyGetKey => {
  const remote = createRemoteJWKSet(url, {
    cooldownDuration: cooldownMs,
    cacheMaxAge: maxAgeMs,
    timeoutDuration: fetchTimeoutMs,
    [customFetch]: boundedFetch,
  })
  let fetchedAt = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY
  let failure: unknown = null

  const lastKnown: JWTVerifyGetKey = (header, token) => {
    const known = remote.jwks()
    if (!known || performance.now() - fetchedAt > maxStaleMs) throw new IssuerUnavailable(url.href, failure)
    return createLocalJWKSet(known)(header, token)
  }

  /** A key that is not among the last known ones may be new: that cannot be found out now. */
  const withoutWaiting = async (
    ...asked: Parameters<JWTVerifyGetKey>
  ): Promise<Awaited<ReturnType<JWTVerifyGetKey>>> => {
    try {
      return await lastKnown(...asked)
    } catch (error) {
      throw isAboutTheToken(error) ? new IssuerUnavailable(url.href, tooManyWait) : error
    }
  }

  return async (header, token) => {
    if (performance.now() - failedAt < cooldownMs) return lastKnown(header, token)
    if (waits.isFull) return withoutWaiting(header, token)
    try {
      const key = await waits.during(remote(header, token))
      if (remote.coolingDown) fetchedAt = performance.now()
      return key
    } catch (error) {
      if (isAboutTheToken(error)) throw error
      failedAt = performance.now()
      failure = error
      return lastKnown(header, token)
    }
  }
}

const isAboutTheToken = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWKSMultipleMatchingKeys ||
  error instanceof errors.JOSENotSupported

/** The file is read at once, so that a missing file is reported at the start, and again when it has changed. */
const fileKeys = (path: string): JWTVerifyGetKey => {
  let changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  if (changedAt === undefined)
    throw new SettingMistake(`tokens.jwks: there is no file ${path}. Write its path beside the declaration.`)
  let keys = readKeys(path)
  let checkedAt = performance.now()
  return (header, token) => {
    if (performance.now() - checkedAt > cooldownMs) {
      checkedAt = performance.now()
      const mtime = statSync(path, { throwIfNoEntry: false })?.mtimeMs
      if (mtime !== undefined && mtime !== changedAt) {
        keys = readKeys(path)
        changedAt = mtime
      }
    }
    return keys(header, token)
  }
}

const readKeys = (path: string): ReturnType<typeof createLocalJWKSet> => {
  try {
    return createLocalJWKSet(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    throw new IssuerUnavailable(path, error)
  }
}
