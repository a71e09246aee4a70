import type { FieldKind } from '../../compile/model.ts'
import { placeColumn, runColumns, runsOf } from '../../plan/key-log.ts'
import type { Column, Table } from './table.ts'

/**
 * Tables as SQLite keeps them. One whose rows come in an order is a log: its rows lie in that order, and another table says
 * where the row of a key may be, for many rows at a time.
 */
export const withLogs = (tables: readonly Table[]): readonly Table[] =>
  tables.flatMap((table) =>
    table.indexes.some(({ inOrderWritten }) => inOrderWritten) ? [log(table), runs(table)] : [table],
  )

const column = (name: string, kind: FieldKind): Column => ({
  name,
  kind,
  nullable: false,
  default: undefined,
})

const place: Column = { ...column(placeColumn, 'integer'), rowNumber: true }

const log = (table: Table): Table => ({
  ...table,
  columns: [place, ...table.columns],
  primaryKey: [place.name],
  indexes: table.indexes.filter(({ inOrderWritten }) => !inOrderWritten),
})

const runs = ({ name, spread }: Table): Table => ({
  name: runsOf(name),
  columns: [
    column(runColumns.page, 'integer'),
    column(runColumns.last, 'integer'),
    column(runColumns.pairs, 'string'),
  ],
  primaryKey: [runColumns.page],
  indexes: [],
  foreignKeys: [],
  checks: [],
  spread,
  longRows: true,
})
