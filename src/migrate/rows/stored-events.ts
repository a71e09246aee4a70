import type { Field } from '../../compile/model.ts'
import type { FieldKind } from '../../kinds/kinds.ts'
import { statement } from '../../plan/bound-statement.ts'
import { ident } from '../../plan/dialect.ts'
import { eventName } from '../../plan/event-form.ts'
import { eventTable, inboxTable } from '../../plan/events.ts'
import type { Row } from '../../store/store.ts'
import type { Reading } from './scan.ts'
import { recast } from './value-of-other-type.ts'

/** A table of events, with the column that numbers those of an account. */
export interface EventTable {
  readonly table: string
  readonly number: string
}

export const eventTables: readonly EventTable[] = [
  { table: eventTable, number: 'position' },
  { table: inboxTable, number: 'number' },
]

const pageRows = 1_000

/** The events of a resource: account, number, row and former values. An event may be updated when it is yielded. */
export async function* eventsOf(
  { session, dialect }: Reading,
  { table, number }: EventTable,
  resource: string,
): AsyncGenerator<Row> {
  let at: readonly [string, number] = ['', 0]
  for (;;) {
    const [account, last] = at
    const { text, values } = statement(
      dialect,
      (bind) =>
        `SELECT "account_id", ${ident(number)}, "data", "before" FROM ${ident(table)} WHERE "resource" = ${bind('string', resource)} AND ("account_id", ${ident(number)}) > (${bind('id', account)}, ${bind('integer', last)}) ORDER BY "account_id", ${ident(number)} LIMIT ${pageRows}`,
    )
    const rows = await session.all(text, values)
    for (const row of rows) {
      at = [String(row[0]), Number(row[1])]
      yield row
    }
    if (rows.length < pageRows) return
  }
}

/** The column of a field as events have it. */
export interface EventColumn {
  /** Null for a new field. */
  readonly from: string | null
  readonly kindBefore: FieldKind | null
}

/** How many events have no value of a required field, one that the field does not allow, or one that is never shown. */
export async function countUnfitEvents(
  reading: Reading,
  table: string,
  { from, kindBefore }: EventColumn,
  field: Field,
): Promise<number> {
  const isUnfit = (value: unknown): boolean => {
    if (value === null) return !field.nullable && !field.writeOnly
    return field.writeOnly || (kindBefore !== null && recast(value, kindBefore, field) === undefined)
  }
  let count = 0
  for (const log of eventTables)
    for await (const [, , data] of eventsOf(reading, log, eventName(table)))
      if (isUnfit(from === null ? null : (JSON.parse(String(data))[from] ?? null))) count++
  return count
}
