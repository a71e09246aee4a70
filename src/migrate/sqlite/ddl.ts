import { type FieldKind, kinds } from '../../kinds/kinds.ts'
import { ident, idents } from '../../plan/dialect.ts'
import { isWaiting } from '../../plan/search-index.ts'
import { sqlite } from '../../plan/sqlite.ts'
import type { PresentColumn, PresentTable } from '../present.ts'
import type { Column, ForeignKey, Index, Table } from '../wanted/table.ts'

export const sqliteType = (kind: FieldKind): string => kinds[kind].sqlite.type

const literal = (value: unknown, kind: FieldKind): string => kinds[kind].sqlite.literal(value)

export const sqliteColumn = ({ name, kind, nullable, default: value }: Column): string =>
  `${ident(name)} ${sqliteType(kind)}${nullable ? '' : ' NOT NULL'}${value === undefined ? '' : ` DEFAULT ${literal(value, kind)}`}`

const foundColumn = ({ name, type, nullable, default: value }: PresentColumn): string =>
  `${ident(name)} ${type.toUpperCase()}${nullable ? '' : ' NOT NULL'}${value === null ? '' : ` DEFAULT ${value}`}`

const foreignKey = ({ columns, table, references, onDelete }: ForeignKey): string =>
  `FOREIGN KEY (${idents(columns)}) REFERENCES ${ident(table)} (${idents(references)})${onDelete === 'cascade' ? ' ON DELETE CASCADE' : ''}`

export function sqliteIndex(table: string, { name, unique, columns, ofWaiting }: Index): string {
  const names = columns.map((column) => column.name)
  const create = `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${ident(name)} ON ${ident(table)}`
  if (ofWaiting)
    return `${create} (${idents(ofWaiting)}) WHERE ${isWaiting({ version: names[0] ?? '' }, '', sqlite).inIndex}`
  return `${create} (${idents(names)})`
}

/** Words are not in an index of their table, but in one of their own. */
export const sqliteIndexes = ({ indexes }: Table): readonly Index[] =>
  indexes.filter(({ ofWords }) => !ofWords)

/** STRICT: a value of another type is an error, as on PostgreSQL. WITHOUT ROWID: a row is stored in the tree of its primary key, so a look-up is one search. */
export function sqliteTable(table: Table, name = table.name, more: readonly PresentColumn[] = []): string {
  const parts = [
    ...table.columns.map(sqliteColumn),
    ...more.map(foundColumn),
    `PRIMARY KEY (${idents(table.primaryKey)})`,
    ...table.foreignKeys.map(foreignKey),
  ]
  return `CREATE TABLE ${ident(name)} (\n  ${parts.join(',\n  ')}\n) STRICT${table.longRows ? '' : ', WITHOUT ROWID'}`
}

/** Column → the expression that fills it when a table is rebuilt, where it does not keep its value. */
export type Filling = ReadonlyMap<string, string>

/** A value instead of NULL, for a column that is NOT NULL. */
export const insteadOfNull = ({ name, kind, default: value }: Column): string =>
  `coalesce(${ident(name)}, ${literal(value, kind)})`

/**
 * The way SQLite's manual gives for changes that ALTER TABLE cannot make (lang_altertable.html, section 7): create a new
 * table and copy the rows. Columns that the model no longer has are kept, and so are all indexes and triggers (`others` are those of others).
 */
export function sqliteRebuild(
  table: Table,
  present: PresentTable,
  others: readonly string[],
  filling: Filling,
): string {
  const temporary = `nounkit_new_${table.name}`
  const wanted = new Set(table.columns.map((column) => column.name))
  const kept = [...present.columns.values()].filter((column) => !wanted.has(column.name))
  const copied = [...new Set([...present.columns.keys(), ...filling.keys()])]
  const values = copied.map((name) => filling.get(name) ?? ident(name)).join(', ')
  return [
    sqliteTable(table, temporary, kept),
    `INSERT INTO ${ident(temporary)} (${idents(copied)}) SELECT ${values} FROM ${ident(table.name)}`,
    `DROP TABLE ${ident(table.name)}`,
    `ALTER TABLE ${ident(temporary)} RENAME TO ${ident(table.name)}`,
    ...sqliteIndexes(table).map((index) => sqliteIndex(table.name, index)),
    ...others,
  ].join(';\n')
}
