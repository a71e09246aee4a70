import type { FieldKind } from '../kinds/kinds.ts'
import { type Dialect, ident, idents } from './dialect.ts'
import type { RowArray } from './row-array.ts'
import { type RowStatement, rowStatement } from './row-statements.ts'
import { rowsOfAccount } from './rows-of-account.ts'
import { Binds } from './statement.ts'

/** Who changed which row, and what operators did. Rows are inserted, and deleted by age or with their account; nobody changes one. */
export const auditTable = 'nounkit_audit_entries'

/** The columns of an entry besides the account, in the order in which statements bind and read them. */
export const auditColumns = [
  'id',
  'created_at',
  'action',
  'resource',
  'row_id',
  'consumer',
  'subject',
  'operator',
  'request_id',
  'version',
  'unseen',
  'data',
  'before',
] as const

const kindOf = (column: string): FieldKind => (column === 'created_at' ? 'integer' : 'string')

const typedColumns = auditColumns.map((name) => ({ name, kind: kindOf(name) }))

/** Gives the parameter of a column. */
type Bind = (index: number, kind: FieldKind) => string

const columns = idents(['account_id', ...auditColumns])

/** Inserts one entry. `from` ends the statement where the entry depends on a query: `FROM claim`. */
export function insertEntry(account: string, bind: Bind, from = ''): string {
  const row = [account, ...auditColumns.map((name, index) => bind(index, kindOf(name)))].join(', ')
  return `INSERT INTO ${ident(auditTable)} (${columns}) ${from === '' ? `VALUES (${row})` : `SELECT ${row} ${from}`}`
}

/** Entries of one transaction: who asked is the same in all of them, and mostly they are of one resource. */
export const entryArray: RowArray = {
  table: auditTable,
  columns: typedColumns,
  common: auditColumns.filter((name) => !['id', 'row_id', 'data'].includes(name)),
}

/** Inserts one entry. Binds its columns. */
export function insertEntryAlone(dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const account = binds.use('account', 'id')
  return rowStatement(
    insertEntry(account, (index, kind) => binds.use(index, kind)),
    binds,
  )
}

/** Inserts so many entries of one account. Binds the columns of each. */
export function insertEntries(dialect: Dialect, count: number): RowStatement {
  const binds = new Binds(dialect)
  const rows = rowsOfAccount(binds, typedColumns, count)
  return rowStatement(`INSERT INTO ${ident(auditTable)} (${columns}) ${rows}`, binds)
}
