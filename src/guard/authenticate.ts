import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import type { Maybe } from '../maybe.ts'
import type { Caller } from '../request/caller.ts'
import type { PlainRequest } from '../request/exchange.ts'
import type { Store } from '../store/store.ts'
import { hashApiKey, looksLikeApiKey, typoInApiKey } from './api-key.ts'
import { ConnectionMemory } from './connection-memory.ts'
import { credentialsInvalid } from './credentials-invalid.ts'
import { type FailedAuthentication, noLimit } from './failed-authentication.ts'
import { type CachedKey, KeyCache, type KeyVerdict } from './key-cache.ts'
import { createKeyFinder } from './key-rows.ts'
import type { TokenVerifier } from './token-verifier.ts'

export interface Authenticator {
  /** The caller, or null when the request carries no credentials. Throws `credentials-invalid`, or 429 after too many of those. */
  authenticate(request: Pick<PlainRequest, 'headers' | 'address' | 'connection'>): Maybe<Caller | null>
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
  const keys = new KeyCache(createKeyFinder(store), clock)
  const memory = new ConnectionMemory(keys)
  const { tokens: declared } = model.declaration
  // A declaration without tokens does not load the library that verifies them.
  const tokens = declared
    ? new (await import('./token-verifier.ts')).TokenVerifier(declared, { clock, folder })
    : null

  return {
    authenticate({ headers, address, connection }) {
      if (headers.authorization === undefined) return null
      const header = String(headers.authorization)
      const recalled = connection ? memory.recall(connection, header) : null
      if (recalled) return recalled
      try {
        const caller = identify(header, {
          keys,
          tokens,
          refuseIfTooMany: () => failures.refuseIfTooMany(address),
          keep: (key) => connection && memory.keep(connection, header, key),
        })
        return caller instanceof Promise ? caller.catch(countFailure) : caller
      } catch (error) {
        return countFailure(error)
      }

      function countFailure(error: unknown): never {
        if (isFailedAuthentication(error)) {
          failures.refuseIfTooMany(address)
          failures.count(address)
        }
        throw error
      }
    },
  }
}

/** What identifying a caller needs. */
interface Means {
  readonly keys: KeyCache
  readonly tokens: TokenVerifier | null
  /** Throws for an address that has failed too often. It is called before any look-up or signature check, not for cached keys. */
  refuseIfTooMany(): void
  /** Remembers the key for the next call on the same connection. */
  keep(key: CachedKey): void
}

const identify = (header: string, means: Means): Maybe<Caller> => {
  const secret = bearerIn(header)
  if (looksLikeApiKey(secret)) return identifyKey(secret, means)
  const { tokens, refuseIfTooMany } = means
  if (!tokens) throw credentialsInvalid('The credentials are not an API key: one starts with "nk_".')
  const remembered = tokens.remembered(secret)
  if (remembered) return remembered
  refuseIfTooMany()
  return tokens.verify(secret)
}

const identifyKey = (secret: string, { keys, refuseIfTooMany, keep }: Means): Maybe<Caller> => {
  const digest = hashApiKey(secret)
  const verdict = keys.peek(digest)
  if (verdict !== null) {
    const known = keys.find(digest)
    if (known) keep(known)
    return admit(verdict)
  }
  const typo = typoInApiKey(secret)
  if (typo !== null) throw credentialsInvalid(typo)
  refuseIfTooMany()
  const loaded = keys.load(digest)
  return loaded instanceof Promise ? loaded.then(admit) : admit(loaded)
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

const admit = (verdict: KeyVerdict): Caller => {
  if (typeof verdict === 'string') throw credentialsInvalid(refusals[verdict])
  return verdict
}

const isFailedAuthentication = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'credentials-invalid'
