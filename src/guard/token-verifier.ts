import { hash } from 'node:crypto'
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { Clock } from '../clock.ts'
import { algorithmsFault } from '../compile/shape/settings.ts'
import { type TokenRules, tokenRulesOf } from '../compile/tokens.ts'
import type { TokenDeclaration } from '../declare/api.ts'
import { problem } from '../problems.ts'
import type { Caller } from '../request/caller.ts'
import { SettingMistake } from '../setting-mistake.ts'
import { minuteMs } from '../times.ts'
import { credentialsInvalid } from './challenge.ts'
import { IssuerAway, openTokenKeys } from './token-keys.ts'

/** A verified token is verified again after this long, so that a key the issuer withdrew does not live on in this cache. */
const maxTrustMs = minuteMs
const maxRemembered = 10_000

export interface TokenVerifier {
  /** The caller of a token that was verified a moment ago. */
  remembered(token: string): Caller | null
  /** Throws `credentials-invalid`, or `issuer-unavailable`. */
  verify(token: string): Promise<Caller>
}

export const createTokenVerifier = (
  declaration: TokenDeclaration,
  { clock, folder }: { readonly clock: Clock; readonly folder: string },
): TokenVerifier => {
  const rules = tokenRulesOf(declaration)
  const algorithms = [...rules.algorithms]
  const fault = algorithmsFault(algorithms)
  if (fault !== null) throw new SettingMistake(`tokens.algorithms: ${fault.what} ${fault.hint}`)
  const skewSeconds = rules.clockSkewSeconds
  const keys = openTokenKeys(declaration.jwks, folder)
  const seen = new Map<string, { readonly caller: Caller; readonly until: number }>()

  const options = (): JWTVerifyOptions => ({
    algorithms,
    issuer: rules.issuer,
    audience: rules.audience,
    clockTolerance: skewSeconds,
    currentDate: new Date(clock.now()),
    requiredClaims: ['exp'],
  })

  const remember = (token: string, payload: JWTPayload, caller: Caller): void => {
    const expires = ((payload.exp ?? 0) + skewSeconds) * 1000
    seen.set(digest(token), { caller, until: Math.min(expires, clock.now() + maxTrustMs) })
    if (seen.size > maxRemembered) for (const [oldest] of seen.entries().take(1)) seen.delete(oldest)
  }

  return {
    remembered(token) {
      const key = digest(token)
      const known = seen.get(key)
      if (!known) return null
      if (clock.now() < known.until) return known.caller
      seen.delete(key)
      return null
    },
    async verify(token) {
      const payload = await verifiedPayload(token, keys, options()).catch((error: unknown) => {
        throw explain(error)
      })
      const caller = callerOf(payload, rules)
      remember(token, payload, caller)
      return caller
    },
  }
}

const digest = (token: string): string => hash('sha256', token, 'base64')

const verifiedPayload = async (
  token: string,
  keys: ReturnType<typeof openTokenKeys>,
  options: JWTVerifyOptions,
): Promise<JWTPayload> => {
  try {
    return (await jwtVerify(token, keys, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    // The token names no key id and several keys could fit: try each.
    for await (const key of error) {
      const verified = await jwtVerify(token, key, options).catch((reason: unknown) => {
        if (reason instanceof errors.JWSSignatureVerificationFailed) return null
        throw reason
      })
      if (verified) return verified.payload
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

const explain = (error: unknown): Error => {
  if (error instanceof IssuerAway) {
    const detail = 'The keys of the token issuer cannot be read at the moment.'
    return Object.assign(problem('issuer-unavailable', { detail, headers: { 'Retry-After': '2' } }), {
      cause: error,
    })
  }
  if (error instanceof errors.JWTExpired) return credentialsInvalid('The token has expired.')
  if (error instanceof errors.JWTClaimValidationFailed) {
    return credentialsInvalid(
      `The claim "${error.claim}" of the token is missing or not what this service expects.`,
    )
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return credentialsInvalid('The token is signed with an algorithm that this service does not accept.')
  }
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey) {
    return credentialsInvalid('The signature of the token fits no key of its issuer.')
  }
  if (error instanceof errors.JOSEError || error instanceof TypeError) {
    return credentialsInvalid('The token is neither an API key nor a well-formed JWT.')
  }
  return error instanceof Error ? error : new Error(String(error))
}

const callerOf = (payload: JWTPayload, { claims }: TokenRules): Caller => {
  const account = textClaim(payload, claims.account)
  if (account === null) {
    throw credentialsInvalid(`The token has no claim "${claims.account}" that names an account.`)
  }
  const client = textClaim(payload, claims.consumer) ?? textClaim(payload, 'sub') ?? 'unknown'
  return {
    account,
    consumer: { id: `token:${client}`, name: client, kind: 'external' },
    scopes: new Set(scopesIn(payload[claims.scopes])),
  }
}

const textClaim = (payload: JWTPayload, name: string): string | null => {
  const value = payload[name]
  // Neither control characters nor lone surrogates: the value reaches logs and, as a parameter, the store.
  return typeof value === 'string' && /^[\x20-\x7e\u{a1}-\u{d7ff}\u{e000}-\u{10ffff}]{1,200}$/u.test(value)
    ? value
    : null
}

/** RFC 6749 §3.3 joins scopes with spaces; some issuers send a list. */
const scopesIn = (claim: unknown): string[] => {
  if (typeof claim === 'string') return claim.split(' ').filter((scope) => scope !== '')
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === 'string') : []
}
