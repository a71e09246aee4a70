import { type Clock, systemClock } from '../clock.ts'
import { type Consumer, noClaims } from '../request/caller.ts'
import type { JsonObject } from '../request/json-body.ts'
import type { Store, Transaction } from '../store/store.ts'
import { makeApiKey, randomCharacters } from './api-key.ts'
import { insertValues, keyStatements, type StoredKey, storedKeyOf } from './key-rows.ts'

export interface NewKey {
  readonly account: string
  readonly name: string
  /** `*` unless said. */
  readonly scopes?: readonly string[]
  /** `external` unless said. */
  readonly kind?: Consumer['kind']
  readonly contact?: string | null
  readonly expiresAt?: number | null
  readonly subject?: string | null
  /** None unless said. */
  readonly claims?: JsonObject
}

export interface MadeKey {
  /** Shown once, never stored. */
  readonly secret: string
  readonly key: StoredKey
}

export interface RotateOptions {
  readonly overlapMs: number
  readonly expiresAt?: number | null
}

/** A name that is taken, or that no key has: a mistake of the operator who asked. */
export class KeyMistake extends Error {}

/** The API keys in the store. Running processes notice a change within seconds (key-cache.ts). */
export class KeyRing {
  readonly #store: Store
  readonly #clock: Clock
  readonly #sql: ReturnType<typeof keyStatements>

  constructor(store: Store, clock: Clock = systemClock) {
    this.#store = store
    this.#clock = clock
    this.#sql = keyStatements(store.dialect)
  }

  create(wanted: NewKey): Promise<MadeKey> {
    return this.#store.transaction(async (tx) => {
      const [taken] = await this.#active(tx, wanted.account, wanted.name)
      if (taken) {
        throw new KeyMistake(
          `${wanted.account} already has a key named "${wanted.name}" (${taken.id}). Choose another name, or rotate or revoke that one.`,
        )
      }
      return this.#insert(tx, newKeyId(), wanted)
    })
  }

  /** Creates a key and revokes all others of that name. */
  replace(wanted: NewKey): Promise<MadeKey> {
    return this.#store.transaction(async (tx) => {
      await this.#revokeAll(tx, wanted.account, wanted.name)
      return this.#insert(tx, newKeyId(), wanted)
    })
  }

  /** The keys of one account, or of all. */
  async list(account: string | null): Promise<readonly StoredKey[]> {
    const { all, ofAccount } = this.#sql
    const rows = await (account === null ? this.#store.all(all, []) : this.#store.all(ofAccount, [account]))
    return rows.map(storedKeyOf)
  }

  /** Processes that know the key already may refuse the new scopes for some seconds. */
  async addScopes({ rowId, scopes }: StoredKey, more: readonly string[]): Promise<void> {
    await this.#store.writeOne(this.#sql.rescope, [rowId, JSON.stringify([...scopes, ...more])])
  }

  /** Revokes all keys of that name, and resolves with their number. */
  revoke(account: string, name: string): Promise<number> {
    return this.#store.transaction((tx) => this.#revokeAll(tx, account, name))
  }

  /** A new secret for the key of that name; the old one works for `overlapMs` more. */
  rotate(account: string, name: string, options: RotateOptions): Promise<MadeKey> {
    return this.#store.transaction(async (tx) => {
      const now = this.#clock.now()
      const old = (await this.#active(tx, account, name)).at(-1)
      if (!old) throw new KeyMistake(`${account} has no key named "${name}" that could be rotated.`)
      const until = Math.min(now + options.overlapMs, old.expiresAt ?? Number.POSITIVE_INFINITY)
      // The new secret takes over the id, so that usage and contacts of this consumer stay under one id.
      await tx.all(this.#sql.retire, [old.rowId, `${old.id}.${randomCharacters(6)}`, until])
      return this.#insert(tx, old.id, { ...old, expiresAt: options.expiresAt ?? renewedExpiry(old, now) })
    })
  }

  async #insert(tx: Transaction, id: string, wanted: NewKey): Promise<MadeKey> {
    const { secret, hash } = makeApiKey()
    const { account, name, scopes = ['*'], kind = 'external', contact = null, expiresAt = null } = wanted
    const prefix = secret.slice(0, 7)
    const { subject = null, claims = noClaims } = wanted
    const who = { id, account, name, scopes, kind, contact, subject, claims }
    const createdAt = this.#clock.now()
    const row = await tx.first(this.#sql.insert, insertValues({ ...who, hash, prefix, createdAt, expiresAt }))
    if (!row) throw new Error('nounkit_api_keys did not return the key that was inserted')
    return { secret, key: storedKeyOf(row) }
  }

  async #active(tx: Transaction, account: string, name: string): Promise<StoredKey[]> {
    const rows = await tx.all(this.#sql.byName, [account, name])
    return rows.map(storedKeyOf).filter((key) => isActive(key, this.#clock.now()))
  }

  async #revokeAll(tx: Transaction, account: string, name: string): Promise<number> {
    const keys = await this.#active(tx, account, name)
    for (const key of keys) await tx.all(this.#sql.revoke, [key.rowId, this.#clock.now()])
    return keys.length
  }
}

export const isActive = (key: StoredKey, now: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt)

const newKeyId = (): string => `key_${randomCharacters(12)}`

/** A key that was made for 90 days is rotated for 90 days more. */
const renewedExpiry = (old: StoredKey, now: number): number | null =>
  old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt)
