import { type Consumer, consumerKinds, freezeClaims, noClaims } from '../call/caller.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import type { FieldKind } from '../kinds/kinds.ts'
import { type Maybe, whenThere } from '../maybe.ts'
import { type Bind, statement } from '../plan/bound-statement.ts'
import { type Dialect, ident, idents } from '../plan/dialect.ts'
import { firstRow } from '../store/run-statement.ts'
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
/** The columns that list keys, in the order of `listedKeyOf`. */
const listed = [...columns, 'hash']
const jsonColumns: ReadonlySet<string> = new Set(['scopes', 'claims'])

function kindOf(column: string): FieldKind {
  if (jsonColumns.has(column)) return 'json'
  return column.endsWith('_at') ? 'integer' : 'string'
}

export interface InsertedKey extends Omit<StoredKey, 'rowId' | 'revokedAt'> {
  readonly hash: string
}

/** The columns of a new key, with their values. */
function cellsOf(key: InsertedKey): { readonly [column: string]: Value } {
  const { id, account, name, hash, prefix, kind, contact, createdAt, expiresAt, subject } = key
  const scopes = JSON.stringify(key.scopes)
  const claims = Object.keys(key.claims).length === 0 ? null : JSON.stringify(key.claims)
  const times = { created_at: createdAt, expires_at: expiresAt }
  return { id, account_id: account, name, hash, prefix, scopes, kind, contact, ...times, subject, claims }
}

/** Every statement about keys, for one database. */
export const keyStatements = (dialect: Dialect) => {
  const expressions = (names: readonly string[]) =>
    names.map((column) =>
      jsonColumns.has(column) ? dialect.json(ident(column), 'json', true) : ident(column),
    )
  const shown = expressions(columns).join(', ')
  const list = `SELECT ${expressions(listed).join(', ')} FROM ${table}`
  /** Where a column has a value, or sets it. */
  const equals = (bind: Bind, column: string, value: Value): string =>
    `${ident(column)} = ${bind(kindOf(column), value)}`
  return {
    byHash: (hash: string) =>
      statement(dialect, (bind) => `SELECT ${shown} FROM ${table} WHERE ${equals(bind, 'hash', hash)}`),
    ofAccount: (account: string) =>
      statement(dialect, (bind) => `${list} WHERE ${equals(bind, 'account_id', account)}`),
    ofId: (account: string, id: string) =>
      statement(
        dialect,
        (bind) => `${list} WHERE ${equals(bind, 'account_id', account)} AND ${equals(bind, 'id', id)}`,
      ),
    ofAll: () => statement(dialect, () => list),
    /** The same for a node that is asked by itself. */
    onNode: { table: 'nounkit_api_keys', columns: expressions(listed) },
    insert: (key: InsertedKey) =>
      statement(dialect, (bind) => {
        const cells = Object.entries(cellsOf(key))
        const names = idents(cells.map(([column]) => column))
        const values = cells.map(([column, value]) => bind(kindOf(column), value))
        return `INSERT INTO ${table} (${names}) VALUES (${values.join(', ')}) RETURNING ${shown}`
      }),
    revoke: (hash: string, at: number) =>
      statement(
        dialect,
        (bind) => `UPDATE ${table} SET ${equals(bind, 'revoked_at', at)} WHERE ${equals(bind, 'hash', hash)}`,
      ),
    rescope: (rowId: string, scopes: readonly string[]) =>
      statement(
        dialect,
        (bind) =>
          `UPDATE ${table} SET ${equals(bind, 'scopes', JSON.stringify(scopes))} WHERE ${equals(bind, 'id', rowId)}`,
      ),
    /** The key of a secret that was replaced: it gets another id, and ends. */
    retire: (hash: string, id: string, until: number) =>
      statement(
        dialect,
        (bind) =>
          `UPDATE ${table} SET ${equals(bind, 'id', id)}, ${equals(bind, 'expires_at', until)} WHERE ${equals(bind, 'hash', hash)}`,
      ),
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
    return whenThere(firstRow(store, byHash(hash), hash), keyIn)
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
    kind: consumerKinds.find((one) => one === kind) ?? 'external',
    contact: textOrNull(contact),
    createdAt: Number(createdAt),
    expiresAt: numberOrNull(expiresAt),
    revokedAt: numberOrNull(revokedAt),
    subject: textOrNull(subject),
    claims: freezeClaims(JSON.parse(String(claims ?? 'null')) ?? noClaims),
  }
}
