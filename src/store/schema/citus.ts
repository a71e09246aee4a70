import { ident, sqlText } from '../../plan/dialect.ts'
import type { Step } from './migration-step.ts'
import * as ddl from './postgres-ddl.ts'
import { postgresDifference } from './postgres-difference.ts'
import type { PresentTable } from './present.ts'
import type { Table } from './table.ts'

/** The table that all other tables of accounts are colocated with. */
const colocated = 'nounkit_idempotency'

/**
 * The steps on a Citus cluster: tables of accounts are distributed by account, shared tables are reference tables. A table can
 * only be distributed without foreign keys, so these are dropped before and added after.
 */
export function citusDifference(
  wanted: readonly Table[],
  present: ReadonlyMap<string, PresentTable>,
): readonly Step[] {
  const spreading = wanted.filter((table) => !present.get(table.name)?.spread)
  const bare = wanted.map((table) => ({ ...table, foreignKeys: [] }))
  // Citus does not run every kind of statement in one transaction over several nodes, so each step runs by itself.
  const base = postgresDifference(bare, present).map((step) => ({ ...step, alone: true }))
  return [
    {
      table: '',
      sql: 'CREATE EXTENSION IF NOT EXISTS citus',
      additive: true,
      why: 'the extension of the cluster',
      alone: true,
    },
    ...base,
    ...spreading.flatMap((table) => dropForeignKeys(table, present)),
    ...[...spreading].sort(sharedFirst).map(spread),
    ...wanted.flatMap((table) => addForeignKeys(table, present, spreading.includes(table))),
  ].slice(spreading.length > 0 ? 0 : 1)
}

const step = (table: Table, sql: string, why: string): Step => ({
  table: table.name,
  sql,
  additive: true,
  why,
  alone: true,
})

const dropForeignKeys = (table: Table, present: ReadonlyMap<string, PresentTable>): Step[] =>
  [...(present.get(table.name)?.foreignKeys.values() ?? [])].flatMap(({ name }) =>
    name
      ? [step(table, ddl.dropConstraint(table, name), `${table.name} is distributed without foreign keys`)]
      : [],
  )

const order = (table: Table): number => (table.spread === 'everywhere' ? 0 : table.name === colocated ? 1 : 2)
const sharedFirst = (a: Table, b: Table): number => order(a) - order(b)

function spread(table: Table): Step {
  const name = sqlText(ident(table.name))
  if (table.spread === 'everywhere')
    return step(
      table,
      `SELECT create_reference_table(${name})`,
      `${table.name} is a reference table, on every node`,
    )
  const colocation = table.name === colocated ? '' : `, colocate_with => ${sqlText(colocated)}`
  return step(
    table,
    `SELECT create_distributed_table(${name}, 'account_id'${colocation})`,
    `${table.name} is distributed by account`,
  )
}

function addForeignKeys(table: Table, present: ReadonlyMap<string, PresentTable>, dropped: boolean): Step[] {
  const there = dropped ? undefined : present.get(table.name)
  return table.foreignKeys
    .filter((key) => !there?.foreignKeys.has(key.columns.join(',')))
    .map((key) => step(table, ddl.addForeignKey(table, key, true), `${table.name} refers to ${key.table}`))
}
