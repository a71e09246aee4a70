import type { JWTPayload } from 'jose'
import { credentialsInvalid } from './credentials-invalid.ts'

/** The end of the year 9999, in seconds since 1970. */
const lastSecond = 253_402_300_799

/**
 * Times of a token are numbers of seconds (RFC 7519 §2). `1e400` is valid JSON too, and JavaScript reads it as Infinity: a token that never
 * expires.
 */
export const refuseAbsurdTimes = (payload: JWTPayload): void => {
  for (const claim of ['exp', 'nbf', 'iat'] as const) {
    const time: unknown = payload[claim]
    if (time === undefined) continue
    if (typeof time !== 'number' || !(time >= 0 && time <= lastSecond))
      throw credentialsInvalid(
        `The claim "${claim}" of the token is not a time before the year 10000 in seconds since 1970.`,
      )
  }
}
