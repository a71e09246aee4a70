import type { Step } from '../migration-step.ts'
import { type ColumnFinding, columnFindings, foreignKeyFindings, leftOverColumns } from '../plan/findings.ts'
import type { PresentTable } from '../present.ts'
import type { Check, ForeignKey, Table } from '../wanted/table.ts'
import * as ddl from './ddl.ts'
import { indexSteps } from './online-index.ts'

/**
 * The steps in the order they must run: new tables with their foreign keys, then existing tables, last what may take long. Within a
 * transaction, which locks the tables anyway, no index is created concurrently.
 */
export function postgresDifference(
  wanted: readonly Table[],
  present: ReadonlyMap<string, PresentTable>,
  concurrently = true,
): readonly Step[] {
  const tables = wanted.filter((table) => !present.has(table.name)).flatMap(newTable)
  const existing = wanted.flatMap((table) => {
    const found = present.get(table.name)
    return found ? existingTable(table, found, concurrently) : []
  })
  const references = wanted
    .filter((table) => !present.has(table.name))
    .flatMap((table) => table.foreignKeys.map((key) => newReference(table, key)))
  return [
    ...tables,
    ...references,
    ...existing.filter((one) => !one.alone),
    ...existing.filter((one) => one.alone),
  ]
}

const step = (table: Table, sql: string, why: string, more: Partial<Step> = {}): Step => ({
  table: table.name,
  sql,
  additive: true,
  why,
  ...more,
})

/** Done by `nounkit migrate`, while no process of an older declaration serves. */
const stopping = (table: Table, sql: string, why: string): Step =>
  step(table, sql, why, { additive: false, stops: true })

const ofNewTable = true
/** Takes long, beside reads and writes of others. */
const online = { alone: true, online: true } as const

const newTable = (table: Table): Step[] => [
  step(table, ddl.createTable(table), `table ${table.name} is new`, { ofNewTable }),
  ...table.indexes.map((index) =>
    step(table, ddl.createIndex(table, index, false), `index of ${table.name} is new`, { ofNewTable }),
  ),
]

/** The table is empty, so that there is nothing to validate. */
const newReference = (table: Table, key: ForeignKey): Step =>
  step(table, ddl.addForeignKey(table, key, true), `reference from ${table.name} to ${key.table} is new`, {
    ofNewTable,
  })

function existingTable(table: Table, found: PresentTable, concurrently: boolean): Step[] {
  return [
    ...columnFindings(table, found, ddl.postgresType).map((finding) => columnStep(table, found, finding)),
    ...leftOverColumns(table, found).map(({ column, why }) =>
      (table.relaxes ? step : stopping)(table, ddl.dropNotNull(table, column), why),
    ),
    ...table.checks.flatMap((check) => checkSteps(table, found, check)),
    ...droppedChecks(table, found),
    ...foreignKeySteps(table, found),
    ...table.indexes.flatMap((index) => indexSteps(table, found, index, concurrently)),
  ]
}

/** A new column gets its check and its foreign key in the same step: a migration that is interrupted leaves no column without them. */
function columnStep(table: Table, found: PresentTable, finding: ColumnFinding): Step {
  const { column, why } = finding
  switch (finding.kind) {
    case 'impossible':
      return step(table, '', why, { additive: false })
    case 'must-be-set':
      return stopping(table, ddl.fillAndSetNotNull(table, column), why)
    case 'may-be-null': {
      const sql = ddl.dropNotNull(table, column.name)
      return finding.additive ? step(table, sql, why) : stopping(table, sql, why)
    }
    case 'new': {
      const checks = table.checks.filter((check) => check.column === column.name)
      const keys = table.foreignKeys.filter(
        (key) => key.columns.includes(column.name) && !found.foreignKeys.has(key.columns.join(',')),
      )
      const parts = [
        ddl.addColumn(table, column),
        ...checks.map((check) => ddl.addCheck(table, check, check.values)),
        ...keys.map((key) => ddl.addForeignKey(table, key, false)),
      ]
      return step(table, parts.join(';\n'), why)
    }
  }
}

function checkSteps(table: Table, found: PresentTable, check: Check): Step[] {
  const validation = step(table, ddl.validate(table, check.name), `values of ${table.name}.${check.column}`, {
    ...online,
  })
  if (!found.columns.has(check.column)) return [validation]
  const present = found.checks.get(check.name)
  if (!present) {
    const sql = `${ddl.addCheck(table, check, check.values)};\n${validation.sql}`
    return [stopping(table, sql, `${table.name}.${check.column} takes only some values now`)]
  }
  // Values that are no longer declared stay allowed: rows have them, and processes of the last release still write them.
  const missing = check.values.filter((value) => !present.values.has(value))
  if (missing.length === 0) return present.valid ? [] : [validation]
  const values = [...present.values, ...missing]
  const sql = `${ddl.dropConstraint(table, check.name)};\n${ddl.addCheck(table, check, values)}`
  return [step(table, sql, `${table.name}.${check.column} takes ${missing.join(', ')} too`), validation]
}

/** Checks of columns that may now have any value. */
const droppedChecks = (table: Table, found: PresentTable): Step[] =>
  [...found.checks.keys()]
    .filter((name) => name.startsWith(`${table.name}__`) && name.endsWith('__check'))
    .filter((name) => !table.checks.some((check) => check.name === name))
    .filter((name) => table.columns.some((column) => name === `${table.name}__${column.name}__check`))
    .map((name) => step(table, ddl.dropConstraint(table, name), `${name} is no longer declared`))

function foreignKeySteps(table: Table, found: PresentTable): Step[] {
  const differing = foreignKeyFindings(table, found).flatMap(
    ({ key, found: present, additive, why }): Step[] => {
      const validation = step(table, ddl.validate(table, key.name), why, online)
      if (additive) return [validation]
      const parts = [
        ...(present?.name ? [ddl.dropConstraint(table, present.name)] : []),
        ddl.addForeignKey(table, key, false),
        validation.sql,
      ]
      return [stopping(table, parts.join(';\n'), why)]
    },
  )
  const unfinished = table.foreignKeys
    .filter((key) => found.foreignKeys.get(key.columns.join(','))?.valid === false)
    .map((key) => step(table, ddl.validate(table, key.name), `reference to ${key.table}`, online))
  return [...differing, ...unfinished]
}
