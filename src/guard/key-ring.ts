import { type Consumer, noClaims } from '../call/caller.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import type { Act } from '../compile/service/acts.ts'
import { allRows, firstRow } from '../store/run-statement.ts'
import { type Store, StoreError, type Transaction } from '../store/store.ts'
import { recordActIn } from '../write/recorded-acts.ts'
import { makeApiKeyFor, randomCharacters } from './api-key.ts'
import { keyStatements, type ListedKey, listedKeyOf, type StoredKey, storedKeyOf } from './key-rows.ts'

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
  /** When the secret was made that is to be replaced: a form that is sent twice must not rotate twice. */
  readonly madeAt?: number
}

/** The name that a key may have. */
export const keyNameForm = /^[^\p{Cc}]{1,100}$/u

/** The most days for which a key is made: a hundred years, far below JavaScript's last date. */
export const mostKeyDays = 36_500

/** The keys of that name, or of that subject. */
type Meant = { readonly account: string } & ({ readonly name: string } | { readonly subject: string })

type StoreOrTransaction = Store | Transaction

/** What ends along with keys, in the same transaction: the store may run it again. `ids` are those of the consumers. */
export type Alongside = (tx: Transaction, ids: readonly string[]) => Promise<void>

/** A name that is taken, or that no key has: a mistake of the operator who asked. */
export class KeyMistake extends Error {}

/** The API keys in the store. Running processes notice a change within seconds (key-cache.ts). */
export class KeyRing {
  readonly #store: Store
  readonly #clock: Clock
  readonly #sql: ReturnType<typeof keyStatements>
  readonly #away = new Set<string>()
  readonly #operator: string | null

  /** `operator` is the name of who changes keys, for the audit. */
  constructor(store: Store, clock: Clock = systemClock, operator: string | null = null) {
    this.#store = store
    this.#clock = clock
    this.#operator = operator
    this.#sql = keyStatements(store.dialect)
  }

