import type { Caller } from '../call/caller.ts'
import type { PlainRequest } from '../call/exchange.ts'
import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { type Maybe, whenThere } from '../maybe.ts'
import type { Store } from '../store/store.ts'
import { hashApiKey, looksLikeApiKey, typoInApiKey } from './api-key.ts'
import { ConnectionMemory } from './connection-memory.ts'
import { credentialsInvalid } from './credentials-invalid.ts'
import { type FailedAuthentication, noLimit } from './failed-authentication.ts'
import { type CachedKey, type CallerOrRefusal, KeyCache } from './key-cache.ts'
import { createKeyFinder } from './key-rows.ts'
import type { TokenVerifier } from './token-verifier.ts'

export interface Authenticator {
  /** The caller, or null when the request carries no credentials. Throws `credentials-invalid`, or 429 in its place after too many of those. */
  authenticate(
    request: Pick<PlainRequest, 'headers' | 'address' | 'connection' | 'caller'>,
  ): Maybe<Caller | null>
}

export interface AuthenticatorOptions {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
  /** The folder of the declaration: paths in it are relative to this. */
  readonly folder: string
  readonly failures?: FailedAuthentication
}

export const createAuthenticator = async (options: AuthenticatorOptions): Promise<Authenticator> => {
  const { model, store, clock, folder, failures = noLimit } = options
  const { soleAccount } = model
  const keys = new KeyCache(createKeyFinder(store, soleAccount), clock)
  const memory = new ConnectionMemory(keys)
  const { tokens: declared } = model.declaration
  // A declaration without tokens does not load the library that verifies them.
  const tokens = declared
    ? new (await import('./token-verifier.ts')).TokenVerifier(declared, {
        clock,
        folder,
        soleAccount,
        mostWaiting: Math.ceil(model.limits.requestsInFlight / 10),
      })
    : null

  return {
    authenticate({ headers, address, connection, caller: stated }) {
      if (stated) return stated
      if (headers.authorization === undefined) return null
      const header = String(headers.authorization)
      const recalled = connection ? memory.recall(connection, header) : null
      if (recalled) return recalled
      try {
        const caller = identify(header, {
          keys,
          tokens,
          check: (work) => failures.check(address, work),
          keep: (key) => connection && memory.keep(connection, header, key),
        })
        return caller instanceof Promise ? caller.catch(countFailure) : caller
      } catch (error) {
        return countFailure(error)
      }

      function countFailure(error: unknown): never {
        if (isFailedAuthentication(error)) failures.count(address)
        throw error
      }
    },
  }
}

/** What identifying a caller needs. */
interface Means {
  readonly keys: KeyCache
  readonly tokens: TokenVerifier | null
  /** Makes a look-up or a signature check of credentials that are not known to be right, when the address may. */
  check(work: () => Maybe<Caller>): Maybe<Caller>
  /** Remembers the key for the next call on the same connection. */
  keep(key: CachedKey): void
}

const identify = (header: string, means: Means): Maybe<Caller> => {
  const secret = bearerIn(header)
  if (looksLikeApiKey(secret)) return identifyKey(secret, means)
  const { tokens, check } = means
  if (!tokens) throw credentialsInvalid('The credentials are not an API key: one starts with "nk_".')
  const remembered = tokens.remembered(secret)
  if (remembered) return remembered
  return tokens.wasRight(secret) ? tokens.verify(secret) : check(() => tokens.verify(secret))
}

const identifyKey = (secret: string, { keys, check, keep }: Means): Maybe<Caller> => {
  const digest = hashApiKey(secret)
  const found = keys.peek(digest)
  if (found !== null) {
    const known = keys.find(digest)
    if (known) keep(known)
    return admit(found)
  }
  const typo = typoInApiKey(secret)
  if (typo !== null) throw credentialsInvalid(typo)
  const load = (): Maybe<Caller> => whenThere(keys.load(digest), admit)
  return keys.find(digest)?.key ? load() : check(load)
}

const bearerIn = (header: string): string => {
  const match = /^Bearer +([\w\-.~+/]+=*) *$/i.exec(header)
  if (!match?.[1]) throw credentialsInvalid('The Authorization header is not of the form `Bearer <key>`.')
  return match[1]
}

const refusals = {
  unknown: 'This API key is not known here.',
  revoked: 'This API key was revoked.',
  expired: 'This API key has expired.',
}

const admit = (found: CallerOrRefusal): Caller => {
  if (typeof found === 'string') throw credentialsInvalid(refusals[found])
  return found
}

const isFailedAuthentication = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'credentials-invalid'
