import { hash } from 'node:crypto'
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { Clock } from '../clock.ts'
import { algorithmsFault, issuerFault } from '../compile/shape/setting-faults.ts'
import { type TokenRules, tokenRulesOf } from '../compile/tokens.ts'
import type { TokenDeclaration } from '../declare/api.ts'
import { problem } from '../problems.ts'
import { type Caller, claimIn, freezeClaims, isPlainName, maxSubjectLength } from '../request/caller.ts'
import { SettingMistake } from '../setting-mistake.ts'
import { minuteMs } from '../times.ts'
import { credentialsInvalid } from './credentials-invalid.ts'
import { discoveredKeys } from './discovered-keys.ts'
import { IssuerUnavailable, openTokenKeys } from './token-keys.ts'

/** A verified token is verified again after this long, so that a key the issuer withdrew does not stay valid in this cache. */
const maxTrustMs = minuteMs
const maxRemembered = 10_000

/** Verifies access tokens of the declared issuer, and caches those that are valid. */
export class TokenVerifier {
  readonly #clock: Clock
  readonly #rules: TokenRules
  readonly #keys: JWTVerifyGetKey
  /** By the hash of the token. */
  readonly #verified = new Map<string, { readonly caller: Caller; readonly until: number }>()

  constructor(
    declaration: TokenDeclaration,
    { clock, folder }: { readonly clock: Clock; readonly folder: string },
  ) {
    this.#clock = clock
    this.#rules = tokenRulesOf(declaration)
    const fault = algorithmsFault([...this.#rules.algorithms])
    if (fault !== null) throw new SettingMistake(`tokens.algorithms: ${fault.what} ${fault.hint}`)
    this.#keys = keysOf(declaration, folder)
  }

  /** The caller of a token that was verified a moment ago. */
  remembered(token: string): Caller | null {
    const key = digest(token)
    const known = this.#verified.get(key)
    if (!known) return null
    if (this.#clock.now() < known.until) return known.caller
    this.#verified.delete(key)
    return null
  }

  /** Throws `credentials-invalid`, or `issuer-unavailable`. */
  async verify(token: string): Promise<Caller> {
    const payload = await verifiedPayload(token, this.#keys, this.#options()).catch((error: unknown) => {
      throw explain(error)
    })
    if (this.#rules.audience === null) refuseIdToken(payload)
    const caller = callerOf(payload, this.#rules)
    this.#remember(token, payload, caller)
    return caller
  }

  #options(): JWTVerifyOptions {
    const { algorithms, issuer, audience, clockSkewSeconds } = this.#rules
    return {
      algorithms: [...algorithms],
      issuer,
      ...(audience !== null && { audience }),
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(this.#clock.now()),
      requiredClaims: ['exp'],
    }
  }

  #remember(token: string, payload: JWTPayload, caller: Caller): void {
    const expires = ((payload.exp ?? 0) + this.#rules.clockSkewSeconds) * 1000
    const until = Math.min(expires, this.#clock.now() + maxTrustMs)
    this.#verified.set(digest(token), { caller, until })
    if (this.#verified.size <= maxRemembered) return
    for (const oldest of this.#verified.keys().take(1)) this.#verified.delete(oldest)
  }
}

/** Checked here as well, because a declaration may come from code that TypeScript does not check. */
const keysOf = (declaration: TokenDeclaration, folder: string): JWTVerifyGetKey => {
  const fault = issuerFault(declaration)
  if (fault !== null) throw new SettingMistake(`tokens: ${fault.what} ${fault.hint}`)
  const { issuer, jwks } = declaration
  return jwks === undefined ? discoveredKeys(issuer) : openTokenKeys(jwks, folder)
}

const digest = (token: string): string => hash('sha256', token, 'base64')

const verifiedPayload = async (
  token: string,
  keys: JWTVerifyGetKey,
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
  if (error instanceof IssuerUnavailable) {
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

/**
 * An ID token tells a client who logged in, and every client of the issuer gets some. A declared audience refuses them. Without one,
 * they are recognized by what only they have: claims of OpenID Connect Core §2 and §3.3.2.11, Cognito's `token_use`, Keycloak's `typ`.
 */
const refuseIdToken = (payload: JWTPayload): void => {
  const isIdToken =
    ['nonce', 'at_hash', 'c_hash', 's_hash'].some((claim) => Object.hasOwn(payload, claim)) ||
    payload.token_use === 'id' ||
    payload.typ === 'ID'
  if (isIdToken) throw credentialsInvalid('This is an ID token. Send the access token.')
}

const callerOf = (payload: JWTPayload, { claims }: TokenRules): Caller => {
  const account = textClaim(payload, claims.account)
  if (account === null) {
    throw credentialsInvalid(`The token has no claim "${claims.account}" that names an account.`)
  }
  const named = textClaim(payload, claims.consumer)
  const client = named ?? textClaim(payload, 'sub') ?? 'unknown'
  return {
    account,
    consumer: {
      id: `token:${client}`,
      name: client,
      kind: 'external',
      ...(named === null ? { isUnnamed: true } : {}),
    },
    scopes: new Set(scopesIn(claimIn(payload, claims.scopes))),
    subject: subjectIn(payload),
    claims: freezeClaims(payload),
  }
}

const textClaim = (payload: JWTPayload, name: string): string | null => {
  const value = claimIn(payload, name)
  return typeof value === 'string' && isPlainName(value) ? value : null
}

/** A `sub` that cannot be used is refused, not ignored: without a subject the caller would have the Idempotency-Keys of the account. */
const subjectIn = (payload: JWTPayload): string | null => {
  if (payload.sub === undefined) return null
  const subject = textClaim(payload, 'sub')
  if (subject === null)
    throw credentialsInvalid(
      `The claim "sub" of the token is not a text of 1 to ${maxSubjectLength} plain characters.`,
    )
  return subject
}

/** RFC 6749 §3.3 joins scopes with spaces; some issuers send a list. */
const scopesIn = (claim: unknown): string[] => {
  if (typeof claim === 'string') return claim.split(' ').filter((scope) => scope !== '')
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === 'string') : []
}
