import { namesOf, placeColumn } from '../../plan/key-log.ts'
import type { Column, Table } from './table.ts'

/**
 * Tables as SQLite keeps them. One whose rows come in an order is a log: its rows lie in that order, and another table says
 * where the row of a key is, so that whoever writes many can enter their keys there together.
 */
export const withLogs = (tables: readonly Table[]): readonly Table[] =>
  tables.flatMap((table) =>
    table.indexes.some(({ inOrderWritten }) => inOrderWritten) ? [log(table), names(table)] : [table],
  )

const place: Column = {
  name: placeColumn,
  kind: 'integer',
  nullable: false,
  default: undefined,
  rowNumber: true,
}

const log = (table: Table): Table => ({
  ...table,
  columns: [place, ...table.columns],
  primaryKey: [place.name],
  indexes: table.indexes.filter(({ inOrderWritten }) => !inOrderWritten),
})

const names = ({ name, columns, primaryKey, spread }: Table): Table => ({
  name: namesOf(name),
  columns: [...columns.filter((column) => primaryKey.includes(column.name)), place],
  primaryKey,
  indexes: [],
  foreignKeys: [],
  checks: [],
  spread,
})
