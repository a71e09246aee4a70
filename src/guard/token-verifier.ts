import { hash } from 'node:crypto'
import {
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { type Caller, claimIn, freezeClaims, isPlainName, maxSubjectLength } from '../call/caller.ts'
import type { Clock } from '../clock.ts'
import { declaredTokens, type TokenRules, tokenRulesOf } from '../compile/service/tokens.ts'
import type { ApiDeclaration, TokenDeclaration } from '../declare/api.ts'
import { problem } from '../problems.ts'
import { minuteMs } from '../times.ts'
import { credentialsInvalid } from './credentials-invalid.ts'
import { discoveredKeys } from './discovered-keys.ts'
import { IssuerWaits } from './issuer-waits.ts'
import { refuseAbsurdTimes } from './refuse-absurd-times.ts'
import { IssuerUnavailable, openTokenKeys } from './token-keys.ts'

/** A verified token is verified again after this long, so that a key the issuer withdrew does not stay valid in this cache. */
const maxTrustMs = minuteMs
const maxRemembered = 10_000

interface VerifierOptions {
  readonly clock: Clock
  readonly folder: string
  /** The account of every token, where the API has only one. */
  readonly soleAccount?: string | null
  /** How many requests may wait for the keys of issuers. */
  readonly mostWaiting?: number
}

interface Issuer {
  readonly rules: TokenRules
  readonly keys: JWTVerifyGetKey
  /** Longer prefixes: what begins with one of them is a subject or a consumer of another issuer. */
  readonly foreignPrefixes: readonly string[]
}

/** Verifies access tokens of the declared issuers, each with that issuer's keys alone, and caches those that are valid. */
export class TokenVerifier {
  readonly #clock: Clock
  readonly #soleAccount: string | null
  /** By the claim `iss`. An issuer that is not set in this deployment is not here. */
  readonly #issuers: ReadonlyMap<string, Issuer>
  /** By the hash of the token, the one verified longest ago first. */
  readonly #verified = new Map<string, { readonly caller: Caller; readonly until: number }>()

  constructor(
    declared: NonNullable<ApiDeclaration['tokens']>,
    { clock, folder, soleAccount = null, mostWaiting = 100 }: VerifierOptions,
  ) {
    this.#clock = clock
    this.#soleAccount = soleAccount
    const tokens = declaredTokens({ tokens: declared })
    const waits = new IssuerWaits(mostWaiting)
    const prefixes = tokens.map(({ prefix = '' }) => prefix)
    this.#issuers = new Map(
      tokens
        .filter((one) => isIssued(one))
        .map((one) => [one.issuer, openIssuer(one, { prefixes, folder, soleAccount, waits })] as const),
    )
  }

  /** The caller of a token that was verified a moment ago. */
  remembered(token: string): Caller | null {
    const known = this.#verified.get(digest(token))
    return known && this.#clock.now() < known.until ? known.caller : null
  }

  /** Whether it has been verified here, and not been refused since. */
  wasRight(token: string): boolean {
    return this.#verified.has(digest(token))
  }

  /** Throws `credentials-invalid`, or `issuer-unavailable`. */
  async verify(token: string): Promise<Caller> {
    const issuer = this.#issuerOf(token)
    const payload = await verifiedPayload(token, issuer.keys, this.#options(issuer)).catch(
      (error: unknown) => {
        if (!(error instanceof IssuerUnavailable)) this.#verified.delete(digest(token))
        throw explain(error)
      },
    )
    refuseAbsurdTimes(payload)
    if (issuer.rules.audience === null) refuseIdToken(payload)
    const caller = callerOf(payload, issuer, this.#soleAccount)
    this.#remember(token, payload, caller, issuer)
    return caller
  }

  /** What the token says of its issuer only chooses the keys: with those, the signature proves it. */
  #issuerOf(token: string): Issuer {
    const issuer = this.#issuers.get(issuerIn(token))
    if (!issuer) throw unexpectedClaim('iss')
    return issuer
  }

  #options({ rules }: Issuer): JWTVerifyOptions {
    const { algorithms, issuer, audience, clockSkewSeconds } = rules
    return {
      algorithms: [...algorithms],
      issuer,
      ...(audience !== null && { audience }),
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(this.#clock.now()),
      requiredClaims: ['exp'],
    }
  }

  #remember(token: string, payload: JWTPayload, caller: Caller, { rules }: Issuer): void {
    const expires = ((payload.exp ?? 0) + rules.clockSkewSeconds) * 1000
    const until = Math.min(expires, this.#clock.now() + maxTrustMs)
    const key = digest(token)
    this.#verified.delete(key)
    this.#verified.set(key, { caller, until })
    if (this.#verified.size <= maxRemembered) return
    for (const oldest of this.#verified.keys().take(1)) this.#verified.delete(oldest)
  }
}

type IssuedTokens = TokenDeclaration & { readonly issuer: string }

const isIssued = (declared: TokenDeclaration): declared is IssuedTokens => declared.issuer !== undefined

const openIssuer = (
  declared: IssuedTokens,
  {
    prefixes,
    folder,
    soleAccount,
    waits,
  }: Pick<Required<VerifierOptions>, 'folder' | 'soleAccount'> & {
    readonly prefixes: readonly string[]
    readonly waits: IssuerWaits
  },
): Issuer => {
  const rules = tokenRulesOf(declared, soleAccount)
  const { issuer, jwks } = declared
  return {
    rules,
    keys: jwks === undefined ? discoveredKeys(issuer, waits) : openTokenKeys(jwks, folder, waits),
    foreignPrefixes: prefixes.filter((prefix) => prefix.length > rules.prefix.length),
  }
}

const digest = (token: string): string => hash('sha256', token, 'base64')

const issuerIn = (token: string): string => {
  try {
    return decodeJwt(token).iss ?? ''
  } catch (error) {
    throw explain(error)
  }
}

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
  if (error instanceof errors.JWTClaimValidationFailed) return unexpectedClaim(error.claim)
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

const unexpectedClaim = (claim: string): Error =>
  credentialsInvalid(`The claim "${claim}" of the token is missing or not what this service expects.`)

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

const callerOf = (payload: JWTPayload, issuer: Issuer, soleAccount: string | null): Caller => {
  const { claims, prefix } = issuer.rules
  const account = claims.account === null ? soleAccount : textClaim(payload, claims.account)
  if (account === null) {
    throw credentialsInvalid(`The token has no claim "${claims.account}" that names an account.`)
  }
  const subject = subjectIn(payload, issuer)
  const named = ownName(payload, claims.consumer, issuer)
  const client = named ?? subject ?? `${prefix}unknown`
  return {
    account,
    consumer: {
      id: `token:${client}`,
      name: client,
      kind: 'external',
      ...(named === null ? { isUnnamed: true } : {}),
    },
    scopes: new Set(scopesIn(claimIn(payload, claims.scopes))),
    subject,
    claims: freezeClaims(payload),
  }
}

const textClaim = (payload: JWTPayload, name: string): string | null => {
  const value = claimIn(payload, name)
  return typeof value === 'string' && isPlainName(value) ? value : null
}

/** The name of a subject or a consumer, with the prefix of its issuer. */
const ownName = (payload: JWTPayload, claim: string, { rules, foreignPrefixes }: Issuer): string | null => {
  const value = textClaim(payload, claim)
  const name = `${rules.prefix}${value}`
  if (value === null || !isPlainName(name)) return null
  const foreign = foreignPrefixes.find((prefix) => name.startsWith(prefix))
  if (foreign === undefined) return name
  throw credentialsInvalid(
    `The claim "${claim}" of the token begins with "${foreign}", which marks names of another issuer.`,
  )
}

/** A `sub` that cannot be used is refused, not ignored: without a subject the caller would have the Idempotency-Keys of the account. */
const subjectIn = (payload: JWTPayload, issuer: Issuer): string | null => {
  if (payload.sub === undefined) return null
  const subject = ownName(payload, 'sub', issuer)
  if (subject === null)
    throw credentialsInvalid(
      `The claim "sub" of the token is not a text of 1 to ${maxSubjectLength - issuer.rules.prefix.length} plain characters.`,
    )
  return subject
}

/** RFC 6749 §3.3 joins scopes with spaces; some issuers send a list. */
const scopesIn = (claim: unknown): string[] => {
  if (typeof claim === 'string') return claim.split(' ').filter((scope) => scope !== '')
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === 'string') : []
}
