import { statement } from '../plan/bound-statement.ts'
import { allRows } from '../store/run-statement.ts'
import { statementParts } from '../store/statement-parts.ts'
import type { Transaction } from '../store/store.ts'
import type { NewJob } from './new-job.ts'

/** Writes the jobs that were handed over, as a part of the transaction that hands them over. */
export async function writeJobs(tx: Transaction, account: string, jobs: readonly NewJob[]): Promise<void> {
  for (const part of statementParts(distinct(jobs))) await insert(tx, account, part)
}

/** Each unique job once, and in one order for all transactions, so that two of them do not wait for each other's rows. */
function distinct(jobs: readonly NewJob[]): readonly NewJob[] {
  const key = ({ name, unique }: NewJob): string => JSON.stringify([name, unique])
  const uniques = new Map<string, NewJob>()
  for (const job of jobs) if (job.unique !== null && !uniques.has(key(job))) uniques.set(key(job), job)
  const sorted = [...uniques].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, job]) => job)
  return [...jobs.filter(({ unique }) => unique === null), ...sorted]
}

/**
 * Where the same unique job waits, the new one is dropped, and the waiting row is locked until this transaction ends: a process that took
 * it before would not see what this transaction writes.
 */
async function insert(tx: Transaction, account: string, jobs: readonly NewJob[]): Promise<void> {
  await allRows(
    tx,
    statement(tx.dialect, (bind) => {
      const owner = bind('id', account)
      const values = jobs.map(
        ({ id, name, dueAt, createdAt, unique, payload }) =>
          `(${owner}, ${bind('id', id)}, ${bind('string', name)}, 'waiting', ${bind('integer', dueAt)}, 0, ${bind('integer', createdAt)}, ${bind('string', unique)}, ${bind('string', payload)})`,
      )
      return `INSERT INTO "nounkit_jobs" ("account_id", "id", "name", "status", "due_at", "attempts", "created_at", "unique_text", "payload") VALUES ${values.join(', ')} ON CONFLICT ("account_id", "name", "unique_text") DO UPDATE SET "unique_text" = excluded."unique_text"`
    }),
  )
}
