import { countedForNobody } from '../call/counted-work.ts'
import type { JobSink } from '../write/writer.ts'
import { countJobs, type JobFigures, noFigures } from './job-figures.ts'
import { type RanJob, runDue } from './run-due.ts'
import type { JobDoors } from './run-job.ts'
import { JobRunner, type RunCounts, type RunnerParts } from './runner.ts'

const countEveryMs = 10_000

/** What metrics show of jobs. */
export interface JobMetrics {
  readonly counts: RunCounts
  /** Counted every ten seconds, not when they are asked for. */
  readonly figures: JobFigures
}

type JobParts = Omit<RunnerParts, 'doors' | 'counts'>

/** The jobs of a service: hears of each commit that hands jobs over, and runs jobs in processes that have called `start`. */
export class Jobs implements JobSink, JobMetrics {
  readonly #parts: JobParts
  readonly counts: RunCounts = { done: 0, retried: 0, failed: 0 }
  figures = noFigures
  #runner: JobRunner | null = null
  #timer: NodeJS.Timeout | undefined
  #counting: Promise<void> | null = null

  constructor(parts: JobParts) {
    this.#parts = parts
  }

  /** Called when a transaction has committed jobs that were handed over. */
  committed(account: string): void {
    countedForNobody(() => this.#runner?.wake(account))
  }

  /** From here on this process runs jobs, where any are declared. */
  start(doors: JobDoors): void {
    if (this.#runner || this.#parts.model.jobs.size === 0) return
    this.#runner = new JobRunner({ ...this.#parts, doors, counts: this.counts })
    this.#count()
    this.#timer = setInterval(() => this.#count(), countEveryMs).unref()
  }

  /** For tests: runs what is due, in a service that does not run jobs by itself. */
  runDue(doors: JobDoors): Promise<readonly RanJob[]> {
    return runDue({ ...this.#parts, doors })
  }

  /** Lets running jobs end, for 30 seconds at most, and gives back those that do not. May be called twice. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    const runner = this.#runner
    this.#runner = null
    await runner?.stop()
    await this.#counting
  }

  #count(): void {
    const { store, clock, model } = this.#parts
    const regular = [...model.jobs.values()].flatMap(({ kind, name }) => (kind === 'regular' ? [name] : []))
    this.#counting ??= countJobs(store, clock, regular)
      .then((figures) => {
        this.figures = figures
      })
      .catch(() => {})
      .finally(() => {
        this.#counting = null
      })
  }
}
