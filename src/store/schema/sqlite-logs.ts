import { numberColumn, placeColumn, placesOf } from '../../plan/key-log.ts'
import type { Column, Table } from './table.ts'

/**
 * Tables as SQLite keeps them. One whose rows come in an order is a log: its rows lie in that order, and another table says
 * where the row of a key may be, so that whoever writes many can enter them there together.
 */
export const withLogs = (tables: readonly Table[]): readonly Table[] =>
  tables.flatMap((table) =>
    table.indexes.some(({ inOrderWritten }) => inOrderWritten) ? [log(table), places(table)] : [table],
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

const number: Column = { name: numberColumn, kind: 'integer', nullable: false, default: undefined }

const places = ({ name, spread }: Table): Table => ({
  name: placesOf(name),
  columns: [number, { ...place, rowNumber: false }],
  primaryKey: [numberColumn, placeColumn],
  indexes: [],
  foreignKeys: [],
  checks: [],
  spread,
})
