import { kinds } from '../../kinds/kinds.ts'
import { type Dialect, ident, idents } from '../../plan/dialect.ts'
import { metaTable } from '../../store/meta.ts'
import { StoreRefused } from '../../store/store.ts'
import { withNames } from '../plan/present-names.ts'
import type { TableSql } from '../plan/table-sql.ts'
import type { Present } from '../present.ts'
import type { Table } from '../wanted/table.ts'
import { postgresDifference } from './add-missing.ts'
import { carryOutOnPostgres } from './carry-out.ts'
import { postgresConversions } from './change-of-type.ts'
import { citusDifference, shardsToMake } from './citus.ts'
import * as ddl from './ddl.ts'
import { readPostgres } from './read-tables.ts'
import { renamedConstraints, reshapePostgres } from './reshape.ts'

export const postgresTables = (dialect: Dialect): TableSql => ({
  dialect,
  conversions: postgresConversions,
  read: readPostgres,
  differences: (tables, present) => postgresDifference(needed(dialect, tables), present, false),
  async additions(session, tables, present, { online, spread, shards }) {
    refuseForeignTables(tables, present)
    if (!spread) return postgresDifference(needed(dialect, tables), present, online)
    return citusDifference(tables, present, await shardsToMake(session, present, shards))
  },
  renamedTable: withNames,
  renamedObjects: renamedConstraints,
  reshaped: (reshape, found) => reshapePostgres(reshape, found, postgresTables(dialect)),
  releaseReferences: (present, dropped) =>
    [...present.values()].flatMap((table) =>
      [...table.foreignKeys.values()]
        .filter((key) => key.name !== null && dropped.has(key.table))
        .map((key) => `ALTER TABLE ${ident(table.name)} DROP CONSTRAINT ${ident(key.name ?? '')}`),
    ),
  columnType: ddl.postgresType,
  // A bare literal of an INSERT … SELECT is a text, which is not assigned to every type.
  literal: (value, kind) =>
    `CAST(${value === null ? 'NULL' : kinds[kind].postgres.literal(value)} AS ${ddl.postgresType(kind)})`,
  // In one statement, because tables refer to each other.
  empty: (tables) => (tables.length === 0 ? [] : [`TRUNCATE ${idents(tables)}`]),
  carryOut: carryOutOnPostgres,
})

/** PostgreSQL without Citus needs no indexes for the sweeper. */
const needed = (dialect: Dialect, tables: readonly Table[]): readonly Table[] =>
  dialect.oldest.by === 'order'
    ? tables
    : tables.map((table) => ({ ...table, indexes: table.indexes.filter((one) => !one.forSweeper) }))

function refuseForeignTables(wanted: readonly Table[], present: Present): void {
  if (present.has(metaTable)) return
  const taken = wanted.map((table) => table.name).filter((name) => present.has(name))
  if (taken.length === 0) return
  throw new StoreRefused(
    `The database has tables that this API would create (${taken.join(', ')}), but no nounkit_meta: they are another program's. Name another database, or another schema with ?search_path=name in the URL.`,
  )
}
