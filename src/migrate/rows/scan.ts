import { bound } from '../../plan/bind.ts'
import { statement } from '../../plan/bound-statement.ts'
import { type Dialect, ident, idents } from '../../plan/dialect.ts'
import { allRows } from '../../store/run-statement.ts'
import type { Row, Session, Value } from '../../store/store.ts'
import type { ColumnShape } from '../record/shape.ts'
import { recast, type Typed } from './value-of-other-type.ts'

/** A session with the SQL of its database. */
export interface Reading {
  readonly session: Session
  readonly dialect: Dialect
}

/** A column as it is stored. */
export interface StoredColumn {
  readonly table: string
  readonly primaryKey: readonly string[]
  readonly column: string
  readonly shape: ColumnShape
}

/** What becomes of the values of a column under another kind or schema. */
export interface Scanned {
  /** Primary keys with the new value, as it is bound. */
  readonly fitting: readonly KeyedValue[]
  /** The rows whose value the field does not allow. */
  readonly unfit: readonly Unfit[]
}

export interface Unfit {
  /** The primary key. */
  readonly key: Row
  /** The value as JSON; null for a reference, whose value says nothing to a person. */
  readonly value: string | null
}

export interface KeyedValue {
  readonly key: Row
  readonly value: Value
}

const pageRows = 5_000

/** Reads every value that is set. `keep` is false where only the values that do not fit matter. */
export async function scanColumn(
  reading: Reading,
  stored: StoredColumn,
  to: Typed,
  keep: boolean,
): Promise<Scanned> {
  const fitting: KeyedValue[] = []
  const unfit: Unfit[] = []
  for await (const row of valuesOf(reading, stored)) {
    const [key, shown] = [row.slice(0, -1), JSON.parse(String(row.at(-1)))]
    const value = recast(shown, stored.shape.kind, to)
    if (value === undefined) unfit.push({ key, value: JSON.stringify(shown) })
    else if (keep) fitting.push({ key, value: bound(to, value) })
  }
  return { fitting, unfit }
}

const valuesOf = (
  reading: Reading,
  { table, primaryKey, column, shape }: StoredColumn,
): AsyncGenerator<Row> =>
  keyedRows(
    reading,
    { table, primaryKey },
    [reading.dialect.json(ident(column), shape.kind, false, shape.schema ?? {})],
    `${ident(column)} IS NOT NULL`,
  )

/** The primary keys of all rows with some values, in pages. */
export async function* keyedRows(
  { session, dialect }: Reading,
  { table, primaryKey }: Pick<StoredColumn, 'table' | 'primaryKey'>,
  values: readonly string[],
  condition = '1 = 1',
): AsyncGenerator<Row> {
  const keys = idents(primaryKey)
  let last: Row | null = null
  for (;;) {
    const page = statement(dialect, (bind) => {
      const after = last?.map((part) => bind('id', part)).join(', ')
      const position = after ? ` AND (${keys}) > (${after})` : ''
      return `SELECT ${[keys, ...values].join(', ')} FROM ${ident(table)} WHERE ${condition}${position} ORDER BY ${keys} LIMIT ${pageRows}`
    })
    const rows: readonly Row[] = await allRows(session, page)
    yield* rows
    if (rows.length < pageRows) return
    last = rows.at(-1)?.slice(0, primaryKey.length) ?? null
  }
}

/** The rows whose reference leads to no row of the target: all of them where that is a new table. */
export async function strayReferences(
  { session }: Reading,
  { table, primaryKey, column }: Omit<StoredColumn, 'shape'>,
  target: { readonly table: string; readonly shared: boolean } | null,
): Promise<readonly Unfit[]> {
  const account = target?.shared ? '' : ' AND t."account_id" = s."account_id"'
  const isStray =
    target === null
      ? ''
      : ` AND NOT EXISTS (SELECT 1 FROM ${ident(target.table)} AS t WHERE t."id" = s.${ident(column)}${account})`
  const keys = primaryKey.map((name) => `s.${ident(name)}`).join(', ')
  const rows = await session.all(
    `SELECT ${keys} FROM ${ident(table)} AS s WHERE s.${ident(column)} IS NOT NULL${isStray}`,
  )
  return rows.map((key) => ({ key, value: null }))
}

export const countRows = async ({ session }: Reading, table: string): Promise<number> =>
  Number((await session.all(`SELECT count(*) FROM ${ident(table)}`))[0]?.[0])

/** The rows in which a column is set, or those in which it is not. */
export const countSet = async (
  { session }: Reading,
  table: string,
  column: string,
  set: boolean,
): Promise<number> => {
  const where = `${ident(column)} IS ${set ? 'NOT ' : ''}NULL`
  return Number((await session.all(`SELECT count(*) FROM ${ident(table)} WHERE ${where}`))[0]?.[0])
}
