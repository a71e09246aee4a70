import type { JobRows } from './job-rows.ts'
import type { RunnerRow, RunnerRows } from './runner-rows.ts'

/**
 * Finds processes that are gone, and lets their jobs wait again. A process lives while the number in its row changes: that is seen on the
 * monotonic clock of the one who looks, so no clock that is wrong or jumps ends a lease.
 */
export class SilentRunners {
  readonly #jobs: JobRows
  readonly #runners: RunnerRows
  readonly #silenceMs: number
  /** The beats seen last, and when they were seen first. */
  #seen = new Map<string, { readonly beats: number; readonly since: number }>()

  constructor(jobs: JobRows, runners: RunnerRows, silenceMs: number) {
    this.#jobs = jobs
    this.#runners = runners
    this.#silenceMs = silenceMs
  }

  /** True where jobs were taken over. `own` is this process. */
  async takeOver(own: string | null): Promise<boolean> {
    // In this order: a process writes its row before it takes a job, so one without a row by then is gone.
    const busy = (await this.#jobs.busyRunners()).filter((id) => id !== own)
    if (busy.length === 0 && this.#seen.size === 0) return false
    const rows = (await this.#runners.list()).filter(({ id }) => id !== own)
    const silent = this.#look(rows)
    for (const row of silent) await this.#runners.removeSilent(row)
    const living = new Set((silent.length > 0 ? await this.#runners.list() : rows).map(({ id }) => id))
    const gone = busy.filter((id) => !living.has(id) && id !== own)
    for (const id of gone) await this.#jobs.takeOver(id)
    return gone.length > 0
  }

  #look(rows: readonly RunnerRow[]): readonly RunnerRow[] {
    const now = performance.now()
    this.#seen = new Map(
      rows.map(({ id, beats }) => {
        const known = this.#seen.get(id)
        return [id, known?.beats === beats ? known : { beats, since: now }]
      }),
    )
    return rows.filter(({ id }) => now - (this.#seen.get(id)?.since ?? now) >= this.#silenceMs)
  }
}
