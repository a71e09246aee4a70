import type { Clock } from '../clock.ts'
import { sqlText } from '../kinds/sql.ts'
import { statement } from '../plan/bound-statement.ts'
import { allRows, firstRow } from '../store/run-statement.ts'
import type { Store } from '../store/store.ts'
import { noAccount } from './job-rows.ts'

export interface JobFigures {
  readonly waiting: number
  readonly running: number
  readonly failed: number
  /** The age of the job that has been due for longest and has not begun; 0 where none is due. */
  readonly oldestSeconds: number
}

export const noFigures: JobFigures = { waiting: 0, running: 0, failed: 0, oldestSeconds: 0 }

/** Counts the jobs of all accounts. Work at regular times, of which there is always a row, counts only where it is overdue. */
export async function countJobs(store: Store, clock: Clock, regular: readonly string[]): Promise<JobFigures> {
  const counted = new Map<string, number>()
  const count = (rows: readonly (readonly unknown[])[], sign: 1 | -1): void => {
    for (const [status, number] of rows)
      counted.set(String(status), (counted.get(String(status)) ?? 0) + sign * Number(number))
  }
  count(await store.all('SELECT "status", count(*) FROM "nounkit_jobs" GROUP BY "status"', []), 1)
  const own = statement(
    store.dialect,
    (bind) =>
      `SELECT "status", count(*) FROM "nounkit_jobs" WHERE "account_id" = ${bind('id', noAccount)} GROUP BY "status"`,
  )
  count(await allRows(store, own, noAccount), -1)
  const oldest = statement(store.dialect, (bind) => {
    // Rows of regular work that is not declared any more stay, and are nothing to wait for.
    const declared = regular.length === 0 ? '' : ` OR "name" IN (${regular.map(sqlText).join(', ')})`
    return `SELECT "due_at" FROM "nounkit_jobs" WHERE "status" = 'waiting' AND "due_at" <= ${bind('integer', clock.now())} AND ("account_id" <> ${bind('id', noAccount)}${declared}) ORDER BY "due_at"${store.dialect.nulls(false)} LIMIT 1`
  })
  const [dueAt] = (await firstRow(store, oldest)) ?? []
  return {
    waiting: counted.get('waiting') ?? 0,
    running: counted.get('running') ?? 0,
    failed: counted.get('failed') ?? 0,
    oldestSeconds: dueAt === undefined ? 0 : Math.max(0, (clock.now() - Number(dueAt)) / 1_000),
  }
}
