import { type Consumer, freezeClaims, noClaims } from '../call/caller.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import type { Maybe } from '../maybe.ts'
import { type Dialect, ident, idents } from '../plan/dialect.ts'
import { numberOrNull, type Row, type Store, textOrNull, type Value } from '../store/store.ts'

export interface StoredKey {
  /** The consumer's id, which stays the same when the key is rotated. */
  readonly id: string
  /** The id of the row. After a rotation, the row of the old secret has the consumer's id and a suffix. */
  readonly rowId: string
  readonly account: string
  readonly name: string
  /** The first characters of the secret, by which a person recognises it. */
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly kind: Consumer['kind']
  readonly contact: string | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly subject: string | null
  /** Frozen. */
  readonly claims: JsonObject
}

const table = ident('nounkit_api_keys')
/** The columns that are read, in the order of `storedKeyOf`. */
const columns =
  'id account_id name prefix scopes kind contact created_at expires_at revoked_at subject claims'.split(' ')
/** The columns of a new key, in the order of `insertValues`. */
const inserted =
  'id account_id name hash prefix scopes kind contact created_at expires_at subject claims'.split(' ')
/** The columns that list keys, in the order of `listedKeyOf`. */
const listed = [...columns, 'hash']
const jsonColumns: ReadonlySet<string> = new Set(['scopes', 'claims'])

export interface InsertedKey {
  readonly id: string
  readonly account: string
  readonly name: string
  readonly hash: string
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly kind: Consumer['kind']
  readonly contact: string | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly subject: string | null
  readonly claims: JsonObject
}

export const insertValues = (key: InsertedKey): readonly Value[] => {
  const { id, account, name, hash, prefix, kind, contact, createdAt, expiresAt, subject } = key
  const scopes = JSON.stringify(key.scopes)
  const claims = Object.keys(key.claims).length === 0 ? null : JSON.stringify(key.claims)
  return [id, account, name, hash, prefix, scopes, kind, contact, createdAt, expiresAt, subject, claims]
}

/** The text of every statement about keys, for one database. */
export const keyStatements = (dialect: Dialect) => {
  const text = (n: number) => dialect.param(n, 'string')
  const time = (n: number) => dialect.param(n, 'integer')
  const expressions = (names: readonly string[]) =>
    names.map((column) =>
      jsonColumns.has(column) ? dialect.json(ident(column), 'json', true) : ident(column),
    )
  const shown = expressions(columns).join(', ')
  const list = `SELECT ${expressions(listed).join(', ')} FROM ${table}`
  const values = inserted.map((column, i) => {
    if (jsonColumns.has(column)) return dialect.param(i + 1, 'json')
    return column.endsWith('_at') ? time(i + 1) : text(i + 1)
  })
  return {
    byHash: `SELECT ${shown} FROM ${table} WHERE "hash" = ${text(1)}`,
    ofAccount: `${list} WHERE "account_id" = ${text(1)}`,
    ofId: `${list} WHERE "account_id" = ${text(1)} AND "id" = ${text(2)}`,
    all: list,
    /** The same for a node that is asked by itself. */
    onNode: { table: 'nounkit_api_keys', columns: expressions(listed) },
    insert: `INSERT INTO ${table} (${idents(inserted)}) VALUES (${values.join(', ')}) RETURNING ${shown}`,
    revoke: `UPDATE ${table} SET "revoked_at" = ${time(2)} WHERE "hash" = ${text(1)}`,
    rescope: `UPDATE ${table} SET "scopes" = ${dialect.param(2, 'json')} WHERE "id" = ${text(1)}`,
    retire: `UPDATE ${table} SET "id" = ${text(2)}, "expires_at" = ${time(3)} WHERE "hash" = ${text(1)}`,
  }
}

/** Where the API has one account, a key that was made for another one before is none. */
export const createKeyFinder = (
  store: Store,
  soleAccount: string | null,
): ((hash: string) => Maybe<StoredKey | undefined>) => {
  const { byHash } = keyStatements(store.dialect)
  const keyIn = (row: Row | undefined): StoredKey | undefined => {
    const key = row && storedKeyOf(row)
    return key && (soleAccount === null || key.account === soleAccount) ? key : undefined
  }
  return (hash) => {
    const row = store.first(byHash, [hash], hash)
    return row instanceof Promise ? row.then(keyIn) : keyIn(row)
  }
}

export interface ListedKey {
  readonly key: StoredKey
  readonly hash: string
}

export const listedKeyOf = (row: Row): ListedKey => ({ key: storedKeyOf(row), hash: String(row.at(-1)) })

export const storedKeyOf = (row: Row): StoredKey => {
  const [id, account, name, prefix, scopes, kind, contact, createdAt, expiresAt, revokedAt, subject, claims] =
    row
  const rowId = String(id)
  return {
    id: rowId.split('.', 1)[0] ?? rowId,
    rowId,
    account: String(account),
    name: String(name),
    prefix: String(prefix ?? ''),
    scopes: JSON.parse(String(scopes ?? 'null')) ?? [],
    kind: kind === 'internal' || kind === 'probe' ? kind : 'external',
    contact: textOrNull(contact),
    createdAt: Number(createdAt),
    expiresAt: numberOrNull(expiresAt),
    revokedAt: numberOrNull(revokedAt),
    subject: textOrNull(subject),
    claims: freezeClaims(JSON.parse(String(claims ?? 'null')) ?? noClaims),
  }
}
