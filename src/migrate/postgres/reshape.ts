import { ident } from '../../plan/dialect.ts'
import { objectName } from '../../plan/object-name.ts'
import { converted } from '../plan/changes-of-type.ts'
import { type Move, movesOf } from '../plan/renames.ts'
import { indexMoves, nameBefore } from '../plan/renames-of-indexes.ts'
import { expressionOf, filledRows, isFilled, mappedValues, meanwhile } from '../plan/row-values.ts'
import { type ColumnPlan, isRewritten, type Reshape } from '../plan/table-change.ts'
import type { After, TableSql, TableStatement } from '../plan/table-sql.ts'
import type { PresentColumn, PresentTable } from '../present.ts'
import { postgresConversions } from './change-of-type.ts'
import * as ddl from './ddl.ts'

/** PostgreSQL changes a table in place: what others have made for it stays, such as grants and indexes. */
export function reshapePostgres(reshape: Reshape, found: PresentTable, sql: TableSql): After {
  const { table, columns, revises, undeclared } = reshape
  const released = releasing(reshape, found)
  const filled = columns.filter(isFilled)
  const added = columns.filter((plan) => plan.from === null && !isFilled(plan))
  const converting = columns.flatMap(({ column, codec }) =>
    codec
      ? [
          {
            sql: ddl.changeColumnType(
              table,
              column,
              converted(postgresConversions, codec.name, ident(column.name)),
            ),
            why: codec.why,
            converts: true as const,
          },
        ]
      : [],
  )
  const sets = columns
    .filter(
      (plan) =>
        plan.codec === null &&
        (plan.otherwise !== undefined || (revises && plan.from !== null && plan.column.name === 'version')),
    )
    .map((plan) => {
      const { name } = plan.column
      return `${ident(isFilled(plan) ? meanwhile(name) : name)} = ${expressionOf(reshape, plan, sql)}`
    })
  const checks = checksAgain(reshape, found)
  const alter = (what: string): string => `ALTER TABLE ${ident(table.name)} ${what}`
  const statements = [
    ...released.statements,
    ...undeclaredColumns(reshape, found).map(({ name }) => alter(`DROP COLUMN ${ident(name)}`)),
    ...added.map(({ column }) => ddl.addColumn(table, { ...column, nullable: true })),
    ...filled.flatMap(({ column }) => [
      // A migration on Citus that was killed left it.
      alter(`DROP COLUMN IF EXISTS ${ident(meanwhile(column.name))}`),
      ddl.addColumn(table, { ...column, name: meanwhile(column.name), nullable: true }),
    ]),
  ]
  const relaxed = columns.filter(
    (plan) => undeclared === 'dropped' && plan.column.nullable && hasNotNull(plan, found),
  )
  const updated = sets.length === 0 ? [] : [{ sql: `UPDATE ${ident(table.name)} SET ${sets.join(', ')}` }]
  // The name comes last: until a column has it, a migration on Citus that is run again fills it anew.
  const exchanged = filled.flatMap(({ column: { name, nullable }, from }) => [
    ...(from === null ? [] : [alter(`DROP COLUMN ${ident(name)}`)]),
    ...(nullable ? [] : [ddl.setNotNull(table, { name: meanwhile(name) })]),
    alter(`RENAME COLUMN ${ident(meanwhile(name))} TO ${ident(name)}`),
  ])
  return {
    statements: [
      ...statements.map(asStatement),
      ...converting,
      ...columns.flatMap((plan) => mappedAround(reshape, plan, checks)),
      ...relaxed.map(({ column }) => asStatement(ddl.dropNotNull(table, column.name))),
      ...columns.flatMap((plan) => filledRows(reshape, plan, sql, found.spread)),
      ...updated,
      ...[...exchanged, ...columns.flatMap((plan) => ruled(reshape, plan, found))].map(asStatement),
    ],
    after: {
      ...released.after,
      checks: new Map([
        ...released.after.checks,
        ...checks.map(({ name, values }) => [name, { values, valid: false }] as const),
      ]),
      columns: new Map([...keptColumns(reshape, found), ...reshape.columns.map(declaredColumn)]),
    },
  }
}

/** The checks of values that are mapped. Other values that rows may have stay allowed. */
const checksAgain = ({ table, columns }: Reshape, found: PresentTable) =>
  table.checks.flatMap((check) => {
    const mapped = columns.find(({ column }) => column.name === check.column)?.mapped
    const before = found.checks.get(check.name)
    if (!mapped || mapped.size === 0 || !before) return []
    const left = [...before.values].filter((value) => !mapped.has(value))
    const values = new Set([...left, ...check.values])
    return [{ name: check.name, check, values }]
  })

/** The check allows the old values and not yet the new ones, so it is dropped and added again. */
function mappedAround(
  reshape: Reshape,
  plan: ColumnPlan,
  checks: ReturnType<typeof checksAgain>,
): readonly TableStatement[] {
  const { table } = reshape
  const around = checks.find(({ check }) => check.column === plan.column.name)
  const statements = mappedValues(reshape, plan)
  if (!around) return statements
  const { name, check, values } = around
  return statements.map(({ sql, ...more }) => ({
    ...more,
    sql: [ddl.dropConstraint(table, name), sql, ddl.addCheck(table, check, [...values])].join(';\n'),
  }))
}

const asStatement = (sql: string) => ({ sql })
const hasNotNull = ({ column, from }: ColumnPlan, found: PresentTable): boolean =>
  from !== null && found.columns.get(column.name)?.nullable === false

