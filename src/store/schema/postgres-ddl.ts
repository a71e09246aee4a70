import { type FieldKind, kinds } from '../../kinds/kinds.ts'
import { ident, sqlText } from '../../plan/dialect.ts'
import { objectName } from './object-name.ts'
import type { Check, Column, ForeignKey, Index, Table } from './table.ts'

export const postgresType = (kind: FieldKind): string => kinds[kind].postgres.type

/** Collation "C" compares by code point, as SQLite does, whatever the language of the database. */
const typeWithCollation = (kind: FieldKind): string =>
  postgresType(kind) === 'text' ? 'text COLLATE "C"' : postgresType(kind)

const list = (names: readonly string[]): string => names.map(ident).join(', ')

const literal = (value: unknown, kind: FieldKind): string => kinds[kind].postgres.literal(value)

const columnText = ({ name, kind, nullable, default: value }: Column): string =>
  `${ident(name)} ${typeWithCollation(kind)}${nullable ? '' : ' NOT NULL'}${value === undefined ? '' : ` DEFAULT ${literal(value, kind)}`}`

const checkText = ({ name, column }: Check, values: readonly string[]): string =>
  `CONSTRAINT ${ident(name)} CHECK (${ident(column)} IN (${values.map(sqlText).join(', ')}))`

export const createTable = (table: Table): string => {
  const parts = [
    ...table.columns.map(columnText),
    `CONSTRAINT ${ident(objectName(table.name, ['primary'], 'key'))} PRIMARY KEY (${list(table.primaryKey)})`,
    ...table.checks.map((check) => checkText(check, check.values)),
  ]
  return `CREATE TABLE ${ident(table.name)} (\n  ${parts.join(',\n  ')}\n)`
}

const alter = (table: Table, what: string): string => `ALTER TABLE ${ident(table.name)} ${what}`

export const addColumn = (table: Table, column: Column): string =>
  alter(table, `ADD COLUMN ${columnText(column)}`)

/** The operator who runs this SQL replaces the `…` by a value. */
export const addRequiredColumn = (table: Table, column: Column): string =>
  [
    addColumn(table, { ...column, nullable: true }),
    `UPDATE ${ident(table.name)} SET ${ident(column.name)} = …`,
    setNotNull(table, column),
  ].join(';\n')

export const setNotNull = (table: Table, { name }: { readonly name: string }): string =>
  alter(table, `ALTER COLUMN ${ident(name)} SET NOT NULL`)

export const dropNotNull = (table: Table, name: string): string =>
  alter(table, `ALTER COLUMN ${ident(name)} DROP NOT NULL`)

/** PostgreSQL does not convert the default of a column, so it is dropped and set again. */
export const changeColumnType = (
  table: Table,
  { name, kind, default: value }: Column,
  using: string,
): string => {
  const column = `ALTER COLUMN ${ident(name)}`
  const parts = [
    `${column} DROP DEFAULT`,
    `${column} TYPE ${typeWithCollation(kind)} USING ${using}`,
    ...(value === undefined ? [] : [`${column} SET DEFAULT ${literal(value, kind)}`]),
  ]
  return alter(table, parts.join(', '))
}

export const cast = ({ name, kind }: Column): string => `${ident(name)}::${postgresType(kind)}`

/** Lists are sorted with NULLs first, which an index must declare to serve them. */
export const createIndex = (
  table: Table,
  { name, unique, columns }: Index,
  concurrently: boolean,
): string => {
  const parts = columns.map((column) => `${ident(column.name)}${column.nullable ? ' NULLS FIRST' : ''}`)
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${concurrently ? 'CONCURRENTLY ' : ''}${ident(name)} ON ${ident(table.name)} (${parts.join(', ')})`
}

export const dropIndex = (name: string): string => `DROP INDEX CONCURRENTLY IF EXISTS ${ident(name)}`

/** NOT VALID checks new rows at once. VALIDATE then checks existing rows without blocking writes. */
export const addCheck = (table: Table, check: Check, values: readonly string[]): string =>
  alter(table, `ADD ${checkText(check, values)} NOT VALID`)

export const addForeignKey = (table: Table, key: ForeignKey, validated: boolean): string => {
  const action = key.onDelete === 'cascade' ? ' ON DELETE CASCADE' : ''
  return alter(
    table,
    `ADD CONSTRAINT ${ident(key.name)} FOREIGN KEY (${list(key.columns)}) REFERENCES ${ident(key.table)} (${list(key.references)})${action}${validated ? '' : ' NOT VALID'}`,
  )
}

export const dropConstraint = (table: Table, name: string): string =>
  alter(table, `DROP CONSTRAINT ${ident(name)}`)

export const validate = (table: Table, name: string): string =>
  alter(table, `VALIDATE CONSTRAINT ${ident(name)}`)
