import type { Model, Resource } from '../../compile/model.ts'
import { sqlText } from '../../kinds/sql.ts'
import { statement } from '../../plan/bound-statement.ts'
import { ident } from '../../plan/dialect.ts'
import { eventName } from '../../plan/event-form.ts'
import { resourceWith } from '../plan/planning.ts'
import type { Reshape, TableChange } from '../plan/table-change.ts'
import type { TableStatement } from '../plan/table-sql.ts'
import { namedStatements } from './endpoints-and-keys.ts'
import type { Reading } from './scan.ts'
import { type EventTable, eventsOf, eventTables } from './stored-events.ts'
import { recast } from './value-of-other-type.ts'

/**
 * The statements by which endpoints and keys follow renames, and events show rows as they were, but in the names and kinds of today, and with the values that rows got which had none or one that is not
 * allowed any more. Events of dropped resources are deleted.
 */
export async function* eventStatements(
  reading: Reading,
  model: Model,
  changes: readonly TableChange[],
): AsyncGenerator<TableStatement> {
  for (const { table: dropped } of changes.filter((one) => one.kind === 'drop'))
    for (const { table } of eventTables)
      yield { sql: `DELETE FROM ${ident(table)} WHERE "resource" = ${sqlText(eventName(dropped))}` }
  for (const reshape of inOrder(changes.filter((step) => step.kind === 'reshape'))) {
    for (const log of eventTables)
      yield* logStatements(reading, log, resourceWith(model, reshape.table.name), reshape)
    yield* namedStatements(reading, model, reshape)
  }
}

/** A resource that takes the name of another one comes after it. */
function inOrder(reshapes: readonly Reshape[]): readonly Reshape[] {
  const left = [...reshapes]
  const sorted: Reshape[] = []
  while (left.length > 0) {
    const free = left.findIndex(
      ({ table }) => !left.some((other) => other.table !== table && other.from === table.name),
    )
    sorted.push(...left.splice(Math.max(free, 0), 1))
  }
  return sorted
}

type StoredFields = { readonly [field: string]: unknown }

async function* logStatements(
  reading: Reading,
  log: EventTable,
  resource: Resource,
  reshape: Reshape,
): AsyncGenerator<TableStatement> {
  const { dialect } = reading
  for await (const [account, number, data, before] of eventsOf(reading, log, eventName(reshape.from))) {
    const row = rewritten(JSON.parse(String(data)), resource, reshape, 'every-field')
    const former = before
      ? rewritten(JSON.parse(String(before)), resource, reshape, 'only-fields-it-has')
      : null
    const { text, values } = statement(
      dialect,
      (bind) =>
        `UPDATE ${ident(log.table)} SET "resource" = ${bind('string', resource.name)}, "data" = ${bind('string', row)}, "before" = ${bind('string', former)} WHERE "account_id" = ${bind('id', String(account))} AND ${ident(log.number)} = ${bind('integer', Number(number))}`,
    )
    yield { sql: text, params: values }
  }
}

/** The row of an event, or the former values of an update, as JSON. */
function rewritten(
  row: StoredFields,
  resource: Resource,
  reshape: Reshape,
  which: 'every-field' | 'only-fields-it-has',
): string {
  const next: { [field: string]: unknown } = {}
  for (const { column, from, kindBefore, instead, otherwise } of reshape.columns) {
    const field = resource.fields.find((one) => one.column === column.name)
    // An event must not keep what is never shown.
    if (!field || field.writeOnly) continue
    const isThere = from !== null && from in row
    const value = isThere ? (row[from] ?? null) : null
    const lacks = from === null || !column.nullable || value !== null
    if (!isThere && (which === 'only-fields-it-has' || otherwise === undefined || !lacks)) continue
    const kept = value === null || kindBefore === null ? value : recast(value, kindBefore, field)
    const gone = JSON.stringify(value)
    next[field.name] = kept ?? (instead.has(gone) ? instead.get(gone) : lacks ? (otherwise ?? null) : null)
  }
  return JSON.stringify(next)
}
