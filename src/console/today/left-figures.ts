import { statement } from '../../plan/bound-statement.ts'
import { allRows, writeAlone } from '../../store/run-statement.ts'
import type { Store } from '../../store/store.ts'
import { hourMs } from '../../times.ts'
import type { Figures } from './figures.ts'

/** The account of all rows: on Citus they are on one node, so that neither a write nor a read asks others. */
const noAccount = ''
/** A row that its process has not written for so long is not shown. */
const shownMs = hourMs
/** The form of what a row has. Rows of releases with another form are not read. */
const form = 1

const table = '"nounkit_process_figures"'

/** Writes the row of a process. */
export async function leaveFigures(store: Store, figures: Figures): Promise<void> {
  const write = statement(store.dialect, (bind) => {
    const row = [
      bind('id', noAccount),
      bind('string', figures.process),
      bind('integer', figures.at),
      bind('integer', form),
      bind('string', JSON.stringify(figures)),
    ]
    return `INSERT INTO ${table} ("account_id", "id", "at", "form", "figures") VALUES (${row.join(', ')}) ON CONFLICT ("account_id", "id") DO UPDATE SET "at" = excluded."at", "figures" = excluded."figures"`
  })
  await writeAlone(store, write, noAccount)
}

/** The rows of the other processes that were written within the last hour. */
export async function readLeftFigures(store: Store, now: number, own: string): Promise<readonly Figures[]> {
  const left = statement(
    store.dialect,
    (bind) =>
      `SELECT "figures" FROM ${table} WHERE "account_id" = ${bind('id', noAccount)} AND "at" > ${bind('integer', now - shownMs)} AND "id" <> ${bind('string', own)} AND "form" = ${bind('integer', form)} ORDER BY "id"`,
  )
  const rows = await allRows(store, left, noAccount)
  return rows.map(([figures]) => JSON.parse(String(figures)))
}

/** Deletes the row of a process, and those of processes that ended without deleting theirs. */
export async function takeFiguresAway(store: Store, own: string, now: number): Promise<void> {
  const remove = statement(
    store.dialect,
    (bind) =>
      `DELETE FROM ${table} WHERE "account_id" = ${bind('id', noAccount)} AND ("id" = ${bind('string', own)} OR "at" <= ${bind('integer', now - shownMs)})`,
  )
  await writeAlone(store, remove, noAccount)
}
