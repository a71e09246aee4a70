import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { newProcessId } from '../store/process-id.ts'
import type { Store } from '../store/store.ts'
import { takeLookTurn } from '../store/turns.ts'
import { warnNowAndThen } from '../store/warn-now-and-then.ts'
import { EndedJobs } from './ended-jobs.ts'
import { endingOf, usedUp } from './job-ending.ts'
import { type ClaimedJob, JobRows } from './job-rows.ts'
import { type JobDoors, type RunOutcome, runJob } from './run-job.ts'
import { RunnerRows } from './runner-rows.ts'
import { SilentRunners } from './silent-runners.ts'

export interface RunnerParts {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
  readonly doors: JobDoors
  /** Whether the store was migrated past this process: then it leaves jobs to others. */
  isOutdated(): boolean
  readonly counts: RunCounts
  warn(message: string, error: unknown): void
  readonly settings?: Partial<RunnerSettings> | undefined
}

/** Runs of this process, by what became of the job. */
export interface RunCounts {
  done: number
  /** Runs after which another attempt follows. */
  retried: number
  failed: number
}

export interface RunnerSettings {
  /** How often jobs that are due are looked for, and processes that are gone. */
  readonly lookEveryMs: number
  /** How many jobs run at once. */
  readonly places: number
  /** How long running jobs may go on when the process stops. */
  readonly stopMs: number
  /** How long a process may be silent before another one takes its jobs over. It stops its own runs before that. */
  readonly silenceMs: number
}

const usual: RunnerSettings = { lookEveryMs: 1_000, places: 25, stopMs: 30_000, silenceMs: 10_000 }

/** How long a process without jobs keeps its row. */
const lingerMs = 10_000
/** How long jobs have to end after their signals have aborted. */
const abortMs = 1_000
/** Of how many looks one also looks after the rows of work at regular times. */
const looksPerTend = 60
const lookMark = 'jobs look'

interface Run {
  readonly job: ClaimedJob
  readonly ending: AbortController
}

/** Runs the jobs that are due, as long as the process does. */
export class JobRunner {
  readonly #parts: RunnerParts
  readonly #settings: RunnerSettings
  readonly #jobs: JobRows
  readonly #runners: RunnerRows
  readonly #silent: SilentRunners
  readonly #ended: EndedJobs
  readonly #failed: (error: unknown) => void
  /** Runs that have not ended. */
  readonly #runs = new Set<Run>()
  /** The accounts whose jobs may be due; null for all, where accounts are not apart. */
  readonly #wanted = new Set<string | null>()
  readonly #timers: readonly NodeJS.Timeout[]
  /** The id of this process's row, while it has one. */
  #id: string | null = null
  /** When the last beat that was written was sent, and when there was a job last, on the monotonic clock. */
  #beatAt = 0
  #busyAt = 0
  /** Whether a claim has failed, so that this process may have jobs that it does not know of. */
  #isUnsure = false
  #looks = 0
  #looking: Promise<void> | null = null
  #working: Promise<void> | null = null
  #beating: Promise<void> | null = null
  #stopped = false
  /** Whether runs that have not ended were given back. */
  #isOver = false

  constructor(parts: RunnerParts) {
    const { model, store, settings } = parts
    this.#parts = parts
    this.#settings = { ...usual, ...settings }
    const { lookEveryMs, silenceMs } = this.#settings
    this.#jobs = new JobRows(store, [...model.jobs.keys()])
    this.#runners = new RunnerRows(store)
    this.#silent = new SilentRunners(this.#jobs, this.#runners, silenceMs)
    this.#failed = warnNowAndThen((error) =>
      parts.warn('Jobs could not be looked after for a moment.', error),
    )
    this.#ended = new EndedJobs(this.#jobs, parts.clock.now, this.#failed)
    this.#timers = [
      setInterval(() => this.#look(), lookEveryMs).unref(),
      setInterval(() => this.#beat(), silenceMs / 4).unref(),
      setInterval(() => this.#watchSilence(), silenceMs / 20).unref(),
    ]
    this.#look()
  }

  /** Jobs of the account were committed by this process. */
  wake(account: string): void {
    this.#wanted.add(this.#parts.store.dialect.accountsApart ? account : null)
    this.#work()
  }

  /** Lets running jobs end, and gives back those that do not. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timers[0])
    await this.#looking
    await this.#working
    await this.#drained(this.#settings.stopMs)
    for (const { ending } of this.#runs) ending.abort(new DOMException('The process stops.', 'AbortError'))
    await this.#drained(abortMs)
    this.#isOver = true
    for (const { job } of this.#runs) this.#ended.giveBack(job)
    await this.#ended.settled()
    for (const timer of this.#timers) clearInterval(timer)
    await this.#beating
    if (this.#id !== null) await this.#runners.remove(this.#id).catch(this.#failed)
  }

  async #drained(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs
    // Nobody waits for runs whose jobs others have taken over.
    const isOwn = ({ job }: Run): boolean => job.runner === this.#id
    while ([...this.#runs].some(isOwn) && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 20))
  }

  #look(): void {
    this.#looking ??= this.#lookOnce()
      .catch(this.#failed)
      .finally(() => {
        this.#looking = null
      })
  }

  async #lookOnce(): Promise<void> {
    const { store, clock } = this.#parts
    if (this.#looks++ % looksPerTend === 0) await this.#tend()
    const { lookEveryMs } = this.#settings
    if (store.dialect.accountsApart && !(await takeLookTurn(store, lookMark, clock.now(), lookEveryMs)))
      return
    await this.#silent.takeOver(this.#id)
    for (const account of await this.#jobs.dueAccounts(clock.now())) this.#wanted.add(account)
    this.#work()
  }

  async #tend(): Promise<void> {
    const { model, clock } = this.#parts
    const now = clock.now()
    for (const job of model.jobs.values())
      if (job.kind === 'regular') await this.#jobs.tend(job.name, job.nextAfter(now), now)
  }

  #work(): void {
    if (this.#stopped || this.#wanted.size === 0 || this.#parts.isOutdated()) return
    this.#working ??= this.#takeWanted()
      .catch(this.#failed)
      .finally(() => {
        this.#working = null
        if (this.#places > 0) this.#work()
      })
  }

  /** How many more jobs may begin. Those whose end is not written yet count, so that they stay few while the store is away. */
  get #places(): number {
    return this.#settings.places - this.#runs.size - Math.floor(this.#ended.size / 4)
  }

