import { mostDecimals } from '../kinds/decimal.ts'
import { type FieldKind, kinds } from '../kinds/kinds.ts'
import type { Column, Table } from '../migrate/wanted/table.ts'
import { bound } from '../plan/bind.ts'
import { type Bound, statement } from '../plan/bound-statement.ts'
import { type Dialect, ident, idents } from '../plan/dialect.ts'
import { eventTable, headTable } from '../plan/events.ts'
import type { Row, Value } from '../store/store.ts'

/** Statements that copy whole tables from one database to another. Values are the same on every store when they are bound. */

/** With all decimals that a column holds, whatever the field shows. */
const exact = { 'x-scale': mostDecimals }

/** Texts of every kind are read with escapes: an account may have any name. */
const readAs = ({ kind }: Column): FieldKind => (kinds[kind].postgres.type === 'text' ? 'string' : kind)

/** JSON is copied as the text that it is: read as a value, a large number in it would be another. */
const isRaw = ({ kind }: Column): boolean => kinds[kind].mergesPatches

/** Rows by primary key: the first ones, or those after a key. */
export function selectPage({ name, columns, primaryKey }: Table, dialect: Dialect, page: Page): Bound {
  const cells = columns.map((column) =>
    isRaw(column)
      ? dialect.asText(ident(column.name))
      : dialect.json(ident(column.name), readAs(column), true, exact),
  )
  const key = idents(primaryKey)
  const kindOf = (part: string): FieldKind => columns.find((one) => one.name === part)?.kind ?? 'string'
  return statement(dialect, (bind) => {
    const after = page.after && primaryKey.map((part, at) => bind(kindOf(part), page.after?.[at] ?? null))
    const where = after ? ` WHERE (${key}) > (${after.join(', ')})` : ''
    return `SELECT ${cells.join(', ')} FROM ${ident(name)}${where} ORDER BY ${key} LIMIT ${page.rows}`
  })
}

interface Page {
  /** A primary key; null for the first rows. */
  readonly after: readonly Value[] | null
  readonly rows: number
}

/** The values of a row that `selectPage` read, as they are bound. */
export const boundCells = ({ columns }: Table, row: Row): readonly Value[] =>
  columns.map((column, at) => {
    const cell = row[at] ?? null
    if (cell === null || isRaw(column)) return cell
    return bound({ kind: readAs(column), schema: exact }, JSON.parse(String(cell)))
  })

/** The primary key among the values of a row. */
export const keyCells = ({ columns, primaryKey }: Table, values: readonly Value[]): readonly Value[] =>
  primaryKey.map((part) => values[columns.findIndex(({ name }) => name === part)] ?? null)

/** Inserts rows, of which all values are given. */
export function insertPage({ name, columns }: Table, dialect: Dialect, rows: readonly Row[]): Bound {
  const names = columns.map((column) => ident(column.name)).join(', ')
  return statement(dialect, (bind) => {
    const given = dialect.rowsIn(bind('string', JSON.stringify(rows)), columns)
    return `INSERT INTO ${ident(name)} (${names}) SELECT g.* FROM (${given}) g`
  })
}

export const anyRow = (table: string): string => `SELECT 1 FROM ${ident(table)} LIMIT 1`

/**
 * Stores the last position of each account's events, which SQLite finds among the events themselves. The first statement is for accounts
 * that have events, the second for those whose events were all deleted.
 */
export const lastPositions: readonly string[] = [
  `INSERT INTO ${ident(headTable)} ("account_id", "last", "swept") SELECT "account_id", max("position"), 0 FROM ${ident(eventTable)} WHERE 1 = 1 GROUP BY "account_id" ON CONFLICT ("account_id") DO UPDATE SET "last" = excluded."last" WHERE ${ident(headTable)}."last" < excluded."last"`,
  `UPDATE ${ident(headTable)} SET "last" = "swept" WHERE "last" < "swept"`,
]
