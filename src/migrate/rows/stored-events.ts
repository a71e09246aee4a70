import { statement } from '../../plan/bound-statement.ts'
import { ident } from '../../plan/dialect.ts'
import { eventTable, inboxTable } from '../../plan/events.ts'
import { allRows } from '../../store/run-statement.ts'
import type { Row } from '../../store/store.ts'
import type { Reading } from './scan.ts'

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
    const page = statement(
      dialect,
      (bind) =>
        `SELECT "account_id", ${ident(number)}, "data", "before" FROM ${ident(table)} WHERE "resource" = ${bind('string', resource)} AND ("account_id", ${ident(number)}) > (${bind('id', account)}, ${bind('integer', last)}) ORDER BY "account_id", ${ident(number)} LIMIT ${pageRows}`,
    )
    const rows = await allRows(session, page)
    for (const row of rows) {
      at = [String(row[0]), Number(row[1])]
      yield row
    }
    if (rows.length < pageRows) return
  }
}