  /** The nodes of a cluster that did not answer, so that keys which may be there were not read. */
  get away(): readonly string[] {
    return [...this.#away]
  }

  create(wanted: NewKey): Promise<MadeKey> {
    return this.#changing({ account: wanted.account, name: wanted.name }, async ([taken], tx) => {
      if (taken) {
        throw new KeyMistake(
          `${wanted.account} already has a key named "${wanted.name}" (${taken.key.id}). Choose another name, or rotate or revoke that one.`,
        )
      }
      return this.#insert(tx, 'key-created', newKeyId(), wanted)
    })
  }

  /** Creates a key and revokes all others of that name. */
  replace(wanted: NewKey): Promise<MadeKey> {
    const { account, name } = wanted
    return this.#changing({ account, name }, async (active, tx) => {
      await this.#revokeAll(active, tx, { account, name })
      return this.#insert(tx, 'key-created', newKeyId(), wanted)
    })
  }

  /** The keys of one account, or of all. */
  async list(account: string | null): Promise<readonly StoredKey[]> {
    return (await this.#read(this.#store, account)).map(({ key }) => key)
  }

  /** Processes that know the key already may refuse the new scopes for some seconds. */
  async addScopes({ rowId, account, name, scopes }: StoredKey, more: readonly string[]): Promise<void> {
    await this.#store.transaction(async (tx) => {
      await allRows(tx, this.#sql.rescope(rowId, [...scopes, ...more]))
      await this.#record(tx, account, 'key-scopes-added', { name, id: rowId, scopes: [...more] })
    }, account)
  }

  /** Revokes all keys of that name, and resolves with their number. */
  revoke(account: string, name: string, alongside?: Alongside): Promise<number> {
    return this.#changing({ account, name }, (active, tx) =>
      this.#revokeAll(active, tx, { account, name }, alongside),
    )
  }

  /** Revokes all keys of a subject, and resolves with their number. */
  endSubject(account: string, subject: string, alongside: Alongside): Promise<number> {
    return this.#changing({ account, subject }, (active, tx) =>
      this.#revokeAll(active, tx, { account, subject }, alongside),
    )
  }

  /** A new secret for the key of that name; the old one works for `overlapMs` more. */
  rotate(account: string, name: string, options: RotateOptions): Promise<MadeKey> {
    return this.#changing({ account, name }, async (active, tx) => {
      const now = this.#clock.now()
      const { key: old, hash } = active.at(-1) ?? {}
      if (!old || !hash) throw new KeyMistake(`${account} has no key named "${name}" that could be rotated.`)
      if (options.madeAt !== undefined && options.madeAt !== old.createdAt)
        throw new KeyMistake(`"${name}" was rotated meanwhile. Look at it again before you rotate it.`)
      const until = Math.min(now + options.overlapMs, old.expiresAt ?? Number.POSITIVE_INFINITY)
      // The new secret takes over the id, so that usage and contacts of this consumer stay under one id.
      await allRows(tx, this.#sql.retire(hash, `${old.id}.${randomCharacters(6)}`, until))
      return this.#insert(tx, 'key-rotated', old.id, {
        ...old,
        expiresAt: options.expiresAt ?? renewedExpiry(old, now),
      })
    })
  }

  async #insert(
    tx: Transaction,
    act: 'key-created' | 'key-rotated',
    id: string,
    wanted: NewKey,
  ): Promise<MadeKey> {
    const { secret, hash } = makeApiKeyFor(wanted.account)
    const { account, name, scopes = ['*'], kind = 'external', contact = null, expiresAt = null } = wanted
    const prefix = secret.slice(0, 7)
    const { subject = null, claims = noClaims } = wanted
    const who = { id, account, name, scopes, kind, contact, subject, claims }
    const createdAt = this.#clock.now()
    const row = await firstRow(tx, this.#sql.insert({ ...who, hash, prefix, createdAt, expiresAt }))
    if (!row) throw new Error('nounkit_api_keys did not return the key that was inserted')
    await this.#record(tx, account, act, {
      name,
      id,
      scopes: [...scopes],
      subject,
      expires_at: timeOf(expiresAt),
    })
    return { secret, key: storedKeyOf(row) }
  }

  /**
   * Gives `work` the active keys of that name, or that subject, and a transaction. On a cluster they are read before it: a statement that fails because a node
   * is away would end the transaction.
   */
  async #changing<T>(
    { account, ...wanted }: Meant,
    work: (active: readonly ListedKey[], tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const read = async (from: StoreOrTransaction) => {
      const keys = await this.#read(from, account)
      const isMeant = (key: StoredKey): boolean =>
        'name' in wanted ? key.name === wanted.name : key.subject === wanted.subject
      return keys.filter(({ key }) => isMeant(key) && isActive(key, this.#clock.now()))
    }
    const before = this.#store.allReachable ? await read(this.#store) : null
    return this.#store.transaction(async (tx) => work(before ?? (await read(tx)), tx), account)
  }

  /** The keys of one account or of all. While a node of a cluster is away, the keys of the other nodes. */
  async #read(from: StoreOrTransaction, account: string | null): Promise<readonly ListedKey[]> {
    const { ofAll, ofAccount } = this.#sql
    // A node that was away is not waited for again.
    if (this.#away.size > 0) return this.#readReachable(account)
    try {
      const rows = await allRows(from, account === null ? ofAll() : ofAccount(account))
      return rows.map(listedKeyOf).sort(byNameAndAge)
    } catch (error) {
      const isAway = error instanceof StoreError && error.kind === 'unavailable'
      if (!isAway || !this.#store.allReachable) throw error
      return this.#readReachable(account)
    }
  }

  async #readReachable(account: string | null): Promise<readonly ListedKey[]> {
    const equal = account === null ? {} : { account_id: account }
    const found = await this.#store.allReachable?.({ ...this.#sql.onNode, equal })
    for (const node of found?.away ?? []) this.#away.add(node)
    return (found?.rows ?? []).map(listedKeyOf).sort(byNameAndAge)
  }

  async #revokeAll(
    keys: readonly ListedKey[],
    tx: Transaction,
    { account, ...meant }: Meant,
    alongside?: Alongside,
  ): Promise<number> {
    for (const { hash } of keys) await allRows(tx, this.#sql.revoke(hash, this.#clock.now()))
    const ids = [...new Set(keys.map(({ key }) => key.id))]
    await alongside?.(tx, ids)
    const act = 'subject' in meant ? 'subject-ended' : 'key-revoked'
    if (keys.length > 0 || act === 'subject-ended')
      await this.#record(
        tx,
        account,
        act,
        'subject' in meant ? { subject: meant.subject, ids } : { name: meant.name, ids },
      )
    return keys.length
  }

  #record(tx: Transaction, account: string, act: Act, detail: JsonObject): Promise<void> {
    return recordActIn(tx, this.#clock.now(), { act, account, operator: this.#operator, detail })
  }
}

export const isActive = (key: StoredKey, now: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt)

const byNameAndAge = ({ key: a }: ListedKey, { key: b }: ListedKey): number =>
  compared(a.account, b.account) ||
  compared(a.name, b.name) ||
  a.createdAt - b.createdAt ||
  compared(a.rowId, b.rowId)

const compared = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A time that no date can be stays a number. */
const timeOf = (at: number | null): string | number | null =>
  at === null || Number.isNaN(new Date(at).getTime()) ? at : new Date(at).toISOString()

const newKeyId = (): string => `key_${randomCharacters(12)}`

/** A key that was made for 90 days is rotated for 90 days more. */
const renewedExpiry = (old: StoredKey, now: number): number | null =>
  old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt)
