import type { FieldKind } from '../kinds/kinds.ts'
import type { BoundValue } from './bind.ts'
import { type Dialect, ident, idents, type TypedColumn } from './dialect.ts'
import { type RowStatement, rowStatement } from './row-statements.ts'
import { Binds } from './statement.ts'

/** Rows that one INSERT takes as a JSON array of arrays. */
export interface RowArray {
  readonly table: string
  /** In the order of the values of a row. */
  readonly columns: readonly TypedColumn[]
  /**
   * Those that mostly have one value in all rows, such as the time. Where they all do, that value is bound once: a database takes
   * about a microsecond to read a value out of the array.
   */
  readonly common: readonly string[]
}

export interface ArrayValues {
  /** All rows have the same values in the common columns. */
  readonly alike: boolean
  /** The array, and after it, where they are alike, the values of the common columns. */
  readonly values: readonly BoundValue[]
}

export function arrayValues(
  { columns, common }: RowArray,
  rows: readonly (readonly BoundValue[])[],
): ArrayValues {
  const [first = []] = rows
  const isCommon = columns.map(({ name }) => common.includes(name))
  const alike = rows.every((row) => isCommon.every((is, at) => !is || row[at] === first[at]))
  if (!alike) return { alike, values: [JSON.stringify(rows)] }
  const own = rows.map((row) => row.filter((_, at) => !isCommon[at]))
  return { alike, values: [JSON.stringify(own), ...first.filter((_, at) => isCommon[at])] }
}

/** How many values an array binds. */
export const arraySize = ({ common }: RowArray, alike: boolean): number => (alike ? 1 + common.length : 1)

/** Gives the parameter of one of several values. */
export type BindAt = (index: number, kind: FieldKind) => string

/** A SELECT of the rows, to be named `g`, and what stands for a column beside it. `bind` gives the parameters of `arrayValues`. */
export function arraySql(
  dialect: Dialect,
  { columns, common }: RowArray,
  alike: boolean,
  bind: BindAt,
): { readonly rows: string; readonly columnSql: (column: string) => string } {
  const isOnce = ({ name }: TypedColumn): boolean => alike && common.includes(name)
  const rows = dialect.rowsIn(
    bind(0, 'string'),
    columns.filter((column) => !isOnce(column)),
  )
  // As a query of its own a value is read from its text once, and not for each row.
  const once = columns
    .filter(isOnce)
    .map(({ name, kind }, at): [string, string] => [name, `(SELECT ${bind(at + 1, kind)})`])
  const values = new Map(once)
  return { rows, columnSql: (column) => values.get(column) ?? `g.${ident(column)}` }
}

/** Inserts rows of one account, in the order of an array. `from` is one more table that they depend on: `, claim`. */
export function insertArray(
  dialect: Dialect,
  array: RowArray,
  alike: boolean,
  account: string,
  bind: BindAt,
  from = '',
): string {
  const { rows, columnSql } = arraySql(dialect, array, alike, bind)
  const names = array.columns.map(({ name }) => name)
  const values = [account, ...names.map(columnSql)].join(', ')
  return `INSERT INTO ${ident(array.table)} (${idents(['account_id', ...names])}) SELECT ${values} FROM (${rows}) g${from}`
}

/** The same, as a statement. Binds the array. */
export function insertArrayAlone(array: RowArray, alike: boolean, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const account = binds.use('account', 'id')
  const text = insertArray(dialect, array, alike, account, (index, kind) => binds.use(index, kind))
  return rowStatement(text, binds)
}
