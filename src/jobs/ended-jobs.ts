import type { ClaimedJob, JobRows, NextState } from './job-rows.ts'

type Ended =
  | { readonly kind: 'done' | 'give back'; readonly job: ClaimedJob }
  | { readonly kind: 'change'; readonly job: ClaimedJob; readonly next: NextState }

const mostTogether = 500
const againMs = 1_000

/** Writes the outcomes of jobs, many with one statement. A write that fails is tried again every second. */
export class EndedJobs {
  readonly #rows: JobRows
  readonly #now: () => number
  readonly #failed: (error: unknown) => void
  readonly #waiting = new Map<string, Ended>()
  /** The ended jobs that the statement under way writes. */
  #written: readonly Ended[] = []
  #writing: Promise<void> | null = null

  constructor(rows: JobRows, now: () => number, failed: (error: unknown) => void) {
    this.#rows = rows
    this.#now = now
    this.#failed = failed
  }

  get size(): number {
    return this.#waiting.size + this.#written.length
  }

  has(id: string): boolean {
    return this.#waiting.has(id) || this.#written.some(({ job }) => job.id === id)
  }

  done(job: ClaimedJob): void {
    this.#add({ kind: 'done', job })
  }

  change(job: ClaimedJob, next: NextState): void {
    this.#add({ kind: 'change', job, next })
  }

  /** The job waits again: it was taken, and not run. */
  giveBack(job: ClaimedJob): void {
    this.#add({ kind: 'give back', job })
  }

  /** Resolves when all outcomes are written, or after a failure: then other processes take the jobs over. */
  async settled(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  #add(ended: Ended): void {
    this.#waiting.set(ended.job.id, ended)
    this.#write()
  }

  #write(): void {
    if (this.#writing || this.#waiting.size === 0) return
    this.#writing = this.#writeWaiting()
      .then(() => 0)
      .catch((error: unknown) => {
        // The store may have written the outcomes all the same. To write them twice does no harm.
        for (const one of this.#written) this.#waiting.set(one.job.id, one)
        this.#failed(error)
        return againMs
      })
      .then((waitMs) => {
        this.#written = []
        this.#writing = null
        if (waitMs > 0) setTimeout(() => this.#write(), waitMs).unref()
        else this.#write()
      })
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.size > 0) {
      // Jobs that end together are written together.
      await new Promise((resolve) => setImmediate(resolve))
      this.#written = [...this.#waiting.values()].slice(0, mostTogether)
      for (const { job } of this.#written) this.#waiting.delete(job.id)
      await this.#rows.done(this.#written.flatMap(({ kind, job }) => (kind === 'done' ? [job] : [])))
      for (const one of this.#written) {
        if (one.kind === 'change') await this.#rows.change(one.job, one.next, this.#now())
        if (one.kind === 'give back') await this.#rows.giveBack(one.job)
      }
    }
    this.#written = []
  }
}
