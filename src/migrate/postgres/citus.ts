import { sqlText } from '../../kinds/sql.ts'
import { ident } from '../../plan/dialect.ts'
import { type Session, StoreRefused } from '../../store/store.ts'
import type { Step } from '../migration-step.ts'
import type { PresentTable } from '../present.ts'
import type { Table } from '../wanted/table.ts'
import { postgresDifference } from './add-missing.ts'
import * as ddl from './ddl.ts'

/** The table that all other tables of accounts are colocated with. */
const colocated = 'nounkit_idempotency'

/**
 * The steps on a Citus cluster: tables of accounts are distributed by account, shared tables are reference tables. A table can
 * only be distributed without foreign keys, so these are dropped before and added after.
 */
export function citusDifference(
  wanted: readonly Table[],
  present: ReadonlyMap<string, PresentTable>,
  shards: number | null = null,
): readonly Step[] {
  const spreading = wanted.filter(({ name }) => !present.get(name)?.spread)
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
    ...[...spreading].sort(sharedFirst).map((table) => spread(table, shards)),
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

/** The number of shards to distribute over; null for that of the cluster (`citus.shard_count`). */
export async function shardsToMake(
  session: Session,
  present: ReadonlyMap<string, PresentTable>,
  shards: number | undefined,
): Promise<number | null> {
  if (shards === undefined || !present.get(colocated)?.spread) return shards ?? null
  const [row] = await session.all(
    `SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = ${sqlText(ident(colocated))}::regclass`,
  )
  if (Number(row?.[0]) === shards) return null
  throw new StoreRefused(
    `The tables are distributed over ${row?.[0]} shards already, and that stays. Nothing was changed. Leave --shards out. To have ${shards}, make an empty database of the cluster with nounkit migrate --citus --shards ${shards}, and copy the store there with nounkit copy.`,
  )
}

/** In one transaction: requests wait for the table, and never find it missing. */
function spread(table: Table, shards: number | null): Step {
  const name = sqlText(ident(table.name))
  if (table.spread === 'everywhere')
    return step(
      table,
      `SELECT create_reference_table(${name})`,
      `${table.name} is a reference table, on every node`,
    )
  const count = shards === null ? '' : `, shard_count => ${shards}`
  const colocation = table.name === colocated ? count : `, colocate_with => ${sqlText(colocated)}`
  return step(
    table,
    `SELECT create_distributed_table(${name}, ${sqlText(table.spread)}${colocation})`,
    `${table.name} is distributed by ${table.spread}`,
  )
}

/** A check of the rows that exist takes long. It is a step of its own, during which they can be read and written. */
function addForeignKeys(table: Table, present: ReadonlyMap<string, PresentTable>, dropped: boolean): Step[] {
  const there = dropped ? undefined : present.get(table.name)
  return table.foreignKeys.flatMap((key) => {
    const found = there?.foreignKeys.get(key.columns.join(','))
    if (found?.valid) return []
    const why = `${table.name} refers to ${key.table}`
    const validate = step(table, ddl.validate(table, key.name), `${why} in every row`)
    return found ? [validate] : [step(table, ddl.addForeignKey(table, key, false), why), validate]
  })
}
