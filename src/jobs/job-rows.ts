import { sqlText } from '../kinds/sql.ts'
import { type Bind, statement } from '../plan/bound-statement.ts'
import { allRows, firstRow, writeAlone } from '../store/run-statement.ts'
import type { Row, Store } from '../store/store.ts'

/** The account of the rows of work at regular times. */
export const noAccount = ''

/** A job that this process has taken. */
export interface ClaimedJob {
  readonly account: string
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly payload: string
  /** 1 for the first. */
  readonly attempt: number
  readonly dueAt: number
  /** The process that has taken it. What is written about the job later only counts while it still has it. */
  readonly runner: string
}

/** What becomes of a job after a run, where it is not done for good. */
export interface NextState {
  readonly status: 'waiting' | 'failed'
  /** Null when it has failed. */
  readonly dueAt: number | null
  readonly attempts: number
  readonly error: string | null
}

type JobKey = Pick<ClaimedJob, 'account' | 'id' | 'runner'>

/** On a cluster, of how many accounts jobs are found with one look. */
const mostAccounts = 100

/** The statements on the rows of jobs. `names` are those that this process knows. */
export class JobRows {
  readonly #store: Store
  readonly #names: string

  constructor(store: Store, names: readonly string[]) {
    this.#store = store
    this.#names = names.map(sqlText).join(', ')
  }