const undeclaredColumns = ({ table, undeclared }: Reshape, found: PresentTable): readonly PresentColumn[] =>
  undeclared === 'kept'
    ? []
    : [...found.columns.values()].filter(({ name }) => !table.columns.some((column) => column.name === name))

const keptColumns = (reshape: Reshape, found: PresentTable): readonly [string, PresentColumn][] => {
  const gone = new Set(undeclaredColumns(reshape, found).map(({ name }) => name))
  return [...found.columns].filter(([name]) => !gone.has(name))
}

const declaredColumn = ({ column: { name, kind, nullable } }: ColumnPlan): [string, PresentColumn] => [
  name,
  { name, type: ddl.postgresType(kind).toLowerCase(), nullable, default: null },
]

/** NOT NULL and the default, once every row has its value. A published store keeps both, unless its additions say otherwise. */
function ruled(reshape: Reshape, plan: ColumnPlan, found: PresentTable): readonly string[] {
  const { table, undeclared } = reshape
  if (isFilled(plan) || (undeclared === 'kept' && plan.from !== null)) return []
  const { column } = plan
  const isNew = plan.from === null
  const isSet = !column.nullable && (isNew || !hasNotNull(plan, found))
  return [
    ...(isSet ? [ddl.setNotNull(table, column)] : []),
    ...(isNew ? [] : [ddl.setDefault(table, column)]),
  ]
}

/** Drops indexes, checks and references of columns whose values change: they are added again for the new values. */
function releasing(
  reshape: Reshape,
  found: PresentTable,
): { readonly statements: readonly string[]; readonly after: PresentTable } {
  const { table, columns, undeclared, from } = reshape
  const changed = new Set(
    columns
      .filter((plan) => plan.from !== null && plan.codec === null && isRewritten(plan))
      .map(({ column }) => column.name),
  )
  const ours = new Set(table.indexes.map(({ name }) => name))
  const primary = ddl.primaryKeyName(table.name)
  const isFormer = (name: string): boolean =>
    undeclared === 'dropped' &&
    !ours.has(name) &&
    name !== primary &&
    [table.name, from].some((prefix) => name.startsWith(`${prefix}__`.slice(0, 40))) &&
    /__(idx|key)$/.test(name)
  const indexes = [...found.indexes.keys()].filter(
    (name) =>
      isFormer(name) ||
      table.indexes.some(
        (index) => index.name === name && index.columns.some((one) => changed.has(one.name)),
      ),
  )
  const gone = new Set(undeclaredColumns(reshape, found).map(({ name }) => name))
  const isReleased = (column: string): boolean => changed.has(column) || gone.has(column)
  const keys = [...found.foreignKeys].filter(([names]) => names.split(',').some(isReleased))
  const checks = [...found.columns.keys()]
    .filter(isReleased)
    .map((column) => objectName(table.name, [column], 'check'))
    .filter((name) => found.checks.has(name))
  const without = <V>(all: ReadonlyMap<string, V>, names: readonly string[]): ReadonlyMap<string, V> =>
    new Map([...all].filter(([name]) => !names.includes(name)))
  return {
    statements: [
      ...indexes.map((name) => ddl.dropIndex(name, false)),
      ...[...keys.flatMap(([, { name }]) => name ?? []), ...checks].map((name) =>
        ddl.dropConstraint(table, name),
      ),
    ],
    after: {
      ...found,
      indexes: without(found.indexes, indexes),
      checks: without(found.checks, checks),
      foreignKeys: without(
        found.foreignKeys,
        keys.map(([names]) => names),
      ),
    },
  }
}

/** PostgreSQL does not rename indexes and constraints with their table and columns. */
export function renamedConstraints(reshape: Reshape, found: PresentTable): After {
  const { table } = reshape
  const indexes = indexMoves(reshape, found.indexes.keys())
  const constraints = constraintMoves(reshape, found)
  const after = (moves: readonly Move[], name: string): string =>
    moves.find(({ from }) => from === name)?.to ?? name
  return {
    statements: [
      ...indexes.map(({ from, to }) => `ALTER INDEX ${ident(from)} RENAME TO ${ident(to)}`),
      ...constraints.map(
        ({ from, to }) => `ALTER TABLE ${ident(table.name)} RENAME CONSTRAINT ${ident(from)} TO ${ident(to)}`,
      ),
    ].map(asStatement),
    after: {
      ...found,
      indexes: new Map([...found.indexes].map(([name, index]) => [after(indexes, name), index])),
      foreignKeys: new Map(
        [...found.foreignKeys].map(([columns, key]) => [
          columns,
          { ...key, name: key.name && after(constraints, key.name) },
        ]),
      ),
      checks: new Map([...found.checks].map(([name, check]) => [after(constraints, name), check])),
    },
  }
}

function constraintMoves(reshape: Reshape, found: PresentTable): readonly Move[] {
  const { foreignKeys, checks } = reshape.table
  const keys = foreignKeys.map(({ name, columns }) => ({
    name,
    former: [nameBefore(reshape, columns, 'fkey')],
  }))
  const checked = checks.map(({ name, column }) => ({
    name,
    former: [nameBefore(reshape, [column], 'check')],
  }))
  const present = [...found.foreignKeys.values()].flatMap(({ name }) => name ?? [])
  return [...movesOf(keys, present), ...movesOf(checked, found.checks.keys())]
}
