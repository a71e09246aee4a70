import { ident, idents } from '../../plan/dialect.ts'
import type { Value } from '../../store/store.ts'
import type { MigrateOptions } from '../migration.ts'
import type { ColumnPlan, FollowStep, Rebuild } from '../plan/follow-plan.ts'
import type { Reading } from '../rows/scan.ts'
import type { FollowSql, Present } from './follow-sql.ts'

const copyOf = (table: string): string => `nounkit_new_${table}`
const batchRows = 500

/** Runs the steps within the transaction of the session. Indexes and references are missing afterwards. */
export async function carryOut(
  reading: Reading,
  steps: readonly FollowStep[],
  present: Present,
  sql: FollowSql,
  stepping?: MigrateOptions['stepping'],
): Promise<void> {
  const { session } = reading
  const rebuilds = steps.filter((step) => step.kind === 'rebuild')
  const dropped = new Set(steps.map((step) => (step.kind === 'drop' ? step.table : step.from)))
  for (const [done, rebuild] of rebuilds.entries()) {
    stepping?.(`copying the rows of ${rebuild.table.name}`, done, rebuilds.length)
    await copyRows(reading, rebuild, sql)
  }
  const statements = [
    ...sql.releaseReferences(present, dropped),
    ...[...dropped].map((table) => `DROP TABLE ${ident(table)}`),
    ...rebuilds.flatMap(({ table }) => [
      `ALTER TABLE ${ident(copyOf(table.name))} RENAME TO ${ident(table.name)}`,
      ...sql.afterRename(table, copyOf(table.name)),
    ]),
  ]
  for (const statement of statements) await session.script(statement)
}

/** A new table with the rows of the old one. */
async function copyRows(reading: Reading, rebuild: Rebuild, sql: FollowSql): Promise<void> {
  const { table, from, columns } = rebuild
  const { session } = reading
  await session.script(sql.createCopy(table, copyOf(table.name)))
  const values: string[] = []
  const temporary: string[] = []
  for (const [at, plan] of columns.entries()) {
    const needed = plan.values === 'recast' || (plan.scanned?.unfit.length ?? 0) > 0
    const name = `nounkit_values_${at}`
    if (needed) {
      await storeValues(reading, rebuild, plan, name, sql)
      temporary.push(name)
    }
    values.push(expression(rebuild, plan, needed ? name : null, sql))
  }
  const names = columns.map(({ column }) => ident(column.name)).join(', ')
  await session.script(
    `INSERT INTO ${ident(copyOf(table.name))} (${names}) SELECT ${values.join(', ')} FROM ${ident(from)} AS t`,
  )
  for (const name of temporary) await session.script(`DROP TABLE ${ident(name)}`)
}

/** The value of a column for a row `t` of the old table. */
function expression({ table }: Rebuild, plan: ColumnPlan, temporary: string | null, sql: FollowSql): string {
  const { column, from, values, otherwise } = plan
  const literal = sql.literal(otherwise ?? null, column.kind)
  if (from === null) return literal
  const own = `t.${ident(from)}`
  // Entity tags have the version of a row: they must change where the row does.
  if (column.name === 'version') return `${own} + 1`
  const found = temporary === null ? null : valueFrom(temporary, table.primaryKey)
  const value =
    found === null
      ? own
      : values === 'recast'
        ? `(SELECT v."value" ${found})`
        : `CASE WHEN EXISTS (SELECT 1 ${found}) THEN (SELECT v."value" ${found}) ELSE ${own} END`
  if (otherwise === undefined) return value
  const filled = `coalesce(${value}, ${literal})`
  // A row of an optional field that had nothing lacks nothing.
  return column.nullable ? `CASE WHEN ${own} IS NULL THEN NULL ELSE ${filled} END` : filled
}

const valueFrom = (temporary: string, primaryKey: readonly string[]): string =>
  `FROM ${ident(temporary)} AS v WHERE ${primaryKey.map((name) => `v.${ident(name)} = t.${ident(name)}`).join(' AND ')}`

/** A temporary table with the new values of a column, for all rows or for those that lose theirs. */
async function storeValues(
  { session, dialect }: Reading,
  { table }: Rebuild,
  { column, values, scanned, instead }: ColumnPlan,
  name: string,
  sql: FollowSql,
): Promise<void> {
  const keys = table.primaryKey
  const parts = keys.map((key) => `${ident(key)} ${sql.keyType}`)
  await session.script(
    `CREATE TEMPORARY TABLE ${ident(name)} (${parts.join(', ')}, "value" ${sql.columnType(column.kind)}, PRIMARY KEY (${idents(keys)}))`,
  )
  const replaced = (scanned?.unfit ?? []).map(({ key, value, instead: declared }): Value[] => [
    ...key,
    declared ?? (value === null ? null : instead.get(value)) ?? null,
  ])
  const recast = values === 'recast' ? (scanned?.fitting ?? []) : []
  const rows = [...recast.map(({ key, value }): Value[] => [...key, value]), ...replaced]
  const names = idents([...keys, 'value'])
  const kindsOf = [...keys.map(() => 'id' as const), column.kind]
  for (let at = 0; at < rows.length; at += batchRows) {
    const batch = rows.slice(at, at + batchRows)
    const tuples = batch.map((_, row) => {
      const params = kindsOf.map((kind, position) => dialect.param(row * kindsOf.length + position + 1, kind))
      return `(${params.join(', ')})`
    })
    await session.all(`INSERT INTO ${ident(name)} (${names}) VALUES ${tuples.join(', ')}`, batch.flat())
  }
}