  /** Takes the jobs that have been due for longest. Where accounts are apart, those of one account. */
  async claim(
    account: string | null,
    runner: string,
    now: number,
    limit: number,
  ): Promise<readonly ClaimedJob[]> {
    const { dialect } = this.#store
    const text = statement(dialect, (bind) => {
      const own = account === null ? '' : `"account_id" = ${bind('id', account)} AND `
      // Rows that another process takes at this moment, or that a transaction with the same unique job has locked, are left to it.
      const lock = dialect.forUpdate && `${dialect.forUpdate} SKIP LOCKED`
      return `WITH "due" ("of", "job") AS MATERIALIZED (SELECT "account_id", "id" FROM "nounkit_jobs" WHERE ${own}${this.#isDue(bind, now)} ORDER BY "due_at"${dialect.nulls(false)}, "id" LIMIT ${limit}${lock}) UPDATE "nounkit_jobs" SET "status" = 'running', "attempts" = "attempts" + 1, "runner" = ${bind('string', runner)}, "unique_text" = NULL FROM "due" WHERE ${own}"account_id" = "of" AND "id" = "job" RETURNING "account_id", "id", "name", "payload", "attempts", "due_at"`
    })
    const rows = await this.#store.transaction((tx) => allRows(tx, text), account ?? undefined)
    // RETURNING has no order.
    return rows
      .map((row) => claimedJob(row, runner))
      .sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))
  }

  /** The accounts with jobs that are due, those first that have waited longest; `[null]` where all can be taken together. */
  async dueAccounts(now: number): Promise<readonly (string | null)[]> {
    const { dialect } = this.#store
    if (dialect.accountsApart) {
      const due = statement(
        dialect,
        (bind) =>
          `SELECT "account_id" FROM "nounkit_jobs" WHERE ${this.#isDue(bind, now)} GROUP BY "account_id" ORDER BY min("due_at") LIMIT ${mostAccounts}`,
      )
      return (await allRows(this.#store, due)).map(([account]) => String(account))
    }
    const any = statement(
      dialect,
      (bind) => `SELECT 1 FROM "nounkit_jobs" WHERE ${this.#isDue(bind, now)} LIMIT 1`,
    )
    return (await firstRow(this.#store, any)) ? [null] : []
  }

  /** The processes that have jobs. */
  async busyRunners(): Promise<readonly string[]> {
    const rows = await this.#store.all(
      `SELECT DISTINCT "runner" FROM "nounkit_jobs" WHERE "status" = 'running'`,
      [],
    )
    return rows.map(([runner]) => String(runner))
  }

  /** Deletes jobs that are done. */
  async done(jobs: readonly JobKey[]): Promise<void> {
    for (const [runner, some] of Map.groupBy(jobs, ({ runner }) => runner)) {
      const groups = this.#store.dialect.accountsApart
        ? Map.groupBy(some, ({ account }) => account).values()
        : [some]
      for (const group of groups) await this.#delete(runner, group)
    }
  }

  async #delete(runner: string, jobs: readonly JobKey[]): Promise<void> {
    const { dialect } = this.#store
    const accounts = [...new Set(jobs.map(({ account }) => account))]
    const [only] = accounts.length === 1 ? accounts : []
    await this.#write((bind) => {
      const ids = dialect.listed(bind('json', JSON.stringify(jobs.map(({ id }) => id))))
      const of =
        only === undefined
          ? `IN (${dialect.listed(bind('json', JSON.stringify(accounts)))})`
          : `= ${bind('id', only)}`
      return `DELETE FROM "nounkit_jobs" WHERE "account_id" ${of} AND "id" IN (${ids}) AND "runner" = ${bind('string', runner)}`
    }, only)
  }

  /** Writes what becomes of a job, unless another process has taken it over. */
  async change({ account, id, runner }: JobKey, next: NextState, now: number): Promise<void> {
    await this.#write((bind) => {
      const ended = bind('integer', next.status === 'failed' ? now : null)
      return `UPDATE "nounkit_jobs" SET "status" = ${bind('string', next.status)}, "due_at" = ${bind('integer', next.dueAt)}, "ended_at" = ${ended}, "attempts" = ${bind('integer', next.attempts)}, "last_error" = ${bind('string', next.error)}, "runner" = NULL WHERE "account_id" = ${bind('id', account)} AND "id" = ${bind('id', id)} AND "runner" = ${bind('string', runner)}`
    }, account)
  }

  /** Lets the jobs of a process that is gone wait again. The attempt that it had begun counts. */
  async takeOver(runner: string): Promise<void> {
    const take = statement(
      this.#store.dialect,
      (bind) =>
        `UPDATE "nounkit_jobs" SET "status" = 'waiting', "runner" = NULL, "last_error" = ${bind('string', goneText)} WHERE "status" = 'running' AND "runner" = ${bind('string', runner)}`,
    )
    await writeAlone(this.#store, take)
  }

  /** Lets jobs of this process wait again, as if they had not been taken. */
  async giveBack({ account, id, runner }: JobKey): Promise<void> {
    await this.#write(
      (bind) =>
        `UPDATE "nounkit_jobs" SET "status" = 'waiting', "runner" = NULL, "attempts" = "attempts" - 1 WHERE "account_id" = ${bind('id', account)} AND "id" = ${bind('id', id)} AND "runner" = ${bind('string', runner)}`,
      account,
    )
  }

  /** What the store says that a process has. */
  async heldBy(runner: string): Promise<readonly JobKey[]> {
    const held = statement(
      this.#store.dialect,
      (bind) =>
        `SELECT "account_id", "id" FROM "nounkit_jobs" WHERE "status" = 'running' AND "runner" = ${bind('string', runner)}`,
    )
    const rows = await allRows(this.#store, held)
    return rows.map(([account, id]) => ({ account: String(account), id: String(id), runner }))
  }

  /**
   * Makes the row of work at regular times, due at its next time. Where there is one that would come later than that, its schedule was
   * changed, or a clock was ahead when it was written.
   */
  async tend(name: string, next: number, now: number): Promise<void> {
    await this.#write((bind) => {
      const due = bind('integer', next)
      return `INSERT INTO "nounkit_jobs" ("account_id", "id", "name", "status", "due_at", "attempts", "created_at", "payload") VALUES (${bind('id', noAccount)}, ${bind('id', name)}, ${bind('string', name)}, 'waiting', ${due}, 0, ${bind('integer', now)}, 'null') ON CONFLICT ("account_id", "id") DO UPDATE SET "due_at" = excluded."due_at" WHERE "nounkit_jobs"."status" = 'waiting' AND "nounkit_jobs"."due_at" > excluded."due_at"`
    }, noAccount)
  }

  #write(text: (bind: Bind) => string, account: string | undefined): Promise<number> {
    return writeAlone(this.#store, statement(this.#store.dialect, text), account)
  }

  #isDue(bind: Bind, now: number): string {
    return `"status" = 'waiting' AND "due_at" <= ${bind('integer', now)} AND "name" IN (${this.#names})`
  }
}

/** Why a job is tried again after its process was killed. */
const goneText = 'The process that ran it was gone.'

const claimedJob = ([account, id, name, payload, attempts, dueAt]: Row, runner: string): ClaimedJob => ({
  account: String(account),
  id: String(id),
  name: String(name),
  payload: String(payload),
  attempt: Number(attempts),
  dueAt: Number(dueAt),
  runner,
})
