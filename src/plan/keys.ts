import type { FieldKind } from '../kinds/kinds.ts'
import { ident } from './dialect.ts'

/** Where keys are kept with their answers. */
export const keyTable = 'nounkit_idempotency'

/** Stored beside each fingerprint, so that a later way of making them still honours keys made by this one. */
const fingerprintVersion = 1

/** What the row of every key says at first. */
const keyConstants: { readonly [column: string]: string } = {
  fingerprint_version: String(fingerprintVersion),
  status: '201',
}

/** What is bound for the row of a key, after the account. */
const keyColumns = [
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
    columns: names.map(ident).join(', '),
    values: [account, ...bound, ...Object.values(keyConstants)].join(', '),
  }
}

/** Inserts a key with its answer, or nothing when the key exists. */
export function insertKey(account: string, bind: Bind): string {
  const { columns, values } = keyRow(account, bind)
  return `INSERT INTO ${ident(keyTable)} (${columns}) VALUES (${values}) ON CONFLICT DO NOTHING`
}

/** What a replay needs to know. */
export const answerColumns = '"fingerprint", "status", "body", "location", "etag", "row_id", "expires_at"'

/** What is set when a key is completed, in this order. */
const completedColumns = ['body', 'etag', 'completed_at', 'expires_at'] as const

export const completeAnswer = (bind: Bind): string =>
  `SET ${completedColumns.map((name, index) => `${ident(name)} = ${bind(index, kinds[name] ?? 'string')}`).join(', ')}`
