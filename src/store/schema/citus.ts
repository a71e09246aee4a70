import { ident, sqlText } from '../../plan/dialect.ts'
import type { Step } from './migration-step.ts'
import * as ddl from './postgres-ddl.ts'
import { postgresDifference } from './postgres-difference.ts'
import type { PresentTable } from './present.ts'
import type { Table } from './table.ts'

/** The table that the others of an account are put beside. */
const beside = 'nounkit_idempotency'

/**
 * The same tables on a Citus cluster: rows lie with their account, shared tables on every machine. A table can only be spread
 * without references to others, so those are taken off before and put on after.
 */
export function citusDifference(
  wanted: readonly Table[],
  present: ReadonlyMap<string, PresentTable>,
): readonly Step[] {
  const spreading = wanted.filter((table) => !present.get(table.name)?.spread)
  const bare = wanted.map((table) => ({ ...table, foreignKeys: [] }))
  // Several machines cannot be changed in one transaction by every kind of statement, so each goes by itself.
  const base = postgresDifference(bare, present).map((step) => ({ ...step, alone: true }))
  return [
    {
      table: '',
      sql: 'CREATE EXTENSION IF NOT EXISTS citus',
      additive: true,
      why: 'the cluster',
      alone: true,
    },
    ...base,
    ...spreading.flatMap((table) => takeOffReferences(table, present)),
    ...[...spreading].sort(sharedFirst).map(spread),
    ...wanted.flatMap((table) => putOnReferences(table, present, spreading.includes(table))),
  ].slice(spreading.length > 0 ? 0 : 1)
}

const step = (table: Table, sql: string, why: string): Step => ({
  table: table.name,
  sql,
  additive: true,
  why,
  alone: true,
})

const takeOffReferences = (table: Table, present: ReadonlyMap<string, PresentTable>): Step[] =>
  [...(present.get(table.name)?.foreignKeys.values() ?? [])].flatMap(({ name }) =>
    name ? [step(table, ddl.dropConstraint(table, name), `${table.name} is spread without references`)] : [],
  )

const order = (table: Table): number => (table.spread === 'everywhere' ? 0 : table.name === beside ? 1 : 2)
const sharedFirst = (a: Table, b: Table): number => order(a) - order(b)

function spread(table: Table): Step {
  const name = sqlText(ident(table.name))
  if (table.spread === 'everywhere')
    return step(table, `SELECT create_reference_table(${name})`, `${table.name} lies on every machine`)
  const colocation = table.name === beside ? '' : `, colocate_with => ${sqlText(beside)}`
  return step(
    table,
    `SELECT create_distributed_table(${name}, 'account_id'${colocation})`,
    `${table.name} lies with its account`,
  )
}

function putOnReferences(
  table: Table,
  present: ReadonlyMap<string, PresentTable>,
  takenOff: boolean,
): Step[] {
  const there = takenOff ? undefined : present.get(table.name)
  return table.foreignKeys
    .filter((key) => !there?.foreignKeys.has(key.columns.join(',')))
    .map((key) => step(table, ddl.addForeignKey(table, key, true), `${table.name} refers to ${key.table}`))
}