  async #takeWanted(): Promise<void> {
    // Commits, and jobs that end, are gathered for a moment.
    await new Promise((resolve) => setImmediate(resolve))
    for (const account of [...this.#wanted]) {
      const limit = this.#places
      if (limit <= 0 || this.#stopped) return
      this.#wanted.delete(account)
      const runner = await this.#register()
      if (this.#isUnsure) await this.#forgetUnknown(runner)
      this.#isUnsure = true
      const claimed = await this.#jobs.claim(account, runner, this.#parts.clock.now(), limit)
      this.#isUnsure = false
      if (claimed.length === limit) this.#wanted.add(account)
      for (const job of claimed) this.#start(job)
    }
  }

  /** A process has a row before it takes a job. */
  async #register(): Promise<string> {
    this.#busyAt = performance.now()
    if (this.#id !== null) return this.#id
    const id = newProcessId()
    const sentAt = performance.now()
    await this.#runners.add(id)
    this.#id = id
    this.#beatAt = sentAt
    return id
  }

  /** Gives back what a claim took whose answer was lost. */
  async #forgetUnknown(runner: string): Promise<void> {
    const known = new Set([...this.#runs].map(({ job }) => job.id))
    for (const key of await this.#jobs.heldBy(runner))
      if (!known.has(key.id) && !this.#ended.has(key.id)) await this.#jobs.giveBack(key)
  }

  #start(job: ClaimedJob): void {
    const model = this.#parts.model.jobs.get(job.name)
    if (!model) throw new Error(`The job ${job.name} was taken, and is not declared`)
    const run: Run = { job, ending: new AbortController() }
    this.#runs.add(run)
    const outcome = usedUp(model, job) ?? runJob(model, job, this.#parts.doors, run.ending)
    void Promise.resolve(outcome).then((outcome) => this.#end(run, outcome))
  }

  #end(run: Run, outcome: RunOutcome): void {
    const { model, clock, counts, warn } = this.#parts
    const { job, ending } = run
    const declared = model.jobs.get(job.name)
    this.#runs.delete(run)
    if (this.#isOver) return
    this.#busyAt = performance.now()
    const isInterrupted =
      outcome.kind === 'failed' &&
      ending.signal.reason instanceof DOMException &&
      ending.signal.reason.name === 'AbortError'
    if (isInterrupted || !declared) this.#ended.giveBack(job)
    else {
      const next = endingOf(declared, job, outcome, clock.now())
      counts[outcome.kind === 'done' ? 'done' : next?.status === 'failed' ? 'failed' : 'retried']++
      if (outcome.kind === 'failed') warn(sentenceOf(job, next?.dueAt ?? null), outcome.error)
      if (next) this.#ended.change(job, next)
      else this.#ended.done(job)
    }
    this.#work()
  }

  #beat(): void {
    const id = this.#id
    if (id === null) return
    this.#beating ??= this.#beatOnce(id)
      .catch(this.#failed)
      .finally(() => {
        this.#beating = null
      })
  }

  async #beatOnce(id: string): Promise<void> {
    const sentAt = performance.now()
    if (this.#isIdle() && sentAt - this.#busyAt > lingerMs) {
      // From here on, a claim makes a new row.
      this.#id = null
      return this.#runners.remove(id)
    }
    if (!(await this.#runners.beat(id))) this.#lose(id)
    else if (this.#id === id) this.#beatAt = sentAt
  }

  #isIdle(): boolean {
    return this.#runs.size === 0 && this.#ended.size === 0 && this.#working === null && !this.#isUnsure
  }

  #watchSilence(): void {
    const id = this.#id
    if (id !== null && performance.now() - this.#beatAt > 0.8 * this.#settings.silenceMs) this.#lose(id)
  }

  /** Others have taken this process for gone, or will soon. What its runs end with is still written where nobody took the job over. */
  #lose(id: string): void {
    if (this.#id !== id) return
    this.#id = null
    this.#isUnsure = false
    const reason = new DOMException('Another process takes this job over.', 'AbortError')
    for (const { job, ending } of this.#runs) if (job.runner === id) ending.abort(reason)
    this.#failed(new Error('This process could not say that it lives: others take its jobs over.'))
  }
}

const sentenceOf = ({ name, id, account, attempt }: ClaimedJob, nextAt: number | null): string => {
  const what = `job ${name} ${id}${account === '' ? '' : ` of ${account}`} failed (attempt ${attempt})`
  return nextAt === null
    ? `${what}: it is not tried again`
    : `${what}: it runs again at ${new Date(nextAt).toISOString()}`
}
