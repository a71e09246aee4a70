import { statement } from '../plan/bound-statement.ts'
import { allRows } from '../store/run-statement.ts'
import { numberOrNull, type Row, type Store, textOrNull } from '../store/store.ts'
import { recordActIn } from '../write/recorded-acts.ts'

export const jobStatuses = ['waiting', 'running', 'failed'] as const
export type JobStatus = (typeof jobStatuses)[number]

/** A job as the command and the console show it. Times are in Unix milliseconds. */
export interface ListedJob {
  /** Empty for work at regular times. */
  readonly account: string
  readonly id: string
  readonly name: string
  readonly status: JobStatus
  /** When it is or was to run; null where it has failed. */
  readonly dueAt: number | null
  /** Attempts that have begun. */
  readonly attempts: number
  readonly createdAt: number
  readonly failedAt: number | null
  /** The process that runs it. */
  readonly runner: string | null
  readonly error: string | null
  /** JSON. */
  readonly payload: string
}

export interface JobFilter {
  readonly status?: JobStatus | undefined
  readonly account?: string | undefined
}

/** The jobs of a store, those that are due first at the beginning. */
export async function listJobs(store: Store, filter: JobFilter, most: number): Promise<readonly ListedJob[]> {
  const { account } = filter
  const jobs = statement(store.dialect, (bind) => {
    const conditions = [
      ...(filter.status ? [`"status" = ${bind('string', filter.status)}`] : []),
      ...(account === undefined ? [] : [`"account_id" = ${bind('id', account)}`]),
    ]
    const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
    return `SELECT "account_id", "id", "name", "status", "due_at", "attempts", "created_at", "ended_at", "runner", "last_error", "payload" FROM "nounkit_jobs"${where} ORDER BY "due_at"${store.dialect.nulls(false)}, "id" LIMIT ${most}`
  })
  const rows = account === undefined ? allRows(store, jobs) : allRows(store, jobs, account)
  return (await rows).map(listedJob)
}

const listedJob = (row: Row): ListedJob => {
  const [account, id, name, status, dueAt, attempts, createdAt, failedAt, runner, error, payload] = row
  return {
    account: String(account),
    id: String(id),
    name: String(name),
    status: status as JobStatus,
    dueAt: numberOrNull(dueAt),
    attempts: Number(attempts),
    createdAt: Number(createdAt),
    failedAt: numberOrNull(failedAt),
    runner: textOrNull(runner),
    error: textOrNull(error),
    payload: String(payload),
  }
}

/** Lets jobs that have failed, or that wait, run now, with all their attempts before them, and records who did it. Gives the ids of those that were found. */
export async function retryJobs(
  store: Store,
  ids: readonly string[],
  now: number,
  operator: string | null,
): Promise<readonly string[]> {
  return store.transaction(async (tx) => {
    const retry = statement(
      tx.dialect,
      (bind) =>
        `UPDATE "nounkit_jobs" SET "status" = 'waiting', "due_at" = ${bind('integer', now)}, "attempts" = 0, "ended_at" = NULL WHERE "id" IN (${tx.dialect.listed(bind('json', JSON.stringify(ids)))}) AND "status" IN ('waiting', 'failed') RETURNING "id", "account_id", "name"`,
    )
    const found = await allRows(tx, retry)
    for (const [id, account, name] of found) {
      const detail = { id: String(id), name: String(name) }
      await recordActIn(tx, now, { act: 'job-retried', account: String(account), operator, detail })
    }
    return found.map(([id]) => String(id))
  })
}
