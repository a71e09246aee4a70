import type { JobDeclaration, LaterOptions } from '../declare/job.ts'
import type { Maybe } from '../maybe.ts'
import { writeJobs } from '../write/job-inserts.ts'
import { type NewJob, newJob } from '../write/new-job.ts'
import type { Writer } from '../write/writer.ts'

/** What `later` was called with. */
export type AskedJob = [job: string | JobDeclaration, payload: unknown, options?: LaterOptions]

/** The jobs that one call of a noun's code hands over. They are written when its answer is known, and not where there is none. */
export class HandedOver {
  readonly #made: Promise<NewJob>[] = []
  #isOver = false

  async add(writer: Writer, asked: AskedJob, about: (error: Error) => Error): Promise<void> {
    if (this.#isOver) throw about(new Error('later(…) came after the answer: await every call.'))
    const made = newJob(writer, ...asked).catch((error: Error) => {
      throw about(error)
    })
    this.#made.push(made)
    await made
  }

  /** All of them, also those that were not awaited. Throws what is wrong with one, even where the code caught that. */
  all(): Maybe<readonly NewJob[]> {
    this.#isOver = true
    return this.#made.length === 0 ? [] : Promise.all(this.#made)
  }
}

/** Writes jobs in a transaction of their own. */
export function handOver(writer: Writer, account: string, jobs: readonly NewJob[]): Maybe<void> {
  if (jobs.length === 0) return
  return writer.store
    .transaction((tx) => writeJobs(tx, account, jobs), account)
    .then(() => writer.jobs.committed(account))
}
