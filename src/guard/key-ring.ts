import { type Clock, systemClock } from '../clock.ts'
import type { Consumer } from '../request/caller.ts'
import type { Row, Store, Transaction } from '../store/store.ts'
import { makeApiKey, randomCharacters } from './api-key.ts'
import { keyColumns, keyStatements, type StoredKey, storedKeyOf } from './key-rows.ts'

export interface NewKey {
  readonly account: string
  readonly name: string
  /** All (`*`) unless said. */
  readonly scopes?: readonly string[]
  /** `external` unless said. */
  readonly kind?: Consumer['kind']
  readonly contact?: string | null
  readonly expiresAt?: number | null
}

export interface MadeKey {
  /** Shown once, never stored. */
  readonly secret: string
  readonly key: StoredKey
}

/** The keys in the store. Running processes follow within seconds (key-cache.ts). */
export interface KeyRing {
  create(wanted: NewKey): Promise<MadeKey>
  /** As `create`, in place of all keys of that name. */
  replace(wanted: NewKey): Promise<MadeKey>
  /** Of one account, or of all. */
  list(account: string | null): Promise<readonly StoredKey[]>
  /** Ends all keys of that name; returns how many there were. */
  revoke(account: string, name: string): Promise<number>
  /** A new secret for the key of that name; the old one works for `overlapMs` more. */
  rotate(account: string, name: string, options: RotateOptions): Promise<MadeKey>
}

export interface RotateOptions {
  readonly overlapMs: number
  readonly expiresAt?: number | null
}

/** A name that is taken, or that no key has: said to the person who asked. */
export class KeyMistake extends Error {}

export const createKeyRing = (store: Store, clock: Clock = systemClock): KeyRing => {
  const sql = keyStatements(store.dialect)

  const insert = async (tx: Transaction, id: string, wanted: NewKey): Promise<MadeKey> => {
    const { secret, hash } = makeApiKey()
    const { account, name, scopes = ['*'], kind = 'external', contact = null, expiresAt = null } = wanted
    const values = [
      id,
      account,
      name,
      hash,
      secret.slice(0, 7),
      JSON.stringify(scopes),
      kind,
      contact,
      clock.now(),
      expiresAt,
    ]
    const row = await tx.first(sql.insert, values)
    return { secret, key: storedKeyOf(required(row)) }
  }
  const active = async (tx: Transaction, account: string, name: string): Promise<StoredKey[]> => {
    const rows = await tx.all(sql.byName, [account, name])
    return rows.map(storedKeyOf).filter((key) => isActive(key, clock.now()))
  }
  const endAll = async (tx: Transaction, account: string, name: string): Promise<number> => {
    const keys = await active(tx, account, name)
    for (const key of keys) await tx.all(sql.revoke, [key.rowId, clock.now()])
    return keys.length
  }

  return {
    create: (wanted) =>
      store.transaction(async (tx) => {
        const [taken] = await active(tx, wanted.account, wanted.name)
        if (taken) {
          throw new KeyMistake(
            `${wanted.account} already has a key named "${wanted.name}" (${taken.id}). Choose another name, or rotate or revoke that one.`,
          )
        }
        return insert(tx, newKeyId(), wanted)
      }),
    replace: (wanted) =>
      store.transaction(async (tx) => {
        await endAll(tx, wanted.account, wanted.name)
        return insert(tx, newKeyId(), wanted)
      }),
    list: async (account) => {
      const rows = account === null ? await store.all(sql.all, []) : await store.all(sql.ofAccount, [account])
      return rows.map(storedKeyOf)
    },
    revoke: (account, name) => store.transaction((tx) => endAll(tx, account, name)),
    rotate: (account, name, options) =>
      store.transaction(async (tx) => {
        const old = (await active(tx, account, name)).at(-1)
        if (!old) throw new KeyMistake(`${account} has no key named "${name}" that could be rotated.`)
        const until = Math.min(clock.now() + options.overlapMs, old.expiresAt ?? Number.POSITIVE_INFINITY)
        // The new secret takes over the id, so that usage and contacts of this consumer go on under it.
        await tx.all(sql.retire, [old.rowId, `${old.id}.${randomCharacters(6)}`, until])
        return insert(tx, old.id, { ...old, expiresAt: options.expiresAt ?? renewedExpiry(old, clock.now()) })
      }),
  }
}

export const isActive = (key: StoredKey, now: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt)

const newKeyId = (): string => `key_${randomCharacters(12)}`

/** A key that was made for 90 days is rotated for 90 days more. */
const renewedExpiry = (old: StoredKey, now: number): number | null =>
  old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt)

const required = (row: Row | undefined): Row => {
  if (row && row.length === keyColumns) return row
  throw new Error('nounkit_api_keys did not return the key that was inserted')
}
