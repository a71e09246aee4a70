import type { FieldKind } from '../kinds/kinds.ts'
import { ident, idents } from './dialect.ts'

/** The table of Idempotency-Keys and their stored answers. */
export const keyTable = 'nounkit_idempotency'

/** Stored beside each fingerprint, so that a release that computes fingerprints in another way can still recognise older ones. */
const fingerprintVersion = 1

/** Columns with the same value in every new row. */
const keyConstants: { readonly [column: string]: string } = {
  fingerprint_version: String(fingerprintVersion),
  status: '201',
}

/** The columns that are bound for a new row, after the account. */
export const keyColumns = [
  'key',
  'fingerprint',
  'location',
  'row_id',
  'completed_at',
  'expires_at',
  'body',
  'etag',
] as const

type KeyColumn = (typeof keyColumns)[number] | (typeof completedColumns)[number]

const kinds: { readonly [C in KeyColumn]?: FieldKind } = { completed_at: 'integer', expires_at: 'integer' }

/** Gives the parameter of a column. */
type Bind = (index: number, kind: FieldKind) => string

/** The columns and values of the row of a key. */
export function keyRow(account: string, bind: Bind): { columns: string; values: string } {
  const bound = keyColumns.map((name, index) => bind(index, kinds[name] ?? 'string'))
  const names = ['account_id', ...keyColumns, ...Object.keys(keyConstants)]
  return {
    columns: idents(names),
    values: [account, ...bound, ...Object.values(keyConstants)].join(', '),
  }
}

/** Inserts a key with its answer; fails when the key exists. */
export function insertNewKey(account: string, bind: Bind): string {
  const { columns, values } = keyRow(account, bind)
  return `INSERT INTO ${ident(keyTable)} (${columns}) VALUES (${values})`
}

/** The same, but writes nothing when the key exists. */
export const insertKey = (account: string, bind: Bind): string =>
  `${insertNewKey(account, bind)} ON CONFLICT DO NOTHING`

/** The columns that a replay reads. */
export const answerColumns = '"fingerprint", "status", "body", "location", "etag", "row_id", "expires_at"'

/** The columns that are set when a key is completed, in this order. */
const completedColumns = ['body', 'etag', 'completed_at', 'expires_at'] as const

/** The columns that a claim gets when it is answered. */
const answeredColumns = ['location', 'row_id', ...completedColumns] as const

/** The same for a claim that was committed before its answer was known, and that has no row yet. */
export const answerClaim = (bind: Bind): string =>
  `SET ${answeredColumns.map((name, index) => `${ident(name)} = ${bind(index, kinds[name] ?? 'string')}`).join(', ')}`

export const completeAnswer = (bind: Bind): string =>
  `SET ${completedColumns.map((name, index) => `${ident(name)} = ${bind(index, kinds[name] ?? 'string')}`).join(', ')}`
