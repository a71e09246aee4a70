import { kinds } from '../../kinds/kinds.ts'
import { type Dialect, ident, idents } from '../../plan/dialect.ts'
import { StoreError, StoreRefused } from '../../store/store.ts'
import { withNames } from '../plan/present-names.ts'
import type { TableSql } from '../plan/table-sql.ts'
import { postgresDifference, withoutSweeperIndexes } from './add-missing.ts'
import { postgresConversions } from './conversions.ts'
import * as ddl from './ddl.ts'
import { alone } from './one-process.ts'
import { readPostgres } from './read-tables.ts'
import { renamedConstraints, reshapePostgres } from './reshape.ts'

export const postgresTables = (dialect: Dialect): TableSql => ({
  dialect,
  conversions: postgresConversions,
  read: readPostgres,
  differences: (tables, present) =>
    postgresDifference(withoutSweeperIndexes(dialect, tables), present, false),
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
  keyType: 'text COLLATE "C"',
  // A bare literal of an INSERT … SELECT is a text, which is not assigned to every type.
  literal: (value, kind) =>
    `CAST(${value === null ? 'NULL' : kinds[kind].postgres.literal(value)} AS ${ddl.postgresType(kind)})`,
  // In one statement, because tables refer to each other.
  empty: (tables) => (tables.length === 0 ? [] : [`TRUNCATE ${idents(tables)}`]),
  locked: (store, session, tables, work) =>
    alone(store, async () => {
      try {
        await session.script(`BEGIN; SET LOCAL lock_timeout = '10s'`)
        await session.script('LOCK TABLE "nounkit_recorders" IN SHARE MODE')
        if (tables.length > 0) await session.script(`LOCK TABLE ${idents(tables)}`)
        const result = await work()
        await session.script('COMMIT')
        return result
      } catch (error) {
        await session.script('ROLLBACK')
        throw refusal(error)
      }
    }),
})

function refusal(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error
  if (error.kind === 'lock-timeout')
    return new StoreRefused(
      'Another program uses the tables of this store. Nothing was changed. End it, and try again.',
      error,
    )
  if (error.kind === 'foreign-key')
    return new StoreRefused(
      `New references would lead to rows that do not exist. Nothing was changed. ${error.message}`,
      error,
    )
  return error
}
