import { type FieldKind, kinds } from '../../kinds/kinds.ts'
import { ident } from '../../plan/dialect.ts'
import type { PresentColumn, PresentTable } from './present.ts'
import type { Column, ForeignKey, Index, Table } from './table.ts'

export const sqliteType = (kind: FieldKind): string => kinds[kind].sqlite.type

const list = (names: readonly string[]): string => names.map(ident).join(', ')

const literal = (value: unknown, kind: FieldKind): string => kinds[kind].sqlite.literal(value)

export const sqliteColumn = ({ name, kind, nullable, default: value }: Column): string =>
  `${ident(name)} ${sqliteType(kind)}${nullable ? '' : ' NOT NULL'}${value === undefined ? '' : ` DEFAULT ${literal(value, kind)}`}`

const foundColumn = ({ name, type, nullable, default: value }: PresentColumn): string =>
  `${ident(name)} ${type.toUpperCase()}${nullable ? '' : ' NOT NULL'}${value === null ? '' : ` DEFAULT ${value}`}`

const foreignKey = ({ columns, table, references, onDelete }: ForeignKey): string =>
  `FOREIGN KEY (${list(columns)}) REFERENCES ${ident(table)} (${list(references)})${onDelete === 'cascade' ? ' ON DELETE CASCADE' : ''}`

export const sqliteIndex = (table: string, { name, unique, columns }: Index): string =>
  `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${ident(name)} ON ${ident(table)} (${list(columns.map((column) => column.name))})`

/** STRICT: a value of another type is an error, as on PostgreSQL. WITHOUT ROWID: a row lies in its primary key's tree, one search away. */
export function sqliteTable(table: Table, name = table.name, more: readonly PresentColumn[] = []): string {
  const parts = [
    ...table.columns.map(sqliteColumn),
    ...more.map(foundColumn),
    `PRIMARY KEY (${list(table.primaryKey)})`,
    ...table.foreignKeys.map(foreignKey),
  ]
  return `CREATE TABLE ${ident(name)} (\n  ${parts.join(',\n  ')}\n) STRICT${table.longRows ? '' : ', WITHOUT ROWID'}`
}

/** What only a person can know stands as this in SQL that is shown: no database takes it for a value. */
export const toFillIn = '…'

/** What a column of a table that is made anew gets in the rows that exist, if not what they have. */
export type Filling = ReadonlyMap<string, string>

/** In place of NULL where the column must have a value. */
export const insteadOfNull = ({ kind, default: value }: Column, otherwise: string): string =>
  `coalesce(${otherwise}, ${value === undefined ? toFillIn : literal(value, kind)})`

/**
 * The way SQLite's manual gives for changes that ALTER TABLE cannot make (lang_altertable.html, section 7): make the table anew
 * and copy. Columns that the model no longer has come along, and so do indexes, theirs and ours.
 */
export function sqliteRebuild(
  table: Table,
  present: PresentTable,
  otherIndexes: readonly string[],
  filling: Filling = new Map(),
): string {
  const temporary = `nounkit_new_${table.name}`
  const wanted = new Set(table.columns.map((column) => column.name))
  const kept = [...present.columns.values()].filter((column) => !wanted.has(column.name))
  const copied = [...new Set([...present.columns.keys(), ...filling.keys()])]
  const values = copied.map((name) => filling.get(name) ?? ident(name)).join(', ')
  return [
    sqliteTable(table, temporary, kept),
    `INSERT INTO ${ident(temporary)} (${list(copied)}) SELECT ${values} FROM ${ident(table.name)}`,
    `DROP TABLE ${ident(table.name)}`,
    `ALTER TABLE ${ident(temporary)} RENAME TO ${ident(table.name)}`,
    ...table.indexes.map((index) => sqliteIndex(table.name, index)),
    ...otherIndexes,
  ].join(';\n')
}

/** For a shell, where foreign keys may be on: then the rows that refer to a dropped table would be deleted with it. */
export const asOneByHand = (sql: string): string =>
  `PRAGMA foreign_keys = OFF;\nBEGIN IMMEDIATE;\n${sql};\nCOMMIT`
